// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// persistTimeout bounds storing the result of a refresh, also during shutdown.
	persistTimeout = 15 * time.Second
	// maxPersistAttempts bounds the attempts to write the result to the status.
	maxPersistAttempts = 5
	// interruptedWait is the delay before an interrupted refresh starts again.
	interruptedWait = time.Second
)

// errReplaced means that another refresh of the account has started since, or that the object was deleted.
var errReplaced = errors.New("another refresh has started")

// refresh runs one refresh, or returns the wait if the platform's budget does not allow one now.
func (r *Reconciler) refresh(ctx context.Context, a *v1beta1.AccountAnalytics, o *observed, d decision) (wait time.Duration, err error) {
	platform := o.account.Spec.Platform
	wait, ok := r.budget.acquire(platform, a.UID, o.now, d.requested)
	if !ok {
		return max(wait, time.Second), nil
	}
	q := &session{source: o.source, accounts: r.Accounts, clock: r.Clock, social: o.account, began: o.now}
	defer func() { r.budget.release(platform, a.UID, r.Clock.Now(), q.calls) }()
	if err := r.persistIntent(ctx, a, d, o.now); err != nil {
		return 0, err
	}
	asked := *a.DeepCopy() // requests that arrive during the refresh stay unanswered
	doc, err := r.fetch(ctx, a, q)
	if err != nil && ctx.Err() != nil {
		return interruptedWait, nil // status.refreshing stays true: the next leader starts again
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), persistTimeout)
	defer cancel()
	now := r.Clock.Now()
	if q.limited != nil && q.limited.AppWide {
		r.budget.block(platform, now, resetTime(q.limited, now))
	}
	key := keyOf(a)
	if err == nil {
		if perr := r.write(ctx, key, doc); perr != nil {
			err = storeError(perr)
		}
	}
	outcome := &result{request: asked.Spec.RefreshRequestedAt, key: key, document: doc}
	if err != nil {
		outcome.failed, outcome.document = r.recordRefusal(ctx, q, err), nil
	}
	if err := r.persistResult(ctx, a, outcome, now); err != nil {
		if errors.Is(err, errReplaced) {
			return 0, r.Store.Delete(ctx, key) // no status names it
		}
		return 0, err
	}
	if doc != nil && outcome.failed == nil {
		r.sweep(ctx, a, key, asked.Status.DocumentKey)
		posts, err := r.posts(ctx, a)
		if err != nil {
			return 0, err
		}
		r.copyMetrics(ctx, posts, doc, now)
	}
	r.metrics.count(platform, d.requested, outcome, now.Sub(o.now))
	r.metrics.track(a, o.account)
	r.announce(ctx, a, &asked, d, outcome)
	return 0, nil
}

// persistIntent records the start of the refresh before the first call. The resourceVersion of the decision is the
// precondition, so only one of two processes continues.
func (r *Reconciler) persistIntent(ctx context.Context, a *v1beta1.AccountAnalytics, d decision, now time.Time) error {
	w := status.Begin(r.Client, a)
	st := &a.Status
	at := now.Truncate(time.Second)
	if before := startedAt(st, now); !before.Before(at) {
		at = before.Add(time.Second) // start times are unique: they name the documents
	}
	st.RefreshStartedAt, st.Refreshing = stamp(at), true
	if d.resumed {
		st.Failures++
	}
	setConditions(a)
	return w.Persist(ctx)
}

// fetch reads the platform and merges the response with the stored document.
func (r *Reconciler) fetch(ctx context.Context, a *v1beta1.AccountAnalytics, q *session) (*analytics.Document, error) {
	before, err := r.read(ctx, a)
	if err != nil {
		return nil, err
	}
	posts, err := r.posts(ctx, a)
	if err != nil {
		return nil, err
	}
	if q.account, err = r.Accounts.Account(ctx, q.social); err != nil {
		return nil, err
	}
	return r.refresher.Refresh(ctx, q, analytics.Ask{Account: q.account, Requested: a.Unanswered() != nil, Before: before, Ours: ours(posts)})
}

