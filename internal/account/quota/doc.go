// SPDX-License-Identifier: Apache-2.0

// Package quota is the arithmetic of a plan: what an account has left in a period, and every change of it, as functions on
// the account's status. It reads and writes nothing; package ledger does that.
//
// A slideshow that comes through the front end is held before it is created. Its controller turns the hold into a charge;
// a slideshow that comes as a manifest is charged without one. Both take from the same plan:
//
//	(front end)  Hold ──────────────┐
//	                                ▼
//	(controller)  ─────────────── Charge ──▶ used ── Refund ──▶ given back
//	                                │
//	                                └ credits ─ Reserve ─▶ held ── Settle ──▶ used, what is over given back
//
// Every change can be asked for again without counting twice: a hold is known by the slideshow's name, a charge, a refund
// and a settlement by their number, which stays in the usage until the slideshow's own status tells of it.
//
// Everything takes from the period in which it was accepted. What is held or counted in one month and settled in the next
// changes nothing in the next.
package quota
