// SPDX-License-Identifier: Apache-2.0

package post

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/social/posting"
)

// postMetrics are the metrics of the controller.
type postMetrics struct {
	lateness *prometheus.HistogramVec
	outcomes *prometheus.CounterVec
	unknowns prometheus.Gauge
}

func newMetrics() *postMetrics {
	return &postMetrics{lateness: metric.PostLateness.New(), outcomes: metric.PostsEnded.New(), unknowns: metric.PostsUnknown.Of()}
}

// register registers the metrics.
func (g *postMetrics) register(to prometheus.Registerer) error {
	return metric.Register(to, g.lateness, g.outcomes, g.unknowns)
}

// late observes the lateness of the first attempt. Later attempts are late on purpose.
func (g *postMetrics) late(p *v1beta1.Post, at time.Time) {
	if len(p.Status.Attempts) == 1 && p.Status.Tries == 0 {
		g.lateness.WithLabelValues(string(p.Spec.Platform)).Observe(at.Sub(posting.DueAt(p)).Seconds())
	}
}

// ended counts a post in a final state.
func (g *postMetrics) ended(p *v1beta1.Post) {
	if !p.Status.State.Final() {
		return
	}
	code := ""
	if e := p.Status.Error; e != nil {
		code = e.Code
	}
	g.outcomes.WithLabelValues(string(p.Spec.Platform), string(p.Status.State), code).Inc()
}

// unknownSet holds the posts whose outcome is unknown now.
type unknownSet struct {
	mu  sync.Mutex
	ids map[types.UID]struct{}
}

// add adds a post and reports whether it is new.
func (u *unknownSet) add(id types.UID, g *postMetrics) bool {
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

func (u *unknownSet) remove(id types.UID, g *postMetrics) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.ids, id)
	g.unknowns.Set(float64(len(u.ids)))
}
