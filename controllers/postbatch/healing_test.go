// SPDX-License-Identifier: Apache-2.0

package postbatch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/postbatch"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/testkit"
)

// announced returns the events that were recorded since the last call.
func (u *run) announced() []string {
	u.t.Helper()
	var out []string
	for {
		select {
		case e := <-u.r.Events.(*events.FakeRecorder).Events:
			out = append(out, e)
		default:
			return out
		}
	}
}

// announces checks that exactly one event was recorded since the last call, of the type and the reason.
func (u *run) announces(kind string, reason v1beta1.Reason) {
	u.t.Helper()
	got := u.announced()
	if len(got) != 1 || !strings.HasPrefix(got[0], kind+" "+string(reason)+" ") {
		u.t.Errorf("events %q, want one %s %s", got, kind, reason)
	}
}

// wakes reports whether a change of the object with the key triggers the batch.
func (u *run) wakes(name, key string) bool {
	u.t.Helper()
	for _, k := range postbatch.WaitingIndex(u.live(name)) {
		if k == key {
			return true
		}
	}
	return false
}

func TestBatchByPlatforms_WaitsForAccountsAndHeals(t *testing.T) {
	u := start(t)
	u.show("tidy")
	b := u.batch("promo", func(b *v1beta1.PostBatch) {
		b.Spec.ScheduledAt, b.Spec.Platforms = u.in(72*time.Hour), []v1beta1.Platform{"tiktok", "youtube"}
	})
	if res := u.settle("promo"); res.RequeueAfter < 71*time.Hour {
		t.Errorf("requeued after %v", res.RequeueAfter)
	}
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonSocialAccountNotFound, false)
	u.announces("Warning", v1beta1.ReasonSocialAccountNotFound)
	if !u.wakes("promo", "platform/tiktok") || !u.wakes("promo", "platform/youtube") {
		t.Error("a connected account does not trigger the batch")
	}

	// A post for the account of one platform exists. The batch still waits for the other platform.
	u.account("tiktok", "tik")
	u.settle("promo")
	if posts := u.posts(); len(posts) != 1 || posts[0].Spec.Account != "tik" {
		t.Fatalf("got posts %+v", posts)
	}
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonSocialAccountNotFound, false)
	if st := u.live("promo").Status; st.Overall != "" || st.Open != 2 || len(st.Targets) != 2 || st.Targets[1].Error == nil {
		t.Errorf("got status %+v", st)
	}
	if !u.wakes("promo", "platform/youtube") {
		t.Error("an account that is connected later does not trigger the batch")
	}

	u.account("youtube", "tube")
	u.clock.Step(4 * time.Second) // after the last write
	u.settle("promo")
	if posts := u.posts(); len(posts) != 1 { // no retry fixes a short without a video on YouTube
		t.Fatalf("got posts %+v", posts)
	}
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonPartlyFailed, true)
	u.announces("Warning", v1beta1.ReasonPartlyFailed)
	u.account("tiktok", "another")
	u.settle("promo")
	if n := len(u.posts()); n != 1 {
		t.Errorf("resolved targets are resolved again: got %d posts", n)
	}
	if got := u.live("promo").Status.Targets[1]; got.Account != "tube" || got.State != v1beta1.PostFailed {
		t.Errorf("got target %+v", got)
	}
	u.clock.SetTime(b.Spec.ScheduledAt.Add(time.Minute))
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonPartlyFailed, true)
}

func TestBatch_FailsAloneWhatIsNotConnectedWhenDue(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	b := u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Platforms = []v1beta1.Platform{"tiktok", "instagram"} })
	u.settle("promo")
	if n := len(u.posts()); n != 1 {
		t.Fatalf("got %d posts before the due time", n)
	}
	u.announced()
	u.clock.SetTime(b.Spec.ScheduledAt.Add(4 * time.Second)) // after the writes that are delayed while posts are sent
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonPartlyFailed, true)
	u.announces("Warning", v1beta1.ReasonPartlyFailed)

	u.batch("none", func(b *v1beta1.PostBatch) {
		b.Spec.ScheduledAt, b.Spec.Platforms = u.in(0), []v1beta1.Platform{"instagram"}
	})
	u.settle("none")
	u.hasReady("none", metav1.ConditionFalse, v1beta1.ReasonFailed, true)
	u.announces("Warning", v1beta1.ReasonFailed) // all targets failed, not only some
	if got := u.live("none").Status.Overall; got != "failed" {
		t.Errorf("got overall %q", got)
	}
}

func TestBatch_WaitsForAConnectionThatEnded(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.account("instagram", "insta")
	u.token("insta", v1beta1.TokenRevoked)
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik", "insta") })
	u.settle("promo")
	if posts := u.posts(); len(posts) != 1 || posts[0].Spec.Account != "tik" {
		t.Fatalf("got posts %+v", posts)
	}
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonTokenRevoked, false)
	u.announces("Warning", v1beta1.ReasonTokenRevoked)
	u.token("insta", v1beta1.TokenActive)
	u.settle("promo")
	if n := len(u.posts()); n != 2 {
		t.Fatalf("got %d posts", n)
	}
	u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
	u.announces("Normal", v1beta1.ReasonScheduled)

	// An existing post that waits for its account again makes the batch not ready.
	p := &u.posts()[0]
	u.state(p, func(s *v1beta1.PostStatus) {
		s.State, s.Error = v1beta1.PostScheduled, &v1beta1.WorkError{Code: string(catalog.PlatformNotConnected), Message: "The account is not connected."}
	})
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonSocialAccountNotFound, false)
	u.announces("Warning", v1beta1.ReasonSocialAccountNotFound)
	u.state(p, func(s *v1beta1.PostStatus) { s.Error = nil })
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
}

