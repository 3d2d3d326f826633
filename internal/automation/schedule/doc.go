// SPDX-License-Identifier: Apache-2.0

// Package schedule computes the slots of an automation: the instants that its cron expressions name in one time zone.
//
// Expressions have five fields: minute, hour, day of month, month, day of week. As in cron, a day matches if it matches
// the day of month or the day of week when both are restricted. Several expressions form one schedule. A minute that
// several of them name is one slot.
//
// A slot of the local time w is the earliest instant at which the local clock reads w or later. A local time that
// daylight saving skips therefore runs at the next valid minute. A local time that repeats runs once, the first time.
//
// Decide applies the policy for late and missed slots. It has no state: the caller stores the last handled slot. As
// long as that never decreases, no slot starts twice, however the clock jumps.
package schedule
