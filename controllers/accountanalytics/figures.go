// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

// figures are the controller's own metrics.
type figures struct {
	clock     clock.PassiveClock
	refreshes *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	posts     *prometheus.Desc
	oldest    *prometheus.Desc

	mu       sync.Mutex
	accounts map[types.UID]sight
}

// sight is what was last seen of an account.
type sight struct {
	platform string
	posts    int32
	// read is when its numbers were read; zero when they never were.
	read time.Time
}

func newFigures(c clock.PassiveClock) *figures {
	return &figures{
		clock: c, accounts: map[types.UID]sight{},
		refreshes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "reelops_analytics_refreshes_total",
			Help: "Refreshes of accounts' numbers, by platform, whether somebody asked for it, and how it ended: ok, partial, or the code of the error.",
		}, []string{"platform", "requested", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "reelops_analytics_refresh_seconds", Help: "How long refreshes of accounts' numbers took, by platform.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 240},
		}, []string{"platform"}),
		posts:  prometheus.NewDesc("reelops_analytics_posts", "Posts whose numbers are known, by platform.", []string{"platform"}, nil),
		oldest: prometheus.NewDesc("reelops_analytics_oldest_seconds", "Age of the oldest numbers of an account, by platform.", []string{"platform"}, nil),
	}
}

// register makes the figures part of the manager's metrics. A second manager in one process keeps figures of its own that nobody reads.
func (g *figures) register(to prometheus.Registerer) error {
	for _, c := range []prometheus.Collector{g.refreshes, g.seconds, g} {
		var already prometheus.AlreadyRegisteredError
		if err := to.Register(c); err != nil && !errors.As(err, &already) {
			return err
		}
	}
	return nil
}

// Describe tells of the figures that are counted when they are asked for.
func (g *figures) Describe(out chan<- *prometheus.Desc) {
	out <- g.posts
	out <- g.oldest
}

// Collect counts them.
func (g *figures) Collect(out chan<- prometheus.Metric) {
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
		out <- prometheus.MustNewConstMetric(g.posts, prometheus.GaugeValue, n, platform)
	}
	for platform, n := range oldest {
		out <- prometheus.MustNewConstMetric(g.oldest, prometheus.GaugeValue, n, platform)
	}
}

// saw takes down what is known of an account.
func (g *figures) saw(a *v1alpha1.AccountAnalytics, of *v1alpha1.SocialAccount) {
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

func (g *figures) forget(uid types.UID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.accounts, uid)
}

// ended counts a refresh.
func (g *figures) ended(p v1alpha1.Platform, requested bool, o *end, took time.Duration) {
	how := "ok"
	switch {
	case o.failed != nil:
		how = inWords(o.failed, g.clock.Now()).Code
	case o.document.Incomplete != nil:
		how = "partial"
	}
	g.refreshes.WithLabelValues(string(p), strconv.FormatBool(requested), how).Inc()
	g.seconds.WithLabelValues(string(p)).Observe(took.Seconds())
}
