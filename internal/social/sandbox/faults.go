// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// CallProcessing names, in faults, a platform's work on a medium, which is no call.
const CallProcessing = "processing"

// When a fault strikes a call.
const (
	Before = "before"
	After  = "after"
)

// What a fault does.
const (
	// Drop breaks the connection without an answer.
	Drop = "drop"
	// Cut breaks the connection in the middle of the answer.
	Cut = "cut"
	// Delay waits for DelayMS.
	Delay = "delay"
	// Hang gives no answer until the caller goes away. Before, the call is then forgotten.
	Hang = "hang"
	// Late is a call that is carried out after the caller went away.
	Late = "late"
	// Status answers with Status and Code.
	Status = "status"
	// Revoke takes back the account's tokens, Expire ends its access tokens; the call then goes on.
	Revoke = "revoke"
	Expire = "expire"
	// Fail makes the processing of a medium fail, Reject makes moderation refuse it.
	Fail   = "fail"
	Reject = "reject"
)

var (
	callFaults       = []string{Drop, Cut, Delay, Hang, Late, Status, Revoke, Expire}
	processingFaults = []string{Fail, Reject}
)

// Fault is one line of a script.
type Fault struct {
	// Platform, Call and Account say which calls it strikes; an empty Account is any. Call "*" is any that is not processing.
	Platform string `json:"platform"`
	Call     string `json:"call"`
	Account  string `json:"account,omitempty"`
	// When is before or after the platform has carried the call out; before when empty.
	When string `json:"when,omitempty"`
	Do   string `json:"do"`
	// Status (400 to 599), Code in the platform's words and RetryAfter in seconds (0: none) of an answer.
	Status     int    `json:"status,omitempty"`
	Code       string `json:"code,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"`
	DelayMS    int    `json:"delay_ms,omitempty"`
	// Skip is how many calls go untouched first, Times how many it strikes then: once when 0, all when -1.
	Skip  int `json:"skip,omitempty"`
	Times int `json:"times,omitempty"`
}

// SetFaults adds to the script, in order; nothing of it when one line is wrong.
func (s *Sandbox) SetFaults(faults ...Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := make([]*Fault, 0, len(faults))
	for i, f := range faults {
		if err := s.checkFault(&f); err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
		added = append(added, &f)
	}
	s.faults = append(s.faults, added...)
	return nil
}

// Faults lists what is left of the script.
func (s *Sandbox) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Fault{}
	for _, f := range s.faults {
		out = append(out, *f)
	}
	return out
}

// ClearFaults forgets the script.
func (s *Sandbox) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// KnownCalls lists the names of calls by platform.
func (s *Sandbox) KnownCalls() map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string][]string{}
	for _, name := range s.order {
		out[name] = slices.Sorted(slices.Values(s.known[name]))
	}
	return out
}

func (s *Sandbox) know(platform, call string) {
	if !slices.Contains(s.known[platform], call) {
		s.known[platform] = append(s.known[platform], call)
	}
}

func (s *Sandbox) checkFault(f *Fault) error {
	if _, ok := s.platforms[f.Platform]; !ok {
		return fmt.Errorf("platform %q is none of %s", f.Platform, strings.Join(s.order, ", "))
	}
	if f.Call != "*" && !slices.Contains(s.known[f.Platform], f.Call) {
		return fmt.Errorf("%s has no call %q", f.Platform, f.Call)
	}
	allowed := callFaults
	if f.Call == CallProcessing {
		allowed = processingFaults
	}
	if !slices.Contains(allowed, f.Do) {
		return fmt.Errorf("do %q is none of %s", f.Do, strings.Join(allowed, ", "))
	}
	if f.When == "" {
		f.When = Before
	}
	if f.Times == 0 {
		f.Times = 1
	}
	switch {
	case f.When != Before && f.When != After:
		return fmt.Errorf("when %q is neither before nor after", f.When)
	case f.When == After && (f.Do == Late || f.Do == Revoke || f.Do == Expire || f.Call == CallProcessing):
		return fmt.Errorf("%s strikes before the call alone", f.Do)
	case f.When == Before && f.Do == Cut:
		return errors.New("cut strikes after the call alone")
	case f.Do == Status && (f.Status < 400 || f.Status > 599):
		return errors.New("status has to be from 400 to 599")
	case f.Do != Status && (f.Status != 0 || f.RetryAfter != 0):
		return errors.New("status and retry_after belong to do status")
	case f.Do == Delay && (f.DelayMS < 1 || f.DelayMS > 600_000):
		return errors.New("delay_ms has to be from 1 to 600000")
	case f.Times < -1 || f.Skip < 0 || f.RetryAfter < 0:
		return errors.New("times, skip and retry_after cannot be negative, but for times -1: always")
	}
	return nil
}

// take finds the fault for a call, and counts it.
func (s *Sandbox) take(platform, call, account string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Platform != platform || (f.Call != call && (f.Call != "*" || call == CallProcessing)) || (f.Account != "" && f.Account != account) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		out := *f
		if f.Times > 0 {
			f.Times--
		}
		if f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return &out
	}
	return nil
}

// Outcome says what a script wants of the processing of an account's medium: a fault that fails or rejects it, or nil.
func (s *Sandbox) Outcome(platform, account string) *Fault {
	return s.take(platform, CallProcessing, account)
}

// readFaults reads a list of faults, or one.
func readFaults(in io.Reader) ([]Fault, error) {
	doc, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(string(doc))
	if strings.HasPrefix(text, "{") {
		text = "[" + text + "]"
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var out []Fault
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("one JSON list of faults is expected")
	}
	return out, nil
}
