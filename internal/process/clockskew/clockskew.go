// SPDX-License-Identifier: Apache-2.0

// Package clockskew measures the difference between this process's clock and the API server's. It reads the Date header
// of responses that arrive anyway, such as those to lease renewals, and makes no requests of its own.
//
// The Date header has whole seconds, and the server wrote it between the request and the response. A measurement is
// therefore an interval, and only a difference that the interval proves is reported. Between two responses, the
// difference changes by the drift of the wall clock against the monotonic clock, so a clock change is noticed before
// the next response.
package clockskew

import (
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/process/metric"
)

// Limit is the difference up to which decisions use this process's clock.
const Limit = time.Minute

// slowest is the maximum duration of a request that counts as a measurement. The interval of a slower one proves too
// little.
const slowest = 10 * time.Second

// Meter measures the difference. A nil Meter reports no difference. It is safe for concurrent use.
type Meter struct {
	clock clock.PassiveClock

	mu sync.Mutex
	// at is when the last measurement ended; zero before the first.
	at time.Time
	// least and most are the bounds of this clock minus the API server's, at the time of the measurement.
	least, most time.Duration
}

// New returns a Meter without a measurement.
func New(c clock.PassiveClock) *Meter { return &Meter{clock: c} }

// Transport returns a transport that measures the responses of next. It is meant for rest.Config.Wrap.
func (m *Meter) Transport(next http.RoundTripper) http.RoundTripper { return &transport{m, next} }

type transport struct {
	meter *Meter
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	began := t.meter.clock.Now()
	res, err := t.next.RoundTrip(r)
	if err == nil {
		if date, bad := http.ParseTime(res.Header.Get("Date")); bad == nil {
			t.meter.saw(began, t.meter.clock.Now(), date)
		}
	}
	return res, err
}

// WrappedRoundTripper returns the transport that is measured; client-go uses it to cancel requests.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }

func (m *Meter) saw(began, ended, date time.Time) {
	took := ended.Sub(began) // by the monotonic clock
	if took < 0 || took > slowest {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = ended
	m.most = ended.Round(0).Sub(date)
	m.least = m.most - took - time.Second
	metric.ClockAhead.WithLabelValues().Set(m.proven(0).Seconds())
}

// Ahead returns by how much this process's clock is at least ahead of the API server's, negative if it is behind. It
// returns 0 if no difference is proven, and before the first response.
func (m *Meter) Ahead() time.Duration {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.at.IsZero() {
		return 0
	}
	now := m.clock.Now()
	return m.proven(now.Round(0).Sub(m.at.Round(0)) - now.Sub(m.at))
}

// proven returns the difference that the bounds prove after the wall clock moved by set against the monotonic clock.
func (m *Meter) proven(set time.Duration) time.Duration {
	switch {
	case m.least+set > 0:
		return m.least + set
	case m.most+set < 0:
		return m.most + set
	}
	return 0
}

// Beyond returns the difference if it exceeds Limit in either direction, else 0.
func Beyond(ahead time.Duration) time.Duration {
	if ahead.Abs() > Limit {
		return ahead
	}
	return 0
}
