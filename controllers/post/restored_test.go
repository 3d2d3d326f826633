// SPDX-License-Identifier: Apache-2.0

package post

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/posting"
)

// replace recreates the first post without its status, like `kubectl replace --force` and backup tools.
func (w *world) replace() {
	w.t.Helper()
	old := w.post("post-1")
	anew := aPost("1", old.Spec.ScheduledAt.Time)
	anew.UID = types.UID("uid-1-restored")
	old.Finalizers = nil
	if err := errors.Join(w.live.Update(w.t.Context(), old), client.IgnoreNotFound(w.live.Delete(w.t.Context(), old))); err != nil {
		w.t.Fatal(err)
	}
	w.event(client.ObjectKeyFromObject(old))
	w.until(time.Minute, func() bool { return w.r.queue.Len() == 0 })
	if err := w.live.Create(w.t.Context(), anew); err != nil {
		w.t.Fatal(err)
	}
	w.event(client.ObjectKeyFromObject(anew))
}

// TestRestore_PostWithoutItsStatus restores a post whose batch still exists and has recorded the outcome.
func TestRestore_PostWithoutItsStatus(t *testing.T) {
	for name, c := range map[string]struct {
		why   string
		state v1beta1.PostState
		post  string
		want  v1beta1.PostState
		lands int
	}{
		"published":    {"a published post is not sent again", v1beta1.PostSuccess, "post-1", v1beta1.PostFailed, 0},
		"failed":       {"a post with an unknown outcome is not sent again", v1beta1.PostFailed, "post-1", v1beta1.PostFailed, 0},
		"waits":        {"an unpublished post is published at its time", v1beta1.PostScheduled, "post-1", v1beta1.PostSuccess, 1},
		"removed":      {"a batch that has not recorded an outcome yet does not block the post", v1beta1.PostCancelled, "post-1", v1beta1.PostSuccess, 1},
		"another post": {"the outcomes of other posts are ignored", v1beta1.PostSuccess, "post-2", v1beta1.PostSuccess, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, inAnHour()...)
			w.until(time.Minute, func() bool { return w.post("post-1").Status.State != "" })
			b := &v1beta1.PostBatch{}
			if err := w.live.Get(t.Context(), client.ObjectKey{Namespace: "tenant", Name: "batch-1"}, b); err != nil {
				t.Fatal(err)
			}
			b.Status.Targets = []v1beta1.TargetStatus{{Account: "maya", Post: c.post, PostID: 1, State: c.state}}
			if err := w.live.Status().Update(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			w.replace()
			w.settle()
			p := w.post("post-1")
			if got := w.landed("1-restored"); got != c.lands || p.Status.State != c.want {
				t.Errorf("%s: published %d times, %+v", c.why, got, p.Status)
			}
			if c.want == v1beta1.PostFailed && p.Status.Error.Details[detailReason] != reasonMissed {
				t.Errorf("%s: got %+v", c.why, p.Status.Error)
			}
		})
	}
}

// TestDelete_PostStaysForABatchOfTheSameName deletes a published post while a new batch has the name of its batch.
// The post stays as long as that batch may still create it, and no longer.
func TestDelete_PostStaysForABatchOfTheSameName(t *testing.T) {
	later := metav1.NewTime(noon.Add(24 * time.Hour))
	for name, c := range map[string]struct {
		why    string
		change func(*v1beta1.PostBatch)
		stays  bool
	}{
		"the same batch":   {"the batch would publish the post again", func(*v1beta1.PostBatch) {}, true},
		"not resolved yet": {"the batch has not resolved its targets yet", func(b *v1beta1.PostBatch) { b.Spec.Accounts, b.Spec.Platforms = nil, []v1beta1.Platform{"tiktok"} }, true},
		"has seen it": {"the batch has seen the post", func(b *v1beta1.PostBatch) {
			b.Status.Targets = []v1beta1.TargetStatus{{Account: "maya", Post: nameOf(b)}}
		}, false},
		"another time":   {"the batch creates a post with another name", func(b *v1beta1.PostBatch) { b.Spec.ScheduledAt = &later }, false},
		"another id":     {"the batch creates a post with another name", func(b *v1beta1.PostBatch) { b.Spec.Accounts[0].PostID = 8 }, false},
		"other accounts": {"the batch does not publish on the account", func(b *v1beta1.PostBatch) { b.Spec.Accounts[0].Name = "noor" }, false},
		"resolved without the account": {"the batch has other targets", func(b *v1beta1.PostBatch) {
			b.Spec.Accounts, b.Spec.Platforms = nil, []v1beta1.Platform{"tiktok"}
			b.Status.Targets = []v1beta1.TargetStatus{{Account: "noor", Post: "other"}}
		}, false},
		"refused": {"the batch creates no post for the account", func(b *v1beta1.PostBatch) {
			b.Status.Targets = []v1beta1.TargetStatus{{Account: "maya", State: v1beta1.PostFailed}}
		}, false},
		"created too late": {"the batch never publishes", func(b *v1beta1.PostBatch) { b.CreationTimestamp = metav1.NewTime(noon.Add(time.Hour)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := postBatch(noon)
			b.UID, b.Spec.Accounts = "b2", []v1beta1.PostTarget{{Name: "maya"}}
			p := aPost("1", noon)
			p.Name = nameOf(b)
			c.change(b)
			p.Status = v1beta1.PostStatus{State: v1beta1.PostSuccess, PostURL: "https://social.example/7", Attempts: []v1beta1.PostAttempt{
				{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: metav1.NewMicroTime(noon)},
			}}
			w := newWorld(t, 0, none, socialAccount(), b, p)
			if err := w.live.Delete(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			w.event(client.ObjectKeyFromObject(p))
			w.until(10*time.Minute, func() bool { return w.post(p.Name) == nil })
			if stays := w.post(p.Name) != nil; stays != c.stays {
				t.Errorf("%s: the post still exists: %v", c.why, stays)
			}
		})
	}
}

func nameOf(b *v1beta1.PostBatch) string { return posting.PostName(b, "tiktok", "maya", 0) }
