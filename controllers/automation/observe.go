// SPDX-License-Identifier: Apache-2.0

package automation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/automation/schedule"
	"github.com/reelops/reelops/internal/film/shortwork"
)

// observed is what a pass depends on beside the automation.
type observed struct {
	brand   *v1beta1.Brand   // nil if it does not exist
	account *v1beta1.Account // nil if it does not exist
	// rank is the number of older automations of the account.
	rank int
	// schedule of the automation; nil if invalid is set or there is no brand.
	schedule *schedule.Schedule
	// invalid is a field of the spec that cannot be used; nil if all can.
	invalid error
	// runs of the automation in the order of their slots.
	runs []*v1beta1.AutomationRun
	// social are the connected accounts of the brand.
	social []v1beta1.SocialAccount
}

func (r *Reconciler) observe(ctx context.Context, a *v1beta1.Automation) (*observed, error) {
	o := &observed{}
	var err error
	if o.brand, err = shortwork.Get(ctx, r.Client, a.Namespace, a.Spec.BrandRef.Name, &v1beta1.Brand{}); err != nil {
		return nil, err
	}
	if o.account, err = shortwork.Get(ctx, r.Client, a.Namespace, v1beta1.AccountName, &v1beta1.Account{}); err != nil {
		return nil, err
	}
	if o.brand != nil {
		if o.schedule, o.invalid = build.Schedule(a, o.brand); o.invalid == nil {
			o.invalid = build.Check(a)
		}
	}
	var all v1beta1.AutomationList
	if err := r.Client.List(ctx, &all, client.InNamespace(a.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing automations: %w", err)
	}
	for i := range all.Items {
		if other := &all.Items[i]; other.UID != a.UID && other.DeletionTimestamp.IsZero() && older(other, a) {
			o.rank++
		}
	}
	if o.runs, err = r.runs(ctx, a); err != nil {
		return nil, err
	}
	var social v1beta1.SocialAccountList
	if err := r.Client.List(ctx, &social, client.InNamespace(a.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing connected accounts: %w", err)
	}
	for i := range social.Items {
		if social.Items[i].Spec.BrandRef == a.Spec.BrandRef {
			o.social = append(o.social, social.Items[i])
		}
	}
	return o, nil
}

// runs returns the runs of an automation in the order of their slots. Runs of a deleted automation of the same name are
// omitted: the cluster deletes them.
func (r *Reconciler) runs(ctx context.Context, a *v1beta1.Automation) ([]*v1beta1.AutomationRun, error) {
	var list v1beta1.AutomationRunList
	err := r.Client.List(ctx, &list, client.InNamespace(a.Namespace), client.MatchingFields{IndexRuns: a.Name})
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	var out []*v1beta1.AutomationRun
	for i := range list.Items {
		run := &list.Items[i]
		if owner := metav1.GetControllerOf(run); (owner == nil || owner.UID == a.UID) && run.DeletionTimestamp.IsZero() {
			out = append(out, run)
		}
	}
	slices.SortFunc(out, bySlot)
	return out, nil
}

func bySlot(a, b *v1beta1.AutomationRun) int {
	return cmp.Or(a.Spec.ScheduledAt.Compare(b.Spec.ScheduledAt.Time), cmp.Compare(a.Name, b.Name))
}

func older(a, b *v1beta1.Automation) bool {
	at, other := v1beta1.CreatedAt(a), v1beta1.CreatedAt(b)
	return cmp.Or(at.Compare(other.Time), cmp.Compare(a.Name, b.Name)) < 0
}
