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

func TestRefresh_FirstAnalytics(t *testing.T) {
	w := newWorld(t)
	a := w.begun()
	if len(a.OwnerReferences) != 1 || a.OwnerReferences[0].UID != w.account.UID || a.Labels[v1beta1.LabelBrand] != "coffee" ||
		!slices.Contains(a.Finalizers, v1beta1.FinalizerAccountAnalytics) || a.Spec.AccountRef.Name != "maya" {
		t.Errorf("got metadata %+v", a.ObjectMeta)
	}
	st := a.Status
	want := v1beta1.AccountNumbers{Followers: n(10), Posts: n(2), Views: n(300)}
	if d := cmp.Diff(want, st.AccountNumbers); d != "" || st.KnownPosts != 2 || st.Refreshing || st.Error != nil {
		t.Errorf("totals (-want +got):\n%s in the status %+v", d, st)
	}
	if !st.RefreshStartedAt.Time.Equal(noon) || !st.RefreshedAt.Time.Equal(noon) {
		t.Errorf("got times in %+v, want noon", st)
	}
	w.hasOneDocument("after the first refresh")
	if got := w.drainEvents(); len(got) != 1 || !strings.HasPrefix(got[0], "Normal Refreshed") {
		t.Errorf("got events %v, want one Refreshed", got)
	}

	writes, calls := len(w.recorder.Writes), w.source.count()
	for range 3 {
		w.after(time.Hour)
		if r := w.good(); r.RequeueAfter > maxRequeue || r.RequeueAfter < time.Minute {
			t.Errorf("requeued after %s", r.RequeueAfter)
		}
	}
	w.restart()
	w.good()
	if len(w.recorder.Writes) > 0 || writes > 5 || w.source.count() != calls {
		t.Errorf("steady state: writes %v, or calls to the platform", w.recorder.Writes)
	}

	if err := cluster.Client.Delete(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	w.good()
	if err := cluster.Client.Get(t.Context(), w.key, a); !apierrors.IsNotFound(err) || len(w.keys()) > 0 {
		t.Errorf("after the deletion: %v, stored %v", err, w.keys())
	}
}

func TestAnalytics_AreRejectedForUnsupportedAccounts(t *testing.T) {
	w := newWorld(t)
	w.create(account(w.key.Namespace, "acme", "linkedin"))
	w.key.Name = "acme"
	w.good()
	if len(w.recorder.Writes) > 0 {
		t.Errorf("an account without analytics is written: %v", w.recorder.Writes)
	}
	by := func(name string) { // created by a user
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
		t.Error("the platform was called")
	}
}

func TestAnalytics_OfTheFrontEndAreAdopted(t *testing.T) {
	w := newWorld(t)
	w.create(&v1beta1.AccountAnalytics{ // created by the front end
		ObjectMeta: metav1.ObjectMeta{Namespace: w.key.Namespace, Name: w.key.Name},
		Spec:       v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: "maya"}, RefreshRequestedAt: &metav1.Time{Time: noon}},
	})
	w.good()
	a := w.is(v1beta1.ReasonRefreshed)
	if len(a.OwnerReferences) != 1 || len(a.Finalizers) != 1 || a.Labels[v1beta1.LabelBrand] != "coffee" || !a.Status.AnsweredRequestAt.Time.Equal(noon) {
		t.Errorf("got %+v", a)
	}

	// Delete the account and connect another with the same name.
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
		t.Error("the analytics of the deleted account are kept")
	}
	w.hasOneDocument("the document of the deleted account")
}

func TestRequests(t *testing.T) {
	w := newWorld(t)
	w.begun()
	calls := w.source.count()
	w.after(5 * time.Minute)
	w.source.followers = 11
	w.request()
	if r := w.good(); r.RequeueAfter != 10*time.Minute || w.source.count() != calls {
		t.Errorf("a request within the cooldown: requeued after %s", r.RequeueAfter)
	}
	if a := w.get(); a.Status.AnsweredRequestAt != nil || a.Status.Refreshing {
		t.Errorf("a request within the cooldown is answered: %+v", a.Status)
	}
	w.after(10 * time.Minute)
	w.good()
	a := w.is(v1beta1.ReasonRefreshed)
	if *a.Status.Followers != 11 || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) {
		t.Errorf("the request is not answered: %+v", a.Status)
	}
	w.hasOneDocument("after a requested refresh")
	if got := w.drainEvents(); len(got) != 2 {
		t.Errorf("got events %v, want one for the first and one for the requested refresh", got)
	}
	calls = w.source.count()
	w.after(20 * time.Minute)
	w.good()
	if w.source.count() != calls {
		t.Error("one request is answered twice")
	}
	w.request()
	w.good()
	if w.source.count() == calls {
		t.Error("a request after the cooldown is not answered at once")
	}
	if d := w.document(); len(d.History) != 1 || *d.History[0].Followers != 11 {
		t.Errorf("got history %+v", d.History)
	}
}

