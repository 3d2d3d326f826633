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

// observed is the input of a decision, besides the post.
type observed struct {
	now time.Time
	// ahead is by how much now is ahead of the API server's time, if that is more than clockskew.Limit; else 0.
	ahead time.Duration
	// account is nil if it does not exist.
	account *v1beta1.SocialAccount
	// batch is nil if it does not exist or the cache does not show it yet.
	batch *v1beta1.PostBatch
	// successor reports whether another batch of the same name would create the post again and has not found the
	// existing one yet. It is set only for a post that is being deleted.
	successor bool
	// awaitsApproval reports whether an approver has to decide about the post.
	awaitsApproval bool
	// suspended reports whether posting of the brand is suspended.
	suspended bool
	// brandMissing reports whether the brand does not exist: whether its posting is suspended is unknown then.
	brandMissing bool
	// configured reports whether the platform can be published to.
	configured bool
	// missing reports whether a file that the post publishes is not stored. It is false once the post is due.
	missing bool
	// from is the earliest time at which the platform limits allow the post.
	from time.Time
	// local is the in-process state of the post.
	local *localState
}

// clusterNow returns the API server's time. Final outcomes are decided by it: a post that failed because a clock was
// set wrong cannot be sent any more.
func (o *observed) clusterNow() time.Time { return o.now.Add(-o.ahead) }

// notBefore returns when to reconcile for an event due at the given cluster time. The queue uses this process's clock,
// which may be ahead of the cluster's.
func (o *observed) notBefore(at time.Time) time.Time {
	if o.ahead != 0 {
		return o.now.Add(pollClock)
	}
	return at
}

// observe reads the input of a decision. It writes nothing.
func (r *Reconciler) observe(ctx context.Context, p *v1beta1.Post) (*observed, error) {
	key := client.ObjectKeyFromObject(p)
	o := &observed{now: r.Clock.Now(), ahead: clockskew.Beyond(r.Ahead()), local: r.local.of(key, p.UID, digest(p))}
	if hasEnded(p) {
		return o, nil
	}
	if o.local.since.IsZero() {
		o.local.since = o.now
	}
	platform := r.Platforms[p.Spec.Platform]
	o.configured = platform != nil && len(platform.Missing()) == 0
	account, err := r.account(ctx, p)
	if err != nil {
		return nil, err
	}
	o.account = account
	if err = o.readBrand(ctx, r.Client, p); err != nil {
		return nil, err
	}
	if a := last(p); a != nil && a.State.Open() {
		o.local.startGraceTimer(r.Clock, a.StartedAt, unresolvedGracePeriod(p))
	} else if posting.Commenting(p) {
		if c := p.Status.FirstComment; c != nil && c.State == v1beta1.CommentIntended && c.StartedAt != nil {
			o.local.startGraceTimer(r.Clock, *c.StartedAt, unresolvedGracePeriod(p))
		}
	} else {
		if o.batch, err = r.batch(ctx, p); err != nil {
			return nil, err
		}
		if o.batch == nil && o.local.batchMissingSince.IsZero() {
			o.local.batchMissingSince = o.now
		}
	}
	if !p.DeletionTimestamp.IsZero() {
		if o.successor, err = r.successor(ctx, p); err != nil {
			return nil, err
		}
	}
	o.missing = r.missing(ctx, p, o)
	o.from = o.now
	if account != nil {
		o.from = r.caps.From(key, o.now, r.shares(p, account, o.now)...)
	}
	return o, nil
}

// account reads the post's account; nil if it does not exist, is being deleted, or is on another platform. The API
// server is read if the cache does not have it.
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

// readBrand sets what the brand of a post decides.
func (o *observed) readBrand(ctx context.Context, from client.Reader, p *v1beta1.Post) error {
	b := &v1beta1.Brand{}
	err := from.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.BrandRef.Name}, b)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading the brand: %w", err)
	}
	if err != nil {
		b = nil
	}
	o.brandMissing, o.suspended = b == nil, b != nil && b.Spec.PostingSuspended
	state, _ := posting.ApprovalOf(p, b)
	o.awaitsApproval = state == posting.ApprovalWaiting
	return nil
}

// fileCheckInterval is how long the check that files are stored remains valid.
const fileCheckInterval = time.Hour

// missing reports whether a file that a post publishes is not stored. It returns false once the post is due, and while
// the store does not answer: the preparation reports those cases. Files are checked every fileCheckInterval, when the
// preparation begins, and in every pass while a file is missing.
func (r *Reconciler) missing(ctx context.Context, p *v1beta1.Post, o *observed) bool {
	due := posting.DueAt(p)
	soon := due.Add(-prepareAhead)
	found := o.local.filesAt
	fresh := !found.IsZero() && o.now.Sub(found) < fileCheckInterval && (o.now.Before(soon) || !found.Before(soon))
	if fresh || p.InFlight() || !o.now.Before(due) {
		return false
	}
	for _, key := range pinned.Keys(p) {
		there, err := r.Store.Exists(ctx, key)
		if err != nil {
			return false
		}
		if !there {
			o.local.filesAt = time.Time{}
			return true
		}
	}
	o.local.filesAt = o.now
	return false
}

// batch reads the post's batch; nil if it does not exist, is being deleted, or is another batch of the same name.
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

// successor reports whether another batch of the same name would create the post again and has not found the existing
// one yet.
func (r *Reconciler) successor(ctx context.Context, p *v1beta1.Post) (bool, error) {
	b := &v1beta1.PostBatch{}
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Batch}, b); err != nil {
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return false, fmt.Errorf("reading the batch: %w", err)
	}
	return b.DeletionTimestamp.IsZero() && !metav1.IsControlledBy(p, b) && posting.Wants(b, p), nil
}

// shares returns the platform limits that a post counts against: those of its account, and those of its platform if the
// installation shares them.
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
		freed := until != nil && until.After(h.ObservedAt.Time) && !until.After(now) // that time has passed
		if now.Sub(h.ObservedAt.Time) < own.Cap.Window && !freed {
			// Posts that the platform counted beyond those of this installation. Later posts of this installation are
			// counted in caps.
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

// scopes returns the scopes in which limits are shared: the account and the platform of the post.
func scopes(p *v1beta1.Post) (mine, all pacing.Scope) {
	return pacing.Scope(p.Namespace + "/" + p.Spec.Account), pacing.Scope("platform " + string(p.Spec.Platform))
}

// catalogCap returns the published limit of a platform.
func catalogCap(platform v1beta1.Platform) catalog.PostCap {
	rule, _ := catalog.RuleOf(string(platform))
	return rule.Cap
}
