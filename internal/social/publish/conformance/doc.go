// SPDX-License-Identifier: Apache-2.0

// Package conformance is what every platform's adapter has to show against its stand-in, judged by the stand-in's ledger: every
// way of publishing, every kind of error, and a failure at every call. The calls are taken from a run in which nothing failed, so
// a new call is tried without anybody adding it. Whatever fails, the protocol of the port is followed as the controller follows it,
// and in the end there is exactly one post with the right words and bytes, or an honest "cannot tell"; never two.
//
// An adapter's test gives a constructor and a table of its platform's errors:
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
