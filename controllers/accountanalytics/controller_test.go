// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/analytics"
	"github.com/reelops/reelops/internal/publish"
)

func TestAnAccountGetsItsNumbers(t *testing.T) {
	w := newWorld(t)
	a := w.begun()
	if len(a.OwnerReferences) != 1 || a.OwnerReferences[0].UID != w.account.UID || a.Labels[v1alpha1.LabelBrand] != "coffee" ||
		!slices.Contains(a.Finalizers, v1alpha1.FinalizerAccountAnalytics) || a.Spec.AccountRef.Name != "maya" {
		t.Errorf("%+v", a.ObjectMeta)
	}
	st := a.Status
	want := v1alpha1.AccountNumbers{Followers: n(10), Posts: n(2), Views: n(300)}
	if d := cmp.Diff(want, st.AccountNumbers); d != "" || st.KnownPosts != 2 || st.Refreshing || st.Error != nil {
		t.Errorf("%s %+v", d, st)
	}
	if !st.RefreshStartedAt.Time.Equal(noon) || !st.RefreshedAt.Time.Equal(noon) {
		t.Errorf("%+v", st)
	}
	w.whole("after the first refresh")
	if got := w.heard(); len(got) != 1 || !strings.HasPrefix(got[0], "Normal Refreshed") {
		t.Errorf("the first numbers are told: %v", got)
	}

	writes, calls := len(w.recorder.Writes), w.source.count()
	for range 3 {
		w.after(time.Hour)
		if r := w.good(); r.RequeueAfter > look || r.RequeueAfter < time.Minute {
			t.Errorf("it comes back in %s", r.RequeueAfter)
		}
	}
	w.restart()
	w.good()
	if len(w.recorder.Writes) > 0 || writes > 5 || w.source.count() != calls {
		t.Errorf("in steady state nothing is written and nobody asked: %v", w.recorder.Writes)
	}

	if err := cluster.Client.Delete(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	w.good()
	if err := cluster.Client.Get(t.Context(), w.key, a); !apierrors.IsNotFound(err) || len(w.keys()) > 0 {
		t.Errorf("it is gone with its document: %v, %v", err, w.keys())
	}
}

func TestWhoGetsNone(t *testing.T) {
	w := newWorld(t)
	w.create(account(w.key.Namespace, "acme", "linkedin"))
	w.key.Name = "acme"
	w.good()
	if len(w.recorder.Writes) > 0 {
		t.Errorf("LinkedIn tells nothing here: %v", w.recorder.Writes)
	}
	by := func(name string) { // somebody made it by hand
		w.create(&v1alpha1.AccountAnalytics{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.key.Namespace, Name: w.key.Name}, Spec: v1alpha1.AccountAnalyticsSpec{AccountRef: v1alpha1.LocalRef{Name: name}},
		})
	}
	by("acme")
	w.good()
	w.is(v1alpha1.ReasonNotReported)
	w.key.Name = "nobody"
	by("nobody")
	w.good()
	w.is(v1alpha1.ReasonSocialAccountNotFound)
	w.key.Name = "maya"
	by("other")
	w.good()
	w.is(v1alpha1.ReasonWrongName)
	if w.source.count() > 0 {
		t.Error("and nobody was asked")
	}
}

func TestTakenOver(t *testing.T) {
	w := newWorld(t)
	w.create(&v1alpha1.AccountAnalytics{ // the front end's, a moment earlier
		ObjectMeta: metav1.ObjectMeta{Namespace: w.key.Namespace, Name: w.key.Name},
		Spec:       v1alpha1.AccountAnalyticsSpec{AccountRef: v1alpha1.LocalRef{Name: "maya"}, RefreshRequestedAt: &metav1.Time{Time: noon}},
	})
	w.good()
	a := w.is(v1alpha1.ReasonRefreshed)
	if len(a.OwnerReferences) != 1 || len(a.Finalizers) != 1 || a.Labels[v1alpha1.LabelBrand] != "coffee" || !a.Status.AnsweredRequestAt.Time.Equal(noon) {
		t.Errorf("%+v", a)
	}

	// The account goes, and another is connected under its name.
	if err := cluster.Client.Delete(t.Context(), w.account); err != nil {
		t.Fatal(err)
	}
	w.account = account(w.key.Namespace, "maya", "tiktok")
	w.create(w.account)
	w.token(v1alpha1.TokenActive)
	for range 4 {
		w.good()
	}
	b := w.is(v1alpha1.ReasonRefreshed)
	if b.UID == a.UID || b.OwnerReferences[0].UID != w.account.UID {
		t.Error("the numbers of one account are not those of another")
	}
	w.whole("those of the first are gone")
}

