// SPDX-License-Identifier: Apache-2.0

package limit

import "github.com/prometheus/client_golang/prometheus"

// sharedMetrics tell how it goes with Redis.
type sharedMetrics struct {
	up      prometheus.Gauge
	local   prometheus.Counter
	seconds prometheus.Histogram
}

func newSharedMetrics() sharedMetrics {
	return sharedMetrics{
		up: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "reelops_ratelimit_shared_up",
			Help: "1 while ceilings are counted in Redis, shared with the other replicas; 0 while this replica counts alone because Redis does not answer.",
		}),
		local: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "reelops_ratelimit_local_decisions_total",
			Help: "Decisions that this replica made by its own count because Redis did not answer.",
		}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "reelops_ratelimit_shared_seconds", Help: "Time of one answered round trip to Redis.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25},
		}),
	}
}

// subjectsDesc is worked out when it is asked for.
var subjectsDesc = prometheus.NewDesc("reelops_ratelimit_subjects",
	"Keys or addresses whose requests are remembered in memory, by bucket.", []string{"bucket"}, nil)

func newRefusals(b Bucket) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{
		Name: "reelops_ratelimit_refusals_total", Help: "Requests refused because a ceiling was reached, by bucket.",
		ConstLabels: prometheus.Labels{"bucket": string(b)},
	})
}

// collectors of a limiter. Those of Redis are there only with Redis, so that their absence raises no alarm.
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

// Describe makes a Limiter a prometheus.Collector: register it to have its metrics.
func (l *Limiter) Describe(ch chan<- *prometheus.Desc) {
	ch <- subjectsDesc
	for _, c := range l.collectors() {
		c.Describe(ch)
	}
}

// Collect gives the metrics.
func (l *Limiter) Collect(ch chan<- prometheus.Metric) {
	for b, w := range l.windows {
		ch <- prometheus.MustNewConstMetric(subjectsDesc, prometheus.GaugeValue, float64(w.subjects()), string(b))
	}
	for _, c := range l.collectors() {
		c.Collect(ch)
	}
}
