// SPDX-License-Identifier: Apache-2.0

// Package conformance is the test suite that the adapter of every platform must pass against the platform's stand-in.
// The suite checks the stand-in's record of posts. It covers every way of publishing, every kind of error, and a
// failure of every call. The calls are recorded in a run without failures, so a new call is tested without a change to
// the suite. The suite follows the same protocol as the controller. After any failure there must be exactly one post
// with the correct texts and files, or the adapter must return publish.ErrCannotTell. There must never be two posts.
//
// The test of an adapter supplies a constructor and a table of the platform's errors:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Case{
//			Platform: "tiktok",
//			Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return sandboxtiktok.New(core) },
//			Open: func(o conformance.Options) (publish.Platform, error) {
//				c := tiktok.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, HTTP: o.HTTP, Clock: o.Clock}
//				return tiktok.New(c.At(o.Base))
//			},
//			Errors: []conformance.Error{{
//				Name: "spam risk", Want: publish.RateLimited,
//				Fault: sandbox.Fault{Call: "video.init", Do: sandbox.Status, Status: 403, Code: "spam_risk_too_many_posts"},
//			}},
//		})
//	}
package conformance
