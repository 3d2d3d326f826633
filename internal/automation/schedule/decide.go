// SPDX-License-Identifier: Apache-2.0

package schedule

import "time"

// MaxMissed is the maximum number of missed slots that a decision lists.
const MaxMissed = 10

// CatchUp is the rule for slots that passed their starting deadline.
type CatchUp string

// Rules for slots that passed their starting deadline.
const (
	// Skip starts none of them.
	Skip CatchUp = "Skip"
	// LatestOnce starts the latest of them, once.
	LatestOnce CatchUp = "LatestOnce"
)

// Policy determines when slots start and when they are missed.
type Policy struct {
	// Lead is how long before its time a slot may start. It must not be negative.
	Lead time.Duration
	// StartingDeadline is how long after its time a slot may still start. With 0 a slot must start at its time or
	// before.
	StartingDeadline time.Duration
	// CatchUp is the rule for slots past the deadline. Any other value than LatestOnce is Skip.
	CatchUp CatchUp
}

// Decision is what to do with the slots that are due.
type Decision struct {
	// Start is the slot to start now; zero if none. Its time may be ahead by at most Policy.Lead.
	Start time.Time
	// Missed are the latest missed slots in order, at most MaxMissed. They never start.
	Missed []time.Time
	// MissedCount is the number of all missed slots, including those that Missed omits.
	MissedCount int
	// Handled is the new last handled slot: the latest of Start and Missed, or the given one. The caller stores it with
	// the run of Start, before Start has effects.
	Handled time.Time
	// Wake is when the next slot after Handled may start. It is not after the given time if that slot can start at
	// once: then the caller decides again with Handled. Zero if there is no later slot.
	Wake time.Time
}

// Decide returns what to do at a time. last is the last handled slot; for a new automation, and after a change of its
// schedule or a resumption, the time of that event if it is later. A zero last is now.
//
// Of the slots after last whose time has passed, at most the latest starts: within the deadline always, later only with
// LatestOnce. The others are missed, because starting them all would publish several posts at once. Slots whose time is
// ahead by at most the lead start one after another, earliest first.
//
// A clock that is set back makes no slot due again, because slots up to last are never considered.
func (s *Schedule) Decide(last, now time.Time, p Policy) Decision {
	if last.IsZero() {
		last = now
	}
	d := Decision{Handled: last}
	// A slot at now is on time, so that the passed ones end just before.
	passed := now.Add(-1)
	if missed := s.latest(last, passed, MaxMissed+1); len(missed) > 0 {
		d.MissedCount = s.Count(last, passed)
		latest := missed[len(missed)-1]
		d.Handled = latest
		if !now.After(latest.Add(p.StartingDeadline)) || p.CatchUp == LatestOnce {
			d.Start = latest
			d.MissedCount--
			missed = missed[:len(missed)-1]
		}
		d.Missed = missed[max(0, len(missed)-MaxMissed):]
	}
	next := s.Next(d.Handled, 2)
	if d.Start.IsZero() && len(next) > 0 && !next[0].After(now.Add(p.Lead)) {
		d.Start, d.Handled = next[0], next[0]
		next = next[1:]
	}
	if len(next) > 0 {
		d.Wake = next[0].Add(-p.Lead)
	}
	return d
}
