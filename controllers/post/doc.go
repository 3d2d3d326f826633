// SPDX-License-Identifier: Apache-2.0

// Package post publishes posts, each at most once. observe.go reads, decide.go decides, act.go, prepare.go, commit.go,
// poll.go and comment.go act, record.go records outcomes, report.go sets the conditions.
//
// The status of a post contains the list of its attempts. An attempt is recorded as Intended before the one call that
// may publish. The write requires the resourceVersion of the decision, so only one writer wins: this process, another
// process, a process with an old cache, or a user who cancels. The outcome of the call is recorded before any other
// action. An attempt without a recorded outcome is unresolved: the process died, or the response was lost, and the
// platform may have the post. The post is looked up on the platform. The attempt is settled by the result, or reported
// as unknown after an hour. A post is never sent again on a guess.
//
//	          cancel                      +------------ looked up, provably not there -----------+
//	             |                        |                                                      |
//	draft -> scheduled -> prepared -> Intended -> [call] -> Accepted -> [polls] -> success       v
//	                         ^                       |-> Rejected --------------> failed     NotSent
//	                         |                       |-> NotSent (an outage, a platform limit)     |
//	                         +------ retrying <------+---------------------------------------------+
//	                                                 |-> Unknown -> [look-ups] -> Accepted, NotSent, or failed after 1 h
//
// One due queue (internal/process/due), fed by the informer, wakes posts when they are due. Posts of one account are
// sent one at a time, in the order of internal/social/pacing. Preparations run early in separate slots. At the time of
// a post only one call is left, and no due post waits behind an upload.
//
// Only this package writes the status, except the analytics of published posts. Others write the fields hold and cancel
// of the spec: the front end, the postbatch controller, and users.
package post
