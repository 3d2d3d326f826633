// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/clockskew"
	"github.com/reelops/reelops/internal/social/pacing"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/store/pinned"
)

// observe reads what a decision is made upon. It writes nothing.
func (r *Reconciler) observe(ctx context.Context, p *v1beta1.Post) (*facts, error) {
	key := client.ObjectKeyFromObject(p)
	f := &facts{now: r.Clock.Now(), ahead: clockskew.Beyond(r.Ahead()), memo: r.memory.of(key, p.UID, digest(p))}
	if atEnd(p) {
		return f, nil
	}
	if f.memo.since.IsZero() {
		f.memo.since = f.now
	}
	platform := r.Platforms[p.Spec.Platform]
	f.configured = platform != nil && len(platform.Missing()) == 0
	account, err := r.account(ctx, p)
	if err != nil {
		return nil, err
	}
	f.account = account
	if a := last(p); a != nil && a.State.Open() {
		f.memo.doubt(r.Clock, a.StartedAt, graceTime(p))
	} else if commenting(p) {
		if c := p.Status.FirstComment; c != nil && c.State == v1beta1.CommentIntended && c.StartedAt != nil {
			f.memo.doubt(r.Clock, *c.StartedAt, graceTime(p))
		}
	} else {
		if f.batch, err = r.batch(ctx, p); err != nil {
			return nil, err
		}
		if f.batch == nil && f.memo.begun.IsZero() {
			f.memo.begun = f.now
		}
	}
	if !p.DeletionTimestamp.IsZero() {
		if f.heir, err = r.heir(ctx, p); err != nil {
			return nil, err
		}
	}
	f.missing = r.missing(ctx, p, f)
	f.from = f.now
	if account != nil {
		f.from = r.caps.From(key, f.now, r.shares(p, account, f.now)...)
	}
	return f, nil
}

// account reads the post's account. It is nil when there is none, or when it goes: a cache that does not show it is asked no further
// than the cluster.
func (r *Reconciler) account(ctx context.Context, p *v1beta1.Post) (*v1beta1.SocialAccount, error) {
	a := &v1beta1.SocialAccount{}
	key := client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Account}
	err := r.Client.Get(ctx, key, a)
	if apierrors.IsNotFound(err) {
		err = r.Live.Get(ctx, key, a)
	}
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading the account: %w", err)
	case !a.DeletionTimestamp.IsZero() || a.Spec.Platform != p.Spec.Platform:
		return nil, nil
	}
	return a, nil
}

// filesTime is for how long files that were found in the store are not looked for again.
const filesTime = time.Hour

// missing reports whether a file that a post publishes is not stored. It is false once the post is due, and while the store does not
// answer: preparing the post reports that. Files are looked for every filesTime, when the preparation begins, and with every pass while
// one is missing.
func (r *Reconciler) missing(ctx context.Context, p *v1beta1.Post, f *facts) bool {
	due := posting.DueAt(p)
	soon := due.Add(-prepareAhead)
	found := f.memo.filesAt
	fresh := !found.IsZero() && f.now.Sub(found) < filesTime && (f.now.Before(soon) || !found.Before(soon))
	if fresh || p.InFlight() || !f.now.Before(due) {
		return false
	}
	for _, key := range pinned.Keys(p) {
		there, err := r.Store.Exists(ctx, key)
		if err != nil {
			return false
		}
		if !there {
			f.memo.filesAt = time.Time{}
			return true
		}
	}
	f.memo.filesAt = f.now
	return false
}

// batch reads the post's batch; nil when it is not there, goes, or is another of the same name than the post was made for.
func (r *Reconciler) batch(ctx context.Context, p *v1beta1.Post) (*v1beta1.PostBatch, error) {
	b := &v1beta1.PostBatch{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Batch}, b)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the batch: %w", err)
	}
	for _, o := range p.OwnerReferences {
		if o.Kind == "PostBatch" && o.UID != b.UID {
			return nil, nil
		}
	}
	if !b.DeletionTimestamp.IsZero() || b.Spec.ScheduledAt == nil {
		return nil, nil
	}
	return b, nil
}

// heir says that there is a batch by the name of the post's that did not make the post, would make it, and has not found it yet.
func (r *Reconciler) heir(ctx context.Context, p *v1beta1.Post) (bool, error) {
	b := &v1beta1.PostBatch{}
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Batch}, b); err != nil {
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return false, fmt.Errorf("reading the batch: %w", err)
	}
	return b.DeletionTimestamp.IsZero() && !metav1.IsControlledBy(p, b) && posting.Wants(b, p), nil
}

// shares are the caps a post counts under: its account's, and its platform's where the whole installation shares one.
func (r *Reconciler) shares(p *v1beta1.Post, a *v1beta1.SocialAccount, now time.Time) []pacing.Share {
	mine, all := scopes(p)
	c := r.Cap(p.Spec.Platform)
	own := pacing.Share{Scope: mine}
	if !c.AppWide {
		own.Cap = pacing.Cap{Max: c.Max, Window: c.Window}
	}
	if h := a.Status.Headroom; h != nil && h.Max > 0 && h.WindowSeconds > 0 {
		own.Cap = pacing.Cap{Max: int(h.Max), Window: time.Duration(h.WindowSeconds) * time.Second}
		until := a.Status.LimitedUntil
		freed := until != nil && until.After(h.ObservedAt.Time) && !until.After(now) // the platform's word on when there is room again
		if now.Sub(h.ObservedAt.Time) < own.Cap.Window && !freed {
			// What the platform counted and nobody here sent; what was sent here since then is counted here.
			own.Elsewhere = max(int(h.Used)-r.caps.Used(mine, h.ObservedAt.Time, own.Cap.Window), 0)
			own.Frees = h.ObservedAt.Add(own.Cap.Window)
		}
	}
	if until := a.Status.LimitedUntil; until != nil {
		r.caps.Refused(mine, until.Time)
	}
	out := []pacing.Share{own, {Scope: all}}
	if c.AppWide {
		out[1].Cap = pacing.Cap{Max: c.Max, Window: c.Window}
	}
	return out
}

// scopes are who shares the caps of a post: its account, and its platform.
func scopes(p *v1beta1.Post) (mine, all pacing.Scope) {
	return pacing.Scope(p.Namespace + "/" + p.Spec.Account), pacing.Scope("platform " + string(p.Spec.Platform))
}

// catalogCap is the cap of a platform as it is published.
func catalogCap(platform v1beta1.Platform) catalog.PostCap {
	rule, _ := catalog.RuleOf(string(platform))
	return rule.Cap
}
