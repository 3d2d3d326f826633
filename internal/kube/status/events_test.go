// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

func TestRecordTransition(t *testing.T) {
	past := metav1.NewTime(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC))
	later := metav1.NewTime(past.Add(time.Hour))
	post := func(s v1beta1.PostState, d v1beta1.DeliveryState, reason v1beta1.Reason) *v1beta1.Post {
		return &v1beta1.Post{Status: v1beta1.PostStatus{
			State: s, DeliveryState: d, PublishedAt: &past, FinishedAt: &past,
			Conditions: []metav1.Condition{{Type: "Ready", Reason: string(reason)}},
		}}
	}
	show := func(s v1beta1.WorkState, finished *metav1.Time) *v1beta1.Slideshow {
		return &v1beta1.Slideshow{Status: v1beta1.SlideshowStatus{Work: &v1beta1.Work{State: s, FinishedAt: finished}}}
	}
	video := func(s v1beta1.WorkState) *v1beta1.Video {
		return &v1beta1.Video{Status: v1beta1.VideoStatus{Work: &v1beta1.Work{State: s, FinishedAt: &past}}}
	}
	render := func(kind string, s v1beta1.WorkState) *v1beta1.RenderJob {
		return &v1beta1.RenderJob{
			Spec:   v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Kind: kind}},
			Status: v1beta1.RenderJobStatus{Work: &v1beta1.Work{State: s, FinishedAt: &past}},
		}
	}
	token := func(s v1beta1.TokenStatus) *v1beta1.SocialAccount {
		return &v1beta1.SocialAccount{Status: v1beta1.SocialAccountStatus{TokenStatus: s}}
	}
	used := func(n int32, limit *int32) *v1beta1.Account {
		return &v1beta1.Account{
			Spec: v1beta1.AccountSpec{Plan: v1beta1.Plan{SlideshowLimit: limit}}, Status: v1beta1.AccountStatus{SlideshowsUsed: n},
		}
	}
	run := func(s v1beta1.RunState) *v1beta1.AutomationRun {
		return &v1beta1.AutomationRun{Status: v1beta1.AutomationRunStatus{State: s, FinishedAt: &past}}
	}
	queued, none, limit := v1beta1.WorkQueued, v1beta1.DeliveryState(""), ptr.To[int32](5)
	for _, c := range []struct {
		why           string
		before, after client.Object
		want          v1beta1.WebhookEvent
	}{
		{"a new post", &v1beta1.Post{}, post(v1beta1.PostScheduled, none, ""), v1beta1.EventPostScheduled},
		{"a post that stays scheduled", post(v1beta1.PostScheduled, none, ""), post(v1beta1.PostScheduled, none, ""), ""},
		{"a post that is due", post(v1beta1.PostScheduled, none, ""), post(v1beta1.PostPending, none, ""), ""},
		{"a held post", &v1beta1.Post{}, post(v1beta1.PostHeld, none, v1beta1.ReasonAwaitingApproval), v1beta1.EventPostAwaitingApproval},
		{"a suspended post", &v1beta1.Post{}, post(v1beta1.PostHeld, none, v1beta1.ReasonSuspended), ""},
		{"the platform processes a post", post(v1beta1.PostPending, none, ""), post(v1beta1.PostSuccess, v1beta1.DeliveryProcessing, ""), ""},
		{
			"the platform processed a post", post(v1beta1.PostSuccess, v1beta1.DeliveryProcessing, ""),
			post(v1beta1.PostSuccess, v1beta1.DeliveryPublished, ""), v1beta1.EventPostPublished,
		},
		{
			"YouTube makes a post private", post(v1beta1.PostSuccess, v1beta1.DeliveryPublished, ""),
			post(v1beta1.PostSuccess, v1beta1.DeliveryPrivate, ""), "",
		},
		{"a draft", post(v1beta1.PostPending, none, ""), post(v1beta1.PostSuccess, v1beta1.DeliveryInInbox, ""), v1beta1.EventPostInInbox},
		{"a failure", post(v1beta1.PostRetrying, none, ""), post(v1beta1.PostFailed, none, ""), v1beta1.EventPostFailed},
		{"a retry", post(v1beta1.PostPending, none, ""), post(v1beta1.PostRetrying, none, ""), ""},
		{"a cancellation", post(v1beta1.PostScheduled, none, ""), post(v1beta1.PostCancelled, none, ""), v1beta1.EventPostCancelled},
		{
			"an unknown outcome", post(v1beta1.PostPending, none, ""), post(v1beta1.PostFailed, v1beta1.DeliveryUnconfirmed, ""),
			v1beta1.EventPostUnconfirmed,
		},
		{"slides that start", &v1beta1.Slideshow{}, show(queued, nil), ""},
		{"slides that are ready", show(queued, nil), show(v1beta1.WorkSucceeded, &past), v1beta1.EventJobSucceeded},
		{"slides that stay ready", show(v1beta1.WorkSucceeded, &past), show(v1beta1.WorkSucceeded, &past), ""},
		{
			"an edit that was rendered in one write", show(v1beta1.WorkSucceeded, &past), show(v1beta1.WorkSucceeded, &later),
			v1beta1.EventJobSucceeded,
		},
		{"slides that failed", show(queued, nil), show(v1beta1.WorkFailed, &past), v1beta1.EventJobFailed},
		{"a video", video(queued), video(v1beta1.WorkSucceeded), v1beta1.EventJobSucceeded},
		{"a render of slides", render("Slideshow", queued), render("Slideshow", v1beta1.WorkFailed), v1beta1.EventJobFailed},
		{"a render of a video", render("Video", queued), render("Video", v1beta1.WorkSucceeded), ""},
		{"a new connection", token(""), token(v1beta1.TokenActive), ""},
		{"an expiring permission", token(v1beta1.TokenActive), token(v1beta1.TokenExpiringSoon), v1beta1.EventConnectionExpiring},
		{"an expired permission", token(v1beta1.TokenExpiringSoon), token(v1beta1.TokenExpired), v1beta1.EventConnectionExpired},
		{"an expired permission that was revoked", token(v1beta1.TokenExpired), token(v1beta1.TokenRevoked), ""},
		{"a reconnection", token(v1beta1.TokenRevoked), token(v1beta1.TokenActive), v1beta1.EventConnectionRestored},
		{"the last slideshow", used(4, limit), used(5, limit), v1beta1.EventQuotaReached},
		{"a request above the limit", used(5, limit), used(5, limit), ""},
		{"a run that succeeds", run(v1beta1.RunScheduled), run(v1beta1.RunSucceeded), v1beta1.EventRunSucceeded},
		{"a run that stays succeeded", run(v1beta1.RunSucceeded), run(v1beta1.RunSucceeded), ""},
		{"a run that fails", run(v1beta1.RunCreating), run(v1beta1.RunFailed), v1beta1.EventRunFailed},
		{"a run that was missed", run(""), run(v1beta1.RunMissed), v1beta1.EventRunMissed},
		{"a run that is skipped", run(v1beta1.RunAwaitingApproval), run(v1beta1.RunSkipped), ""},
		{"a run that goes on", run(v1beta1.RunCreating), run(v1beta1.RunScheduled), ""},
		{"no limit", used(4, nil), used(5, nil), ""},
		{"a kind without events", &v1beta1.Brand{}, &v1beta1.Brand{}, ""},
	} {
		RecordTransition(c.before, c.after)
		got := Transitions(c.after)
		if c.want == "" {
			if len(got) > 0 {
				t.Errorf("%s: got %+v, want no event", c.why, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Event != c.want || got[0].Sequence != 1 || got[0].At.IsZero() {
			t.Errorf("%s: got %+v, want %s", c.why, got, c.want)
		}
	}
}

// TestPersist_NumbersTransitions fails a write in between, and exceeds the length of the list.
func TestPersist_NumbersTransitions(t *testing.T) {
	s := testkit.Slideshow("tenant", "show", "acme", "x")
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(s).WithStatusSubresource(s).Build()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(s), s); err != nil {
		t.Fatal(err)
	}
	w := Begin(c, s)
	const ends = v1beta1.MaxTransitions + 3
	for i := range ends {
		s.Status.Work = &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 1, FinishedAt: ptr.To(metav1.Unix(int64(1000+i), 0))}
		if i == 1 {
			version := s.ResourceVersion
			s.ResourceVersion, w.before.ResourceVersion = "1", "1"
			if w.Persist(t.Context()) == nil {
				t.Fatal("a stale write succeeded")
			}
			s.ResourceVersion, w.before.ResourceVersion = version, version
		}
		if err := w.Persist(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stored := &v1beta1.Slideshow{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(s), stored); err != nil {
		t.Fatal(err)
	}
	got := stored.Status.Transitions
	if len(got) != v1beta1.MaxTransitions {
		t.Fatalf("%d transitions are stored, want %d", len(got), v1beta1.MaxTransitions)
	}
	for i, tr := range got {
		if want := int64(ends - len(got) + i + 1); tr.Sequence != want || tr.At.Unix() != 999+want {
			t.Errorf("transition %d: got %+v, want number %d", i, tr, want)
		}
	}
}
