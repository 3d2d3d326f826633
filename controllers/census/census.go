// SPDX-License-Identifier: Apache-2.0

package census

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/social/posting"
)

// Census is a prometheus.Collector. Use New to create one.
type Census struct {
	clock clock.PassiveClock

	mu      sync.Mutex
	entries map[types.UID]entry
	changed map[string]time.Time
}

// topic is the kind of an entry.
type topic uint8

const (
	work topic = iota
	post
	connection
	endpoint
)

// entry is the state of one object.
type entry struct {
	topic topic
	// by is the kind of work, or the platform. state is the state of the work, the post, the token or the endpoint.
	by, state string
	// at is the creation time of waiting work, the due time of a post, or the expiry of a token, in seconds since 1970;
	// 0 means none.
	at int64
	// until is the end of an account's rate limit in seconds since 1970; left is the number of posts it can still
	// publish, -1 if unknown.
	until int64
	left  int32
}

// New returns an empty Census.
func New(c clock.PassiveClock) *Census {
	return &Census{clock: c, entries: map[types.UID]entry{}, changed: map[string]time.Time{}}
}

// kinds are the kinds with metrics.
var kinds = map[string]client.Object{
	"Slideshow": &v1beta1.Slideshow{}, "Video": &v1beta1.Video{}, "RenderJob": &v1beta1.RenderJob{}, "MediaAsset": &v1beta1.MediaAsset{},
	"MusicTrack": &v1beta1.MusicTrack{}, "Post": &v1beta1.Post{}, "SocialAccount": &v1beta1.SocialAccount{}, "WebhookEndpoint": &v1beta1.WebhookEndpoint{},
}

// SetupWithManager adds handlers to the manager's informers and registers the metrics.
func (c *Census) SetupWithManager(ctx context.Context, mgr ctrl.Manager) error {
	for kind, object := range kinds {
		informer, err := mgr.GetCache().GetInformer(ctx, object)
		if err != nil {
			return fmt.Errorf("watching %s: %w", kind, err)
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { c.observe(kind, o) },
			UpdateFunc: func(_, o any) { c.observe(kind, o) },
			DeleteFunc: func(o any) { c.forget(kind, o) },
		}); err != nil {
			return fmt.Errorf("following %s: %w", kind, err)
		}
	}
	return metric.Register(metrics.Registry, c)
}

var _ prometheus.Collector = (*Census)(nil)

func (c *Census) observe(kind string, o any) {
	object, ok := o.(client.Object)
	if !ok {
		return
	}
	e, counts := entryOf(object)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed[kind] = c.clock.Now()
	if counts {
		c.entries[object.GetUID()] = e
	}
}

func (c *Census) forget(kind string, o any) {
	if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	object, ok := o.(client.Object)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed[kind] = c.clock.Now()
	delete(c.entries, object.GetUID())
}

// entryOf returns the entry of an object; false for kinds without one.
func entryOf(o client.Object) (entry, bool) {
	switch o := o.(type) {
	case *v1beta1.Post:
		e := entry{topic: post, by: string(o.Spec.Platform), state: string(o.Status.State)}
		// A post that waits because a user suspended posting is not overdue.
		if at, waits := posting.NextCall(o); waits && posting.WaitReason(o.Status.Error) != v1beta1.ReasonPostingSuspended {
			e.at = at.Unix()
		}
		return e, true
	case *v1beta1.SocialAccount:
		return connectionOf(o), true
	case *v1beta1.WebhookEndpoint:
		return entry{topic: endpoint, state: o.DeliveryState()}, true
	}
	kind, w := status.WorkOf(o)
	if kind == "" {
		return entry{}, false
	}
	e := entry{topic: work, by: kind, state: "new"}
	if w != nil {
		e.state = string(w.State)
	}
	if w == nil || w.StartedAt == nil && !w.State.Settled() && !status.Again(w) {
		e.at = o.GetCreationTimestamp().Unix()
	}
	return e, true
}

func connectionOf(a *v1beta1.SocialAccount) entry {
	s := &a.Status
	e := entry{topic: connection, by: string(a.Spec.Platform), state: string(s.TokenStatus), left: -1}
	if e.state == "" {
		e.state = "none"
	}
	if s.TokenStatus.Usable() && s.TokenExpiresAt != nil {
		e.at = s.TokenExpiresAt.Unix()
	}
	if s.LimitedUntil != nil {
		e.until = s.LimitedUntil.Unix()
	}
	if h := s.Headroom; h != nil && h.Max > 0 {
		e.left = max(0, h.Max-h.Used)
	}
	return e
}
