// SPDX-License-Identifier: Apache-2.0

// Package sandbox is the shared base of the simulated social platforms: accounts, uploaded files, published posts,
// recorded calls, scripted faults, tokens, and a web page that shows all of them. The platforms are in the
// subdirectories. Each implements the paths, fields, limits and errors of the real platform and is served below /NAME/
// of one port.
//
// The sandbox is for trials, demos and tests. It does not authenticate its own endpoints, so it listens on loopback by
// default. It does not check Reelops; it only records what a platform would have received.
//
// A platform package looks like this:
//
//	package tiktok
//
//	type Platform struct {
//		core   *sandbox.Sandbox
//		tokens *sandbox.Tokens
//		mux    *http.ServeMux
//		// the platform's own state, guarded by a mutex
//	}
//
//	func New(core *sandbox.Sandbox) *Platform {
//		p := &Platform{core: core, mux: http.NewServeMux()}
//		p.tokens = core.Tokens("tiktok", sandbox.TokenRules{Code: 10 * time.Minute, Access: 24 * time.Hour, Rotate: true})
//		p.mux.HandleFunc("GET /v2/auth/authorize/", p.authorize) // ends in core.Consent; only browsers open it
//		call := func(pattern, name string, h http.HandlerFunc) {
//			p.mux.Handle(pattern, core.Call("tiktok", name, p.tokens.Who, h))
//		}
//		call("POST /v2/post/publish/video/init/", "video.init", p.videoInit)
//		return p
//	}
//
//	func (p *Platform) Handler() http.Handler { return p.mux } // paths without /tiktok
//	func (p *Platform) Reset()                { ... }          // deletes uploads and posts; only tokens stay
//	// Fail writes a scripted error in the platform's format; Retry-After is already set.
//	func (p *Platform) Fail(w http.ResponseWriter, call string, f sandbox.Fault) { ... }
//
// Wrap every operation that an adapter calls with Call and a name of its own. The wrapper records the call and applies
// faults, and the conformance suite uses the name to inject a fault at every step. The response is sent after the
// handler returns, so with an "after" fault the work is done but the client receives no response. When processing of an
// account's media starts, call core.Outcome to learn whether a script requests a failure. Report a post that became
// public, reached an inbox or was stored as private with core.Land. Call core.Land again with the same ID when the post
// changes, for example from private to public. Read the time only from core.Clock, and use core.Processing for delays.
package sandbox
