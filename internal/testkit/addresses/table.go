// SPDX-License-Identifier: Apache-2.0

package addresses

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Case is a URL that must not be fetched.
type Case struct {
	Why string
	URL string
	// Late indicates that the URL passes when it is accepted and must be refused when it is fetched.
	Late bool
}

// Table returns hostile URLs. Every call uses new names. redirector is the base URL of a server that may be fetched
// from and redirects GET redirector/?to=URL to the URL; without it, the cases with redirects are left out.
func (t *Trap) Table(redirector string) []Case {
	var out []Case
	add := func(why string, urls ...string) {
		for _, u := range urls {
			out = append(out, Case{Why: why, URL: u})
		}
	}
	at := func(hosts ...string) []string { // at the port of https, and at the trap's odd port
		var urls []string
		for _, h := range hosts {
			urls = append(urls, "https://"+h+"/a.png", fmt.Sprintf("https://%s:%d/a.png", h, t.odd))
		}
		return urls
	}
	v4 := t.own.As4()
	n := uint32(v4[0])<<24 | uint32(v4[1])<<16 | uint32(v4[2])<<8 | uint32(v4[3])

	add("plain http", "http://8.8.8.8/a.png", "http://"+t.own.String()+"/a.png", "http://localhost/a.png")
	add("loopback", at(t.own.String(), "127.0.0.1", "127.255.255.254", "[::1]", "[0:0:0:0:0:0:0:1]")...)
	add("loopback by name", at("localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain")...)
	add("this machine", at("0.0.0.0", "0.1.2.3", "[::]")...)
	add("private", at("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "[fd00::1]", "[fc00::1]", "[fec0::1]")...)
	add("carriers' own", at("100.64.0.1", "100.127.255.255")...)
	add("link-local", at("169.254.0.1", "[fe80::1]", "[febf::1]")...)
	add("metadata of clouds", at(
		"169.254.169.254", "169.254.170.2", "[fd00:ec2::254]", "[fd20:ce::254]", "100.100.100.200", "192.0.0.192", "168.63.129.16",
		"metadata.google.internal", "metadata.google.internal.", "metadata", "instance-data", "instance-data.ec2.internal",
	)...)
	add("multicast and broadcast", at("224.0.0.1", "239.255.255.250", "255.255.255.255", "[ff02::1]", "[ff05::2]")...)
	add("kept for special purposes", at(
		"192.0.0.8", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.175.48.1", "198.18.0.1", "198.19.255.255",
		"198.51.100.1", "203.0.113.1", "240.0.0.1", "[100::1]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]", "[2001:db8::1]",
		"[2620:4f:8000::1]", "[3fff::1]", "[5f00::1]",
	)...)
	add("an IPv4 address inside of an IPv6 one", at(
		"[::ffff:"+t.own.String()+"]", fmt.Sprintf("[::ffff:%x:%x]", n>>16, n&0xffff), "[0:0:0:0:0:ffff:7f00:1]", "[::FFFF:169.254.169.254]",
		"[::127.0.0.1]", "[::7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]",
		"[2001:0:7f00:1::1]", "[::ffff:0:127.0.0.1]",
	)...)
	add("decimal", at(fmt.Sprint(n), "2130706433", "2130706433.", "4294967295", "0")...)
	add("octal", at(fmt.Sprintf("0%o.0%o.0%o.0%o", v4[0], v4[1], v4[2], v4[3]), "0177.0.0.1", "0177.1", "017700000001", "127.0.0.01", "00000000177.0.0.1")...)
	add("hex", at(fmt.Sprintf("0x%x", n), "0x7f.0.0.1", "0x7f.1", "0X7F000001", "0x7f.0x0.0x0.0x1", "0x", "0xA9.0xFE.0xA9.0xFE")...)
	add("fewer or more parts than four", at("127.1", "127.0.1", "10.1", "127.0.0.1.", "1.2.3.4.5", "127.0.0.0.1", "256.256.256.256", "8.8.8.8.0x7f000001")...)
	add("a zone", at("[fe80::1%25eth0]", "[fe80::1%25lo]", "[::1%25lo]", "[2606:2800:220:1::1%25eth0]")...)
	add("percent-encoded", at("%31%32%37.0.0.1", "127%2e0%2e0%2e1", "%6cocalhost", "localhos%74", "127.0.0.1%00.example.com", "127.0.0.1%2f.example.com")...)
	add("digits, letters and dots of other scripts", at(
		"１２７.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①", "ｌｏｃａｌｈｏｓｔ", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "localhoſt", "loc\u00adalhost", "xn--",
	)...)
	add("names of one cluster or network", at(
		"kubernetes", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "kubernetes.default.svc.cluster.local.",
		"reelops-apiserver.reelops-system.svc", "10-0-0-1.default.pod.cluster.local", "printer.local", "vault.internal", "git.corp", "nas.lan", "nas.home",
		"router.home.arpa", "1.0.0.127.in-addr.arpa", "wiki.intranet", "db.private", "hidden.onion",
	)...)
	add("user information",
		"https://a:b@8.8.8.8/a.png", "https://a@8.8.8.8/a.png", "https://@8.8.8.8/a.png", "https://8.8.8.8@"+t.own.String()+"/a.png",
		"https://8.8.8.8:443@"+t.own.String()+"/a.png", "https://"+t.own.String()+"@8.8.8.8/a.png", "https://8.8.8.8%40"+t.own.String()+"/a.png",
		"https://8.8.8.8\\@"+t.own.String()+"/a.png", "https://"+t.own.String()+"\\.example.com/a.png",
	)
	add("odd ports", "https://8.8.8.8:22/a.png", "https://8.8.8.8:80/a.png", "https://8.8.8.8:6443/a.png", "https://8.8.8.8:8443/a.png", "https://8.8.8.8:0/a.png",
		"https://8.8.8.8:65979/a.png", "https://8.8.8.8:0443/a.png", "https://8.8.8.8:+443/a.png", "https://8.8.8.8:-1/a.png", "https://8.8.8.8:443:80/a.png")
	add("another scheme",
		"file:///etc/passwd", "file://localhost/etc/passwd", "file://"+t.own.String()+"/a.png", fmt.Sprintf("gopher://%s:%d/_GET%%20/", t.own, t.odd),
		"ftp://"+t.own.String()+"/a.png", "data:image/png;base64,iVBORw0KGgo=", "unix:///var/run/docker.sock", "unix:/run/a.sock:/a.png", "dict://"+t.own.String()+":11211/stats",
		"ldap://"+t.own.String()+"/", "s3://bucket/a.png", "blob:https://8.8.8.8/a", "javascript:alert(1)", "jar:https://8.8.8.8/a!/b", "concat:https://8.8.8.8/a", "httpss://8.8.8.8/a",
		"ws://"+t.own.String()+"/", "tftp://"+t.own.String()+"/a", "netdoc:///etc/passwd", "phar://a.png", "view-source:https://8.8.8.8/",
	)
	add("no host", "https:///a.png", "https:a.png", "https:/8.8.8.8/a.png", "https://", "https://:443/a.png", "//"+t.own.String()+"/a.png", "/etc/passwd", "a.png", "https://?a", "https://#a")
	add("no name", at(".", "..", "a..b", ".8.8.8.8", "-a.example.com", "a-.example.com", "a b.example.com", "a,b.example.com", strings.Repeat("a", 64)+".example.com", "*.example.com", "[8.8.8.8]", "[::1", "::1", "[::1]]")...)

	for _, c := range []struct {
		why  string
		sets [][]string
		late bool
	}{
		{"a name of loopback", [][]string{{t.own.String()}}, false},
		{"a name of loopback, IPv6", [][]string{{"::1"}}, false},
		{"a name of a private network", [][]string{{"10.1.2.3"}}, false},
		{"a name of the metadata service", [][]string{{"169.254.169.254"}}, false},
		{"a name of the metadata service, IPv6", [][]string{{"fd00:ec2::254"}}, false},
		{"a name of this machine", [][]string{{"0.0.0.0"}}, false},
		{"a name of a mapped address", [][]string{{"::ffff:" + t.own.String()}}, false},
		{"a name of a translated address", [][]string{{"64:ff9b::7f00:1"}}, false},
		{"a name of a tunnel to loopback", [][]string{{"2002:7f00:1::1"}}, false},
		{"a name of both a public and a forbidden address", [][]string{{"93.184.216.34", t.own.String()}}, false},
		{"a name of both a public and a forbidden address, the other way round", [][]string{{"::1", "93.184.216.34"}}, false},
		{"a name that leads elsewhere when it is fetched", [][]string{{"93.184.216.34"}, {t.own.String()}}, true},
		{"a name that leads elsewhere when it is fetched, IPv6", [][]string{{"2606:2800:220:1:248:1893:25c8:1946"}, {"::1"}}, true},
		{"a name that has an address only when it is fetched", [][]string{nil, {t.own.String()}}, true},
	} {
		var sets [][]netip.Addr
		for _, set := range c.sets {
			var addresses []netip.Addr
			for _, a := range set {
				addresses = append(addresses, netip.MustParseAddr(a))
			}
			sets = append(sets, addresses)
		}
		out = append(out, Case{Why: c.why, URL: "https://" + t.name(sets...) + "/a.png", Late: c.late})
	}
	if redirector == "" {
		return out
	}
	odd := strconv.Itoa(int(t.odd))
	for _, c := range out[:len(out):len(out)] {
		if c.Late { // such a name must be looked up once before; redirect targets are not
			continue
		}
		if u, err := url.Parse(c.URL); err == nil && u.Scheme == "" && u.Host == "" {
			continue // relative to the server that redirects
		} else if err == nil && u.Port() == odd {
			continue // the same host as the one before
		}
		out = append(out, Case{Why: "a redirect to " + c.Why, URL: redirector + "/?to=" + url.QueryEscape(c.URL), Late: true})
	}
	return out
}

// name returns a new name that resolves to the sets of addresses in turn.
func (t *Trap) name(sets ...[]netip.Addr) string {
	t.mu.Lock()
	t.names++
	name := fmt.Sprintf("n%d.trap.test", t.names)
	t.mu.Unlock()
	t.Names.Set(name, sets...)
	return name
}
