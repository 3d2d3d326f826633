// SPDX-License-Identifier: Apache-2.0

package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// Automations returns the automations of an account, the newest first; those of one brand unless brand is empty.
func (r *Reader) Automations(ctx context.Context, namespace, brand string) ([]v1beta1.Automation, error) {
	var l v1beta1.AutomationList
	if err := r.Cached.List(ctx, &l, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing automations: %w", err)
	}
	out := slices.DeleteFunc(l.Items, func(a v1beta1.Automation) bool {
		return brand != "" && a.Spec.BrandRef.Name != brand || !a.DeletionTimestamp.IsZero()
	})
	slices.SortFunc(out, func(a, b v1beta1.Automation) int {
		return cmp.Or(cmp.Compare(ID(&b), ID(&a)), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// AutomationByID returns an automation of a brand by id.
func (r *Reader) AutomationByID(ctx context.Context, namespace, brand string, id int64) (*v1beta1.Automation, error) {
	var l v1beta1.AutomationList
	if err := r.byID(ctx, namespace, id, &l); err != nil {
		return nil, err
	}
	return first(l.Items, func(a *v1beta1.Automation) bool {
		return a.Spec.BrandRef.Name == brand && a.DeletionTimestamp.IsZero()
	})
}

// AutomationRuns returns the runs of an automation, the newest first. It reads the cluster: runs are not cached.
func (r *Reader) AutomationRuns(ctx context.Context, a *v1beta1.Automation) ([]v1beta1.AutomationRun, error) {
	var l v1beta1.AutomationRunList
	err := r.Live.List(ctx, &l, client.InNamespace(a.Namespace), client.MatchingLabels{v1beta1.LabelAutomation: a.Name})
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	slices.SortFunc(l.Items, func(a, b v1beta1.AutomationRun) int {
		return cmp.Or(b.Spec.ScheduledAt.Compare(a.Spec.ScheduledAt.Time), cmp.Compare(a.Name, b.Name))
	})
	return l.Items, nil
}
