// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/credential"
)

// observed has the inputs of a decision besides the object.
type observed struct {
	now time.Time
	// account is nil if it does not exist or is being deleted.
	account *v1beta1.SocialAccount
	// source is nil if the platform reports no analytics. missing has the settings of it that the installation lacks.
	source  analytics.Source
	missing []string
	// published is the publication time of the account's newest post; zero without posts.
	published time.Time
}

// observe reads the inputs of a decision. It writes nothing.
func (r *Reconciler) observe(ctx context.Context, a *v1beta1.AccountAnalytics) (*observed, error) {
	o := &observed{now: r.Clock.Now()}
	var err error
	if o.account, err = r.account(ctx, client.ObjectKeyFromObject(a)); err != nil || o.account == nil {
		return o, err
	}
	o.source = r.Sources[o.account.Spec.Platform]
	if r.Missing != nil {
		o.missing = r.Missing(o.account.Spec.Platform)
	}
	posts, err := r.posts(ctx, a)
	if err != nil {
		return nil, err
	}
	for i := range posts {
		if at := publishedAt(&posts[i]); at.After(o.published) {
			o.published = at
		}
	}
	return o, nil
}

// account returns the SocialAccount of a name; nil if it does not exist or is being deleted.
func (r *Reconciler) account(ctx context.Context, key client.ObjectKey) (*v1beta1.SocialAccount, error) {
	s := &v1beta1.SocialAccount{}
	err := r.Client.Get(ctx, key, s)
	if apierrors.IsNotFound(err) || err == nil && !s.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading SocialAccount: %w", err)
	}
	return s, nil
}

// create creates the AccountAnalytics of an account whose platform reports analytics.
func (r *Reconciler) create(ctx context.Context, key client.ObjectKey) error {
	account, err := r.account(ctx, key)
	if err != nil || account == nil || r.Sources[account.Spec.Platform] == nil {
		return err
	}
	a := &v1beta1.AccountAnalytics{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Spec:       v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: key.Name}},
	}
	setOwner(a, account)
	return r.Client.Create(ctx, a) // the watch enqueues the next reconcile
}

// adopt sets the owner and labels of an AccountAnalytics that any client may have created. If it belongs to a deleted
// account of the same name, adopt deletes it and returns true; the controller then creates a new one.
func (r *Reconciler) adopt(ctx context.Context, a *v1beta1.AccountAnalytics, account *v1beta1.SocialAccount) (gone bool, err error) {
	for _, o := range a.OwnerReferences {
		if o.Kind != "SocialAccount" || o.UID == account.UID {
			continue
		}
		// The cache may lag behind the account's recreation.
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(account), account); err != nil || o.UID == account.UID {
			return false, err
		}
		return true, r.Client.Delete(ctx, a, client.Preconditions{UID: &a.UID})
	}
	if a.Spec.AccountRef.Name != a.Name {
		return false, nil
	}
	before := a.DeepCopy()
	if !setOwner(a, account) {
		return false, nil
	}
	return false, r.Client.Patch(ctx, a, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// setOwner sets the finalizer, owner reference and brand label, and reports whether it changed any of them.
func setOwner(a *v1beta1.AccountAnalytics, account *v1beta1.SocialAccount) bool {
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
