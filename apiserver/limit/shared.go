// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Backoff of the probes after Redis failed: short at first, then constant.
const (
	firstProbe = 50 * time.Millisecond
	laterProbe = 500 * time.Millisecond
)

// errAway means that Redis was not called, because it failed recently.
var errAway = errors.New("redis is unavailable")

// shared calls Redis while it responds. After the first failure no request calls Redis or waits for it, until a
// background probe succeeds.
type shared struct {
	redis   *Redis
	log     *slog.Logger
	metrics sharedMetrics
	// up is the number of the current period in which Redis responds; 0 while it does not. The number prevents a late
	// failure of an earlier period from ending the current one.
	up      atomic.Int64
	counted int64 // number of the last period; used only by back
}

// newShared probes Redis once and starts in the resulting state.
func newShared(r *Redis, log *slog.Logger) *shared {
	s := &shared{redis: r, log: log, metrics: newSharedMetrics()}
	if err := r.probe(context.Background()); err != nil {
		s.away(err)
	} else {
		s.back()
	}
	return s
}

// ask runs a decision in Redis. It returns errAway at once while Redis is away.
func (s *shared) ask(ctx context.Context, q query) (r reply, err error) {
	err = s.do(func() error {
		r, err = s.redis.ask(ctx, q)
		return err
	})
	return r, err
}

// release removes a request from the shared count if Redis responds. Otherwise the request expires with its window.
func (s *shared) release(ctx context.Context, key string, at int64) {
	_ = s.do(func() error { return s.redis.release(ctx, key, at) })
}

func (s *shared) do(work func() error) error {
	stretch := s.up.Load()
	if stretch == 0 {
		return errAway
	}
	// Requests wait here for a free connection. Every decision has a timeout, and after the first failure the waiting
	// requests return errAway.
	s.redis.turns <- struct{}{}
	defer func() { <-s.redis.turns }()
	if s.up.Load() != stretch {
		return errAway
	}
	began := time.Now()
	err := work()
	if err == nil {
		s.metrics.seconds.Observe(time.Since(began).Seconds())
		return nil
	}
	if s.up.CompareAndSwap(stretch, 0) {
		s.away(err)
	}
	return err
}

// away logs the outage once and starts probing in the background.
func (s *shared) away(err error) {
	s.metrics.up.Set(0)
	select {
	case <-s.redis.closed:
		return
	default:
	}
	s.log.Warn("Redis does not respond: this replica counts rate limits locally until it does",
		"address", s.redis.address(), "error", err.Error())
	go s.probeUntilUp()
}

func (s *shared) back() {
	s.counted++
	s.up.Store(s.counted)
	s.metrics.up.Set(1)
	s.log.Info("counting rate limits in Redis, shared with the other replicas", "address", s.redis.address())
}

// probeUntilUp probes Redis until it responds or is closed.
func (s *shared) probeUntilUp() {
	for pause := firstProbe; ; pause = min(2*pause, laterProbe) {
		timer := time.NewTimer(pause/2 + rand.N(pause)) // jitter, so that replicas do not probe at the same time
		select {
		case <-s.redis.closed:
			timer.Stop()
			return
		case <-timer.C:
		}
		if s.redis.probe(context.Background()) == nil {
			s.back()
			return
		}
	}
}
