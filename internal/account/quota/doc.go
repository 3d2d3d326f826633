// SPDX-License-Identifier: Apache-2.0

// Package quota computes the usage of a plan: what an account has left in a period, and every change of it, as
// functions on the account's status. It reads and writes no objects; package ledger does.
//
// The front end reserves quota for a slideshow before it creates the slideshow. The controller converts the reservation
// into a charge. A slideshow from a manifest is charged without a reservation. Both use the same plan:
//
//	(front end)  Hold ──────────────┐
//	                                ▼
//	(controller)  ─────────────── Charge ──▶ used ── Refund ──▶ refunded
//	                                │
//	                                └ credits ─ Reserve ─▶ reserved ── Settle ──▶ used, the rest released
//
// Every change is idempotent: a reservation is identified by the slideshow's name, and a charge, refund or settlement
// by its number. The number stays in the usage until the slideshow's own status records it.
//
// Everything counts in the period in which it was accepted. What is reserved or counted in one month and settled in the
// next changes nothing in the next.
package quota
