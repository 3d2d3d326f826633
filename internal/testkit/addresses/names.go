// SPDX-License-Identifier: Apache-2.0

package addresses

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Names is a DNS server on this machine. It resolves only the names that were set, and forwards no queries.
type Names struct {
	conn net.PacketConn

	mu    sync.Mutex
	known map[string]*record
}

// record is what a name resolves to: the n-th look-up returns the n-th set of addresses, all later ones the last.
type record struct {
	sets  [][]netip.Addr
	asked map[dnsmessage.Type]int
}

// ServeNames starts a server.
func ServeNames() (*Names, error) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := &Names{conn: conn, known: map[string]*record{}}
	go n.serve()
	return n, nil
}

// Close stops the server.
func (n *Names) Close() { _ = n.conn.Close() }

// Resolver returns a resolver that queries this server.
func (n *Names) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", n.conn.LocalAddr().String())
	}}
}

// Set defines the addresses of a name: the first set for its first look-up, and so on.
func (n *Names) Set(name string, sets ...[]netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known[name] = &record{sets: sets, asked: map[dnsmessage.Type]int{}}
}

// LookUps returns how often a name was looked up.
func (n *Names) LookUps(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r := n.known[name]; r != nil {
		return r.asked[dnsmessage.TypeA]
	}
	return 0
}

func (n *Names) serve() {
	buf := make([]byte, 1500)
	for {
		size, from, err := n.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if answer := n.answer(buf[:size]); answer != nil {
			_, _ = n.conn.WriteTo(answer, from)
		}
	}
}

func (n *Names) answer(packet []byte) []byte {
	var in dnsmessage.Message
	if in.Unpack(packet) != nil || len(in.Questions) != 1 {
		return nil
	}
	q := in.Questions[0]
	out := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: in.ID, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: in.Questions,
	}
	set, known := n.look(strings.ToLower(strings.TrimSuffix(q.Name.String(), ".")), q.Type)
	if !known {
		out.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range set {
		head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			out.Answers = append(out.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && !a.Is4():
			out.Answers = append(out.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	answer, err := out.Pack()
	if err != nil {
		return nil
	}
	return answer
}

func (n *Names) look(name string, t dnsmessage.Type) ([]netip.Addr, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.known[name]
	if r == nil {
		return nil, false
	}
	i := min(r.asked[t], len(r.sets)-1)
	r.asked[t]++
	return r.sets[i], true
}
