// SPDX-License-Identifier: Apache-2.0

// Package fetch is the one client that opens URLs which callers give: of media, slides' pictures, music, avatars.
//
// A URL is judged by one rule, when it is accepted (Permit), when it is opened (Get) and again for every redirect:
//
//   - It is https to port 443, without user information, and its host is written plainly: a name, a dotted quad or an
//     IPv6 address in brackets. Whatever a resolver, a browser or a proxy may read as an address but is not written as
//     one (2130706433, 0177.0.0.1, 0x7f.1, 127.1, zone ids, full-width digits) is refused, not translated.
//   - Its name is none that has a meaning on one machine or in one network only: a single label, localhost, local,
//     internal, svc, home.arpa and the like. Names are looked up as absolute ones, so that no search list of a cluster
//     makes a Service of them.
//   - All addresses that the name has are public: nothing that IANA's registries keep for a special purpose, nothing that
//     carries an IPv4 address inside of an IPv6 one, no multicast, no cloud's metadata service, and no network that this
//     machine is itself a part of.
//
// Names are looked up once for each dial, and what was judged is what is dialled; the socket is looked at once more
// before it connects. So a name that resolves otherwise the second time gains nothing.
//
// Hosts on the allow list (host, or host:port) stand outside of that rule: they may be plain http, have any address and
// any port. They are the installation's own choice.
//
// Proxies of the environment are not used, because they would look names up again and reach other addresses than those that were
// judged. Config.Proxy names a proxy that gets the judged address by CONNECT instead of the name. Nothing is
// sent along from one host to the next: no cookies, no Referer. Answers are taken as they are: a compressed one is
// refused, so that what is counted is what is kept.
//
// Errors tell what is wrong in a sentence for the caller; they never hold an address that a name was resolved to. The
// package does not judge what a file is: see packages sniff and imagery.
package fetch
