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
	// settleTime is what is left to write down what a refresh brought, also when the process is asked to end.
	settleTime = 15 * time.Second
	// maxWrites bounds how often that is tried.
	maxWrites = 5
	// interruptedWait is how long a refresh that was interrupted waits before it is begun again.
	interruptedWait = time.Second
)

// errReplaced says that another refresh of the same account has begun since, or that the account is gone.
var errReplaced = errors.New("another refresh has begun meanwhile")

// refresh reads the numbers, when the platform's budget allows it now; else it says when to ask again.
func (r *Reconciler) refresh(ctx context.Context, a *v1beta1.AccountAnalytics, f *facts, s step) (wait time.Duration, err error) {
	platform := f.account.Spec.Platform
	wait, ok := r.budget.take(platform, a.UID, f.now, s.requested)
	if !ok {
		return max(wait, time.Second), nil
	}
	q := &asking{source: f.source, accounts: r.Accounts, clock: r.Clock, social: f.account, began: f.now}
	defer func() { r.budget.settle(platform, a.UID, r.Clock.Now(), q.calls) }()
	if err := r.begin(ctx, a, s, f.now); err != nil {
		return 0, err
	}
	asked := *a.DeepCopy() // what is answered is what was asked for now
	d, err := r.ask(ctx, a, q)
	if err != nil && ctx.Err() != nil {
		return interruptedWait, nil // refreshing stays written: whoever works next begins again
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	now := r.Clock.Now()
	if q.limited != nil && q.limited.AppWide {
		r.budget.hold(platform, now, takesAgain(q.limited, now))
	}
	key := keyOf(a)
	if err == nil {
		if perr := r.write(ctx, key, d); perr != nil {
			err = stored(perr)
		}
	}
	outcome := &end{request: asked.Spec.RefreshRequestedAt, key: key, document: d}
	if err != nil {
		outcome.failed, outcome.document = r.refused(ctx, q, err), nil
	}
	if err := r.settle(ctx, a, outcome, now); err != nil {
		if errors.Is(err, errReplaced) {
			return 0, r.Store.Delete(ctx, key) // nobody names it
		}
		return 0, err
	}
	if d != nil && outcome.failed == nil {
		r.sweep(ctx, a, key, asked.Status.DocumentKey)
		posts, err := r.posts(ctx, a)
		if err != nil {
			return 0, err
		}
		r.copyNumbers(ctx, posts, d, now)
	}
	r.figures.ended(platform, s.requested, outcome, now.Sub(f.now))
	r.figures.saw(a, f.account)
	r.announce(ctx, a, &asked, s, outcome)
	return 0, nil
}

// begin writes that the platform is going to be asked, under the version that the decision was made upon: of two processes one goes on.
func (r *Reconciler) begin(ctx context.Context, a *v1beta1.AccountAnalytics, s step, now time.Time) error {
	w := status.Begin(r.Client, a)
	st := &a.Status
	at := now.Truncate(time.Second)
	if before := startedAt(st, now); !before.Before(at) {
		at = before.Add(time.Second) // each has a time of its own: its document is named after it
	}
	st.RefreshStartedAt, st.Refreshing = stamp(at), true
	if s.resumed {
		st.Failures++
	}
	judge(a)
	return w.Persist(ctx)
}

// ask has the platform tell.
func (r *Reconciler) ask(ctx context.Context, a *v1beta1.AccountAnalytics, q *asking) (*analytics.Document, error) {
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

// refused makes of an error what it says of the permission. A missing permission to read numbers is not told to the keeper: publishing
// does not need it.
func (r *Reconciler) refused(ctx context.Context, q *asking, err error) *publish.Error {
	e := platformError(err)
	ctrl.LoggerFrom(ctx).Info("the numbers of an account could not be read", "platform", q.social.Spec.Platform, "kind", e.Kind, "code", e.Code, "error", e.Error())
	if e.Kind == publish.Auth && q.account.AccessToken != "" {
		if err := r.Accounts.Refused(ctx, q.social, q.account.AccessToken, e); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "taking down that a permission has ended") // the platform says it again to whoever asks next
		}
	}
	return e
}

// end is what became of a refresh: a document under a key, or an error.
type end struct {
	request  *metav1.Time
	key      string
	document *analytics.Document
	failed   *publish.Error
}

// settle writes down what became of a refresh. The object may have changed meanwhile, because somebody asked again: as long as it speaks
// of this refresh it is written. errReplaced says that it does not.
func (r *Reconciler) settle(ctx context.Context, a *v1beta1.AccountAnalytics, o *end, now time.Time) error {
	started := a.Status.RefreshStartedAt
	var last error
	for range maxWrites {
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
			return fmt.Errorf("reading the numbers' object to write down a refresh: %w", err)
		case fresh.UID != a.UID || !fresh.Status.RefreshStartedAt.Equal(started):
			return errReplaced
		}
		fresh.DeepCopyInto(a)
		if a.Status.Refreshing {
			continue
		}
		if o.failed == nil && a.Status.DocumentKey != o.key {
			return errReplaced // somebody else gave it up
		}
		return nil // it was written, and the answer was lost
	}
	return fmt.Errorf("writing down a refresh: %w", last)
}

// apply puts what became of a refresh into the status.
func (r *Reconciler) apply(a *v1beta1.AccountAnalytics, o *end, now time.Time) {
	st := &a.Status
	started := st.RefreshStartedAt.Time
	st.Refreshing, st.AnsweredRequestAt = false, o.request
	if e := o.failed; e != nil {
		st.Failures++
		st.Error = inWords(e, now)
		next := analytics.Next(nil, r.Interval, int(st.Failures), started).Add(spread(a, gap))
		if e.Kind == publish.RateLimited {
			next = later(next, takesAgain(e, now).Add(spread(a, 5*time.Minute)))
		}
		st.NextRefreshAt = stamp(next)
		judge(a)
		return
	}
	d := o.document
	all := d.Account()
	st.AccountNumbers = v1beta1.AccountNumbers{Followers: all.Followers, Posts: all.Posts, Views: all.Views}
	st.DocumentKey, st.KnownPosts = o.key, int32(len(d.Rows))
	st.RefreshedAt = stamp(d.RefreshedAt)
	st.Error, st.Failures = nil, 0
	st.NextRefreshAt = stamp(analytics.Next(d, r.Interval, 0, started).Add(spread(a, r.Interval)))
	conditions(a).Set(v1beta1.ConditionReady, true, v1beta1.ReasonRefreshed, told(d))
	judge(a)
}

// told says what a document has.
func told(d *analytics.Document) string {
	s := fmt.Sprintf("%d posts are known", len(d.Rows))
	if len(d.Rows) == 1 {
		s = "1 post is known"
	}
	if d.Incomplete != nil {
		s += ", some with older numbers: " + platformError(d.Incomplete).Safe
	}
	return s
}
