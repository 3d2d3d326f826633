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
)

// Purge deletes old files daily.
type Purge struct {
	// Client reads posts from the cache.
	Client client.Reader
	Store  *blob.Store
	Clock  clock.Clock
}

// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=list;watch

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
	now := p.Clock.Now()
	n, err := p.purge(ctx, runner.Films, now.Add(-cacheAge), runner.IsPack)
	m, err2 := p.purge(ctx, photoset.Root, now.Add(-imageAge), func(key string) bool {
		return !needed[pinned.Prefix(key)]
	})
	return n + m, errors.Join(err, err2)
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
