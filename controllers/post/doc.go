// SPDX-License-Identifier: Apache-2.0

// Package post publishes posts, each once. Its files: observe.go reads, plan.go decides, act.go, prepare.go, commit.go and
// look.go do, record.go keeps what became of an attempt, report.go writes the conditions.
//
// A post's status holds a ledger of attempts. One is written, as Intended, under the version of the post that the decision
// was made upon, before the one call that may publish; so two processes, a process with an old view, and somebody who cancels
// can never both win. What became of the call is written before anything else is done. An attempt of which that was not
// written, because the process died or the answer was lost, may have been taken: it is looked for, and settled by what is
// found, or said to be unknown after an hour. It is never sent again on a guess.
//
//	          cancel                      +----------- looked for, provably not there -----------+
//	             |                        |                                                      |
//	draft -> scheduled -> prepared -> Intended -> [call] -> Accepted -> [looks] -> success       v
//	                         ^                       |-> Rejected --------------> failed     NotSent
//	                         |                       |-> NotSent (a platform that is down, a cap)  |
//	                         +------ retrying <------+---------------------------------------------+
//	                                                 |-> Unknown -> [finds] -> Accepted, NotSent, or failed after an hour
//
// When a pass is due is told by one heap of times (internal/process/due), fed by the cache's events. Posts of one account go one at a
// time, in the order of internal/social/pacing. Whatever a platform lets do early is done early, in slots of its own, so that at a
// post's time one call is left and none waits behind an upload.
//
// Status is written by this package alone, but for the metrics of what is published. The specification's fields hold and cancel
// belong to others: the front end, the postbatch controller, and people.
package post
