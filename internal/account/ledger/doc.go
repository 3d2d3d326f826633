// SPDX-License-Identifier: Apache-2.0

// Package ledger writes what package quota decides into an account's status. The front end and the controllers change
// accounts through it alone, so one rule holds for all: a change is decided upon what the cluster itself says, and written
// only if nobody else wrote in between. Of two that want the last slideshow of a plan, on whatever replica, one gets it.
//
// Changes of one account that come at the same time in one process are written together, so that a burst costs a few
// writes and not one for each.
package ledger
