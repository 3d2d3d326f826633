// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/credential"
)

// observe reads what a decision is made upon. It writes nothing.
func (r *Reconciler) observe(ctx context.Context, a *v1beta1.AccountAnalytics) (*facts, error) {
	f := &facts{now: r.Clock.Now()}
	var err error
	if f.account, err = r.account(ctx, client.ObjectKeyFromObject(a)); err != nil || f.account == nil {
		return f, err
	}
	f.source = r.Sources[f.account.Spec.Platform]
	if r.Missing != nil {
		f.missing = r.Missing(f.account.Spec.Platform)
	}
	posts, err := r.posts(ctx, a)
	if err != nil {
		return nil, err
	}
	for i := range posts {
		if at := cameOutAt(&posts[i]); at.After(f.published) {
			f.published = at
		}
	}
	return f, nil
}

// account is the SocialAccount of a name; nil when there is none, or when it goes.
func (r *Reconciler) account(ctx context.Context, key client.ObjectKey) (*v1beta1.SocialAccount, error) {
	s := &v1beta1.SocialAccount{}
	err := r.Client.Get(ctx, key, s)
	if apierrors.IsNotFound(err) || err == nil && !s.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the account: %w", err)
	}
	return s, nil
}

// make makes the numbers of an account that has none and whose platform reports some.
func (r *Reconciler) make(ctx context.Context, key client.ObjectKey) error {
	account, err := r.account(ctx, key)
	if err != nil || account == nil || r.Sources[account.Spec.Platform] == nil {
		return err
	}
	a := &v1beta1.AccountAnalytics{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Spec:       v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: key.Name}},
	}
	belong(a, account)
	return r.Client.Create(ctx, a) // its creation wakes the next pass
}

// adopt makes the numbers the account's own, whoever made them. It answers true when they are those of another account that had the
// same name: then they go, and new ones are made.
func (r *Reconciler) adopt(ctx context.Context, a *v1beta1.AccountAnalytics, account *v1beta1.SocialAccount) (gone bool, err error) {
	for _, o := range a.OwnerReferences {
		if o.Kind != "SocialAccount" || o.UID == account.UID {
			continue
		}
		// The cache may not have seen yet that the account was made anew.
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(account), account); err != nil || o.UID == account.UID {
			return false, err
		}
		return true, r.Client.Delete(ctx, a, client.Preconditions{UID: &a.UID})
	}
	if a.Spec.AccountRef.Name != a.Name {
		return false, nil
	}
	before := a.DeepCopy()
	if !belong(a, account) {
		return false, nil
	}
	return false, r.Client.Patch(ctx, a, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// belong gives numbers what those of an account have, and says whether something was missing.
func belong(a *v1beta1.AccountAnalytics, account *v1beta1.SocialAccount) bool {
	changed := controllerutil.AddFinalizer(a, v1beta1.FinalizerAccountAnalytics)
	if len(a.OwnerReferences) == 0 {
		a.OwnerReferences = []metav1.OwnerReference{credential.OwnerReference("SocialAccount", account)}
		changed = true
	}
	if brand := account.Spec.BrandRef.Name; a.Labels[v1beta1.LabelBrand] != brand {
		if a.Labels == nil {
			a.Labels = map[string]string{}
		}
		a.Labels[v1beta1.LabelBrand] = brand
		changed = true
	}
	return changed
}
