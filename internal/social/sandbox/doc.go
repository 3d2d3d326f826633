// SPDX-License-Identifier: Apache-2.0

// Package sandbox is the ground that the stand-ins of social platforms are built on: accounts, uploaded files, what landed, the
// calls that came, faults by script, tokens, and the page that shows it all. The platforms themselves are the folders below it;
// each speaks its platform's own paths, fields, limits and errors, and lives below /NAME/ of one port.
//
// It is for trying, demos and tests. It trusts everybody who can reach it, so it listens on loopback unless told otherwise, and it
// judges nothing about Reelops: it says what a platform would have seen.
//
// A platform's folder looks like this:
//
//	package tiktok
//
//	type Platform struct {
//		core   *sandbox.Sandbox
//		tokens *sandbox.Tokens
//		mux    *http.ServeMux
//		// own state, behind a mutex
//	}
//
//	func New(core *sandbox.Sandbox) *Platform {
//		p := &Platform{core: core, mux: http.NewServeMux()}
//		p.tokens = core.Tokens("tiktok", sandbox.TokenRules{Code: 10 * time.Minute, Access: 24 * time.Hour, Rotate: true})
//		p.mux.HandleFunc("GET /v2/auth/authorize/", p.authorize) // ends in core.Consent: nobody's programs call it
//		call := func(pattern, name string, h http.HandlerFunc) {
//			p.mux.Handle(pattern, core.Call("tiktok", name, p.tokens.Who, h))
//		}
//		call("POST /v2/post/publish/video/init/", "video.init", p.videoInit)
//		return p
//	}
//
//	func (p *Platform) Handler() http.Handler { return p.mux } // paths without /tiktok
//	func (p *Platform) Reset()                { ... }          // forgets uploads and posts, keeps nothing but tokens
//	// Fail writes a scripted error as the platform words it; Retry-After is set already.
//	func (p *Platform) Fail(w http.ResponseWriter, call string, f sandbox.Fault) { ... }
//
// Every operation that an adapter calls is wrapped by Call under a name of its own; that is what makes it appear among the calls,
// take faults, and be tried at every step by the conformance suite. Bytes of a reply go out when the handler has returned, so a
// fault "after" finds everything done and nothing said. When media of an account goes into processing, ask core.Outcome whether a
// script wants it to fail. What became public, reached an inbox or lies there privately is told with core.Land: again with the
// same ID when it changes, say from private to public. Time is read from core.Clock alone, delays are core.Processing.
package sandbox
