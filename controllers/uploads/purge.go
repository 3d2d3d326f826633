// SPDX-License-Identifier: Apache-2.0

package uploads

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/process/periodic"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/upload"
)

// Purge deletes orphaned uploads periodically.
type Purge struct {
	Store *blob.Store
	// Live is uncached, Cached reads the cache.
	Live, Cached client.Reader
	// TTL is how long uploads can be claimed; 0 means upload.DefaultTTL.
	TTL   time.Duration
	Clock clock.Clock

	removed prometheus.Counter
}

// SetupWithManager adds the runnable to the manager.
func (p *Purge) SetupWithManager(mgr ctrl.Manager) error {
	p.removed = metric.UploadsRemoved.Of()
	var already prometheus.AlreadyRegisteredError
	if err := metrics.Registry.Register(p.removed); errors.As(err, &already) {
		p.removed, _ = already.ExistingCollector.(prometheus.Counter)
	} else if err != nil {
		return fmt.Errorf("registering a metric: %w", err)
	}
	return mgr.Add(p)
}

// NeedLeaderElection returns true: only the leader purges.
func (p *Purge) NeedLeaderElection() bool { return true }

// Start runs Pass every TTL/24 until the context ends.
func (p *Purge) Start(ctx context.Context) error {
	periodic.Delete(ctx, p.Clock, p.every(), ctrl.Log.WithName("uploads"), "orphaned uploads", p.Pass)
	return nil
}

func (p *Purge) ttl() time.Duration {
	if p.TTL <= 0 {
		return upload.DefaultTTL
	}
	return p.TTL
}

// every returns the time between passes. It is also the longest time that an orphaned upload stays beyond its TTL.
func (p *Purge) every() time.Duration { return max(p.ttl()/24, time.Second) }

// Pass checks all uploads once and returns the number of deleted ones. An error with one upload does not stop the pass.
func (p *Purge) Pass(ctx context.Context) (removed int, err error) {
	age := upload.PurgeAfter(p.ttl())
	before := p.Clock.Now().Add(-age)
	var failed []error
	err = p.Store.Walk(ctx, upload.Prefix, func(o blob.Object) error {
		if !o.Modified.Before(before) {
			return nil
		}
		waits, err := p.awaited(ctx, o.Key)
		if err == nil && !waits {
			err = p.Store.Delete(ctx, o.Key)
			if err == nil {
				removed++
				p.count()
			}
		}
		if err != nil {
			failed = append(failed, err)
		}
		return ctx.Err()
	})
	if len(failed) > 3 {
		failed = append(failed[:3], fmt.Errorf("and %d more", len(failed)-3))
	}
	return removed, errors.Join(append(failed, err, p.Store.SweepUnfinished(ctx, max(age, writing)))...)
}

// writing is the minimum age at which an unfinished write is deleted, even if the TTL is shorter.
const writing = time.Minute

func (p *Purge) count() {
	if p.removed != nil {
		p.removed.Inc()
	}
}

// awaited reports whether a MediaAsset still has to ingest the upload. It checks the MediaAsset that the claim of the
// upload created, read uncached because it may be new, and those from manifests.
func (p *Purge) awaited(ctx context.Context, key string) (bool, error) {
	namespace, id, ok := upload.ParseKey(key)
	if !ok {
		return false, nil
	}
	claimed := &v1beta1.MediaAsset{}
	err := p.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: upload.Name(id)}, claimed)
	if err == nil && awaits(claimed, key) {
		return true, nil
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("finding the MediaAsset of %s: %w", key, err)
	}
	var all v1beta1.MediaAssetList
	if err := p.Cached.List(ctx, &all, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return false, fmt.Errorf("finding the MediaAsset of %s: %w", key, err)
	}
	for i := range all.Items {
		if awaits(&all.Items[i], key) {
			return true, nil
		}
	}
	return false, nil
}

// awaits reports whether a MediaAsset has the key as its source and has neither ingested it nor failed permanently.
func awaits(m *v1beta1.MediaAsset, key string) bool {
	if from := m.Spec.Source.BlobKey; from == nil || *from != key {
		return false
	}
	gaveUp := m.Status.Error != nil && !m.Status.Error.Retryable
	return m.Status.BlobKey == "" && !gaveUp
}
