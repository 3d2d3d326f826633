// SPDX-License-Identifier: Apache-2.0

package post

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// ahead is a clock that was set. Its timers are not affected.
type ahead struct {
	*clocktesting.FakeClock
	by time.Duration
}

func (a ahead) Now() time.Time                  { return a.FakeClock.Now().Add(a.by) }
func (a ahead) Since(t time.Time) time.Duration { return a.Now().Sub(t) }

// TestUnresolved_ClockIsSet sets the clock while an attempt is unresolved and the platform shows accepted posts late.
// A missing post proves nothing before the grace period has really passed.
func TestUnresolved_ClockIsSet(t *testing.T) {
	for name, c := range map[string]struct {
		by      time.Duration
		crashes bool
	}{
		"ahead":               {by: 5 * time.Minute},
		"back":                {by: -5 * time.Minute},
		"ahead, and replaced": {by: 5 * time.Minute, crashes: true}, // the clock of the new process is ahead
		"back, and replaced":  {by: -5 * time.Minute, crashes: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, atOnce()...)
			w.platform.lost, w.platform.lagging = map[int]bool{1: true}, 2*time.Minute
			w.until(time.Minute, func() bool { a := last(w.post("post-1")); return a != nil && a.State == v1beta1.AttemptUnknown })
			if c.crashes {
				w.start()
			}
			w.r.Clock = ahead{w.clock, c.by}
			key := client.ObjectKey{Namespace: "tenant", Name: "post-1"}
			for range 2 * 60 {
				w.pass(key)
				w.clock.Step(10 * time.Second)
			}
			w.once(t)
		})
	}
}

// TestUnresolved_ForHours stops every process while an attempt is open, for longer than unknownTimeout.
func TestUnresolved_ForHours(t *testing.T) {
	for name, c := range map[string]struct {
		why          string
		taken, blind bool
		lands        int
		want         v1beta1.PostState
	}{
		"taken":        {"an accepted post is found", true, false, 1, v1beta1.PostSuccess},
		"not accepted": {"a post that was not accepted is sent", false, false, 1, v1beta1.PostSuccess},
		"blind":        {"a post that cannot be looked up is unknown", true, true, 1, v1beta1.PostFailed},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, atOnce()...)
			w.platform.blind = c.blind
			w.platform.lost, w.platform.lostUntaken = map[int]bool{1: c.taken}, map[int]bool{1: !c.taken}
			w.until(time.Minute, func() bool { a := last(w.post("post-1")); return a != nil && a.State == v1beta1.AttemptUnknown })
			w.clock.Step(2 * time.Hour)
			w.start()
			w.until(30*time.Minute, w.ended)
			p := w.post("post-1")
			if w.landed("1") != c.lands || p.Status.State != c.want {
				t.Errorf("%s: published %d times, %+v", c.why, w.landed("1"), p.Status)
			}
			if c.blind && p.Status.Error.Details[detailReason] != reasonUnknown {
				t.Errorf("%s: got %+v", c.why, p.Status.Error)
			}
		})
	}
}