// recordRefusal converts an error and records a rejected token. A missing analytics scope is not recorded, because
// publishing does not need it.
func (r *Reconciler) recordRefusal(ctx context.Context, q *session, err error) *publish.Error {
	e := platformError(err)
	ctrl.LoggerFrom(ctx).Info("refreshing analytics failed", "platform", q.social.Spec.Platform, "kind", e.Kind, "code", e.Code, "error", e.Error())
	if e.Kind == publish.Auth && q.account.AccessToken != "" {
		if err := r.Accounts.Refused(ctx, q.social, q.account.AccessToken, e); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "recording rejected token failed") // the next call is rejected again
		}
	}
	return e
}

// result is the outcome of a refresh: a document under a key, or an error.
type result struct {
	request  *metav1.Time
	key      string
	document *analytics.Document
	failed   *publish.Error
}

// persistResult writes the outcome to the status. Conflicts, such as with a new request, are retried as long as the
// status is about this refresh. It returns errReplaced if the status is about another one.
func (r *Reconciler) persistResult(ctx context.Context, a *v1beta1.AccountAnalytics, o *result, now time.Time) error {
	started := a.Status.RefreshStartedAt
	var last error
	for range maxPersistAttempts {
		w := status.Begin(r.Client, a)
		r.apply(a, o, now)
		if last = w.Persist(ctx); last == nil {
			return nil
		}
		if apierrors.IsNotFound(last) {
			return errReplaced
		}
		fresh := &v1beta1.AccountAnalytics{}
		err := r.Live.Get(ctx, client.ObjectKeyFromObject(a), fresh)
		switch {
		case apierrors.IsNotFound(err):
			return errReplaced
		case err != nil:
			return fmt.Errorf("persisting refresh: reading AccountAnalytics: %w", err)
		case fresh.UID != a.UID || !fresh.Status.RefreshStartedAt.Equal(started):
			return errReplaced
		}
		fresh.DeepCopyInto(a)
		if a.Status.Refreshing {
			continue
		}
		if o.failed == nil && a.Status.DocumentKey != o.key {
			return errReplaced // another process abandoned it
		}
		return nil // the write succeeded and its response was lost
	}
	return fmt.Errorf("persisting refresh: %w", last)
}

// apply sets the status from the outcome of a refresh.
func (r *Reconciler) apply(a *v1beta1.AccountAnalytics, o *result, now time.Time) {
	st := &a.Status
	started := st.RefreshStartedAt.Time
	st.Refreshing, st.AnsweredRequestAt = false, o.request
	if e := o.failed; e != nil {
		st.Failures++
		st.Error = workError(e, now)
		next := analytics.Next(nil, r.Interval, int(st.Failures), started).Add(spread(a, minInterval))
		if e.Kind == publish.RateLimited {
			next = later(next, resetTime(e, now).Add(spread(a, 5*time.Minute)))
		}
		st.NextRefreshAt = stamp(next)
		setConditions(a)
		return
	}
	d := o.document
	all := d.Account()
	st.AccountNumbers = v1beta1.AccountNumbers{Followers: all.Followers, Posts: all.Posts, Views: all.Views}
	st.DocumentKey, st.KnownPosts = o.key, int32(len(d.Rows))
	st.RefreshedAt = stamp(d.RefreshedAt)
	st.Error, st.Failures = nil, 0
	st.NextRefreshAt = stamp(analytics.Next(d, r.Interval, 0, started).Add(spread(a, r.Interval)))
	conditions(a).Set(v1beta1.ConditionReady, true, v1beta1.ReasonRefreshed, summary(d))
	setConditions(a)
}

// summary describes a document in one sentence.
func summary(d *analytics.Document) string {
	s := fmt.Sprintf("%d posts have analytics", len(d.Rows))
	if len(d.Rows) == 1 {
		s = "1 post has analytics"
	}
	if d.Incomplete != nil {
		s += ", some of them from an earlier refresh: " + platformError(d.Incomplete).Safe
	}
	return s
}
