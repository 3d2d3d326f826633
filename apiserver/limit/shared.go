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

// How soon after Redis failed it is tried again: quickly after a hiccup, then steadily.
const (
	firstProbe = 50 * time.Millisecond
	laterProbe = 500 * time.Millisecond
)

// errAway says that Redis was not asked because it did not answer a moment ago.
var errAway = errors.New("redis is away")

// shared asks Redis as long as it answers. After the first failure nobody asks, and so nobody waits, until a probe in the
// background has found it back.
type shared struct {
	redis   *Redis
	log     *slog.Logger
	metrics sharedMetrics
	// up numbers the stretches of time in which Redis answers; 0 while it is away. The number tells whose failure ended one.
	up      atomic.Int64
	counted int64 // used by the one who finds Redis back
}

// newShared tries Redis once and begins as it finds it.
func newShared(r *Redis, log *slog.Logger) *shared {
	s := &shared{redis: r, log: log, metrics: newSharedMetrics()}
	if err := r.probe(context.Background()); err != nil {
		s.away(err)
	} else {
		s.back()
	}
	return s
}

// ask asks Redis, or says at once that it is away.
func (s *shared) ask(ctx context.Context, q question) (r reply, err error) {
	err = s.do(func() error {
		r, err = s.redis.ask(ctx, q)
		return err
	})
	return r, err
}

// giveBack takes a request out of the shared count if Redis can be asked; else it leaves with its window.
func (s *shared) giveBack(ctx context.Context, key string, at int64) {
	_ = s.do(func() error { return s.redis.giveBack(ctx, key, at) })
}

func (s *shared) do(work func() error) error {
	stretch := s.up.Load()
	if stretch == 0 {
		return errAway
	}
	// Whoever waits here waits for others' decisions, each bounded in time; when the first of them fails, all others know.
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

// away says so once, and looks for Redis in the background.
func (s *shared) away(err error) {
	s.metrics.up.Set(0)
	select {
	case <-s.redis.closed:
		return
	default:
	}
	s.log.Warn("Redis does not answer: this replica holds callers to the ceilings by its own count until it does",
		"address", s.redis.address(), "error", err.Error())
	go s.lookForIt()
}

func (s *shared) back() {
	s.counted++
	s.up.Store(s.counted)
	s.metrics.up.Set(1)
	s.log.Info("ceilings are counted in Redis, shared with the other replicas", "address", s.redis.address())
}

// lookForIt tries Redis until it answers or is closed.
func (s *shared) lookForIt() {
	for pause := firstProbe; ; pause = min(2*pause, laterProbe) {
		timer := time.NewTimer(pause/2 + rand.N(pause)) // replicas do not come all at once
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
