// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robfig/cron/v3"
)

const (
	// MaxExpressions is the maximum number of expressions of a schedule.
	MaxExpressions = 20
	// maxExpression is the maximum length of an expression in bytes. A list of all minutes has 169.
	maxExpression = 500
	// maxGap is more days than lie between two slots. 29 February is missing for eight years around 2100.
	maxGap = 9 * 366
)

// Schedule is a set of cron expressions in one time zone. It is immutable and safe for concurrent use.
type Schedule struct {
	specs []*cron.SpecSchedule
	zone  *time.Location
}

// fields are the fields of an expression in order. value matches one number or name of the field.
var fields = []struct{ name, valid, value string }{
	{"minute", "0-59", "[0-5]?[0-9]"},
	{"hour", "0-23", "([01]?[0-9]|2[0-3])"},
	{"day of month", "1-31", "(0?[1-9]|[12][0-9]|3[01])"},
	{"month", "1-12 or JAN-DEC", "(0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"},
	{"day of week", "0-6 or SUN-SAT, with 0 for Sunday", "(0?[0-6]|sun|mon|tue|wed|thu|fri|sat)"},
}

var (
	parser  = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	grammar = regexp.MustCompile(Pattern())
)

// Pattern returns the grammar of an expression as a regular expression (RE2). Every expression that Parse accepts
// matches it. Expressions that match may still name no time, such as 30 February, or a range whose end is before its
// start. The rules of the CustomResourceDefinition contain the pattern.
func Pattern() string {
	var list []string
	for _, f := range fields {
		element := "([*?]|" + f.value + "(-" + f.value + ")?)(/0*[1-9][0-9]*)?"
		list = append(list, element+"(,"+element+")*")
	}
	return `(?i)^[ \t]*` + strings.Join(list, `[ \t]+`) + `[ \t]*$`
}

// Parse returns the schedule of one to MaxExpressions five-field cron expressions in a zone with an IANA name. An empty
// name is UTC. The error is an *ExpressionError or a *ZoneError. An expression that matches no day of any year is an
// error.
func Parse(expressions []string, zone string) (*Schedule, error) {
	// LoadLocation accepts Local, the zone of this machine: a schedule would differ between machines.
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return nil, &ZoneError{Zone: zone}
	}
	switch {
	case len(expressions) == 0:
		return nil, &ExpressionError{Reason: "at least one is needed"}
	case len(expressions) > MaxExpressions:
		return nil, &ExpressionError{Index: MaxExpressions, Reason: fmt.Sprintf("at most %d are allowed", MaxExpressions)}
	}
	s := &Schedule{zone: loc}
	for i, e := range expressions {
		spec, reason := parse(e)
		if reason != "" {
			return nil, &ExpressionError{Index: i, Expression: e, Reason: reason}
		}
		s.specs = append(s.specs, spec)
	}
	return s, nil
}

// parse returns a parsed expression, or why it cannot be used.
func parse(e string) (*cron.SpecSchedule, string) {
	if len(e) > maxExpression || !utf8.ValidString(e) {
		return nil, fmt.Sprintf("it has more than %d bytes, or is not text", maxExpression)
	}
	parts := strings.Fields(e)
	// The library accepts a zone as a prefix and panics if nothing follows it.
	if len(parts) != len(fields) || strings.Contains(e, "TZ=") || strings.HasPrefix(parts[0], "@") {
		return nil, "it needs five fields: minute, hour, day of month, month, day of week"
	}
	parsed, err := parser.Parse(e)
	// The library also accepts texts that are mistakes, such as *-5 and 1,,2.
	if err != nil || !grammar.MatchString(e) {
		for i, f := range fields {
			alone := []string{"*", "*", "*", "*", "*"}
			alone[i] = parts[i]
			one := strings.Join(alone, " ")
			if _, err := parser.Parse(one); err != nil || !grammar.MatchString(one) {
				return nil, fmt.Sprintf("its field %s, %q, is not valid: use %s", f.name, parts[i], f.valid)
			}
		}
		return nil, "its fields must be separated by spaces"
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok || !happens(spec) {
		return nil, "it names no time that exists"
	}
	return spec, ""
}

// happens reports whether an expression has a slot in a leap cycle. The days of the month and of the week are never
// both required, so that one cycle contains every combination.
func happens(spec *cron.SpecSchedule) bool {
	for d := range day(4*365 + 1) {
		if m := (minutes{}); matches(spec, d) && m.add(spec) {
			return true
		}
	}
	return false
}

// ExpressionError is an expression that cannot be used, or a list with a wrong number of them.
type ExpressionError struct {
	// Index of the expression in the list.
	Index int
	// Expression as given.
	Expression string
	// Reason is why, as a clause without a full stop.
	Reason string
}

// Error returns a sentence without a full stop.
func (e *ExpressionError) Error() string {
	if e.Expression == "" {
		return "the list of cron expressions is not valid: " + e.Reason
	}
	return fmt.Sprintf("the cron expression %q is not valid: %s", e.Expression, e.Reason)
}

// ZoneError is a time zone that does not exist.
type ZoneError struct {
	// Zone as given.
	Zone string
}

// Error returns a sentence without a full stop.
func (e *ZoneError) Error() string {
	return fmt.Sprintf("the time zone %q does not exist: use an IANA name such as Europe/Berlin or UTC", e.Zone)
}

// Zone returns the time zone. Slots are returned in it.
func (s *Schedule) Zone() *time.Location { return s.zone }

// Next returns the first n slots after an instant, in order.
func (s *Schedule) Next(after time.Time, n int) []time.Time {
	var out []time.Time
	for t := range s.after(after) {
		if len(out) >= n {
			break
		}
		out = append(out, t)
	}
	return out
}

// Between returns the slots in (from, to], in order, at most limit of them: the earliest ones.
func (s *Schedule) Between(from, to time.Time, limit int) []time.Time {
	var out []time.Time
	for t := range s.after(from) {
		if len(out) >= limit || t.After(to) {
			break
		}
		out = append(out, t)
	}
	return out
}

// Count returns the number of slots in (from, to]. The effort grows with the number of days, not of slots.
func (s *Schedule) Count(from, to time.Time) int {
	n, last := 0, from
	for d, end := s.dayOf(from), s.lastDay(to); d <= end; d++ {
		if begin, whole := s.plain(d); whole && begin.After(from) && !begin.Add(24*time.Hour).After(to) {
			n += s.minutes(d).count()
			continue
		}
		for _, t := range s.slots(d) {
			if t.After(last) && !t.After(to) {
				n, last = n+1, t
			}
		}
	}
	return n
}

// after returns the slots after an instant.
func (s *Schedule) after(from time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		last := from
		// A slot after from has a local time after the one that the clock reads at from.
		for d, idle := s.dayOf(from), 0; idle < maxGap; d, idle = d+1, idle+1 {
			for _, t := range s.slots(d) {
				if !t.After(last) {
					continue
				}
				if !yield(t) {
					return
				}
				last, idle = t, 0
			}
		}
	}
}

// latest returns the last n slots in (from, to], in order.
func (s *Schedule) latest(from, to time.Time, n int) []time.Time {
	var out []time.Time // latest first
	for d := s.lastDay(to); d >= s.dayOf(from) && len(out) < n; d-- {
		for _, t := range slices.Backward(s.slots(d)) {
			known := len(out) > 0 && !t.Before(out[len(out)-1])
			if len(out) < n && t.After(from) && !t.After(to) && !known {
				out = append(out, t)
			}
		}
	}
	slices.Reverse(out)
	return out
}
