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
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/upload"
)

// Purge looks through the uploads every so often, in one manager at a time.
type Purge struct {
	Store *blob.Store
	// Live reads the cluster, Cached a cache of it.
	Live, Cached client.Reader
	// TTL is how long uploads can be claimed; 0 for the usual time.
	TTL   time.Duration
	Clock clock.Clock

	removed prometheus.Counter
}

// SetupWithManager adds it to the manager.
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

// NeedLeaderElection says that one manager at a time is enough.
func (p *Purge) NeedLeaderElection() bool { return true }

// Start looks through the uploads now and then until the context ends.
func (p *Purge) Start(ctx context.Context) error {
	log := ctrl.Log.WithName("uploads")
	for {
		n, err := p.Pass(ctx)
		if n > 0 {
			log.Info("removed uploads that nobody kept", "count", n)
		}
		if err != nil && ctx.Err() == nil {
			log.Error(err, "could not look through all uploads; trying again later")
		}
		timer := p.Clock.NewTimer(p.every())
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C():
		}
	}
}

func (p *Purge) ttl() time.Duration {
	if p.TTL <= 0 {
		return upload.DefaultTTL
	}
	return p.TTL
}

// every is the time between two passes. An upload stays that much longer at most.
func (p *Purge) every() time.Duration { return max(p.ttl()/24, time.Second) }

// Pass looks through all uploads once and tells how many it removed. What fails for one does not keep it from the others.
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

// writing is how long one object may take to be written, however short the time to claim it is.
const writing = time.Minute

func (p *Purge) count() {
	if p.removed != nil {
		p.removed.Inc()
	}
}

// awaited says whether a MediaAsset still has to take the object in: the one that a claim made of it, asked for live because it
// may be new, or one that a manifest made.
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
		return false, fmt.Errorf("looking whether %s was kept: %w", key, err)
	}
	var all v1beta1.MediaAssetList
	if err := p.Cached.List(ctx, &all, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return false, fmt.Errorf("looking whether %s was kept: %w", key, err)
	}
	for i := range all.Items {
		if awaits(&all.Items[i], key) {
			return true, nil
		}
	}
	return false, nil
}

// awaits says whether an asset is made from the key and has neither taken it in nor given up for good.
func awaits(m *v1beta1.MediaAsset, key string) bool {
	if from := m.Spec.Source.BlobKey; from == nil || *from != key {
		return false
	}
	gaveUp := m.Status.Error != nil && !m.Status.Error.Retryable
	return m.Status.BlobKey == "" && !gaveUp
}
