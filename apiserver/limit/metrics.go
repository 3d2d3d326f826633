// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/reelops/reelops/internal/process/metric"
)

// sharedMetrics describe the state of shared counting in Redis.
type sharedMetrics struct {
	up      prometheus.Gauge
	local   prometheus.Counter
	seconds prometheus.Histogram
}

func newSharedMetrics() sharedMetrics {
	return sharedMetrics{up: metric.SharedUp.Of(), local: metric.LocalDecisions.Of(), seconds: metric.SharedSeconds.Of()}
}

func newRefusals(b Bucket) prometheus.Counter { return metric.Refusals.Of(string(b)) }

// collectors returns the collectors of a limiter. Those of Redis exist only with Redis, so that their absence raises no
// alarm.
func (l *Limiter) collectors() []prometheus.Collector {
	var out []prometheus.Collector
	for _, w := range l.windows {
		out = append(out, w.refusals)
	}
	if l.shared != nil {
		m := l.shared.metrics
		out = append(out, m.up, m.local, m.seconds)
	}
	return out
}

// Describe implements prometheus.Collector: register the Limiter to export its metrics.
func (l *Limiter) Describe(ch chan<- *prometheus.Desc) {
	ch <- metric.LimitSubjects.Desc()
	for _, c := range l.collectors() {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (l *Limiter) Collect(ch chan<- prometheus.Metric) {
	for b, w := range l.windows {
		ch <- metric.LimitSubjects.Value(float64(w.subjects()), string(b))
	}
	for _, c := range l.collectors() {
		c.Collect(ch)
	}
}
