// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// stamps collects when posts of accounts were published. They are recorded by one write per account and interval, not
// one per post.
type stamps struct {
	mu sync.Mutex
	at map[client.ObjectKey]time.Time
}

func (s *stamps) observe(p *v1beta1.Post) {
	if p.Status.State != v1beta1.PostSuccess || p.Status.FinishedAt == nil {
		return
	}
	key, at := accountOf(p), p.Status.FinishedAt.Time
	if p.Status.PublishedAt != nil {
		at = p.Status.PublishedAt.Time
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[client.ObjectKey]time.Time{}
	}
	if at.After(s.at[key]) {
		s.at[key] = at
	}
}

func (s *stamps) take() map[client.ObjectKey]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.at
	s.at = nil
	return out
}

// stamp writes when the last post of each account was published. A failed write is repeated after the next start.
func (r *Reconciler) stamp(ctx context.Context) {
	for key, at := range r.stamps.take() {
		r.patchAccount(ctx, key, func(s *v1beta1.SocialAccountStatus) bool {
			if s.LastPublishedAt != nil && !s.LastPublishedAt.Time.Before(at.Truncate(time.Second)) {
				return false
			}
			s.LastPublishedAt = &metav1.Time{Time: at.Truncate(time.Second)}
			return true
		})
	}
}

// limit records the time until which the platform accepts no posts of an account.
func (r *Reconciler) limit(ctx context.Context, p *v1beta1.Post, until time.Time) {
	until = until.Truncate(time.Second).Add(time.Second)
	r.patchAccount(ctx, accountOf(p), func(s *v1beta1.SocialAccountStatus) bool {
		if s.LimitedUntil != nil && !s.LimitedUntil.Time.Before(until) {
			return false
		}
		s.LimitedUntil = &metav1.Time{Time: until}
		return true
	})
}

// patchAccount writes one field of an account. It needs no resourceVersion: this controller alone writes the field, or
// all writers write the same value.
func (r *Reconciler) patchAccount(ctx context.Context, key client.ObjectKey, change func(*v1beta1.SocialAccountStatus) bool) {
	a := &v1beta1.SocialAccount{}
	err := r.Client.Get(ctx, key, a)
	if err == nil {
		before := a.DeepCopy()
		if !change(&a.Status) {
			return
		}
		err = r.Client.Status().Patch(ctx, a, client.MergeFrom(before))
	}
	if err != nil && !apierrors.IsNotFound(err) {
		ctrl.LoggerFrom(ctx).Error(err, "writing the status of an account failed", "social_account", key)
	}
}
