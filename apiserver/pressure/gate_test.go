// SPDX-License-Identifier: Apache-2.0

package pressure_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/apiserver/pressure"
)

// cluster responds to requests, unless it hangs or returns an error status.
type cluster struct {
	hung, failing atomic.Bool
	questions     atomic.Int64
}

func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.hung.Load() {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if c.failing.Load() {
		return &http.Response{StatusCode: http.StatusInternalServerError, Body: http.NoBody}, nil
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// question sends the probe through the gate's own transport, as the front end does.
func (c *cluster) question(via http.RoundTripper) func(context.Context) error {
	return func(ctx context.Context) error {
		c.questions.Add(1)
		return call(ctx, via)
	}
}

func call(ctx context.Context, via http.RoundTripper) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://cluster.example/", nil)
	if err != nil {
		return err
	}
	res, err := via.RoundTrip(r)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode >= http.StatusInternalServerError {
		return errors.New(res.Status)
	}
	return nil
}

// within runs a test in a bubble of simulated time.
func within(t *testing.T, test func(*testing.T, *pressure.Gate, *cluster, http.RoundTripper)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{}
		g := pressure.New(8, clock.RealClock{}, slog.New(slog.DiscardHandler))
		via := g.Transport(c)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { g.Run(ctx, c.question(via)); close(done) }()
		synctest.Wait()
		test(t, g, c, via)
		stop()
		<-done
	})
}

func TestGate_AHungClusterIsUnavailableUntilItResponds(t *testing.T) {
	within(t, func(t *testing.T, g *pressure.Gate, c *cluster, via http.RoundTripper) {
		c.hung.Store(true)
		if g.Away() {
			t.Fatal("unavailable before the first request")
		}
		ctx, gaveUp := context.WithTimeout(t.Context(), 20*time.Second)
		defer gaveUp()
		go func() { _ = call(ctx, via) }()
		time.Sleep(3 * time.Second)
		if !g.Away() {
			t.Error("a request has waited for 3 s, and the cluster is not unavailable")
		}
		if _, err := g.Enter(true); !errors.Is(err, pressure.ErrAway) {
			t.Errorf("a write got %v", err)
		}
		leave, err := g.Enter(false)
		if err != nil {
			t.Fatalf("a read got %v", err)
		}
		leave()
		c.hung.Store(false)
		time.Sleep(3 * time.Second)
		if g.Away() {
			t.Error("the cluster responds, but is unavailable")
		}
		if leave, err = g.Enter(true); err != nil {
			t.Fatalf("the cluster responds, but a write got %v", err)
		}
		leave()
	})
}

// TestGate_ToleratesFailuresWhileTheProbeSucceeds: the cluster fails one kind of request while it responds to the
// probe.
func TestGate_ToleratesFailuresWhileTheProbeSucceeds(t *testing.T) {
	within(t, func(t *testing.T, g *pressure.Gate, c *cluster, via http.RoundTripper) {
		before := c.questions.Load()
		time.Sleep(time.Second)
		c.failing.Store(true)
		_ = call(t.Context(), via)
		c.failing.Store(false)
		synctest.Wait()
		if g.Away() || c.questions.Load() == before {
			t.Errorf("unavailable %v after %d probes", g.Away(), c.questions.Load()-before)
		}
	})
}

func TestGate_IgnoresDisconnectedCallers(t *testing.T) {
	within(t, func(t *testing.T, _ *pressure.Gate, c *cluster, via http.RoundTripper) {
		c.hung.Store(true)
		before := c.questions.Load()
		ctx, hangUp := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer hangUp()
		_ = call(ctx, via)
		synctest.Wait()
		if n := c.questions.Load() - before; n != 0 {
			t.Errorf("got %d requests to the cluster", n)
		}
	})
}

func TestGate_LimitsProbesOfAFailingCluster(t *testing.T) {
	within(t, func(t *testing.T, g *pressure.Gate, c *cluster, via http.RoundTripper) {
		time.Sleep(time.Second)
		c.failing.Store(true)
		before := c.questions.Load()
		for range 1000 {
			_ = call(t.Context(), via)
			time.Sleep(10 * time.Millisecond)
		}
		if n := c.questions.Load() - before; !g.Away() || n > 25 {
			t.Errorf("got %d requests in 10 s; unavailable %v", n, g.Away())
		}
	})
}

func TestGate_ProbesAnIdleClusterPeriodically(t *testing.T) {
	within(t, func(t *testing.T, g *pressure.Gate, c *cluster, via http.RoundTripper) {
		time.Sleep(time.Minute)
		if n := c.questions.Load(); n < 5 || n > 7 {
			t.Errorf("got %d requests in a minute", n)
		}
		if silent := time.Since(g.Answered()); silent > 10*time.Second {
			t.Errorf("the last response was %s ago", silent)
		}
	})
}

func TestGate_LimitsCallsInProgress(t *testing.T) {
	g := pressure.New(8, clock.RealClock{}, slog.New(slog.DiscardHandler))
	let := func(changes bool) (in []func()) {
		for {
			leave, err := g.Enter(changes)
			if errors.Is(err, pressure.ErrBusy) {
				return in
			}
			if err != nil {
				t.Fatal(err)
			}
			in = append(in, leave)
		}
	}
	for range 2 { // each leave releases a slot
		changes := let(true)
		reads := let(false)
		if len(changes) != 2 || len(reads) != 6 {
			t.Errorf("%d writes and %d reads are in progress", len(changes), len(reads))
		}
		for _, leave := range append(changes, reads...) {
			leave()
		}
	}
	var none *pressure.Gate
	leave, err := none.Enter(true)
	if err != nil || none.Away() {
		t.Errorf("without a gate: %v", err)
	}
	leave()
}

func TestGate_AQuarterOfTheCallsMayWait(t *testing.T) {
	g := pressure.New(8, clock.RealClock{}, slog.New(slog.DiscardHandler))
	first, ok := g.Wait()
	_, second := g.Wait()
	if _, third := g.Wait(); !ok || !second || third {
		t.Errorf("%v %v %v: two of eight calls may wait", ok, second, third)
	}
	first()
	if _, ok := g.Wait(); !ok {
		t.Error("a slot was released, but none is free")
	}
}
