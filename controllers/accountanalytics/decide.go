// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"fmt"
	"hash/fnv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
)

const (
	// minInterval is the minimum time between scheduled refreshes.
	minInterval = analytics.MinInterval
	// firstNumbers is the minimum time from connecting an account, or publishing a post, to the scheduled refresh that
	// follows.
	firstNumbers = 20 * time.Minute
	// longestWait is the maximum time from one scheduled refresh to the next.
	longestWait = 48 * time.Hour
	// clocksDiffer is the accepted clock skew. A recorded time further in the future is of a wrong clock and is
	// ignored.
	clocksDiffer = time.Minute
	// maxRequeue bounds every requeue, so that clock changes and suspended machines are noticed.
	maxRequeue = 6 * time.Hour
)

// decision is the outcome of decide: stopped with a reason, or a refresh at a time.
type decision struct {
	stopped bool
	reason  v1beta1.Reason
	message string
	// needsUser means that refreshes stay stopped until a user acts.
	needsUser bool

	// at is the time of the next refresh. requested means that a user requested it; resumed that an earlier process
	// started it and did not finish.
	at        time.Time
	requested bool
	resumed   bool
	// next is the time of the next scheduled refresh.
	next time.Time
}

func (d decision) due(now time.Time) bool { return !d.stopped && !now.Before(d.at) }

// times are the settings of an installation.
type times struct{ interval, cooldown time.Duration }

// decide returns what to do next. It depends on its arguments only.
func decide(a *v1beta1.AccountAnalytics, o *observed, t times) decision {
	if d, stopped := blocked(a, o); stopped {
		return d
	}
	st := &a.Status
	started := startedAt(st, o.now)
	if st.Refreshing {
		return decision{at: started.Add(resumeWait(st.Failures)), requested: a.Unanswered() != nil, resumed: true, next: started.Add(t.interval)}
	}
	d := decision{next: nextScheduled(a, o, t, started)}
	d.at = d.next
	if a.Unanswered() != nil {
		at := o.now
		if !started.IsZero() {
			at = later(at, started.Add(t.cooldown), heldUntil(st))
		}
		if !at.After(d.at) {
			d.at, d.requested = at, true
		}
	}
	return d
}

// blocked returns the reason why no refresh is possible. The first rule that matches wins.
func blocked(a *v1beta1.AccountAnalytics, o *observed) (decision, bool) {
	d := decision{stopped: true}
	switch {
	case a.Spec.AccountRef.Name != a.Name:
		d.reason, d.needsUser = v1beta1.ReasonWrongName, true
		d.message = fmt.Sprintf("metadata.name must equal spec.accountRef.name: the analytics of the SocialAccount %q have its name", a.Spec.AccountRef.Name)
	case o.account == nil:
		d.reason, d.message = v1beta1.ReasonSocialAccountNotFound, fmt.Sprintf("The namespace has no SocialAccount %q", a.Spec.AccountRef.Name)
	case o.source == nil:
		d.reason, d.message = v1beta1.ReasonNotReported, fmt.Sprintf("%s reports no analytics to this installation", catalog.PlatformName(string(o.account.Spec.Platform)))
	case len(o.missing) > 0:
		d.reason, d.message = v1beta1.ReasonNotConfigured, fmt.Sprintf("The installation has no app on %s: an operator has to configure one", catalog.PlatformName(string(o.account.Spec.Platform)))
	case o.account.Status.TokenStatus == "":
		d.reason, d.message = v1beta1.ReasonProgressing, "The account is being connected"
	case !o.account.Status.TokenStatus.Usable():
		d.needsUser = true
		d.reason, d.message = tokenProblem(o.account.Status.TokenStatus)
	case scopeMissing(a, o) && a.Unanswered() == nil: // a request retries it
		d.needsUser, d.reason, d.message = true, v1beta1.ReasonNumbersScopeMissing, a.Status.Error.Message
	default:
		return decision{}, false
	}
	return d, true
}

