// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func at(d time.Duration) *metav1.Time { return &metav1.Time{Time: noon.Add(d)} }

func TestDecide(t *testing.T) {
	type change func(a *v1beta1.AccountAnalytics, o *observed)
	requestedRefresh := func(d time.Duration) change {
		return func(a *v1beta1.AccountAnalytics, _ *observed) { a.Spec.RefreshRequestedAt = at(d) }
	}
	read := func(started, next time.Duration) change {
		return func(a *v1beta1.AccountAnalytics, _ *observed) {
			a.Status.RefreshStartedAt, a.Status.NextRefreshAt = at(started), at(next)
		}
	}
	limited := func(until string) change {
		return func(a *v1beta1.AccountAnalytics, _ *observed) {
			a.Status.Failures = 1
			a.Status.Error = &v1beta1.WorkError{Code: "platform_rate_limited", Details: map[string]string{"resets_at": until}}
		}
	}
	connected := func(after time.Duration) change {
		return func(_ *v1beta1.AccountAnalytics, o *observed) { o.account.Status.ConnectedAt = at(after) }
	}
	const h, m = time.Hour, time.Minute
	for _, c := range []struct {
		why       string
		changes   []change
		at        time.Duration // after noon, the current time
		requested bool
	}{
		{"the first refresh is due at once", nil, 0, false},
		{"unless the account was just connected and a request may follow", []change{connected(-m)}, 19 * m, false},
		{"a request is answered at once", []change{connected(-m), requestedRefresh(-m)}, 0, true},
		{"the first refresh after an account was connected counts as requested", []change{requestedRefresh(-m)}, 0, true},
		{"nothing is due before the next refresh", []change{read(-h, 5*h)}, 5 * h, false},
		{"an overdue refresh is due", []change{read(-10*h, -4*h)}, -4 * h, false},
		{"automatic refreshes are at least half an hour apart, regardless of the status", []change{read(-m, 0)}, 29 * m, false},
		{"a request after the cooldown is due", []change{read(-16*m, 5*h), requestedRefresh(0)}, 0, true},
		{"a request within the cooldown is delayed", []change{read(-5*m, 5*h), requestedRefresh(0)}, 10 * m, true},
		{"an answered request is ignored", []change{read(-16*m, 5*h), requestedRefresh(-16 * m), func(a *v1beta1.AccountAnalytics, _ *observed) { a.Status.AnsweredRequestAt = at(-16 * m) }}, 5 * h, false},
		{"a request with a future time counts as made now", []change{read(-16*m, 5*h), requestedRefresh(1000 * h)}, 0, true},
		{"a request waits for the rate limit of the platform", []change{read(-16*m, 5*h), limited("2026-11-21T13:00:00Z"), requestedRefresh(0)}, h, true},
		{"an unreadable time is ignored", []change{read(-16*m, 5*h), limited("soon"), requestedRefresh(0)}, 0, true},
		{"a new post brings the next refresh forward", []change{read(-h, 5*h), func(_ *v1beta1.AccountAnalytics, o *observed) { o.published = noon }}, 20 * m, false},
		{"a known post does not", []change{read(-h, 5*h), func(_ *v1beta1.AccountAnalytics, o *observed) { o.published = noon.Add(-h) }}, 5 * h, false},
		{"a shorter interval takes effect at once", []change{read(-h, 47*h)}, 11 * h, false},
		{"a clock that was wrong does not delay a refresh", []change{read(10000*h, 10006*h)}, 0, false},
		{"a clock that was wrong does not delay a request", []change{read(10000*h, 10006*h), requestedRefresh(0)}, 0, true},
		{"an interrupted refresh is repeated", []change{read(-m, 5*h), func(a *v1beta1.AccountAnalytics, _ *observed) { a.Status.Refreshing = true }}, -m, false},
		{"with a pause after several interruptions", []change{read(-m, 5*h), func(a *v1beta1.AccountAnalytics, _ *observed) { a.Status.Refreshing, a.Status.Failures = true, 3 }}, 3 * m, false},
		{"without a time of the next refresh, the wait is half an hour", []change{func(a *v1beta1.AccountAnalytics, _ *observed) { a.Status.RefreshStartedAt = at(-m) }}, 29 * m, false},
	} {
		a := &v1beta1.AccountAnalytics{ObjectMeta: metav1.ObjectMeta{Name: "maya"}, Spec: v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: "maya"}}}
		o := &observed{now: noon, source: &script{}, account: account("demo", "maya", "tiktok")}
		o.account.Status.TokenStatus = v1beta1.TokenExpiringSoon
		for _, change := range c.changes {
			change(a, o)
		}
		s := decide(a, o, times{6 * h, 15 * m})
		early, late := noon.Add(c.at), noon.Add(c.at)
		if !c.requested && c.at >= 19*m {
			late = late.Add(40 * m) // the delay depends on the account
		}
		if s.stopped || s.at.Before(early) || s.at.After(late) || s.requested != c.requested {
			t.Errorf("%s: got %+v, want a refresh at %s", c.why, s, early)
		}
		if s.due(noon) != (c.at <= 0) {
			t.Errorf("%s: due is %t", c.why, s.due(noon))
		}
	}
}

