// SPDX-License-Identifier: Apache-2.0

// Package addresses tests fields that take a URL: it has a table of hostile URLs, and a trap of listeners on this
// machine that must not receive connections. It uses only loopback, and keeps clients under test there.
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

// traps counts the traps of the process, so that each has its own loopback address.
var traps atomic.Int32

// Trap is a set of listeners that must not receive connections, and the names that lead to them.
type Trap struct {
	Names *Names

	own netip.Addr // a loopback address other than the usual one
	odd uint16     // an open port of own without a standard meaning

	mu        sync.Mutex
	listeners []net.Listener
	seen      []string
	names     int
}

// Open opens a trap on loopback of both families: at port 443, which hostile URLs use by default, at port 80, and at
// the odd port. Low ports and IPv6 are left out if the machine does not permit them; the odd port is always open.
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
			_, err = t.listen(host, port) // the trap of another test may use the address
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

// Control keeps a client under test on this machine, even if the client is broken. It refuses other addresses, and
// records the attempt as if the trap had received it.
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

// Seen returns the recorded connections.
func (t *Trap) Seen() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.seen)
}

// Places returns the addresses of the listeners.
func (t *Trap) Places() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, l := range t.listeners {
		out = append(out, l.Addr().String())
	}
	return out
}

// Close closes the trap.
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
