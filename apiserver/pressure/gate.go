// SPDX-License-Identifier: Apache-2.0

package pressure

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/process/metric"
)

// DefaultMost is the default limit of calls in flight. At most a quarter of them may change something, and at most a
// quarter may wait for a change.
const DefaultMost = 1024

const (
	// patience is how long a cluster response may take before the gate probes the cluster.
	patience = time.Second
	// questionTime is the timeout of a probe. The cluster is away when the probe times out.
	questionTime = 1500 * time.Millisecond
	// askAgain is the interval between probes while the cluster is away.
	askAgain = 500 * time.Millisecond
	// leastGap is the minimum interval between probes, for a cluster that answers them but fails other requests.
	leastGap = 200 * time.Millisecond
	// heartbeat is the time without a response after which an idle cluster is probed. Readiness uses the time of the
	// last response.
	heartbeat = 10 * time.Second
)

// ErrBusy means that the limit of calls in flight is reached. ErrAway means that the cluster does not respond.
var (
	ErrBusy = errors.New("too many calls in flight")
	ErrAway = errors.New("the cluster does not respond")
)

// Gate admits calls. Create one with New.
type Gate struct {
	clock clock.WithTicker
	most  int64
	log   *slog.Logger

	calls, changes, waiting atomic.Int64
	away                    atomic.Bool
	// answered is the time of the cluster's last response in Unix nanoseconds; 0 means none yet.
	answered atomic.Int64
	doubt    chan struct{} // capacity 1: probe now
	asked    time.Time     // time of the last probe; used by Run only

	refused map[string]prometheus.Counter
}

// New returns a gate with a limit of calls in flight; 0 means DefaultMost.
func New(most int, c clock.WithTicker, log *slog.Logger) *Gate {
	if most <= 0 {
		most = DefaultMost
	}
	g := &Gate{clock: c, most: int64(most), log: log, doubt: make(chan struct{}, 1), refused: map[string]prometheus.Counter{}}
	for _, why := range []string{whyBusy, whyAway} {
		g.refused[why] = metric.CallsShed.Of(why)
	}
	return g
}

// Reasons for refusing a call, as label values of the metric.
const (
	whyBusy = "busy"
	whyAway = "cluster_away"
)

// Enter admits a call, or returns ErrBusy or ErrAway. The caller must call leave when an admitted call ends.
func (g *Gate) Enter(changes bool) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	if changes {
		if err := g.Changes(); err != nil {
			return nil, err
		}
		if g.changes.Add(1) > max(g.most/4, 1) {
			g.changes.Add(-1)
			g.refused[whyBusy].Inc()
			return nil, ErrBusy
		}
	}
	leave = func() {
		g.calls.Add(-1)
		if changes {
			g.changes.Add(-1)
		}
	}
	if g.calls.Add(1) > g.most {
		leave()
		g.refused[whyBusy].Inc()
		return nil, ErrBusy
	}
	return leave, nil
}

// Wait reserves a slot for a call that waits for a change, and reports whether one was free. A waiting call still
// counts as in flight. At most a quarter of the calls may wait, so that others are admitted. leave releases the slot.
func (g *Gate) Wait() (leave func(), ok bool) {
	if g == nil {
		return func() {}, true
	}
	if g.waiting.Add(1) > max(g.most/4, 1) {
		g.waiting.Add(-1)
		return nil, false
	}
	return func() { g.waiting.Add(-1) }, true
}

// Changes returns ErrAway if the cluster does not respond, so that nothing can be changed now.
func (g *Gate) Changes() error {
	if g == nil {
		return nil
	}
	if g.Away() {
		g.refused[whyAway].Inc()
		return ErrAway
	}
	return nil
}

// Away reports whether the cluster does not respond.
func (g *Gate) Away() bool { return g != nil && g.away.Load() }

// Answered returns the time of the cluster's last response; the zero time if there was none yet.
func (g *Gate) Answered() time.Time {
	if n := g.answered.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

// Run probes the cluster whenever its availability is in doubt, until the context ends. question is the probe: it
// returns nil if the cluster responded.
func (g *Gate) Run(ctx context.Context, question func(context.Context) error) {
	timer := g.clock.NewTimer(0)
	defer timer.Stop()
	for first := true; ; first = false {
		wait, doubt := heartbeat, g.doubt
		switch {
		case first:
			wait = 0
		case g.away.Load():
			wait, doubt = askAgain, nil
		}
		timer.Stop()
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-doubt:
			g.ask(ctx, question)
		case <-timer.C():
			if first || doubt == nil || g.clock.Since(g.Answered()) >= heartbeat {
				g.ask(ctx, question)
			}
		}
	}
}

// asking marks the context of a probe, so that the gate's transport ignores it.
type asking struct{}

func (g *Gate) ask(ctx context.Context, question func(context.Context) error) {
	if g.clock.Since(g.asked) < leastGap {
		return // a probe ran just now
	}
	g.asked = g.clock.Now()
	own, cancel := context.WithTimeout(context.WithValue(ctx, asking{}, true), questionTime)
	defer cancel()
	err := question(own)
	if ctx.Err() != nil {
		return
	}
	was := g.away.Swap(err != nil)
	if err == nil {
		g.answered.Store(g.clock.Now().UnixNano())
	}
	switch {
	case err != nil && !was:
		g.log.Warn("the cluster does not respond: changing calls are rejected until it does", "error", err.Error())
	case err == nil && was:
		g.log.Info("the cluster responds again")
	}
}

// doubted requests a probe.
func (g *Gate) doubted() {
	select {
	case g.doubt <- struct{}{}:
	default: // already requested
	}
}

// Describe implements prometheus.Collector.
func (g *Gate) Describe(ch chan<- *prometheus.Desc) {
	ch <- metric.ClusterUp.Desc()
	ch <- metric.CallsUnderWay.Desc()
	for _, c := range g.refused {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (g *Gate) Collect(ch chan<- prometheus.Metric) {
	up := 1.0
	if g.away.Load() {
		up = 0
	}
	ch <- metric.ClusterUp.Value(up)
	ch <- metric.CallsUnderWay.Value(float64(g.calls.Load()))
	for _, c := range g.refused {
		c.Collect(ch)
	}
}
