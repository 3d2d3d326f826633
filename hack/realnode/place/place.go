// SPDX-License-Identifier: Apache-2.0

// Package place is where a node stands: the addresses and names that it takes
// from the machine it runs on.
//
// Several nodes may run at once. Each has a number, and everything that the
// machine sees of it (one link, three routes, one control group) bears that
// number. The package decides; it changes nothing.
package place

import (
	"errors"
	"fmt"
	"net/netip"
)

// Places is how many nodes fit beside each other.
const Places = 64

// Place is one of them, 0 to Places-1.
type Place int

// Link is the name of the machine's end of the wire to the node.
func (p Place) Link() string { return fmt.Sprintf("realnode%d", int(p)) }

// Cgroup is the name of the node's control group at the root of each hierarchy.
func (p Place) Cgroup() string { return fmt.Sprintf("realnode%d", int(p)) }

// Machine is the machine's end of the wire, with its prefix.
func (p Place) Machine() netip.Prefix { return p.prefix(117, 1, 30) }

// Node is the node's end of the wire and its address in the cluster.
func (p Place) Node() netip.Prefix { return p.prefix(117, 2, 30) }

// Pods is what pods get their addresses from.
func (p Place) Pods() netip.Prefix { return p.prefix(118, 0, 24) }

// Services is what Services get their addresses from.
func (p Place) Services() netip.Prefix { return p.prefix(119, 0, 24) }

// API is the address of the Service "kubernetes".
func (p Place) API() netip.Addr { return p.prefix(119, 1, 24).Addr() }

// DNS is the address of the Service "kube-dns".
func (p Place) DNS() netip.Addr { return p.prefix(119, 10, 24).Addr() }

func (p Place) prefix(second, last byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, second, byte(p), last}), bits)
}

// Free answers the first place that collides with nothing: links are the names
// of the machine's links, used its addresses and routes other than the default
// one.
func Free(links map[string]bool, used []netip.Prefix) (Place, error) {
next:
	for p := range Place(Places) {
		if links[p.Link()] {
			continue
		}
		for _, mine := range []netip.Prefix{p.Machine(), p.Pods(), p.Services()} {
			for _, u := range used {
				// A wider route of the machine is no collision: the node's are narrower and win.
				if u.Bits() >= mine.Bits() && mine.Overlaps(u) {
					continue next
				}
			}
		}
		return p, nil
	}
	return 0, errors.New("no addresses left in 10.117.0.0/16 to 10.119.0.0/16; end other nodes with `realnode down`")
}
