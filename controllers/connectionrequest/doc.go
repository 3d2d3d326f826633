// SPDX-License-Identifier: Apache-2.0

// Package connectionrequest turns a person's approval on a platform's page into connected accounts.
//
//	(new) ── taken within ten minutes ──▶ processing ── code exchanged, accounts made, tokens stored ──▶ succeeded
//	                                          │
//	                                          └── the platform refused, or nobody knows what became of the exchange ──▶ failed
//
// A code is good for one call. processing is written before it, under the resourceVersion, so that no second pass makes it again. What
// the call gave is stored before anything else, in the Secret of the first account, whose name is written to the status before that; until
// the cluster takes it, it is held in memory. A pass that finds processing and the Secret of this request goes on from there; one that finds
// no such Secret cannot know what became of the code, and the person has to approve again: nothing is lost by that but a minute.
//
// An account is found again by its brand, its platform and the platform's id of it, so that connecting anew keeps its id and what waits
// for it. Accounts of one grant share one Secret, and own it together; until they do it belongs to the request.
//
// Requests are removed an hour after their end.
package connectionrequest
