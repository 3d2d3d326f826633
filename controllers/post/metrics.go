// SPDX-License-Identifier: Apache-2.0

package post

import (
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

// figures are the controller's own metrics.
type figures struct {
	lateness *prometheus.HistogramVec
	outcomes *prometheus.CounterVec
	unknowns prometheus.Gauge
}

func newFigures() *figures {
	return &figures{
		lateness: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "reelops_post_lateness_seconds", Help: "How long after its time the first call that publishes a post began.",
			Buckets: []float64{.005, .01, .02, .05, .1, .15, .25, .5, 1, 2.5, 5, 15, 60, 300, 3600, 21600},
		}, []string{"platform"}),
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "reelops_posts_total", Help: "Posts that came to their end, by platform, state and the code of the error.",
		}, []string{"platform", "state", "code"}),
		unknowns: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "reelops_posts_unknown", Help: "Posts of which nobody knows now whether the platform took them.",
		}),
	}
}

// register makes the figures part of the manager's metrics. A second manager in one process keeps figures of its own that nobody reads.
func (g *figures) register(to prometheus.Registerer) error {
	for _, c := range []prometheus.Collector{g.lateness, g.outcomes, g.unknowns} {
		var already prometheus.AlreadyRegisteredError
		if err := to.Register(c); err != nil && !errors.As(err, &already) {
			return err
		}
	}
	return nil
}

// late measures the first attempt alone: later ones are late by what was decided.
func (g *figures) late(p *v1alpha1.Post, at time.Time) {
	if len(p.Status.Attempts) == 1 && p.Status.Tries == 0 {
		g.lateness.WithLabelValues(string(p.Spec.Platform)).Observe(at.Sub(dueAt(p)).Seconds())
	}
}

// ended counts a post that came to its end.
func (g *figures) ended(p *v1alpha1.Post) {
	if !p.Status.State.Final() {
		return
	}
	code := ""
	if e := p.Status.Error; e != nil {
		code = e.Code
	}
	g.outcomes.WithLabelValues(string(p.Spec.Platform), string(p.Status.State), code).Inc()
}

// unknownSet is which posts are unknown now.
type unknownSet struct {
	mu  sync.Mutex
	ids map[types.UID]struct{}
}

// add says whether it is new.
func (u *unknownSet) add(id types.UID, g *figures) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.ids[id]; ok {
		return false
	}
	if u.ids == nil {
		u.ids = map[types.UID]struct{}{}
	}
	u.ids[id] = struct{}{}
	g.unknowns.Set(float64(len(u.ids)))
	return true
}

func (u *unknownSet) remove(id types.UID, g *figures) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.ids, id)
	g.unknowns.Set(float64(len(u.ids)))
}
