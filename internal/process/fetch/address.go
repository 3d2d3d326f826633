// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"net"
	"net/netip"
	"slices"
)

// Check says whether an address that is dialled, host:port with a literal host, may be reached. The error is ErrForbidden.
func Check(address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return forbidden("it is not an address")
	}
	return public(ap.Addr())
}

// public says whether an address is one of the open Internet.
func public(a netip.Addr) error {
	in := func(p netip.Prefix) bool { return p.Contains(a) }
	switch a = a.Unmap(); {
	case a.Zone() != "":
		return forbidden("it names a network interface")
	case a.Is4() && slices.ContainsFunc(special4, in),
		a.Is6() && (!unicast6.Contains(a) || slices.ContainsFunc(special6, in)):
		return forbidden("it does not lead to the open Internet")
	}
	return nil
}

func prefixes(of ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(of))
	for i, p := range of {
		out[i] = netip.MustParsePrefix(p)
	}
	return out
}

// special4 holds IANA's registry of special-purpose IPv4 addresses whole, those that are globally reachable included,
// because nobody keeps files there; multicast; and what clouds use beyond it.
var special4 = prefixes(
	"0.0.0.0/8",          // this network
	"10.0.0.0/8",         // private
	"100.64.0.0/10",      // carriers' own; some clouds' metadata
	"127.0.0.0/8",        // loopback
	"168.63.129.16/32",   // Azure's host, public by its number only
	"169.254.0.0/16",     // link-local; metadata of most clouds
	"172.16.0.0/12",      // private
	"192.0.0.0/24",       // protocol assignments; a cloud's metadata
	"192.0.2.0/24",       // documentation
	"192.31.196.0/24",    // AS112
	"192.52.193.0/24",    // automatic multicast tunnelling
	"192.88.99.0/24",     // relays of 6to4
	"192.168.0.0/16",     // private
	"192.175.48.0/24",    // AS112
	"198.18.0.0/15",      // benchmarks
	"198.51.100.0/24",    // documentation
	"203.0.113.0/24",     // documentation
	"224.0.0.0/4",        // multicast
	"240.0.0.0/4",        // reserved
	"255.255.255.255/32", // broadcast
)

// unicast6 is the part of IPv6 that is given out for use. Outside of it lie loopback, the compatible, mapped and translated
// forms of IPv4 (::/96, ::ffff:0:0/96, 64:ff9b::/96, 64:ff9b:1::/48), discard (100::/64), segment routing (5f00::/16), unique
// and site-local addresses, link-local and multicast.
var unicast6 = netip.MustParsePrefix("2000::/3")

// special6 holds what IANA's registry of special-purpose IPv6 addresses has inside of unicast6.
var special6 = prefixes(
	"2001::/23",         // protocol assignments, Teredo among them
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: an IPv4 address in disguise
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

// neighbours are the networks that this machine is a part of. In a cluster whose pods have public addresses they are
// those of other pods. A prefix as wide as a tunnel's default route says nothing and is left out.
func neighbours() ([]netip.Prefix, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var out []netip.Prefix
	for _, a := range all {
		n, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		addr, _ := netip.AddrFromSlice(n.IP)
		addr = addr.Unmap()
		bits, _ := n.Mask.Size()
		if widest := map[bool]int{true: 8, false: 32}[addr.Is4()]; bits < widest {
			bits = addr.BitLen()
		}
		out = append(out, netip.PrefixFrom(addr, bits).Masked())
	}
	return out, nil
}
