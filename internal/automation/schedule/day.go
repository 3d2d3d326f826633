// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"math/bits"
	"time"

	"github.com/robfig/cron/v3"
)

// day is a date of the local calendar: days since 1970-01-01.
type day int64

const (
	secondsPerDay = 24 * 60 * 60
	// maxOffset is more than any zone was ahead of or behind UTC, in seconds.
	maxOffset = 16 * 60 * 60
	// star is the bit with which the library marks a field that is not restricted.
	star = 1 << 63
)

// dayOf returns the local date at an instant.
func (s *Schedule) dayOf(t time.Time) day {
	_, offset := t.In(s.zone).Zone()
	local := t.Unix() + int64(offset)
	d := local / secondsPerDay
	if local%secondsPerDay < 0 {
		d--
	}
	return day(d)
}

// lastDay returns a date after which no slot is at or before an instant. A clock that was set back may have read the
// next date before.
func (s *Schedule) lastDay(t time.Time) day { return s.dayOf(t) + 1 }

// minutes are the minutes of a day, one bit each.
type minutes [24]uint64

// add adds the minutes of an expression and reports whether it has any.
func (m *minutes) add(spec *cron.SpecSchedule) bool {
	minute := spec.Minute &^ star
	for h := range m {
		if spec.Hour&(1<<h) != 0 {
			m[h] |= minute
		}
	}
	return minute != 0 && spec.Hour&^star != 0
}

func (m *minutes) count() int {
	n := 0
	for _, hour := range m {
		n += bits.OnesCount64(hour)
	}
	return n
}

// minutes returns the minutes of a date that an expression names.
func (s *Schedule) minutes(d day) *minutes {
	var m minutes
	for _, spec := range s.specs {
		if matches(spec, d) {
			m.add(spec)
		}
	}
	return &m
}

// matches reports whether an expression names a date: by the day of month or of week if both are restricted, else by
// both.
func matches(spec *cron.SpecSchedule, d day) bool {
	date := time.Unix(int64(d)*secondsPerDay, 0).UTC()
	if spec.Month&(1<<date.Month()) == 0 {
		return false
	}
	dom, dow := spec.Dom&(1<<date.Day()) != 0, spec.Dow&(1<<date.Weekday()) != 0
	if (spec.Dom|spec.Dow)&star != 0 {
		return dom && dow
	}
	return dom || dow
}

// slots returns the slots of a date, in order. Those that fall into a gap of the clock are equal, also to the last of
// the date before.
func (s *Schedule) slots(d day) []time.Time {
	var out []time.Time
	for h, hour := range s.minutes(d) {
		for ; hour != 0; hour &= hour - 1 {
			out = append(out, s.instant(int64(d)*secondsPerDay+int64(h)*3600+int64(bits.TrailingZeros64(hour))*60))
		}
	}
	return out
}

// instant returns the earliest instant at which the local clock reads a whole minute at or after local, in seconds
// since 1970-01-01 00:00 local time.
func (s *Schedule) instant(local int64) time.Time {
	for at := local - maxOffset; ; {
		t := time.Unix(at, 0).In(s.zone)
		_, o := t.Zone()
		offset := int64(o)
		_, end := t.ZoneBounds()
		at = max(at, local-offset)
		if past := (at + offset) % 60; past != 0 { // a change of the clock by a fraction of a minute, before 1973
			at += (60 + 60 - past) % 60
		}
		if end.IsZero() || at < end.Unix() {
			return time.Unix(at, 0).In(s.zone)
		}
		at = end.Unix()
	}
}

// plain returns when a date begins, and reports whether its 24 hours and the moment before have one offset from UTC.
func (s *Schedule) plain(d day) (time.Time, bool) {
	begin := s.instant(int64(d) * secondsPerDay)
	start, end := begin.ZoneBounds()
	return begin, begin.After(start) && (end.IsZero() || !begin.Add(24*time.Hour).After(end))
}
