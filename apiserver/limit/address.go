// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// unknownAddress is the subject of all peers without an IP address. They share one count.
const unknownAddress = "unknown"

// ClientAddress returns the subject for a caller without a valid key: its IPv4 address, or the /64 network of its IPv6
// address, because one machine has all addresses of such a network.
//
// The address is the peer's own unless the peer is a trusted proxy. Then it is the last address in X-Forwarded-For that
// is not a trusted proxy's. Entries further left were written by the caller and prove nothing.
func ClientAddress(r *http.Request, trusted []netip.Prefix) string {
	peer, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return unknownAddress
	}
	headers := r.Header["X-Forwarded-For"]
	for i := len(headers) - 1; i >= 0; i-- {
		for rest := headers[i]; rest != ""; {
			if !isTrusted(peer, trusted) {
				return subjectOf(peer)
			}
			comma := strings.LastIndexByte(rest, ',')
			next, ok := parseAddress(strings.TrimSpace(rest[comma+1:]))
			if !ok {
				return subjectOf(peer) // the client cannot be identified beyond this proxy
			}
			peer, rest = next, rest[:max(comma, 0)]
		}
	}
	return subjectOf(peer)
}

// ParseNetworks parses a list of networks and addresses such as "10.0.0.0/8,192.0.2.7,2001:db8::/32".
func ParseNetworks(list string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, part := range strings.Split(list, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		p, err := netip.ParsePrefix(part)
		if err != nil {
			a, aerr := netip.ParseAddr(part)
			if aerr != nil || a.Zone() != "" {
				return nil, fmt.Errorf("%q is neither a network such as 10.0.0.0/8 nor an address", part)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		if a := p.Addr(); a.Is4In6() {
			return nil, fmt.Errorf("%q: write IPv4 networks as IPv4, such as 10.0.0.0/8", part)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

func isTrusted(a netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseAddress parses an address with or without a port.
func parseAddress(s string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	return a.Unmap().WithZone(""), err == nil
}

func subjectOf(a netip.Addr) string {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
