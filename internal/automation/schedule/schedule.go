// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"time"
)

// MaxExpressions is the maximum number of expressions of a schedule.
const MaxExpressions = 20

// Schedule is a set of cron expressions in one time zone. It is immutable and safe for concurrent use.
type Schedule struct {
	zone *time.Location
}

// Parse returns the schedule of one to MaxExpressions five-field cron expressions in a zone with an IANA name. An empty
// name is UTC. The error is a sentence that names the expression or the zone: for a bad expression it is an
// *ExpressionError, for a bad zone a *ZoneError. An expression that matches no day of any year is an error.
func Parse(expressions []string, zone string) (*Schedule, error) {
	return nil, &ZoneError{Zone: zone}
}

// ExpressionError is an expression that cannot be used.
type ExpressionError struct {
	// Index of the expression in the list.
	Index int
	// Expression as given.
	Expression string
	// Reason is why, as a clause without a full stop.
	Reason string
}

// Error returns a sentence without a full stop.
func (e *ExpressionError) Error() string { return e.Reason }

// ZoneError is a time zone that does not exist.
type ZoneError struct {
	// Zone as given.
	Zone string
}

// Error returns a sentence without a full stop.
func (e *ZoneError) Error() string { return e.Zone }

// Zone returns the time zone. Slots are returned in it.
func (s *Schedule) Zone() *time.Location { return s.zone }

// Next returns the first n slots after an instant, in order.
func (s *Schedule) Next(after time.Time, n int) []time.Time { return nil }

// Between returns the slots in (from, to], in order, at most limit of them: the earliest ones.
func (s *Schedule) Between(from, to time.Time, limit int) []time.Time { return nil }

// Count returns the number of slots in (from, to]. The effort grows with the number of days, not of slots.
func (s *Schedule) Count(from, to time.Time) int { return 0 }
