// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// busy returns the objects of an installation with work in progress.
func busy(t *testing.T, now time.Time) []client.Object {
	i := healthy(t, now)
	at := func(ago time.Duration) *metav1.Time { x := metav1.NewTime(now.Add(-ago)); return &x }
	named := func(namespace, name string, age time.Duration) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: *at(age)}
	}
	render := func(name string, w *v1beta1.Work) *v1beta1.RenderJob {
		return &v1beta1.RenderJob{ObjectMeta: named("acme", name, 2*time.Minute), Status: v1beta1.RenderJobStatus{Work: w}}
	}
	post := func(name string, due time.Duration, s v1beta1.PostStatus) *v1beta1.Post {
		return &v1beta1.Post{
			ObjectMeta: named("acme", name, time.Hour), Status: s,
			Spec: v1beta1.PostSpec{Platform: "tiktok", ScheduledAt: metav1.NewMicroTime(now.Add(due))},
		}
	}
	full := &v1beta1.Account{ObjectMeta: named("acme", "account", time.Hour)}
	full.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "False", Reason: string(v1beta1.ReasonQuotaExceeded)}}
	return []client.Object{
		batchWithContent("outdated", metav1.ConditionFalse), batchWithContent("current", metav1.ConditionTrue),
		&v1beta1.PostBatch{ObjectMeta: named("acme", "ended", time.Hour)},
		i.manager, i.front, i.lease, full, &v1beta1.Account{ObjectMeta: named("other", "account", time.Hour)},
		&v1beta1.Slideshow{ObjectMeta: named("acme", "s1", time.Hour), Status: v1beta1.SlideshowStatus{Work: &v1beta1.Work{State: v1beta1.WorkSucceeded}}},
		&v1beta1.Video{ObjectMeta: named("other", "v1", time.Hour)},
		render("r1", nil), render("r2", &v1beta1.Work{State: v1beta1.WorkProcessing}),
		render("r3", &v1beta1.Work{State: v1beta1.WorkFailed, FinishedAt: at(time.Minute)}), render("r4", &v1beta1.Work{State: v1beta1.WorkFailed, FinishedAt: at(2 * time.Hour)}),
		post("p1", time.Hour, v1beta1.PostStatus{State: v1beta1.PostScheduled}), post("p2", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostScheduled}),
		post("p3", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostPending, Attempts: []v1beta1.PostAttempt{{State: v1beta1.AttemptUnknown}}}),
		post("p4", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostHeld}), post("p5", -time.Second, v1beta1.PostStatus{State: v1beta1.PostPending}),
		post("p6", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostFailed, FinishedAt: at(time.Minute)}), post("p7", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostSuccess}),
		&v1beta1.SocialAccount{ObjectMeta: named("acme", "a1", time.Hour), Status: v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive}},
		&v1beta1.SocialAccount{ObjectMeta: named("acme", "a2", time.Hour), Spec: v1beta1.SocialAccountSpec{Platform: "youtube"}, Status: v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenRevoked}},
	}
}

func TestStatusOfAllAccounts(t *testing.T) {
	now := time.Now()
	c := newCluster(t, busy(t, now)...)
	got, err := (&admin{client: c, systemNamespace: system}).overview(t.Context(), "", now)
	if err != nil {
		t.Fatal(err)
	}
	want := &overview{
		Programs: []program{{"apiserver", "reelops.dev/apiserver", 1, 1}, {"manager", "reelops.dev/manager", 1, 1}},
		Leader:   leader{"one", 1}, Accounts: 2, Shorts: map[string]int{"succeeded": 1, "waiting": 1}, Limited: []string{"acme"},
		Renders:     renders{Waiting: 1, Running: 1, FailedLastHour: 1, OldestWait: 120},
		Posts:       posts{Scheduled: 1, Held: 1, Due: 1, Late: []string{"acme/p2"}, Unknown: []string{"acme/p3"}, FailedLastHour: 1, NotCurrent: []string{"acme/outdated"}},
		Connections: connections{1, []string{"acme/a2 (youtube, revoked)"}}, Store: "s3://films", Ceiling: "counted by each replica separately",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	screen := got.String()
	t.Log("\n" + screen)
	if warning := "1 batches that do not publish the newest revision of their short: acme/outdated\n"; !strings.Contains(screen, warning) {
		t.Errorf("the output lacks %q", warning)
	}
	if n := strings.Count(screen, "\n"); n > 24 {
		t.Errorf("%d lines exceed a screen", n)
	}
}

func TestStatusOfOneAccount(t *testing.T) {
	now := time.Now()
	c := newCluster(t, busy(t, now)...)
	got := c.do("status", "--account", "other")
	if got["accounts"] != 1.0 || got["renders"].(map[string]any)["running"] != 0.0 {
		t.Errorf("%v", got)
	}
	c.refuse("--all-accounts excludes", "status", "-A", "--account", "other")
	c.refuse(`there is no account "nosuch"`, "status", "--account", "nosuch")
}
