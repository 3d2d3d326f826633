// SPDX-License-Identifier: Apache-2.0

// Package addresses is what tests hold against every field that takes a URL: one table of hostile addresses, and a trap of
// listeners on this machine that must never see anybody. It reaches nothing but loopback, and keeps clients under test there.
package addresses

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
)

// traps counts those of a process, so that each stands at another loopback address.
var traps atomic.Int32

// Trap is a set of listeners that must see nothing, and the names that lead to them.
type Trap struct {
	Names *Names

	own netip.Addr // a loopback address beside the usual one
	odd uint16     // an open port of it that means nothing

	mu        sync.Mutex
	listeners []net.Listener
	seen      []string
	names     int
}

// Open sets a trap: on loopback of both families, at the port of https, which hostile URLs mean when they name none, at the
// one of http, and at others. Where the machine does not let a test listen on low ports, or has no IPv6, those are left out;
// at least the odd port is there.
func Open() (*Trap, error) {
	names, err := ServeNames()
	if err != nil {
		return nil, fmt.Errorf("serving names: %w", err)
	}
	n := traps.Add(1)
	t := &Trap{Names: names, own: netip.AddrFrom4([4]byte{127, 80, byte(n >> 8), byte(n)})}
	if t.odd, err = t.listen(t.own, 0); err != nil {
		t.Close()
		return nil, fmt.Errorf("setting the trap: %w", err)
	}
	for _, host := range []netip.Addr{t.own, netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()} {
		for _, port := range []uint16{443, 80, t.odd} {
			_, err = t.listen(host, port) // another test on the machine may stand there, with a trap of its own
			_ = err
		}
	}
	return t, nil
}

func (t *Trap) listen(host netip.Addr, port uint16) (uint16, error) {
	l, err := net.Listen("tcp", netip.AddrPortFrom(host, port).String())
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	t.listeners = append(t.listeners, l)
	t.mu.Unlock()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.mu.Lock()
			t.seen = append(t.seen, fmt.Sprintf("%s called %s", conn.RemoteAddr(), l.Addr()))
			t.mu.Unlock()
			_ = conn.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).AddrPort().Port(), nil
}

// Control keeps a client under test on this machine, whatever is wrong with it: what it would connect to elsewhere is
// refused, and seen as if it had come.
func (t *Trap) Control(address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err == nil && ap.Addr().Unmap().IsLoopback() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = append(t.seen, "somebody called "+address)
	return errAway
}

var errAway = errors.New("a test does not leave this machine")

// Seen lists who came.
func (t *Trap) Seen() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.seen)
}

// Places lists where the trap stands.
func (t *Trap) Places() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, l := range t.listeners {
		out = append(out, l.Addr().String())
	}
	return out
}

// Close takes the trap away.
func (t *Trap) Close() {
	t.Names.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, l := range t.listeners {
		errs = append(errs, l.Close())
	}
	_ = errors.Join(errs...)
}
