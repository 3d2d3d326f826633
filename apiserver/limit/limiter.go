// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"k8s.io/utils/clock"
)

// mostAddresses bounds the addresses that are remembered for failing to authenticate. Subjects of the other buckets are
// objects of the cluster and need no bound.
const mostAddresses = 1 << 15

// Limiter decides whether a request has room under a ceiling. It is safe for concurrent use. It is a prometheus.Collector.
type Limiter struct {
	clock   clock.PassiveClock
	began   time.Time
	windows map[Bucket]*window
	log     *slog.Logger
	redis   *Redis
	shared  *shared // nil without Redis
}

// Option changes how a Limiter is made.
type Option func(*Limiter)

// WithLog tells the limiter where to say that counts are shared, or no longer are.
func WithLog(log *slog.Logger) Option { return func(l *Limiter) { l.log = log } }

// Shared makes the limiter share its counts with all that use the same Redis. Every one of them has the same ceilings.
func Shared(r *Redis) Option { return func(l *Limiter) { l.redis = r } }

// New makes a limiter. A bucket that the ceilings do not name has its default. With Redis it tries once, for a moment,
// whether that answers; if not, it begins with its own count.
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

// now in nanoseconds since the limiter began: it does not jump when the machine's clock is set.
func (l *Limiter) now() int64 { return int64(l.clock.Since(l.began)) }

// Take counts one request of the subject when there is room. The ticket gives it back. The subject is the UID of a key or
// the like, or a client's address; it is kept in memory and in Redis and must be no secret. The bucket is one of those
// above; any other panics.
func (l *Limiter) Take(ctx context.Context, b Bucket, subject string) (State, Ticket) {
	w := l.windows[b]
	if l.shared == nil {
		return w.decide(subject, present)
	}
	began := l.now()
	r, err := l.shared.ask(ctx, w.question(subject, true))
	if err != nil {
		l.shared.metrics.local.Inc()
		return w.decide(subject, present)
	}
	return l.settle(ctx, w, subject, began, r)
}

// Peek tells how a bucket stands for the subject and counts nothing. Refused says that a request would be refused now.
func (l *Limiter) Peek(ctx context.Context, b Bucket, subject string) State {
	w := l.windows[b]
	if l.shared == nil {
		return w.peek(subject)
	}
	r, err := l.shared.ask(ctx, w.question(subject, false))
	if err != nil {
		l.shared.metrics.local.Inc()
		return w.peek(subject)
	}
	return stricter(w.told(r), w.peek(subject))
}

// Ceiling that holds for a bucket.
func (l *Limiter) Ceiling(b Bucket) Ceiling { return l.windows[b].Ceiling }

// Refuse is how a bucket stands that somebody else counts, and that has no room for so long. It counts the refusal alone.
func (l *Limiter) Refuse(b Bucket, wait time.Duration) State {
	w := l.windows[b]
	w.refusals.Inc()
	return State{Bucket: b, Limit: w.Limit, Window: w.Window, RetryAfter: wait, Refused: true}
}

// settle enters what Redis decided in this replica's own window, which has to agree. It always does unless Redis has lost
// what it knew: all that this replica counted was counted there as well, and a moment later.
func (l *Limiter) settle(ctx context.Context, w *window, subject string, began int64, r reply) (State, Ticket) {
	s := w.told(r)
	if s.Refused {
		w.refusals.Inc()
		return s, Ticket{}
	}
	own, ticket := w.decide(subject, began)
	ticket.shared, ticket.sharedAt = l.shared, r.at
	if own.Refused {
		l.shared.giveBack(ctx, w.key(subject), r.at)
		return own, Ticket{}
	}
	return stricter(s, own), ticket
}

// stricter of two views of the same bucket. They differ for a moment when requests come at once, and for a window after
// Redis was away: it does not know of what this replica decided alone.
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
	shared   *shared // nil when it was counted here only
	sharedAt int64
}

// Return takes the request out of the count, as if it had not come. It does nothing for a refused one. It is called at
// most once.
func (t Ticket) Return(ctx context.Context) {
	if t.window == nil {
		return
	}
	t.window.giveBack(t.subject, t.at)
	if t.shared != nil {
		t.shared.giveBack(ctx, t.window.key(t.subject), t.sharedAt)
	}
}
