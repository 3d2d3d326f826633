// SPDX-License-Identifier: Apache-2.0

// Package fetch is the only client that fetches URLs supplied by callers: media, slide images, music, avatars.
//
// One rule applies to a URL when it is accepted (Permit), when it is opened (Get), and again for every redirect:
//
//   - It is https to port 443, without user information. Its host is written plainly: a name, a dotted quad or an IPv6
//     address in brackets. Other spellings that a resolver, browser or proxy may read as an address (2130706433,
//     0177.0.0.1, 0x7f.1, 127.1, zone IDs, full-width digits) are refused, not translated.
//   - Its name is not local to one machine or network: a single label, localhost, local, internal, svc, home.arpa and
//     the like. Names are resolved as absolute names, so that a cluster's search list cannot turn them into a Service.
//   - All addresses of the name are public: none of IANA's special-purpose addresses, no IPv6 address that embeds an
//     IPv4 address, no multicast, no cloud metadata service, and no network of this machine.
//
// A name is resolved once per dial, and the checked addresses are dialled. The socket's address is checked again before
// it connects. A name that resolves differently the second time (DNS rebinding) therefore gains nothing.
//
// Hosts on the allow list (host, or host:port) are exempt: they may use plain http, any address and any port. The
// installation configures them.
//
// Proxies of the environment are not used, because they would resolve names again and reach other addresses than those
// that were checked. Config.Proxy names a proxy that receives the checked address by CONNECT instead of the name.
// Nothing is passed from one host to the next: no cookies, no Referer. Compressed responses are refused, so that the
// size limit applies to the stored bytes.
//
// Error messages are sentences for the caller and never contain a resolved address. The package does not check what a
// file is: see packages sniff and imagery.
package fetch
