// SPDX-License-Identifier: Apache-2.0

// Package ledger writes the changes of package quota to an account's status. The front end and the controllers change
// accounts only through it, so one rule holds for all: a change is decided on the current state in the API server, and
// written with optimistic locking. Of two requests for the last slideshow of a plan, on any replicas, one succeeds.
//
// Concurrent changes of one account in one process are written together, so that a burst costs a few writes instead of
// one per change.
package ledger
