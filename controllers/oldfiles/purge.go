// SPDX-License-Identifier: Apache-2.0

package oldfiles

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/embedding"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/process/periodic"
	"github.com/reelops/reelops/internal/social/photoset"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/work/runner"
)

const (
	// interval is the time between passes.
	interval = 24 * time.Hour
	// cacheAge is how long a segment cache is kept. A later render of the short takes as long as the first one.
	cacheAge = 7 * 24 * time.Hour
	// imageAge is how long images of a post are kept after it has ended. Platforms may fetch them for a day.
	imageAge = 48 * time.Hour
	// vectorAge is how long an embedding is kept. A front end that starts later requests it again.
	vectorAge = 30 * 24 * time.Hour
)

// Purge deletes old files daily.
type Purge struct {
	// Client reads posts and slideshows from the cache.
	Client client.Reader
	// Live is uncached: it has the objects that the cache does not show yet.
	Live  client.Reader
	Store *blob.Store
	Clock clock.Clock
}

// +kubebuilder:rbac:groups=reelops.dev,resources=postbatches;posts;renderjobs;slideshows,verbs=list;watch

// SetupWithManager adds the runnable to the manager.
func (p *Purge) SetupWithManager(mgr ctrl.Manager) error { return mgr.Add(p) }

// NeedLeaderElection returns true: only the leader deletes files.
func (p *Purge) NeedLeaderElection() bool { return true }

// Start runs Pass now and every day until the context ends.
func (p *Purge) Start(ctx context.Context) error {
	periodic.Delete(ctx, p.Clock, interval, ctrl.Log.WithName("oldfiles"), "old files", p.Pass)
	return nil
}

// Pass checks all files once and returns the number of deleted ones. An error with one file does not stop the pass.
func (p *Purge) Pass(ctx context.Context) (deleted int, err error) {
	needed, err := p.needed(ctx)
	if err != nil {
		return 0, err
	}
	shown, err := p.shown(ctx)
	if err != nil {
		return 0, err
	}
	for _, files := range []struct {
		prefix string
		age    time.Duration
		old    func(key string) bool
	}{
		{runner.Films, cacheAge, runner.IsPack},
		{photoset.Root, imageAge, func(key string) bool { return !needed[pinned.Prefix(key)] }},
		{stock.Records, stock.RecordTime, func(key string) bool { return !shown[key] }},
		{embedding.Vectors, vectorAge, func(string) bool { return true }},
	} {
		n, failed := p.purge(ctx, files.prefix, p.Clock.Now().Add(-files.age), files.old)
		deleted, err = deleted+n, errors.Join(err, failed)
	}
	n, failed := p.purgeSlides(ctx)
	return deleted + n, errors.Join(err, failed)
}

// purge deletes the files below a prefix that were written before a time and that old accepts.
func (p *Purge) purge(
	ctx context.Context, prefix string, before time.Time, old func(key string) bool,
) (deleted int, err error) {
	var failed error
	err = p.Store.Walk(ctx, prefix, func(o blob.Object) error {
		if !o.Modified.Before(before) || !old(o.Key) {
			return nil
		}
		if err := p.Store.Delete(ctx, o.Key); err != nil {
			failed = err // usually the same one for all files
		} else {
			deleted++
		}
		return ctx.Err()
	})
	return deleted, errors.Join(failed, err)
}

// needed returns the prefixes of the images of posts that are open, or ended less than imageAge ago. A post that is
// created later has newer images.
func (p *Purge) needed(ctx context.Context) (map[string]bool, error) {
	var posts v1beta1.PostList
	if err := p.Client.List(ctx, &posts, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing posts: %w", err)
	}
	after := p.Clock.Now().Add(-imageAge)
	out := map[string]bool{}
	for i := range posts.Items {
		o := &posts.Items[i]
		if ended := o.Status.FinishedAt; !o.Status.State.Final() || ended == nil || ended.After(after) {
			out[photoset.Prefix(o.Namespace, string(v1beta1.Origin(o)))] = true
		}
	}
	return out, nil
}

// shown returns the keys of the records of stock images that slideshows name or show, so that their ids stay valid.
func (p *Purge) shown(ctx context.Context) (map[string]bool, error) {
	var shorts v1beta1.SlideshowList
	if err := p.Client.List(ctx, &shorts, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing slideshows: %w", err)
	}
	out := map[string]bool{}
	add := func(ref string) {
		if provider, id, ok := stock.ParseRef(ref); ok {
			out[stock.RecordKey(stock.IDOf(provider, id))] = true
		}
	}
	for i := range shorts.Items {
		for _, sl := range shorts.Items[i].Spec.Slides {
			if sl.Image != nil && sl.Image.Stock != nil {
				add(*sl.Image.Stock)
			}
		}
		for _, sl := range shorts.Items[i].Status.Slides {
			if sl.Background.Source == deck.SourceStock {
				add(sl.Background.ID)
			}
		}
	}
	return out, nil
}