func tokenProblem(s v1beta1.TokenStatus) (v1beta1.Reason, string) {
	const stay = ": reconnect the account; its analytics stay as they are until then"
	switch s {
	case v1beta1.TokenRevoked:
		return v1beta1.ReasonTokenRevoked, "The permission was revoked on the platform" + stay
	case v1beta1.TokenInsufficientScope:
		return v1beta1.ReasonScopeMissing, "The permission lacks a scope that reading analytics needs" + stay
	}
	return v1beta1.ReasonTokenExpired, "The permission has expired" + stay
}

// scopeMissing reports whether the last refresh lacked a scope and the account was not reconnected since.
func scopeMissing(a *v1beta1.AccountAnalytics, o *observed) bool {
	e, st := a.Status.Error, &a.Status
	if e == nil || e.Details[detailTokenStatus] != string(v1beta1.TokenInsufficientScope) || st.RefreshStartedAt == nil {
		return false
	}
	given := o.account.Status.ConnectedAt
	return given == nil || given.Before(st.RefreshStartedAt)
}

// nextScheduled returns the time of the next scheduled refresh.
func nextScheduled(a *v1beta1.AccountAnalytics, o *observed, t times, started time.Time) time.Time {
	if started.IsZero() {
		// Users request a refresh soon after connecting; a scheduled one before it would start the cooldown.
		given := o.account.Status.ConnectedAt
		if given == nil {
			return o.now
		}
		return given.Add(firstNumbers + spread(a, minInterval-firstNumbers))
	}
	st := &a.Status
	soonest := started.Add(minInterval)
	next := soonest
	if st.NextRefreshAt != nil {
		next = earlier(st.NextRefreshAt.Time, started.Add(longestWait))
		if st.Failures == 0 { // a shortened interval applies at once; quiet accounts wait for two
			next = earlier(next, started.Add(2*t.interval+spread(a, t.interval)))
		}
	}
	if o.published.After(started) && st.Failures == 0 {
		next = earlier(next, o.published.Add(firstNumbers+spread(a, minInterval-firstNumbers)))
	}
	return later(next, soonest)
}

// startedAt returns the start of the last refresh; zero before the first, and if the recorded time is of a wrong
// clock.
func startedAt(st *v1beta1.AccountAnalyticsStatus, now time.Time) time.Time {
	if st.RefreshStartedAt == nil || st.RefreshStartedAt.After(now.Add(clocksDiffer)) {
		return time.Time{}
	}
	return st.RefreshStartedAt.Time
}

// heldUntil returns when the platform's rate limit for the account resets; zero if it is not limited.
func heldUntil(st *v1beta1.AccountAnalyticsStatus) time.Time {
	if st.Error == nil || st.Error.Code != string(catalog.PlatformRateLimited) {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, st.Error.Details[detailResetsAt])
	if err != nil {
		return time.Time{}
	}
	return at
}

// resumeWait returns the delay before an unfinished refresh starts again, counted from its start: 0 the first time,
// then growing to an hour, in case the refresh itself crashes the process.
func resumeWait(failures int32) time.Duration {
	if failures == 0 {
		return 0
	}
	return min(time.Minute<<min(failures-1, 10), time.Hour)
}

// spread returns a jitter of up to a tenth of an interval, or up to the whole of one shorter than an hour. It is
// constant for an account, and keeps accounts that were refreshed together from staying together.
func spread(a *v1beta1.AccountAnalytics, of time.Duration) time.Duration {
	if of >= time.Hour {
		of /= 10
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(a.UID)) // never fails
	return time.Duration(float64(h.Sum32()) / (1 << 32) * float64(of)).Truncate(time.Second)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a time.Time, others ...time.Time) time.Time {
	for _, b := range others {
		if b.After(a) {
			a = b
		}
	}
	return a
}

// stamp returns a time with the precision of a status, in seconds; nil for the zero time.
func stamp(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.UTC().Truncate(time.Second)}
}
