// SPDX-License-Identifier: Apache-2.0

// Package due calls back for keys when they become due, in the order of their times, the longest overdue first. It uses
// one heap and one timer for all keys instead of polling each.
//
// Times are wall-clock times, because users choose them. A wall clock can be set, and a machine can sleep; a timer
// notices neither. The clock is therefore read several times a second while keys are waiting. When it jumps ahead or
// the process was stopped, due keys are reported within that time. When it jumps back, no key is reported early.
//
// The package persists nothing, and a key may be reported twice: the caller must check whether there is work to do.
package due
