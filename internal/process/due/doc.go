// SPDX-License-Identifier: Apache-2.0

// Package due remembers when things are to be looked at and says so at that time: what is overdue first, in the order of
// the times. It is one heap and one timer for everything that waits, however much that is, and no poll of each.
//
// Times are those of the wall clock, because people ask for them. A wall clock is set, and a machine sleeps; a timer knows
// nothing of either. So the clock is read again several times a second while anything waits: when it jumps ahead or the
// process was stopped, what became due is told within that time; when it jumps back, nothing is told early.
//
// The package does not remember anything beyond the process, and does not promise that nobody is told twice: whoever is
// told looks for himself whether there is something to do.
package due
