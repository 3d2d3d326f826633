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

// CallProcessing is the call name that faults use for a platform's media processing, which is not an API call.
const CallProcessing = "processing"

// Points in time at which a fault applies to a call.
const (
	Before = "before"
	After  = "after"
)

// Effects of a fault.
const (
	// Drop breaks the connection without a response.
	Drop = "drop"
	// Cut breaks the connection in the middle of the response.
	Cut = "cut"
	// Delay waits for DelayMS milliseconds.
	Delay = "delay"
	// Hang sends no response and waits until the client disconnects. With Before, the handler does not run.
	Hang = "hang"
	// Late runs the handler after the client has disconnected.
	Late = "late"
	// Status responds with Status and Code.
	Status = "status"
	// Revoke revokes the account's tokens. Expire ends its access tokens. The call then continues.
	Revoke = "revoke"
	Expire = "expire"
	// Fail makes media processing fail. Reject makes moderation reject the media.
	Fail   = "fail"
	Reject = "reject"
)

var (
	callFaults       = []string{Drop, Cut, Delay, Hang, Late, Status, Revoke, Expire}
	processingFaults = []string{Fail, Reject}
)

// Fault is one entry of a fault script.
type Fault struct {
	// Platform, Call and Account select the calls. An empty Account matches every account. Call "*" matches every call
	// except processing.
	Platform string `json:"platform"`
	Call     string `json:"call"`
	Account  string `json:"account,omitempty"`
	// When is before or after the handler runs; before when empty.
	When string `json:"when,omitempty"`
	Do   string `json:"do"`
	// Status (400 to 599), Code as the platform names it, and RetryAfter in seconds (0: no header) of the response.
	Status     int    `json:"status,omitempty"`
	Code       string `json:"code,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"`
	DelayMS    int    `json:"delay_ms,omitempty"`
	// Skip is the number of matching calls to leave alone first. Times is the number of calls that the fault then
	// applies to: once when 0, all when -1.
	Skip  int `json:"skip,omitempty"`
	Times int `json:"times,omitempty"`
}

// SetFaults appends to the script, in order. It appends nothing when one entry is invalid.
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

// Faults returns the remaining entries of the script.
func (s *Sandbox) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Fault{}
	for _, f := range s.faults {
		out = append(out, *f)
	}
	return out
}

// ClearFaults deletes all entries of the script.
func (s *Sandbox) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// KnownCalls returns the names of the calls by platform.
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
		return fmt.Errorf("%s is possible only before the call", f.Do)
	case f.When == Before && f.Do == Cut:
		return errors.New("cut is possible only after the call")
	case f.Do == Status && (f.Status < 400 || f.Status > 599):
		return errors.New("status must be from 400 to 599")
	case f.Do != Status && (f.Status != 0 || f.RetryAfter != 0):
		return errors.New("status and retry_after need do status")
	case f.Do == Delay && (f.DelayMS < 1 || f.DelayMS > 600_000):
		return errors.New("delay_ms must be from 1 to 600000")
	case f.Times < -1 || f.Skip < 0 || f.RetryAfter < 0:
		return errors.New("times, skip and retry_after cannot be negative, except times -1, which means always")
	}
	return nil
}

// take returns the fault that applies to a call, or nil, and updates its Skip and Times counters.
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

// Outcome returns the scripted fault that fails or rejects the processing of an account's media, or nil.
func (s *Sandbox) Outcome(platform, account string) *Fault {
	return s.take(platform, CallProcessing, account)
}

// readFaults decodes a JSON list of faults or a single fault. Unknown fields are an error.
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
