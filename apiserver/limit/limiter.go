// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"k8s.io/utils/clock"
)

// mostAddresses limits the client addresses that are remembered for failed authentication. The subjects of the other
// buckets are objects of the cluster and need no limit.
const mostAddresses = 1 << 15

// Limiter decides whether a request is within a rate limit. It is safe for concurrent use and implements
// prometheus.Collector.
type Limiter struct {
	clock   clock.PassiveClock
	began   time.Time
	windows map[Bucket]*window
	log     *slog.Logger
	redis   *Redis
	shared  *shared // nil without Redis
}

// Option configures a Limiter.
type Option func(*Limiter)

// WithLog sets the logger, which receives a line when shared counting starts or stops.
func WithLog(log *slog.Logger) Option { return func(l *Limiter) { l.log = log } }

// Shared makes the limiter share its counts with all limiters that use the same Redis. All of them must have the same
// limits.
func Shared(r *Redis) Option { return func(l *Limiter) { l.redis = r } }

// New returns a limiter. A bucket missing from c has its default limit. With Redis, New probes it once; if Redis does
// not respond in time, the limiter starts with local counts.
func New(c Ceilings, clock clock.PassiveClock, opts ...Option) *Limiter {
	l := &Limiter{clock: clock, began: clock.Now(), windows: map[Bucket]*window{}, log: slog.New(slog.DiscardHandler)}
	all := Default()
	maps.Copy(all, c)
	for b, ceiling := range all {
		most := 0
		if b == Unauthenticated {
			most = mostAddresses
		}
		l.windows[b] = newWindow(b, ceiling, most, l.now)
	}
	for _, o := range opts {
		o(l)
	}
	if l.redis != nil {
		l.shared = newShared(l.redis, l.log)
	}
	return l
}

// now returns the nanoseconds since the limiter was created. Setting the machine's clock does not affect it.
func (l *Limiter) now() int64 { return int64(l.clock.Since(l.began)) }

// Take counts one request of the subject if the limit allows it. The ticket's Return undoes that. The subject is a UID,
// such as a key's, or a client's address. It is stored in process and in Redis and must not be a secret. Take panics
// for an unknown bucket.
func (l *Limiter) Take(ctx context.Context, b Bucket, subject string) (State, Ticket) {
	w := l.windows[b]
	if l.shared == nil {
		return w.decide(subject, present)
	}
	began := l.now()
	r, err := l.shared.ask(ctx, w.query(subject, true))
	if err != nil {
		l.shared.metrics.local.Inc()
		return w.decide(subject, present)
	}
	return l.settle(ctx, w, subject, began, r)
}

// Peek returns the state of a bucket for the subject and counts nothing. Refused then means that a request would be
// refused now.
func (l *Limiter) Peek(ctx context.Context, b Bucket, subject string) State {
	w := l.windows[b]
	if l.shared == nil {
		return w.peek(subject)
	}
	r, err := l.shared.ask(ctx, w.query(subject, false))
	if err != nil {
		l.shared.metrics.local.Inc()
		return w.peek(subject)
	}
	return stricter(w.stateOf(r), w.peek(subject))
}

// Ceiling returns the rate limit of a bucket.
func (l *Limiter) Ceiling(b Bucket) Ceiling { return l.windows[b].Ceiling }

// Refuse returns the state of a bucket that is counted elsewhere and has no room until the wait is over. It only
// increments the refusal counter.
func (l *Limiter) Refuse(b Bucket, wait time.Duration) State {
	w := l.windows[b]
	w.refusals.Inc()
	return State{Bucket: b, Limit: w.Limit, Window: w.Window, RetryAfter: wait, Refused: true}
}

// settle records a request that Redis admitted in this replica's local window. The local window refuses it only if
// Redis has lost data, because every local request was counted in Redis too, a moment later.
func (l *Limiter) settle(ctx context.Context, w *window, subject string, began int64, r reply) (State, Ticket) {
	s := w.stateOf(r)
	if s.Refused {
		w.refusals.Inc()
		return s, Ticket{}
	}
	own, ticket := w.decide(subject, began)
	ticket.shared, ticket.sharedAt = l.shared, r.at
	if own.Refused {
		l.shared.release(ctx, w.key(subject), r.at)
		return own, Ticket{}
	}
	return stricter(s, own), ticket
}

// stricter returns the stricter of two states of the same bucket. They differ briefly for concurrent requests. They
// also differ for one window after an outage of Redis, which does not know the requests counted locally.
func stricter(a, b State) State {
	if b.RetryAfter > a.RetryAfter || b.Remaining < a.Remaining {
		return b
	}
	return a
}

// Ticket is one counted request.
type Ticket struct {
	window   *window
	subject  string
	at       int64
	shared   *shared // nil if counted locally only
	sharedAt int64
}

// Return removes the request from the count. It does nothing for a refused request. Call it at most once.
func (t Ticket) Return(ctx context.Context) {
	if t.window == nil {
		return
	}
	t.window.release(t.subject, t.at)
	if t.shared != nil {
		t.shared.release(ctx, t.window.key(t.subject), t.sharedAt)
	}
}