func TestBatch_ReportsTheTargetsOfAPassThatDied(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Suspend, b.Spec.Accounts = true, accounts("tik", "insta") })
	u.rec.FailAt, u.rec.Fault = 4, testkit.Lost
	u.settle("promo")
	if diff := cmp.Diff([]string{"patch PostBatch", "patch PostBatch", "create Post", "patch PostBatch/status", "patch PostBatch/status"}, u.rec.Writes); diff != "" {
		t.Fatal(diff)
	}
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonSuspended, false)
	if st := u.live("promo").Status; st.Open != 2 || len(st.Targets) != 2 || st.Targets[0].Post == "" || st.Targets[1].Error == nil {
		t.Errorf("got status %+v", st)
	}
}

func TestBatch_IsHeldByPostsThatExist(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik", "insta") })
	u.settle("promo")
	u.state(&u.posts()[0], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
	b := u.live("promo")
	b.Spec.Suspend = true
	u.must(cluster.Client.Update(t.Context(), b))
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonSocialAccountNotFound, false)
}

func TestOverall_IsTheOutcome(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.account("instagram", "insta")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik", "insta") })
	u.settle("promo")
	overall := func(want string) {
		t.Helper()
		u.settle("promo")
		if got := u.live("promo").Status.Overall; got != want {
			t.Errorf("got overall %q, want %q", got, want)
		}
	}
	overall("") // scheduled does not count as success
	posts := u.posts()
	u.state(&posts[0], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
	u.clock.Step(2 * time.Hour)
	overall("")
	u.state(&posts[1], func(s *v1beta1.PostStatus) {
		s.State, s.Error = v1beta1.PostFailed, &v1beta1.WorkError{Code: string(catalog.TokenExpired), Message: "It ended."}
	})
	overall("partial")
}

func TestSuspendAndApprove_ReportTheObservedGeneration(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	b := u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
	u.settle("promo")
	// The post controller is slower than the batch controller.
	u.state(&u.posts()[0], func(s *v1beta1.PostStatus) { s.State, s.ObservedGeneration = v1beta1.PostScheduled, 1 })
	u.settle("promo")
	edit := func(suspend bool, want metav1.ConditionStatus, reason v1beta1.Reason) {
		t.Helper()
		b = u.live("promo")
		b.Spec.Suspend = suspend
		u.must(cluster.Client.Update(t.Context(), b))
		for range 5 {
			_, err := u.pass("promo")
			u.must(err)
			now := u.live("promo")
			if ready := meta.FindStatusCondition(now.Status.Conditions, string(v1beta1.ConditionReady)); now.Status.ObservedGeneration == now.Generation &&
				(ready.Status != want || ready.Reason != string(reason) || ready.ObservedGeneration != now.Generation) {
				t.Fatalf("in the observed generation %d Ready is %+v, want %s %s", now.Generation, ready, want, reason)
			}
		}
		u.hasReady("promo", want, reason, false)
	}
	edit(true, metav1.ConditionFalse, v1beta1.ReasonSuspended)
	u.state(&u.posts()[0], func(s *v1beta1.PostStatus) { s.State, s.ObservedGeneration = v1beta1.PostHeld, 2 })
	u.settle("promo")
	edit(false, metav1.ConditionTrue, v1beta1.ReasonScheduled)
}

func TestBatch_MoreThanAYearAheadWaits(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	const ahead = 10 * 24 * time.Hour
	u.batch("promo", func(b *v1beta1.PostBatch) {
		b.Spec.ScheduledAt, b.Spec.Accounts = u.in(catalog.MaxScheduleAhead+ahead), accounts("tik")
	})
	if res := u.settle("promo"); res.RequeueAfter < ahead-time.Second || res.RequeueAfter > ahead {
		t.Errorf("requeued after %v", res.RequeueAfter)
	}
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonTooFarAhead, false)
	u.announces("Warning", v1beta1.ReasonTooFarAhead)
	u.clock.Step(ahead)
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
}

func TestBatch_OfADeletedBrandIsNotReady(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
	u.settle("promo")
	u.announced()
	if !u.wakes("promo", "brand/acme") {
		t.Error("the deletion of the brand does not trigger the batch")
	}
	brand := &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: "acme"}}
	u.must(cluster.Client.Delete(t.Context(), brand))
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonBrandNotFound, false)
	u.announces("Warning", v1beta1.ReasonBrandNotFound)
	brand.ResourceVersion, brand.Spec.DisplayName = "", "Acme"
	u.must(cluster.Client.Create(t.Context(), brand))
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
}

func TestBatch_ReportsAPostWhoseFileIsNotStored(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
	u.settle("promo")
	u.announced()
	p := &u.posts()[0]
	u.state(p, func(s *v1beta1.PostStatus) {
		s.State, s.Error = v1beta1.PostScheduled, &v1beta1.WorkError{
			Code: string(catalog.ShortNotPostable), Message: "A file is missing.", Details: map[string]string{"reason": posting.ReasonFileMissing},
		}
	})
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonFileNotFound, false)
	u.announces("Warning", v1beta1.ReasonFileNotFound)
	u.state(p, func(s *v1beta1.PostStatus) { s.Error = nil })
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
}