func TestRequests(t *testing.T) {
	w := newWorld(t)
	w.begun()
	calls := w.source.count()
	w.after(5 * time.Minute)
	w.source.followers = 11
	w.request()
	if r := w.good(); r.RequeueAfter != 10*time.Minute || w.source.count() != calls {
		t.Errorf("within the cooldown it is put off: again in %s", r.RequeueAfter)
	}
	if a := w.get(); a.Status.AnsweredRequestAt != nil || a.Status.Refreshing {
		t.Errorf("%+v", a.Status)
	}
	w.after(10 * time.Minute)
	w.good()
	a := w.is(v1alpha1.ReasonRefreshed)
	if *a.Status.Followers != 11 || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) {
		t.Errorf("%+v", a.Status)
	}
	w.whole("the document before is gone")
	if got := w.heard(); len(got) != 2 {
		t.Errorf("the first numbers and those that were asked for are told: %v", got)
	}
	calls = w.source.count()
	w.after(20 * time.Minute)
	w.good()
	if w.source.count() != calls {
		t.Error("a request is answered once")
	}
	w.request()
	w.good()
	if w.source.count() == calls {
		t.Error("after the cooldown it is answered at once")
	}
	if d := w.document(); len(d.History) != 1 || *d.History[0].Followers != 11 {
		t.Errorf("%+v", d.History)
	}
}

func TestByItself(t *testing.T) {
	w := newWorld(t)
	a := w.begun()
	w.heard()
	next := a.Status.NextRefreshAt.Time
	if d := next.Sub(noon); d < analytics.DefaultInterval || d > analytics.DefaultInterval*11/10 {
		t.Fatalf("again after %s", d)
	}
	calls := w.source.count()
	w.clock.SetTime(next.Add(-time.Second))
	if r := w.good(); r.RequeueAfter != time.Second || w.source.count() != calls {
		t.Errorf("a second early, it comes back in %s", r.RequeueAfter)
	}
	w.clock.SetTime(next)
	w.source.followers = 25
	w.good()
	a = w.is(v1alpha1.ReasonRefreshed)
	if *a.Status.Followers != 25 || w.source.count() == calls || len(w.heard()) > 0 {
		t.Errorf("read in silence: %+v", a.Status)
	}
	w.source.followers = 30
	w.after(7 * time.Hour) // the next day
	w.good()
	if g := w.document().Growth(noon); len(g) != 2 || *g[0].Followers != 25 || *g[1].Followers != 30 {
		t.Errorf("the account grows day by day: %+v", g)
	}
}

func TestFirstNumbersOfAPost(t *testing.T) {
	w := newWorld(t)
	w.begun()
	w.after(5 * time.Minute)
	p := w.published("b")
	w.good()
	a := w.get()
	if d := a.Status.NextRefreshAt.Sub(noon); d < gap || d > 35*time.Minute {
		t.Fatalf("a post that came out after 5 minutes is read about at %s", d)
	}
	writes := len(w.recorder.Writes)
	w.good()
	if len(w.recorder.Writes) != writes {
		t.Errorf("and that is written once: %v", w.recorder.Writes[writes:])
	}
	w.clock.SetTime(a.Status.NextRefreshAt.Time)
	w.good()
	d := w.document()
	if d.Rows[0].OurPost != 1 || d.Rows[0].OurShort != 41 || d.Rows[1].OurPost != 0 {
		t.Errorf("%+v", d.Rows)
	}
	if d := w.get().Status.NextRefreshAt.Sub(w.clock.Now()); d < 5*time.Hour {
		t.Errorf("then as usual, not after %s", d)
	}
	numbers := func() *v1alpha1.PostMetrics {
		t.Helper()
		if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(p), p); err != nil {
			t.Fatal(err)
		}
		return p.Status.Metrics
	}
	if m := numbers(); m == nil || *m.Views != 200 || *m.Likes != 20 || m.Shares != nil || !m.ObservedAt.Time.Equal(w.clock.Now()) {
		t.Fatalf("the post shows %+v", m)
	}
	if p.Status.State != v1alpha1.PostSuccess || p.Status.PlatformPostID != "b" {
		t.Errorf("and all else stayed: %+v", p.Status)
	}

	version := p.ResourceVersion
	w.after(6*time.Hour + 40*time.Minute)
	w.good()
	if numbers(); p.ResourceVersion != version {
		t.Error("numbers that did not change are not written")
	}
	w.source.posts[0].Views, w.source.posts[0].Likes = n(900), nil
	w.after(6*time.Hour + 40*time.Minute)
	w.good()
	if m := numbers(); *m.Views != 900 || m.Likes != nil {
		t.Errorf("what the platform tells no more is unknown: %+v", m)
	}
	version = p.ResourceVersion
	w.source.posts[0].Views = n(1000)
	w.after(31 * 24 * time.Hour)
	w.good()
	if numbers(); p.ResourceVersion != version {
		t.Error("old posts are left alone")
	}
}

