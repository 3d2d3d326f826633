// SPDX-License-Identifier: Apache-2.0

package postbatch_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// video creates a Video that no controller has processed.
func (u *run) video(name string) *v1beta1.Video {
	u.t.Helper()
	title, caption, tags := "One thing", "What ten bad years taught us.", "sleep"
	v := &v1beta1.Video{
		ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: name, Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(ids.Add(1), 10)}},
		Spec: v1beta1.VideoSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Avatar: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "anna"}},
			Title: &title, Caption: &caption, Tags: &tags,
		},
	}
	u.must(cluster.Client.Create(u.t.Context(), v))
	return v
}

// filmed writes the status of the video controller for a rendered video.
func (u *run) filmed(v *v1beta1.Video) {
	u.t.Helper()
	v.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}
	v.Status.Revision = 1
	v.Status.Output = &v1beta1.RenderOutput{
		BlobKey: "renders/film.mp4", Bytes: 900, SHA256: strings.Repeat("a", 64), DurationMilliseconds: 16_000, Width: 1080, Height: 1920,
	}
	u.must(cluster.Client.Status().Update(u.t.Context(), v))
}

func TestVideo(t *testing.T) {
	t.Run("waits for the rendered video, and publishes it on every target", func(t *testing.T) {
		u := start(t)
		u.account("youtube", "tube")
		v := u.video("one-thing")
		id, _ := strconv.ParseInt(v.Labels[v1beta1.LabelID], 10, 64)
		u.batch("by-name", func(b *v1beta1.PostBatch) {
			b.Spec.Accounts, b.Spec.ShortRef = accounts("tube"), v1beta1.ShortRef{Name: "one-thing"}
		})
		u.batch("by-id", func(b *v1beta1.PostBatch) {
			b.Spec.Accounts, b.Spec.ShortRef = accounts("tube"), v1beta1.ShortRef{ID: id}
		})
		for _, name := range []string{"by-name", "by-id"} {
			u.settle(name)
			u.hasReady(name, metav1.ConditionFalse, v1beta1.ReasonShortNotReady, false)
		}
		u.filmed(v)
		u.settle("by-name")
		u.settle("by-id")
		posts := u.posts()
		if len(posts) != 2 {
			t.Fatalf("got %d posts", len(posts))
		}
		for _, p := range posts {
			want := v1beta1.PostMedia{
				Kind: "video", VideoKey: "renders/film.mp4", Bytes: 900, SHA256: strings.Repeat("a", 64), DurationMilliseconds: 16_000, DurationMillis: 16_000, Width: 1080, Height: 1920,
			}
			if diff := cmp.Diff(want, p.Spec.Media); diff != "" {
				t.Error(diff)
			}
			if p.Spec.ShortID != id || p.Spec.Revision != 1 || p.Spec.Title != "One thing" || p.Spec.Caption != "What ten bad years taught us." {
				t.Errorf("got post %+v", p.Spec)
			}
		}
	})

	t.Run("fails for a failed video", func(t *testing.T) {
		u := start(t)
		u.account("tiktok", "tik")
		v := u.video("one-thing")
		v.Status.Work = &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 1, Error: &v1beta1.WorkError{Code: "validation_failed", Message: "No."}}
		u.must(cluster.Client.Status().Update(t.Context(), v))
		u.batch("promo", func(b *v1beta1.PostBatch) {
			b.Spec.Accounts, b.Spec.ShortRef = accounts("tik"), v1beta1.ShortRef{Name: "one-thing"}
		})
		u.clock.Step(time.Hour)
		u.settle("promo")
		if st := u.live("promo").Status; st.Overall != "failed" || st.Targets[0].Error.Code != "short_not_postable" {
			t.Errorf("got status %+v", st)
		}
	})

	t.Run("rejects a short name of a slideshow and a video, unless the kind is set", func(t *testing.T) {
		u := start(t)
		u.account("tiktok", "tik")
		v, s := u.video("tidy"), u.show("tidy")
		u.filmed(v)
		u.batch("unclear", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
		u.settle("unclear")
		u.hasReady("unclear", metav1.ConditionFalse, v1beta1.ReasonShortNotReady, false)
		if message := u.live("unclear").Status.Conditions[0].Message; !strings.Contains(message, "shortRef.kind") {
			t.Errorf("got message %q", message)
		}
		for kind, short := range map[string]metav1.Object{"Slideshow": s, "Video": v} {
			u.batch(strings.ToLower(kind), func(b *v1beta1.PostBatch) {
				b.Spec.Accounts, b.Spec.ShortRef.Kind = accounts("tik"), kind
			})
			u.settle(strings.ToLower(kind))
			if got := u.live(strings.ToLower(kind)).Status.ShortID; strconv.FormatInt(got, 10) != short.GetLabels()[v1beta1.LabelID] {
				t.Errorf("%s: got short %d", kind, got)
			}
		}
		u.clock.Step(time.Hour)
		u.settle("unclear")
		if e := u.live("unclear").Status.Targets[0].Error; e == nil || e.Code != "validation_failed" || e.Details["field"] != "shortRef.kind" {
			t.Errorf("got error %+v", e)
		}
	})

	t.Run("ignores another brand's video with the name", func(t *testing.T) {
		u := start(t)
		u.account("tiktok", "tik")
		s := u.show("tidy")
		v := u.video("tidy")
		u.must(cluster.Client.Delete(t.Context(), v))
		v = v.DeepCopy()
		v.ResourceVersion, v.UID, v.Spec.BrandRef.Name = "", "", "other"
		u.must(cluster.Client.Create(t.Context(), v))
		u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
		u.settle("promo")
		if got := u.live("promo").Status.ShortID; strconv.FormatInt(got, 10) != s.Labels[v1beta1.LabelID] {
			t.Errorf("got short %d", got)
		}
	})

	t.Run("rejects a kind without a name", func(t *testing.T) {
		u := start(t)
		err := cluster.Client.Create(t.Context(), &v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: "promo"},
			Spec: v1beta1.PostBatchSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{Kind: "Video", ID: 7}, Accounts: accounts("tik"), ScheduledAt: u.in(time.Hour),
			},
		})
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "kind needs name") {
			t.Error(err)
		}
	})
}
