// SPDX-License-Identifier: Apache-2.0

// Package place defines a node's place on a machine: the addresses and names that the node uses of it.
//
// Several nodes may run at once. Each has a number, and everything of it that is visible on the machine (one link,
// three routes, one control group) contains that number. The package only computes; it changes nothing.
package place

import (
	"errors"
	"fmt"
	"net/netip"
)

// Places is the maximum number of nodes on one machine.
const Places = 64

// Place is the number of a node, 0 to Places-1.
type Place int

// Link returns the name of the machine's end of the link to the node.
func (p Place) Link() string { return fmt.Sprintf("realnode%d", int(p)) }

// Cgroup returns the name of the node's control group at the root of each hierarchy.
func (p Place) Cgroup() string { return fmt.Sprintf("realnode%d", int(p)) }

// Machine returns the address of the machine's end of the link, with its prefix length.
func (p Place) Machine() netip.Prefix { return p.prefix(117, 1, 30) }

// Node returns the address of the node's end of the link, which is the node's address in the cluster.
func (p Place) Node() netip.Prefix { return p.prefix(117, 2, 30) }

// Pods returns the prefix of pod addresses.
func (p Place) Pods() netip.Prefix { return p.prefix(118, 0, 24) }

// Services returns the prefix of Service addresses.
func (p Place) Services() netip.Prefix { return p.prefix(119, 0, 24) }

// API returns the address of the Service "kubernetes".
func (p Place) API() netip.Addr { return p.prefix(119, 1, 24).Addr() }

// DNS returns the address of the Service "kube-dns".
func (p Place) DNS() netip.Addr { return p.prefix(119, 10, 24).Addr() }

func (p Place) prefix(second, last byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, second, byte(p), last}), bits)
}

// Free returns the first place without a collision. links are the names of the machine's links. used are its addresses
// and its routes other than the default one.
func Free(links map[string]bool, used []netip.Prefix) (Place, error) {
next:
	for p := range Place(Places) {
		if links[p.Link()] {
			continue
		}
		for _, mine := range []netip.Prefix{p.Machine(), p.Pods(), p.Services()} {
			for _, u := range used {
				// A wider route of the machine is no collision: the node's routes are more specific and take
				// precedence.
				if u.Bits() >= mine.Bits() && mine.Overlaps(u) {
					continue next
				}
			}
		}
		return p, nil
	}
	return 0, errors.New("no free addresses in 10.117.0.0/16 to 10.119.0.0/16; stop other nodes with `realnode down`")
}
