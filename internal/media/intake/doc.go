// SPDX-License-Identifier: Apache-2.0

// Package intake takes a file in that somebody brought, for the kinds that are made of one: it brings the file under a name
// of its own in the store, has it looked at, here or in a confined Job, and says what it is or why it cannot be used.
//
//	(new) ── fetched or copied ──▶ blobKey ── an upload is removed from where it was
//	  │                              │
//	  │ the address or the store     ├── looked at here ───────────────▶ succeeded
//	  │ fails: again, later          │
//	  ▼                              └── Job of attempt n ── said ─────▶ succeeded
//	failed ◀── error, then what it left is removed ◀── refused, or lost for the third time
//
// A fact is written before what follows from it is done, and everything that is done may be done again: the copy has a name
// that follows from the owner's uid, the upload is removed only once the status names the copy, what a failed file left is
// removed only once the status says why it failed, and work has ended only once nothing is left to remove. A pass that is
// lost anywhere is done again by the next one.
//
// Faults of the file end the work at once. Faults that may pass are tried again, three times in all, and then by whoever
// sets the annotation reelops.dev/retry.
package intake