func TestAPermissionThatEnds(t *testing.T) {
	w := newWorld(t)
	a := w.begun()
	w.heard()
	before := a.Status
	w.token(v1alpha1.TokenExpired)
	w.request()
	w.after(20 * time.Minute)
	calls := w.source.count()
	for range 2 {
		if r := w.good(); r.RequeueAfter != 0 {
			t.Errorf("only a person helps, and yet again in %s", r.RequeueAfter)
		}
	}
	a = w.is(v1alpha1.ReasonTokenExpired)
	if w.source.count() != calls || !meta.IsStatusConditionTrue(a.Status.Conditions, string(v1alpha1.ConditionStalled)) {
		t.Errorf("%+v", a.Status)
	}
	if cmp.Diff(before.AccountNumbers, a.Status.AccountNumbers) != "" || a.Status.DocumentKey != before.DocumentKey || a.Status.NextRefreshAt != nil {
		t.Errorf("the numbers stay: %+v", a.Status)
	}
	w.whole("and so does the document")
	w.token(v1alpha1.TokenActive)
	w.good()
	a = w.is(v1alpha1.ReasonRefreshed)
	if w.source.count() == calls || meta.FindStatusCondition(a.Status.Conditions, string(v1alpha1.ConditionStalled)) != nil || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) {
		t.Errorf("connected again, what was asked for is read: %+v", a.Status)
	}
}

// What a platform says of a token.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		why      string
		said     *publish.Error
		times    int
		reason   v1alpha1.Reason
		code     string
		renewed  int
		refused  []publish.Kind
		requeues bool
	}{
		{"a token that is not accepted is renewed", &publish.Error{Kind: publish.Unauthorized, Safe: "x"}, 1, v1alpha1.ReasonRefreshed, "", 1, nil, true},
		{"and that once", &publish.Error{Kind: publish.Unauthorized, Safe: "x"}, 9, v1alpha1.ReasonTokenExpired, "token_expired", 1, nil, true},
		{"a permission that has ended is taken down", &publish.Error{Kind: publish.Auth, Safe: "x", Revoked: true}, 9, v1alpha1.ReasonTokenRevoked, "token_expired", 0, []publish.Kind{publish.Auth}, true},
		{"reading may not be allowed though publishing is", &publish.Error{Kind: publish.Scope, Safe: "x"}, 9, v1alpha1.ReasonNumbersScopeMissing, "token_expired", 0, nil, false},
		{"the app is wrong", &publish.Error{Kind: publish.Misconfigured, Safe: "x"}, 9, v1alpha1.ReasonNotConfigured, "platform_not_configured", 0, nil, true},
		{"the platform is down", &publish.Error{Kind: publish.Transient, Safe: "x"}, 9, v1alpha1.ReasonRefreshFailed, "internal_error", 0, nil, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := newWorld(t)
			w.begun()
			w.heard()
			before := w.get().Status
			w.after(20 * time.Minute)
			w.request()
			times := c.times
			w.source.on = func(string, publish.Account) error {
				if times--; times >= 0 {
					return c.said
				}
				return nil
			}
			r := w.good()
			a := w.is(c.reason)
			if (r.RequeueAfter > 0) != c.requeues || w.tokens.renewed != c.renewed || cmp.Diff(c.refused, w.tokens.refused) != "" {
				t.Errorf("again in %s, renewed %d times, refused %v", r.RequeueAfter, w.tokens.renewed, w.tokens.refused)
			}
			w.whole("the document is whole")
			if c.code == "" {
				return
			}
			if a.Status.Error == nil || a.Status.Error.Code != c.code || a.Status.Failures != 1 || a.Status.Refreshing || a.Status.DocumentKey != before.DocumentKey {
				t.Errorf("%+v", a.Status)
			}
			if !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) || cmp.Diff(before.AccountNumbers, a.Status.AccountNumbers) != "" {
				t.Errorf("the request has its answer, the numbers stay: %+v", a.Status)
			}
			if got := w.heard(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning RefreshFailed "+c.code) {
				t.Error(got)
			}
			// By itself it goes on, and gets well.
			w.token(v1alpha1.TokenActive) // a person connected again
			w.source.on = nil
			w.after(time.Hour + time.Second)
			w.good()
			w.is(v1alpha1.ReasonRefreshed)
			if got := w.heard(); len(got) != 1 || !strings.HasPrefix(got[0], "Normal Refreshed") {
				t.Errorf("that it goes again is told: %v", got)
			}
		})
	}
}

