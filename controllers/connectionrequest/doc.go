// SPDX-License-Identifier: Apache-2.0

// Package connectionrequest turns a user's approval on a platform's consent page into connected accounts.
//
//	(new) ── within ten minutes ──▶ processing ── code exchanged, accounts created, tokens stored ──▶ succeeded
//	                                          │
//	                                          └── the platform rejected the code, or the outcome is unknown ──▶ failed
//
// A code is valid for one call. The state processing is persisted before that call, with the resourceVersion as
// precondition, so no second process repeats it. The grant is stored right after the call, in the Secret of the first
// account; the status names that account first. Until the write succeeds, the grant is held in memory. A reconcile that
// finds processing and the Secret of this request resumes there. Without the Secret the outcome of the call is unknown,
// and the user has to approve again.
//
// An account is identified by its brand, its platform and its ID on the platform, so reconnecting keeps its ID and its
// scheduled posts. Accounts of one grant share and own one Secret; until they do, the request owns it.
//
// Requests are deleted an hour after they settled.
package connectionrequest
