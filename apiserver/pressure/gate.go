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

// DefaultMost is how many calls are under way at once, unless configured; of those that change something a quarter, and
// of those that wait for a change a quarter.
const DefaultMost = 1024

const (
	// patience is how long an answer of the cluster may take before it is asked whether it is there.
	patience = time.Second
	// questionTime is how long the cluster may take to answer that. It is away when it does not.
	questionTime = 1500 * time.Millisecond
	// askAgain is how long after a question to a cluster that is away the next one comes.
	askAgain = 500 * time.Millisecond
	// leastGap is between two questions to a cluster that answers them while it fails at other things.
	leastGap = 200 * time.Millisecond
	// heartbeat is how long after its last answer the cluster is asked although nobody needs it: readiness tells of it.
	heartbeat = 10 * time.Second
)

// ErrBusy says that as many calls are under way as may be; ErrAway that the cluster does not answer.
var (
	ErrBusy = errors.New("too many calls are under way")
	ErrAway = errors.New("the cluster does not answer")
)

// Gate lets calls in. Make one with New.
type Gate struct {
	clock clock.WithTicker
	most  int64
	log   *slog.Logger

	calls, changes, waiting atomic.Int64
	away                    atomic.Bool
	// answered is when the cluster last answered, in nanoseconds; 0 when it never has.
	answered atomic.Int64
	doubt    chan struct{} // holds one: ask now
	asked    time.Time     // of Run alone

	refused map[string]prometheus.Counter
}

// New makes a gate that lets in so many calls at once; 0 for the usual number.
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

// Reasons why calls are refused, as the metric has them.
const (
	whyBusy = "busy"
	whyAway = "cluster_away"
)

// Enter lets a call in, or says why not: ErrBusy or ErrAway. Who was let in has to leave.
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

// Wait reserves a place among the calls that wait for a change, and reports whether one was free. A call that waits
// stays under way; at most a quarter of the calls wait, so that the others find room. leave releases the place.
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

// Changes says whether something can be changed now: ErrAway when the cluster does not answer.
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

// Away says that the cluster does not answer.
func (g *Gate) Away() bool { return g != nil && g.away.Load() }

// Answered is when the cluster last answered; the zero time when it has not yet.
func (g *Gate) Answered() time.Time {
	if n := g.answered.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

// Run asks the cluster whether it is there, whenever that is in doubt, until the context ends. A question that was answered gives nil.
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

// asking marks a question in its context: the gate does not look at its own.
type asking struct{}

func (g *Gate) ask(ctx context.Context, question func(context.Context) error) {
	if g.clock.Since(g.asked) < leastGap {
		return // other answers tell
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
		g.log.Warn("the cluster does not answer: what changes something is refused until it does", "error", err.Error())
	case err == nil && was:
		g.log.Info("the cluster answers again")
	}
}

// doubted has the cluster asked now.
func (g *Gate) doubted() {
	select {
	case g.doubt <- struct{}{}:
	default: // it will be
	}
}

// Describe makes a Gate a prometheus.Collector.
func (g *Gate) Describe(ch chan<- *prometheus.Desc) {
	ch <- metric.ClusterUp.Desc()
	ch <- metric.CallsUnderWay.Desc()
	for _, c := range g.refused {
		c.Describe(ch)
	}
}

// Collect gives the metrics.
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