func TestRefresh_AtTheInterval(t *testing.T) {
	w := newWorld(t)
	a := w.begun()
	w.drainEvents()
	next := a.Status.NextRefreshAt.Time
	if d := next.Sub(noon); d < analytics.DefaultInterval || d > analytics.DefaultInterval*11/10 {
		t.Fatalf("the next refresh is after %s", d)
	}
	calls := w.source.count()
	w.clock.SetTime(next.Add(-time.Second))
	if r := w.good(); r.RequeueAfter != time.Second || w.source.count() != calls {
		t.Errorf("a second before the next refresh: requeued after %s", r.RequeueAfter)
	}
	w.clock.SetTime(next)
	w.source.followers = 25
	w.good()
	a = w.is(v1beta1.ReasonRefreshed)
	if *a.Status.Followers != 25 || w.source.count() == calls || len(w.drainEvents()) > 0 {
		t.Errorf("want a refresh without an event: %+v", a.Status)
	}
	w.source.followers = 30
	w.after(7 * time.Hour) // the next day
	w.good()
	if g := w.document().Growth(noon); len(g) != 2 || *g[0].Followers != 25 || *g[1].Followers != 30 {
		t.Errorf("got growth %+v, want one point for each day", g)
	}
}

func TestRefresh_AfterANewPost(t *testing.T) {
	w := newWorld(t)
	w.begun()
	w.after(5 * time.Minute)
	p := w.published("b")
	w.good()
	a := w.get()
	if d := a.Status.NextRefreshAt.Sub(noon); d < minInterval || d > 35*time.Minute {
		t.Fatalf("a post was published after 5 minutes: the next refresh is at %s", d)
	}
	writes := len(w.recorder.Writes)
	w.good()
	if len(w.recorder.Writes) != writes {
		t.Errorf("the earlier refresh is written twice: %v", w.recorder.Writes[writes:])
	}
	w.clock.SetTime(a.Status.NextRefreshAt.Time)
	w.good()
	d := w.document()
	if d.Rows[0].OurPost != 1 || d.Rows[0].OurShort != 41 || d.Rows[1].OurPost != 0 {
		t.Errorf("got rows %+v", d.Rows)
	}
	if d := w.get().Status.NextRefreshAt.Sub(w.clock.Now()); d < 5*time.Hour {
		t.Errorf("the refresh after the post's first is after %s", d)
	}
	numbers := func() *v1beta1.PostMetrics {
		t.Helper()
		if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(p), p); err != nil {
			t.Fatal(err)
		}
		return p.Status.Metrics
	}
	if m := numbers(); m == nil || *m.Views != 200 || *m.Likes != 20 || m.Shares != nil || !m.ObservedAt.Time.Equal(w.clock.Now()) {
		t.Fatalf("got metrics %+v of the post", m)
	}
	if p.Status.State != v1beta1.PostSuccess || p.Status.PlatformPostID != "b" {
		t.Errorf("other fields of the post changed: %+v", p.Status)
	}

	version := p.ResourceVersion
	w.after(6*time.Hour + 40*time.Minute)
	w.good()
	if numbers(); p.ResourceVersion != version {
		t.Error("unchanged metrics are written")
	}
	w.source.posts[0].Views, w.source.posts[0].Likes = n(900), nil
	w.after(6*time.Hour + 40*time.Minute)
	w.good()
	if m := numbers(); *m.Views != 900 || m.Likes != nil {
		t.Errorf("metrics that the platform no longer reports are kept: %+v", m)
	}
	version = p.ResourceVersion
	w.source.posts[0].Views = n(1000)
	w.after(31 * 24 * time.Hour)
	w.good()
	if numbers(); p.ResourceVersion != version {
		t.Error("metrics of an old post are written")
	}
}

func TestRefresh_StopsWhileTheTokenIsExpired(t *testing.T) {
	w := newWorld(t)
	a := w.begun()
	w.drainEvents()
	before := a.Status
	w.token(v1beta1.TokenExpired)
	w.request()
	w.after(20 * time.Minute)
	calls := w.source.count()
	for range 2 {
		if r := w.good(); r.RequeueAfter != 0 {
			t.Errorf("an expired token is rechecked after %s", r.RequeueAfter)
		}
	}
	a = w.is(v1beta1.ReasonTokenExpired)
	if w.source.count() != calls || !meta.IsStatusConditionTrue(a.Status.Conditions, string(v1beta1.ConditionStalled)) {
		t.Errorf("got %+v", a.Status)
	}
	if cmp.Diff(before.AccountNumbers, a.Status.AccountNumbers) != "" || a.Status.DocumentKey != before.DocumentKey || a.Status.NextRefreshAt != nil {
		t.Errorf("the last metrics are lost: %+v", a.Status)
	}
	w.hasOneDocument("after the token expired")
	w.token(v1beta1.TokenActive)
	w.good()
	a = w.is(v1beta1.ReasonRefreshed)
	if w.source.count() == calls || meta.FindStatusCondition(a.Status.Conditions, string(v1beta1.ConditionStalled)) != nil || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) {
		t.Errorf("the pending request is not answered after the account was reconnected: %+v", a.Status)
	}
}
