// SPDX-License-Identifier: Apache-2.0

// Package limit counts requests against the ceilings of the interface: so many in a window of time, for one key or one
// address. Windows slide: a request counts for exactly the length of the window and not a moment longer.
//
// One replica counts in memory, and a decision there costs a lock and no allocation. Several replicas share their counts
// through Redis, whose clock is then the clock of all. A replica goes on counting its own requests beside it. When Redis is
// away these local windows decide, so that each replica holds its callers to the ceiling alone; nothing waits and nothing
// fails because of it, one line in the log and a gauge say so, and counting is shared again as soon as Redis answers. What
// was decided alone is not entered there afterwards, but the local windows go on to stand beside Redis: even when that has
// lost its data, no replica lets through more than the ceiling by itself.
//
// Which operation counts against what, and when in the life of a request, is not decided here. Neither are the allowances
// of plans nor those of social platforms.
package limit