func TestGrowingWaits(t *testing.T) {
	w := newWorld(t)
	w.begun()
	w.heard()
	w.source.on = func(string, publish.Account) error { return &publish.Error{Kind: publish.Transient, Safe: "Down"} }
	var waits []time.Duration
	for range 6 {
		at := w.get().Status.NextRefreshAt.Time
		w.clock.SetTime(at)
		w.good()
		waits = append(waits, w.get().Status.NextRefreshAt.Sub(at))
	}
	for i, d := range waits {
		if d < gap || i > 0 && d < waits[i-1] || d > 2*24*time.Hour {
			t.Errorf("%v", waits)
		}
	}
	if waits[5] < 6*time.Hour || len(w.heard()) != 1 {
		t.Errorf("waits grow, and one event tells of the failure: %v", waits)
	}
	w.whole("the numbers stay")
}

func TestRateLimits(t *testing.T) {
	w := newWorld(t)
	w.begun()
	other := account(w.key.Namespace, "zoe", "tiktok")
	mine, theirs := w.key, client.ObjectKeyFromObject(other)
	w.create(other)
	w.account, w.key = other, theirs
	w.token(v1alpha1.TokenActive)
	w.key = theirs
	w.begun()

	w.after(20 * time.Minute)
	limit := &publish.Error{Kind: publish.RateLimited, Safe: "Too many calls", RetryAfter: 2 * time.Hour}
	w.source.on = func(string, publish.Account) error { return limit }
	w.key = mine
	w.request()
	w.good()
	a := w.is(v1alpha1.ReasonRateLimited)
	if a.Status.Error.Code != "platform_rate_limited" || a.Status.NextRefreshAt.Time.Before(w.clock.Now().Add(2*time.Hour)) {
		t.Errorf("%+v", a.Status)
	}
	calls := w.source.count()
	w.after(time.Hour)
	w.request()
	if r := w.good(); w.source.count() != calls || r.RequeueAfter > time.Hour+time.Minute {
		t.Errorf("what the platform said holds for requests too: again in %s", r.RequeueAfter)
	}
	w.source.on = nil
	w.key = theirs
	w.request()
	w.good()
	if w.is(v1alpha1.ReasonRefreshed); w.source.count() == calls {
		t.Error("one account's limit is not another's")
	}

	limit.AppWide = true
	w.source.on = func(string, publish.Account) error { return limit }
	w.after(time.Hour)
	w.key = mine
	w.good()
	w.is(v1alpha1.ReasonRateLimited)
	calls = w.source.count()
	w.source.on = nil
	w.key = theirs
	w.request()
	if r := w.good(); w.source.count() != calls || r.RequeueAfter != 2*time.Hour {
		t.Errorf("the app's limit is everybody's: again in %s", r.RequeueAfter)
	}
	w.after(2 * time.Hour)
	w.good()
	if a := w.is(v1alpha1.ReasonRefreshed); w.source.count() == calls || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) {
		t.Error("and it ends")
	}
}

func TestBrokenOffInTheMiddle(t *testing.T) {
	w := newWorld(t)
	w.source.on = func(call string, _ publish.Account) error {
		if call == "page" {
			return &publish.Error{Kind: publish.Transient, Safe: "The platform is down"}
		}
		return nil
	}
	w.good()
	w.good()
	a := w.is(v1alpha1.ReasonRefreshed)
	c := meta.FindStatusCondition(a.Status.Conditions, string(v1alpha1.ConditionReady))
	if *a.Status.Followers != 10 || a.Status.KnownPosts != 0 || !strings.Contains(c.Message, "The platform is down") {
		t.Errorf("what was told counts: %+v", a.Status)
	}
}

func TestDocumentsThatCannotBeRead(t *testing.T) {
	put := func(w *world, text string) {
		if err := w.store.Put(t.Context(), w.get().Status.DocumentKey, contentType, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t)
	w.begun()
	put(w, "{")
	w.after(20 * time.Minute)
	w.request()
	w.good()
	w.is(v1alpha1.ReasonRefreshed)
	w.whole("a damaged one is made anew")

	if err := w.store.Delete(t.Context(), w.get().Status.DocumentKey); err != nil {
		t.Fatal(err)
	}
	w.after(20 * time.Minute)
	w.request()
	w.good()
	w.whole("a lost one is made anew")

	put(w, `{"version":99}`+"\n")
	w.after(20 * time.Minute)
	w.request()
	calls := w.source.count()
	w.good()
	a := w.is(v1alpha1.ReasonRefreshFailed)
	if a.Status.Error.Details["reason"] != "newer_document" || w.source.count() != calls || len(w.keys()) != 1 {
		t.Errorf("one that a newer version wrote is left alone: %+v", a.Status)
	}
}