func TestDecide_Blocked(t *testing.T) {
	for _, c := range []struct {
		change    func(a *v1beta1.AccountAnalytics, o *observed)
		reason    v1beta1.Reason
		needsUser bool
	}{
		{func(a *v1beta1.AccountAnalytics, _ *observed) { a.Spec.AccountRef.Name = "zoe" }, v1beta1.ReasonWrongName, true},
		{func(_ *v1beta1.AccountAnalytics, o *observed) { o.account = nil }, v1beta1.ReasonSocialAccountNotFound, false},
		{func(_ *v1beta1.AccountAnalytics, o *observed) { o.source = nil }, v1beta1.ReasonNotReported, false},
		{func(_ *v1beta1.AccountAnalytics, o *observed) { o.missing = []string{"client_id"} }, v1beta1.ReasonNotConfigured, false},
		{func(_ *v1beta1.AccountAnalytics, o *observed) { o.account.Status.TokenStatus = "" }, v1beta1.ReasonProgressing, false},
		{func(_ *v1beta1.AccountAnalytics, o *observed) { o.account.Status.TokenStatus = v1beta1.TokenExpired }, v1beta1.ReasonTokenExpired, true},
		{func(_ *v1beta1.AccountAnalytics, o *observed) { o.account.Status.TokenStatus = v1beta1.TokenRevoked }, v1beta1.ReasonTokenRevoked, true},
		{func(_ *v1beta1.AccountAnalytics, o *observed) {
			o.account.Status.TokenStatus = v1beta1.TokenInsufficientScope
		}, v1beta1.ReasonScopeMissing, true},
	} {
		a := &v1beta1.AccountAnalytics{ObjectMeta: metav1.ObjectMeta{Name: "maya"}, Spec: v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: "maya"}}}
		o := &observed{now: noon, source: &script{}, account: account("demo", "maya", "tiktok")}
		o.account.Status.TokenStatus = v1beta1.TokenActive
		c.change(a, o)
		if s := decide(a, o, times{6 * time.Hour, 15 * time.Minute}); !s.stopped || s.due(noon) || s.reason != c.reason || s.needsUser != c.needsUser || s.message == "" {
			t.Errorf("got %+v, want %s", s, c.reason)
		}
	}
}

// Accounts that were connected together are refreshed at different times.
func TestSpread(t *testing.T) {
	seen := map[time.Duration]int{}
	for i := range 1000 {
		a := &v1beta1.AccountAnalytics{}
		a.UID = uid(i)
		d := spread(a, 6*time.Hour)
		if d < 0 || d >= 36*time.Minute || d != spread(a, 6*time.Hour) {
			t.Fatal(d)
		}
		seen[d.Truncate(time.Minute)]++
	}
	for minute, n := range seen {
		if n > 80 || len(seen) != 36 {
			t.Errorf("got %d of 1,000 refreshes in minute %s of %d", n, minute, len(seen))
		}
	}
}
