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
	// gap is how far refreshes that nobody asked for are apart at least.
	gap = analytics.MinInterval
	// firstNumbers is how long after an account was connected, or a post came out, it is asked for at least, when nothing else comes
	// earlier.
	firstNumbers = 20 * time.Minute
	// longestWait bounds every wait for a refresh by itself, counted from the last one.
	longestWait = 48 * time.Hour
	// clocksDiffer is by how much a time may lie ahead. What lies further ahead was written by a clock that was wrong.
	clocksDiffer = time.Minute
	// look is how long a pass waits at most: a clock that was set, and a machine that slept, are noticed then.
	look = 6 * time.Hour
)

// facts are what a decision is made upon, besides the object.
type facts struct {
	now time.Time
	// account is nil when there is none, or when it goes.
	account *v1beta1.SocialAccount
	// source is nil where the platform reports nothing here, missing what the installation has not configured of it.
	source  analytics.Source
	missing []string
	// published is when the account's newest post came out; zero without any.
	published time.Time
}

// step is what a pass shall do: nothing while stopped, for a reason; else a refresh when its time has come.
type step struct {
	stopped bool
	reason  v1beta1.Reason
	say     string
	// person says that nothing goes on without one.
	person bool

	// at is when the next refresh is due, requested whether somebody asked for it, resumed whether one was begun and not finished.
	at        time.Time
	requested bool
	resumed   bool
	// next is when the numbers are read by themselves.
	next time.Time
}

func (s step) due(now time.Time) bool { return !s.stopped && !now.Before(s.at) }

// times are an installation's settings.
type times struct{ interval, cooldown time.Duration }

// plan decides. It reads nothing but its arguments. The first rule that holds wins.
func plan(a *v1beta1.AccountAnalytics, f *facts, t times) step {
	if s, stopped := hindrance(a, f); stopped {
		return s
	}
	st := &a.Status
	started := startedAt(st, f.now)
	if st.Refreshing {
		return step{at: started.Add(resumeWait(st.Failures)), requested: a.Unanswered() != nil, resumed: true, next: started.Add(t.interval)}
	}
	s := step{next: bySelf(a, f, t, started)}
	s.at = s.next
	if a.Unanswered() != nil {
		at := f.now
		if !started.IsZero() {
			at = later(at, started.Add(t.cooldown), heldUntil(st))
		}
		if !at.After(s.at) {
			s.at, s.requested = at, true
		}
	}
	return s
}

// hindrance tells why the platform cannot be asked.
func hindrance(a *v1beta1.AccountAnalytics, f *facts) (step, bool) {
	s := step{stopped: true}
	switch {
	case a.Spec.AccountRef.Name != a.Name:
		s.reason, s.person = v1beta1.ReasonWrongName, true
		s.say = fmt.Sprintf("The numbers of the SocialAccount %q are kept under its own name", a.Spec.AccountRef.Name)
	case f.account == nil:
		s.reason, s.say = v1beta1.ReasonSocialAccountNotFound, fmt.Sprintf("The namespace has no SocialAccount %q", a.Spec.AccountRef.Name)
	case f.source == nil:
		s.reason, s.say = v1beta1.ReasonNotReported, fmt.Sprintf("%s tells this installation no numbers", catalog.PlatformName(string(f.account.Spec.Platform)))
	case len(f.missing) > 0:
		s.reason, s.say = v1beta1.ReasonNotConfigured, fmt.Sprintf("The installation has no app on %s", catalog.PlatformName(string(f.account.Spec.Platform)))
	case f.account.Status.TokenStatus == "":
		s.reason, s.say = v1beta1.ReasonProgressing, "The account is being connected"
	case !f.account.Status.TokenStatus.Usable():
		s.person = true
		s.reason, s.say = tokenWords(f.account.Status.TokenStatus)
	case scopeMissing(a, f) && a.Unanswered() == nil: // whoever asks for it has it tried again
		s.person, s.reason, s.say = true, v1beta1.ReasonNumbersScopeMissing, a.Status.Error.Message
	default:
		return step{}, false
	}
	return s, true
}

func tokenWords(s v1beta1.TokenStatus) (v1beta1.Reason, string) {
	const stay = ": a person has to connect the account again; the numbers stay as they are"
	switch s {
	case v1beta1.TokenRevoked:
		return v1beta1.ReasonTokenRevoked, "The permission was taken back on the platform" + stay
	case v1beta1.TokenInsufficientScope:
		return v1beta1.ReasonScopeMissing, "The permission does not cover what is asked of the platform" + stay
	}
	return v1beta1.ReasonTokenExpired, "The permission has ended" + stay
}

// scopeMissing says that the permission does not cover reading, unless a person gave another one since.
func scopeMissing(a *v1beta1.AccountAnalytics, f *facts) bool {
	e, st := a.Status.Error, &a.Status
	if e == nil || e.Details[detailTokenStatus] != string(v1beta1.TokenInsufficientScope) || st.RefreshStartedAt == nil {
		return false
	}
	given := f.account.Status.ConnectedAt
	return given == nil || given.Before(st.RefreshStartedAt)
}

// bySelf is when the numbers are read without anybody asking.
func bySelf(a *v1beta1.AccountAnalytics, f *facts, t times, started time.Time) time.Time {
	if started.IsZero() {
		// Whoever connects an account and publishes to it asks for numbers then, and is not to be refused for want of a cooldown.
		given := f.account.Status.ConnectedAt
		if given == nil {
			return f.now
		}
		return given.Add(firstNumbers + spread(a, gap-firstNumbers))
	}
	st := &a.Status
	soonest := started.Add(gap)
	next := soonest
	if st.NextRefreshAt != nil {
		next = earlier(st.NextRefreshAt.Time, started.Add(longestWait))
		if st.Failures == 0 { // an interval that was made shorter holds at once; quiet accounts wait for two
			next = earlier(next, started.Add(2*t.interval+spread(a, t.interval)))
		}
	}
	if f.published.After(started) && st.Failures == 0 {
		next = earlier(next, f.published.Add(firstNumbers+spread(a, gap-firstNumbers)))
	}
	return later(next, soonest)
}

// startedAt is when the last refresh began; zero before the first, and when a clock that was wrong wrote it.
func startedAt(st *v1beta1.AccountAnalyticsStatus, now time.Time) time.Time {
	if st.RefreshStartedAt == nil || st.RefreshStartedAt.After(now.Add(clocksDiffer)) {
		return time.Time{}
	}
	return st.RefreshStartedAt.Time
}

// heldUntil is the platform's word on when it takes more calls for the account.
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

// resumeWait is how long after its beginning a refresh that was not finished is begun again: at once, but for one that ends its
// process each time.
func resumeWait(failures int32) time.Duration {
	if failures == 0 {
		return 0
	}
	return min(time.Minute<<min(failures-1, 10), time.Hour)
}

// spread is up to a tenth of an interval, or all of what is given when that is less than an hour, and always the same for the
// same account: those that were read together are not read together for ever.
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

// stamp is a time as a status has it.
func stamp(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.UTC().Truncate(time.Second)}
}
