// SPDX-License-Identifier: Apache-2.0

// Package intake ingests the source file of an object, for the kinds that have one. It copies the file to a key of its
// own in the store and inspects the copy in this process or in a confined Job. It then records what the file is or why
// it cannot be used.
//
//	(new) ── fetched or copied ──▶ blobKey ── an upload is removed from its old key
//	  │                              │
//	  │ the address or the store     ├── inspected here ───────────────▶ succeeded
//	  │ fails: retry later           │
//	  ▼                              └── Job of attempt n ── result ───▶ succeeded
//	failed ◀── error, then its files are removed ◀── refused, or lost for the third time
//
// Each fact is written before its consequences are carried out, and every step is idempotent:
//
//   - The key of the copy is derived from the owner's uid.
//   - The upload is removed only once the status names the copy.
//   - The files of failed work are removed only once the status has the error.
//   - Work is settled only once no file remains to be removed.
//
// A reconcile that is interrupted at any point is repeated by the next one.
//
// Faults of the file end the work at once. Transient faults are retried, three attempts in all, and after that when a
// user sets the annotation reelops.dev/retry.
package intake
