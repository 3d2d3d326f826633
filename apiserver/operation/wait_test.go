// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/apiserver/pressure"
)

// waiter is a call that waits for a state.
type waiter struct {
	Call
	changed  chan struct{}
	draining chan struct{}
	settled  bool
	fails    error
	looks    int
}

// wait waits for the time, and returns how long that took.
func (w *waiter) wait(ctx context.Context, h *Handler, most time.Duration) (time.Duration, error) {
	began := time.Now()
	w.handler = h
	err := w.Wait(ctx, most, w.changed, func() (bool, error) {
		w.looks++
		return w.settled, w.fails
	})
	return time.Since(began), err
}

// waiting runs a test in a bubble of its own time, with room for one waiting call.
func waiting(t *testing.T, test func(t *testing.T, h *Handler, w *waiter)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &waiter{changed: make(chan struct{}, 1), draining: make(chan struct{})}
		test(t, &Handler{Config: Config{Gate: pressure.New(4, clock.RealClock{}, slog.New(slog.DiscardHandler)), Clock: clock.RealClock{}, Draining: w.draining}}, w)
	})
}

func TestWait_EndsWithTheStateOrTheTime(t *testing.T) {
	waiting(t, func(t *testing.T, h *Handler, w *waiter) {
		if d, err := w.wait(t.Context(), h, 0); err != nil || d != 0 || w.looks != 1 {
			t.Errorf("no time to wait: %s, %v, %d reads", d, err, w.looks)
		}
		if d, err := w.wait(t.Context(), h, time.Hour); err != nil || d != MaxWait || w.looks != 2 {
			t.Errorf("no change: %s, %v, %d reads", d, err, w.looks)
		}
		if w.waited != MaxWait {
			t.Errorf("the recorded wait is %s", w.waited)
		}
		go func() {
			time.Sleep(2 * time.Second)
			w.changed <- struct{}{} // a change without effect
			time.Sleep(time.Second)
			w.settled = true
			w.changed <- struct{}{}
		}()
		if d, err := w.wait(t.Context(), h, MaxWait); err != nil || d != 3*time.Second || w.looks != 5 {
			t.Errorf("settled after 3 s: %s, %v, %d reads", d, err, w.looks)
		}
		w.fails = errors.New("no")
		if d, err := w.wait(t.Context(), h, MaxWait); err == nil || d != 0 {
			t.Errorf("a failed read: %s, %v", d, err)
		}
	})
}

func TestWait_EndsOnDisconnectOrDrain(t *testing.T) {
	waiting(t, func(t *testing.T, h *Handler, w *waiter) {
		ctx, hangUp := context.WithTimeout(t.Context(), time.Second)
		defer hangUp()
		if d, err := w.wait(ctx, h, MaxWait); err != nil || d != time.Second {
			t.Errorf("disconnected after 1 s: %s, %v", d, err)
		}
		time.AfterFunc(2*time.Second, func() { close(w.draining) })
		if d, err := w.wait(t.Context(), h, MaxWait); err != nil || d != 2*time.Second {
			t.Errorf("drained after 2 s: %s, %v", d, err)
		}
		if d, err := w.wait(t.Context(), h, MaxWait); err != nil || d != 0 {
			t.Errorf("while draining: %s, %v", d, err)
		}
	})
}

func TestWait_IsLimitedToConcurrentWaiters(t *testing.T) {
	waiting(t, func(t *testing.T, h *Handler, w *waiter) {
		first := &waiter{changed: make(chan struct{})}
		go func() { _, _ = first.wait(t.Context(), h, MaxWait) }()
		synctest.Wait()
		if d, err := w.wait(t.Context(), h, MaxWait); err != nil || d != 0 {
			t.Errorf("the slot is in use: %s, %v", d, err)
		}
		time.Sleep(MaxWait)
		synctest.Wait()
		if d, err := w.wait(t.Context(), h, time.Second); err != nil || d != time.Second {
			t.Errorf("the slot is free: %s, %v", d, err)
		}
	})
}
