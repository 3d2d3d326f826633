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

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/analytics"
)

func TestAnAccountGetsItsNumbers(t *testing.T) {
	w := newWorld(t)
	a := w.begun()
	if len(a.OwnerReferences) != 1 || a.OwnerReferences[0].UID != w.account.UID || a.Labels[v1beta1.LabelBrand] != "coffee" ||
		!slices.Contains(a.Finalizers, v1beta1.FinalizerAccountAnalytics) || a.Spec.AccountRef.Name != "maya" {
		t.Errorf("%+v", a.ObjectMeta)
	}
	st := a.Status
	want := v1beta1.AccountNumbers{Followers: n(10), Posts: n(2), Views: n(300)}
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
		if r := w.good(); r.RequeueAfter > maxRequeue || r.RequeueAfter < time.Minute {
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
		w.create(&v1beta1.AccountAnalytics{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.key.Namespace, Name: w.key.Name}, Spec: v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: name}},
		})
	}
	by("acme")
	w.good()
	w.is(v1beta1.ReasonNotReported)
	w.key.Name = "nobody"
	by("nobody")
	w.good()
	w.is(v1beta1.ReasonSocialAccountNotFound)
	w.key.Name = "maya"
	by("other")
	w.good()
	w.is(v1beta1.ReasonWrongName)
	if w.source.count() > 0 {
		t.Error("and nobody was asked")
	}
}

func TestTakenOver(t *testing.T) {
	w := newWorld(t)
	w.create(&v1beta1.AccountAnalytics{ // the front end's, a moment earlier
		ObjectMeta: metav1.ObjectMeta{Namespace: w.key.Namespace, Name: w.key.Name},
		Spec:       v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: "maya"}, RefreshRequestedAt: &metav1.Time{Time: noon}},
	})
	w.good()
	a := w.is(v1beta1.ReasonRefreshed)
	if len(a.OwnerReferences) != 1 || len(a.Finalizers) != 1 || a.Labels[v1beta1.LabelBrand] != "coffee" || !a.Status.AnsweredRequestAt.Time.Equal(noon) {
		t.Errorf("%+v", a)
	}

	// The account goes, and another is connected under its name.
	if err := cluster.Client.Delete(t.Context(), w.account); err != nil {
		t.Fatal(err)
	}
	w.account = account(w.key.Namespace, "maya", "tiktok")
	w.create(w.account)
	w.token(v1beta1.TokenActive)
	for range 4 {
		w.good()
	}
	b := w.is(v1beta1.ReasonRefreshed)
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
	a := w.is(v1beta1.ReasonRefreshed)
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
	a = w.is(v1beta1.ReasonRefreshed)
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
	if d := a.Status.NextRefreshAt.Sub(noon); d < minInterval || d > 35*time.Minute {
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
	numbers := func() *v1beta1.PostMetrics {
		t.Helper()
		if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(p), p); err != nil {
			t.Fatal(err)
		}
		return p.Status.Metrics
	}
	if m := numbers(); m == nil || *m.Views != 200 || *m.Likes != 20 || m.Shares != nil || !m.ObservedAt.Time.Equal(w.clock.Now()) {
		t.Fatalf("the post shows %+v", m)
	}
	if p.Status.State != v1beta1.PostSuccess || p.Status.PlatformPostID != "b" {
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
	w.token(v1beta1.TokenExpired)
	w.request()
	w.after(20 * time.Minute)
	calls := w.source.count()
	for range 2 {
		if r := w.good(); r.RequeueAfter != 0 {
			t.Errorf("only a person helps, and yet again in %s", r.RequeueAfter)
		}
	}
	a = w.is(v1beta1.ReasonTokenExpired)
	if w.source.count() != calls || !meta.IsStatusConditionTrue(a.Status.Conditions, string(v1beta1.ConditionStalled)) {
		t.Errorf("%+v", a.Status)
	}
	if cmp.Diff(before.AccountNumbers, a.Status.AccountNumbers) != "" || a.Status.DocumentKey != before.DocumentKey || a.Status.NextRefreshAt != nil {
		t.Errorf("the numbers stay: %+v", a.Status)
	}
	w.whole("and so does the document")
	w.token(v1beta1.TokenActive)
	w.good()
	a = w.is(v1beta1.ReasonRefreshed)
	if w.source.count() == calls || meta.FindStatusCondition(a.Status.Conditions, string(v1beta1.ConditionStalled)) != nil || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) {
		t.Errorf("connected again, what was asked for is read: %+v", a.Status)
	}
}
