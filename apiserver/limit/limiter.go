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

// Limiter decides whether a request has room under a ceiling. It is safe for concurrent use.
type Limiter struct {
	clock   clock.PassiveClock
	began   time.Time
	windows map[Bucket]*window
	log     *slog.Logger
}

// Option changes how a Limiter is made.
type Option func(*Limiter)

// WithLog tells the limiter where to say that counts are shared or no longer shared.
func WithLog(log *slog.Logger) Option { return func(l *Limiter) { l.log = log } }

// New makes a limiter. A bucket that the ceilings do not name has its default.
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
	return l
}

// now in nanoseconds since the limiter began: it does not jump when the machine's clock is set.
func (l *Limiter) now() int64 { return int64(l.clock.Since(l.began)) }

// Take counts one request of the subject when there is room. The ticket gives it back. The subject is the UID of a key or
// the like, or a client's address; it is kept in memory and in Redis and must be no secret. The bucket is one of those
// above; any other panics.
func (l *Limiter) Take(_ context.Context, b Bucket, subject string) (State, Ticket) {
	w := l.windows[b]
	s, at := w.take(subject, present)
	if s.Refused {
		return s, Ticket{}
	}
	return s, Ticket{w: w, subject: subject, at: at}
}

// Peek tells how a bucket stands for the subject and counts nothing. Refused says that a request would be refused now.
func (l *Limiter) Peek(_ context.Context, b Bucket, subject string) State {
	return l.windows[b].peek(subject)
}

// Ticket is one counted request.
type Ticket struct {
	w       *window
	subject string
	at      int64
}

// Return takes the request out of the count, as if it had not come. It does nothing for a refused one. It is called at
// most once.
func (t Ticket) Return(context.Context) {
	if t.w != nil {
		t.w.giveBack(t.subject, t.at)
	}
}
