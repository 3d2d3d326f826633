// SPDX-License-Identifier: Apache-2.0

package census

import (
	"cmp"
	"maps"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/social/posting"
)

// Describe implements prometheus.Collector.
func (c *Census) Describe(out chan<- *prometheus.Desc) {
	for _, s := range []*metric.Seen{
		metric.WorkObjects, metric.WorkOldestWaiting, metric.PostsOpen, metric.PostsOverdue, metric.PostsOldestOverdue,
		metric.ConnectionCount, metric.ConnectionSoonest, metric.ConnectionsLimited, metric.ConnectionHeadroom, metric.WebhookEndpoints, metric.CacheChanged,
	} {
		out <- s.Desc()
	}
}

// line holds the label values of a metric.
type line struct{ by, state string }

// sums are the values of one collection.
type sums struct {
	work, posts, connections                    map[line]float64
	waiting, overdue, oldest, soonest, headroom map[string]float64
	limited, endpoints                          map[string]float64
	changed                                     map[string]time.Time
}

// Collect implements prometheus.Collector.
func (c *Census) Collect(out chan<- prometheus.Metric) {
	s := c.sum()
	for l, n := range s.work {
		out <- metric.WorkObjects.Value(n, l.by, l.state)
	}
	for l, n := range s.posts {
		out <- metric.PostsOpen.Value(n, l.by, l.state)
	}
	for l, n := range s.connections {
		out <- metric.ConnectionCount.Value(n, l.by, l.state)
	}
	for of, by := range map[*metric.Seen]map[string]float64{
		metric.WorkOldestWaiting: s.waiting, metric.PostsOverdue: s.overdue, metric.PostsOldestOverdue: s.oldest,
		metric.ConnectionSoonest: s.soonest, metric.ConnectionsLimited: s.limited, metric.ConnectionHeadroom: s.headroom,
		metric.WebhookEndpoints: s.endpoints,
	} {
		for label, n := range by {
			out <- of.Value(n, label)
		}
	}
	for kind, at := range s.changed {
		out <- metric.CacheChanged.Value(float64(at.UnixMilli())/1000, kind)
	}
}

func (c *Census) sum() sums {
	s := sums{
		work: map[line]float64{}, posts: map[line]float64{}, connections: map[line]float64{}, waiting: map[string]float64{}, overdue: map[string]float64{},
		oldest: map[string]float64{}, soonest: map[string]float64{}, headroom: map[string]float64{}, limited: map[string]float64{}, endpoints: map[string]float64{},
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.changed = maps.Clone(c.changed)
	now := c.clock.Now().Unix()
	for _, e := range c.entries {
		switch e.topic {
		case work:
			s.work[line{e.by, e.state}]++
			s.waiting[e.by] = max(s.waiting[e.by], since(now, e.at))
		case post:
			s.post(e, now)
		case connection:
			s.connection(e, now)
		case endpoint:
			s.endpoints[e.state]++
		}
	}
	return s
}

func (s *sums) post(e entry, now int64) {
	if v1beta1.PostState(e.state).Final() {
		return
	}
	e.state = cmp.Or(e.state, string(v1beta1.PostPending))
	s.posts[line{e.by, e.state}]++
	late := since(now, e.at)
	if late < posting.OverdueAfter.Seconds() {
		late = 0
	} else {
		s.overdue[e.by]++
	}
	s.overdue[e.by] += 0 // report 0 for a platform whose posts are all in time
	s.oldest[e.by] = max(s.oldest[e.by], late)
}

func (s *sums) connection(e entry, now int64) {
	s.connections[line{e.by, e.state}]++
	if left, ok := s.soonest[e.by]; e.at != 0 && (!ok || float64(e.at-now) < left) {
		s.soonest[e.by] = float64(e.at - now)
	}
	s.limited[e.by] += 0
	if e.until > now {
		s.limited[e.by]++
	}
	if least, ok := s.headroom[e.by]; e.left >= 0 && (!ok || float64(e.left) < least) {
		s.headroom[e.by] = float64(e.left)
	}
}

// since returns the seconds since a time; 0 for none and for future times.
func since(now, at int64) float64 {
	if at == 0 {
		return 0
	}
	return float64(max(0, now-at))
}
