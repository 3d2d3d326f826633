// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

const (
	// maxURL is the maximum length of a URL in bytes. Signed URLs of clouds have about two thousand.
	maxURL = 8 << 10
	// maxName is the maximum length of a host name in bytes, maxLabel that of one label, as in DNS.
	maxName, maxLabel = 253, 63
	httpsPort         = 443
)

// target is a URL whose spelling was checked, in normalized form.
type target struct {
	url  *url.URL
	host string
	port string
	// open reports whether the host is on the allow list.
	open bool
}

func (t *target) hostport() string { return net.JoinHostPort(t.host, t.port) }

// parse checks the spelling of a URL. The error is ErrForbidden.
func (c *Client) parse(raw string) (*target, error) {
	if len(raw) > maxURL {
		return nil, forbidden("it is too long")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, forbidden("it is not a URL")
	}
	return c.judge(u)
}

// judge is parse for a parsed URL.
func (c *Client) judge(u *url.URL) (*target, error) {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, forbidden("only https is allowed")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, forbidden("it names no host")
	case u.User != nil:
		return nil, forbidden("it contains user information")
	}
	host, err := plainHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
		return nil, forbidden("its port is not a plain number")
	}
	t := &target{host: host, port: port}
	t.open = slices.Contains(c.allow, host) || slices.Contains(c.allow, t.hostport())
	if !t.open {
		switch {
		case u.Scheme != "https":
			return nil, forbidden("only https is allowed")
		case port != strconv.Itoa(httpsPort):
			return nil, forbidden("only port 443 is allowed")
		case local(host):
			return nil, forbidden("its name is valid only in a local network")
		}
	}
	plain := *u
	plain.Fragment, plain.RawFragment = "", ""
	plain.Host = t.hostport()
	if port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		plain.Host = strings.TrimSuffix(plain.Host, ":"+port)
	}
	t.url = &plain
	return t, nil
}

// plainHost normalizes a host: to a literal address, or to a lower-case ASCII name without a trailing dot. It refuses
// hosts that another program could read differently.
func plainHost(host string) (string, error) {
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", forbidden("its host is not a name")
		}
		if !strings.Contains(ascii, "xn--") {
			return "", forbidden("its host has characters that map to others") // for example full-width letters that map to ASCII
		}
		host = ascii
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if strings.Contains(host, ":") {
		a, err := netip.ParseAddr(host)
		if err != nil || a.Zone() != "" {
			return "", forbidden("its host is not an address")
		}
		return a.String(), nil
	}
	if len(host) > maxName {
		return "", forbidden("its host is not a name")
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || len(l) > maxLabel || strings.Trim(l, letters) != "" || l[0] == '-' || l[len(l)-1] == '-' {
			return "", forbidden("its host is not a name")
		}
	}
	// Browsers and C libraries read a name that ends in a number as an IPv4 address, regardless of its number of parts.
	if last := labels[len(labels)-1]; numeric(last) {
		a, err := netip.ParseAddr(host)
		if err != nil {
			return "", forbidden("its address is not in the usual notation")
		}
		return a.String(), nil
	}
	return host, nil
}

// letters are the characters of labels. The underscore is not valid in host names but occurs in names of buckets.
const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"

func numeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// localNames are suffixes of names that are local to a machine, network or cluster: those of RFC 6761 and RFC 6762, and
// those that ICANN does not delegate because networks use them.
var localNames = []string{
	"localhost", "localdomain", "local", "internal", "svc", "cluster", "intranet", "private", "corp", "home", "lan", "home.arpa",
	"in-addr.arpa", "ip6.arpa", "onion", "alt",
}

// local reports whether a normalized name is local to one network. Addresses are not.
func local(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	return !strings.Contains(host, ".") || slices.ContainsFunc(localNames, func(end string) bool {
		return host == end || strings.HasSuffix(host, "."+end)
	})
}

// addresses returns the addresses of a host that is not on the allow list, after checking every one of them: one
// forbidden address refuses all. The error is ErrForbidden or the resolver's error.
func (c *Client) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	var found []netip.Addr
	if a, err := netip.ParseAddr(host); err == nil {
		found = []netip.Addr{a}
	} else if found, err = c.resolver.LookupNetIP(ctx, "ip", host+"."); err != nil { // absolute: no search list
		return nil, err
	}
	near, err := neighbours()
	if err != nil {
		return nil, err
	}
	for i, a := range found {
		found[i] = a.Unmap()
		if err := public(a); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(near, func(p netip.Prefix) bool { return p.Contains(found[i]) }) {
			return nil, forbidden("it is in the network of this machine")
		}
	}
	return found, nil
}

// Permit returns an error if a URL must not be fetched. It checks the spelling, and the addresses if the name resolves
// now. The error is ErrForbidden. Get checks again what it dials.
func (c *Client) Permit(ctx context.Context, rawURL string) error {
	t, err := c.parse(rawURL)
	if err != nil || t.open {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	if _, err := c.addresses(ctx, t.host); errors.Is(err, ErrForbidden) {
		return err
	}
	return nil // a name that does not resolve now may resolve when the URL is fetched
}
