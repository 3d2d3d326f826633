// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"net/http"
	"strings"
	"testing"
)

func TestClientAddress(t *testing.T) {
	for _, c := range []struct {
		why, remote string
		forwarded   []string
		trusted     string
		want        string
	}{
		{"the peer", "192.0.2.1:1234", nil, "", "192.0.2.1"},
		{"no peer is trusted by default", "127.0.0.1:1234", []string{"198.51.100.7"}, "", "127.0.0.1"},
		{"headers of an untrusted peer are ignored", "192.0.2.1:1234", []string{"198.51.100.7"}, "10.0.0.0/8", "192.0.2.1"},
		{"the entry of a trusted proxy counts", "10.0.0.1:1234", []string{"198.51.100.7"}, "10.0.0.0/8", "198.51.100.7"},
		{"entries of the caller before it do not count", "10.0.0.1:1234", []string{"1.1.1.1, 198.51.100.7"}, "10.0.0.0/8", "198.51.100.7"},
		{"a trusted address of the caller does not count", "10.0.0.1:1234", []string{"10.9.9.9, 198.51.100.7"}, "10.0.0.0/8", "198.51.100.7"},
		{"two proxies", "10.0.0.1:1234", []string{"198.51.100.7, 10.0.0.2"}, "10.0.0.0/8", "198.51.100.7"},
		{"two headers are one list", "10.0.0.1:1234", []string{"1.1.1.1,198.51.100.7", "10.0.0.2"}, "10.0.0.0/8", "198.51.100.7"},
		{"only proxies", "10.0.0.1:1234", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.0/8", "10.0.0.3"},
		{"a proxy without the header", "10.0.0.1:1234", nil, "10.0.0.0/8", "10.0.0.1"},
		{"an invalid entry ends the list", "10.0.0.1:1234", []string{"198.51.100.7, unknown"}, "10.0.0.0/8", "10.0.0.1"},
		{"an empty entry ends the list", "10.0.0.1:1234", []string{"198.51.100.7,"}, "10.0.0.0/8", "10.0.0.1"},
		{"an empty header", "10.0.0.1:1234", []string{""}, "10.0.0.0/8", "10.0.0.1"},
		{"entries with ports", "10.0.0.1:1234", []string{"198.51.100.7:4711"}, "10.0.0.1", "198.51.100.7"},
		{"IPv6 counts by its /64 network", "[2001:db8:1:2:3:4:5:6]:1234", nil, "", "2001:db8:1:2::/64"},
		{"IPv6 in brackets", "10.0.0.1:1", []string{"[2001:db8::1]"}, "10.0.0.1", "2001:db8::/64"},
		{"IPv6 in brackets with a port", "10.0.0.1:1", []string{"[2001:db8::1]:443"}, "10.0.0.1", "2001:db8::/64"},
		{"IPv6 with a zone", "[fe80::1%eth0]:1", nil, "", "fe80::/64"},
		{"IPv4 in IPv6 is IPv4", "[::ffff:192.0.2.1]:1", nil, "", "192.0.2.1"},
		{"IPv4 in IPv6 can be trusted as IPv4", "[::ffff:10.0.0.1]:1", []string{"198.51.100.7"}, "10.0.0.0/8", "198.51.100.7"},
		{"an IPv6 proxy", "[2001:db8::1]:1", []string{"198.51.100.7"}, "2001:db8::/32", "198.51.100.7"},
		{"a socket without addresses", "@", nil, "", "unknown"},
	} {
		t.Run(c.why, func(t *testing.T) {
			trusted, err := ParseNetworks(c.trusted)
			if err != nil {
				t.Fatal(err)
			}
			r := &http.Request{RemoteAddr: c.remote, Header: http.Header{}}
			for _, f := range c.forwarded {
				r.Header.Add("X-Forwarded-For", f)
			}
			if got := ClientAddress(r, trusted); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestParseNetworks(t *testing.T) {
	got, err := ParseNetworks(" 10.1.2.3/8, 192.0.2.7,2001:db8::1/32 ,")
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, p := range got {
		text = append(text, p.String())
	}
	if s := strings.Join(text, " "); s != "10.0.0.0/8 192.0.2.7/32 2001:db8::/32" {
		t.Errorf("got %s", s)
	}
	for _, bad := range []string{"proxy.example", "10.0.0.0/33", "fe80::1%eth0", "::ffff:10.0.0.0/104"} {
		if _, err := ParseNetworks(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzClientAddress(f *testing.F) {
	f.Add("10.0.0.1:1", "198.51.100.7, 10.0.0.2")
	f.Add("[::1%lo]:1", ",,[::]:0,%")
	trusted, err := ParseNetworks("10.0.0.0/8,::1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		r := &http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {forwarded}}}
		// The longest subjects are "unknown" and networks. The caller's text never becomes a subject unchanged.
		if got := ClientAddress(r, trusted); got == "" || len(got) > len("ffff:ffff:ffff:ffff::/64") {
			t.Errorf("%q", got)
		}
	})
}
