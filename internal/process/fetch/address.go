// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"net"
	"net/netip"
	"slices"
)

// Check returns an error if a dialled address, host:port with a literal host, must not be reached. The error is
// ErrForbidden.
func Check(address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return forbidden("it is not an address")
	}
	return public(ap.Addr())
}

// public returns an error if an address is not on the public Internet.
func public(a netip.Addr) error {
	in := func(p netip.Prefix) bool { return p.Contains(a) }
	switch a = a.Unmap(); {
	case a.Zone() != "":
		return forbidden("it names a network interface")
	case a.Is4() && slices.ContainsFunc(special4, in),
		a.Is6() && (!unicast6.Contains(a) || slices.ContainsFunc(special6, in)):
		return forbidden("it is not a public address")
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

// special4 is the whole IANA registry of special-purpose IPv4 addresses, multicast, and addresses that clouds use
// beyond it. It includes the globally reachable entries, because they host no files.
var special4 = prefixes(
	"0.0.0.0/8",          // this network
	"10.0.0.0/8",         // private
	"100.64.0.0/10",      // carrier-grade NAT; metadata service of some clouds
	"127.0.0.0/8",        // loopback
	"168.63.129.16/32",   // Azure's host, a public address in form only
	"169.254.0.0/16",     // link-local; metadata service of most clouds
	"172.16.0.0/12",      // private
	"192.0.0.0/24",       // protocol assignments; metadata service of one cloud
	"192.0.2.0/24",       // documentation
	"192.31.196.0/24",    // AS112
	"192.52.193.0/24",    // automatic multicast tunnelling
	"192.88.99.0/24",     // 6to4 relays
	"192.168.0.0/16",     // private
	"192.175.48.0/24",    // AS112
	"198.18.0.0/15",      // benchmarks
	"198.51.100.0/24",    // documentation
	"203.0.113.0/24",     // documentation
	"224.0.0.0/4",        // multicast
	"240.0.0.0/4",        // reserved
	"255.255.255.255/32", // broadcast
)

// unicast6 is the allocated part of IPv6. It excludes loopback, the compatible, mapped and translated forms of IPv4
// (::/96, ::ffff:0:0/96, 64:ff9b::/96, 64:ff9b:1::/48), discard (100::/64), segment routing (5f00::/16), unique and
// site-local addresses, link-local and multicast.
var unicast6 = netip.MustParsePrefix("2000::/3")

// special6 are the entries of IANA's registry of special-purpose IPv6 addresses within unicast6.
var special6 = prefixes(
	"2001::/23",         // protocol assignments, including Teredo
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: embeds an IPv4 address
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

// neighbours returns the networks of this machine's interfaces. In a cluster whose pods have public addresses, they are
// the networks of other pods. For a prefix as wide as a tunnel's default route, only the interface's own address is
// returned.
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
