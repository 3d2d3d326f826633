// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/runner"
)

// pack returns the segment caches of an order: the one of the earlier render, and the destination of the new one. A
// Video is rendered once and has no cache. Only the newest cache of a source is useful, and none is needed: package
// oldfiles deletes it after some days.
func (r *Reconciler) pack(ctx context.Context, j *v1beta1.RenderJob, valid time.Duration) (*order.Pack, error) {
	if kindOf(j) == v1beta1.KindVideo {
		return nil, nil //nolint:nilnil // no cache
	}
	keep, err := runner.Target(ctx, r.Store, runner.PackKey(j), "application/octet-stream", valid)
	if err != nil {
		return nil, err
	}
	p := &order.Pack{Keep: keep}
	before, err := r.earlier(ctx, j)
	if err != nil || before == nil {
		return p, err
	}
	p.URL, err = r.Store.SignedGet(ctx, runner.PackKey(before), valid)
	return p, err
}

// dropPack removes the segment cache of the earlier render after a successful render.
func (r *Reconciler) dropPack(ctx context.Context, j *v1beta1.RenderJob) error {
	if j.Status.Output == nil || kindOf(j) == v1beta1.KindVideo {
		return nil
	}
	before, err := r.earlier(ctx, j)
	if err != nil || before == nil {
		return err
	}
	return r.Store.Delete(ctx, runner.PackKey(before))
}

// earlier returns the last finished render of the same source, other than j; nil if there is none.
func (r *Reconciler) earlier(ctx context.Context, j *v1beta1.RenderJob) (*v1beta1.RenderJob, error) {
	var all v1beta1.RenderJobList
	if err := r.Client.List(ctx, &all, client.InNamespace(j.Namespace), client.MatchingLabels{v1beta1.LabelShort: j.Labels[v1beta1.LabelShort]}); err != nil {
		return nil, fmt.Errorf("listing other renders of the short: %w", err)
	}
	var last *v1beta1.RenderJob
	for i := range all.Items {
		o := &all.Items[i]
		w := o.Status.Work
		if o.UID == j.UID || w == nil || w.State != v1beta1.WorkSucceeded || w.FinishedAt == nil || !o.DeletionTimestamp.IsZero() {
			continue
		}
		if last == nil || last.Status.Work.FinishedAt.Before(w.FinishedAt) {
			last = o
		}
	}
	return last, nil
}
