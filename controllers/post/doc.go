// SPDX-License-Identifier: Apache-2.0

// Package post publishes posts, each once. observe.go reads, decide.go decides, act.go, prepare.go, commit.go, poll.go and comment.go act,
// record.go records outcomes, report.go sets the conditions.
//
// The status of a post holds a ledger of attempts. An attempt is recorded as Intended, under the resourceVersion that the decision was made
// with, before the one call that may publish. So of two processes, a process with an old view and a user who cancels, only one wins. The
// outcome of the call is recorded before anything else is done. An attempt without a recorded outcome is unresolved: the process died, or the
// answer was lost, and the platform may have the post. It is looked up, and settled by what is found, or reported as unknown after an hour.
// It is never sent again on a guess.
//
//	          cancel                      +------------ looked up, provably not there -----------+
//	             |                        |                                                      |
//	draft -> scheduled -> prepared -> Intended -> [call] -> Accepted -> [polls] -> success       v
//	                         ^                       |-> Rejected --------------> failed     NotSent
//	                         |                       |-> NotSent (an outage, a platform limit)     |
//	                         +------ retrying <------+---------------------------------------------+
//	                                                 |-> Unknown -> [look-ups] -> Accepted, NotSent, or failed after an hour
//
// One queue of times (internal/process/due), fed by the informer, wakes posts when they are due. Posts of one account are sent one at a time,
// in the order of internal/social/pacing. Preparations run early, in slots of their own, so that one call is left at the time of a post and
// no due post waits behind an upload.
//
// This package alone writes the status, except the analytics of published posts. The fields hold and cancel of the spec belong to others: the
// front end, the postbatch controller, and users.
package post
