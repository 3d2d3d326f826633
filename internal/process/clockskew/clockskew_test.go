// SPDX-License-Identifier: Apache-2.0

package clockskew_test

import (
	"net/http"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/process/clockskew"
)

// server responds with its own clock's Date after a delay.
type server struct {
	local *clocktesting.FakeClock
	// ahead is the difference of the local clock; late is the delay of a response; mute omits the Date.
	ahead, late time.Duration
	mute        bool
}

func (s *server) RoundTrip(*http.Request) (*http.Response, error) {
	h := http.Header{}
	if !s.mute {
		h.Set("Date", s.local.Now().Add(-s.ahead).UTC().Format(http.TimeFormat))
	}
	s.local.Step(s.late)
	return &http.Response{StatusCode: http.StatusOK, Header: h, Body: http.NoBody}, nil
}

func TestMeter(t *testing.T) {
	for name, c := range map[string]struct {
		s server
		// least and most are the limits of the reported difference.
		least, most time.Duration
	}{
		"the same time":                          {server{late: 20 * time.Millisecond}, 0, 0},
		"the same time, slow responses":          {server{late: 8 * time.Second}, 0, 0},
		"ahead by two minutes":                   {server{ahead: 2 * time.Minute, late: 20 * time.Millisecond}, 118 * time.Second, 2 * time.Minute},
		"behind by two minutes":                  {server{ahead: -2 * time.Minute, late: 20 * time.Millisecond}, -2 * time.Minute, -118 * time.Second},
		"ahead by two minutes, slow responses":   {server{ahead: 2 * time.Minute, late: 8 * time.Second}, 110 * time.Second, 2 * time.Minute},
		"responses too slow to prove anything":   {server{ahead: 2 * time.Minute, late: 11 * time.Second}, 0, 0},
		"responses without a Date prove nothing": {server{ahead: 2 * time.Minute, mute: true}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, part := range []time.Duration{0, 300 * time.Millisecond, 999 * time.Millisecond} {
				s := c.s
				s.local = clocktesting.NewFakeClock(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC).Add(part))
				m := clockskew.New(s.local)
				if got := m.Ahead(); got != 0 {
					t.Errorf("got %v before the first response", got)
				}
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/", nil)
				if err != nil {
					t.Fatal(err)
				}
				res, err := m.Transport(&s).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				_ = res.Body.Close()
				if got := m.Ahead(); got < c.least || got > c.most {
					t.Errorf("got %v ahead, want %v to %v", got, c.least, c.most)
				}
			}
		})
	}
	if got := (*clockskew.Meter)(nil).Ahead(); got != 0 {
		t.Errorf("without a meter: got %v", got)
	}
}

func TestBeyond(t *testing.T) {
	for ahead, want := range map[time.Duration]time.Duration{
		0: 0, time.Minute: 0, -time.Minute: 0, 61 * time.Second: 61 * time.Second, -61 * time.Second: -61 * time.Second,
	} {
		if got := clockskew.Beyond(ahead); got != want {
			t.Errorf("%v: got %v, want %v", ahead, got, want)
		}
	}
}
