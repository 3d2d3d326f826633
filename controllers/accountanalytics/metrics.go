// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
)

// collector has the metrics of the controller.
type collector struct {
	clock     clock.PassiveClock
	refreshes *prometheus.CounterVec
	seconds   *prometheus.HistogramVec

	mu       sync.Mutex
	accounts map[types.UID]sight
}

// sight is the last observed state of an account.
type sight struct {
	platform string
	posts    int32
	// read is the time of the last refresh; zero before the first.
	read time.Time
}

func newCollector(c clock.PassiveClock) *collector {
	return &collector{clock: c, accounts: map[types.UID]sight{}, refreshes: metric.Refreshes.New(), seconds: metric.RefreshSeconds.New()}
}

// register registers the metrics.
func (g *collector) register(to prometheus.Registerer) error {
	return metric.Register(to, g.refreshes, g.seconds, g)
}

// Describe implements prometheus.Collector for the gauges that Collect computes.
func (g *collector) Describe(out chan<- *prometheus.Desc) {
	out <- metric.AnalyticsPosts.Desc()
	out <- metric.AnalyticsOldest.Desc()
}

// Collect implements prometheus.Collector.
func (g *collector) Collect(out chan<- prometheus.Metric) {
	g.mu.Lock()
	posts, oldest := map[string]float64{}, map[string]float64{}
	now := g.clock.Now()
	for _, s := range g.accounts {
		posts[s.platform] += float64(s.posts)
		if !s.read.IsZero() {
			oldest[s.platform] = max(oldest[s.platform], now.Sub(s.read).Seconds())
		}
	}
	g.mu.Unlock()
	for platform, n := range posts {
		out <- metric.AnalyticsPosts.Value(n, platform)
	}
	for platform, n := range oldest {
		out <- metric.AnalyticsOldest.Value(n, platform)
	}
}

// track records the state of an account.
func (g *collector) track(a *v1beta1.AccountAnalytics, of *v1beta1.SocialAccount) {
	if of == nil {
		g.forget(a.UID)
		return
	}
	s := sight{platform: string(of.Spec.Platform), posts: a.Status.KnownPosts}
	if t := a.Status.RefreshedAt; t != nil {
		s.read = t.Time
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.accounts[a.UID] = s
}

func (g *collector) forget(uid types.UID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.accounts, uid)
}

// count counts a refresh by its outcome.
func (g *collector) count(p v1beta1.Platform, requested bool, o *result, took time.Duration) {
	how := "ok"
	switch {
	case o.failed != nil:
		how = workError(o.failed, g.clock.Now()).Code
	case o.document.Incomplete != nil:
		how = "partial"
	}
	g.refreshes.WithLabelValues(string(p), strconv.FormatBool(requested), how).Inc()
	g.seconds.WithLabelValues(string(p)).Observe(took.Seconds())
}
