// SPDX-License-Identifier: Apache-2.0

package post

import (
	"testing"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// TestPublish_ClockSetForward checks that a clock that is set forward neither publishes a post early nor fails it as
// missed. The post is published at its time once the clock is right.
func TestPublish_ClockSetForward(t *testing.T) {
	due := noon.Add(3 * time.Hour)
	for name, jump := range map[string]time.Duration{"set forward to just after its time": 3*time.Hour + time.Minute, "set forward by a day": 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, socialAccount(), postBatch(due), aPost("1", due))
			w.until(time.Hour, func() bool { return false })
			w.clock.Step(jump - time.Hour)
			w.ahead = jump - time.Hour
			w.until(10*time.Minute, func() bool { return false })
			p := w.post("post-1")
			if p.Status.State.Final() || len(p.Status.Attempts) > 0 {
				t.Fatalf("got post %+v", p.Status)
			}
			if c := p.Status.Conditions; len(c) != 1 || c[0].Reason != string(v1beta1.ReasonClockSkew) {
				t.Errorf("got conditions %+v", c)
			}
			writes := w.writes
			w.until(10*time.Minute, func() bool { return false })
			if w.writes != writes {
				t.Errorf("got %d writes while it waits", w.writes-writes)
			}

			w.clock.SetTime(w.clock.Now().Add(-w.ahead))
			w.swept, w.ahead = w.clock.Now(), 0
			w.settle()
			p = w.post("post-1")
			if p.Status.State != v1beta1.PostSuccess || len(p.Status.Attempts) != 1 || p.Status.Attempts[0].StartedAt.Time.Before(due) {
				t.Errorf("got post %+v", p.Status)
			}
		})
	}
}

// TestPublish_ClockDifferenceSeenByTheAttempt checks that an attempt is not sent if the response to its own write shows
// the clock difference.
func TestPublish_ClockDifferenceSeenByTheAttempt(t *testing.T) {
	w := newWorld(t, 0, none, socialAccount(), postBatch(noon), aPost("1", noon))
	w.before = func() {
		if p := w.post("post-1"); w.ahead == 0 && p.Status.Preparation != nil {
			w.ahead = 2 * time.Minute
		}
	}
	w.until(5*time.Minute, func() bool { return false })
	if p := w.post("post-1"); len(w.platform.landAt) > 0 || p.Status.State == v1beta1.PostSuccess {
		t.Fatalf("the attempt was sent: %+v", p.Status)
	}
	w.before, w.ahead = nil, 0
	w.settle()
	if p := w.post("post-1"); p.Status.State != v1beta1.PostSuccess {
		t.Errorf("got post %+v", p.Status)
	}
}
