// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
)

// video returns a video of an avatar, a demo by id and one by URL, played twice.
func video(w *v1beta1.Work, change func(*v1beta1.Video)) *view.Short {
	s := short(nil, 0)
	s.Show = nil
	s.Video = &v1beta1.Video{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(0)},
		Spec: v1beta1.VideoSpec{
			Avatar: v1beta1.ClipSource{URL: ptr.To("https://x/anna.mp4")}, LoopCount: 2,
			Demos: []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "media-42"}}}, {ClipSource: v1beta1.ClipSource{URL: ptr.To("https://x/b.mp4")}}},
		},
		Status: v1beta1.VideoStatus{Work: w},
	}
	s.DemoIDs = []int64{42, 0}
	if change != nil {
		change(s.Video)
	}
	return s
}

func TestVideoJob(t *testing.T) {
	written := func(v *v1beta1.Video) { v.Status.Text = &v1beta1.VideoText{} }
	spoken := func(v *v1beta1.Video) { written(v); v.Status.Speech = &v1beta1.Speech{} }
	fixed := func(v *v1beta1.Video) { spoken(v); v.Status.Revision = 1 }
	running := work(v1beta1.WorkProcessing, at(1), nil)
	last := -1
	for _, c := range []struct {
		why    string
		short  *view.Short
		status string
	}{
		{"not reconciled yet", video(nil, nil), "queued"},
		{"started", video(running, nil), "processing"},
		{"written", video(running, written), "processing"},
		{"spoken", video(running, spoken), "processing"},
		{"the parts are fixed", video(running, fixed), "processing"},
		{"half rendered", func() *view.Short {
			s := video(running, fixed)
			r := render(1, at(2), work(v1beta1.WorkProcessing, at(2), nil))
			r.Status.Progress = &v1beta1.RenderProgress{Attempt: 1, Percent: 50}
			s.Renders = []v1beta1.RenderJob{r}
			return s
		}(), "processing"},
		{"there", video(work(v1beta1.WorkSucceeded, at(1), at(3)), fixed), "succeeded"},
	} {
		j, err := c.short.Job(noon)
		if err != nil {
			t.Fatal(err)
		}
		if j.Kind != "video_generation" || string(j.Status) != c.status || j.PollAfterSeconds != 30 || j.RenderRequestedAt != nil {
			t.Errorf("%s: %+v", c.why, j)
		}
		if j.Progress <= last || (j.Progress == 100) != (c.status == "succeeded") {
			t.Errorf("%s: progress %d after %d", c.why, j.Progress, last)
		}
		last = j.Progress
	}
}

func TestVideoStatus(t *testing.T) {
	film := func(v *v1beta1.Video) { v.Status.Output = &v1beta1.RenderOutput{} }
	suspended := func(v *v1beta1.Video) { v.Spec.Suspend = true }
	for want, s := range map[string]*view.Short{
		"draft": video(nil, suspended), "processing": video(nil, nil), "success": video(work(v1beta1.WorkSucceeded, at(1), at(2)), film),
		"failed": video(work(v1beta1.WorkFailed, at(1), at(2)), suspended),
	} {
		if s.Status() != want || s.HasJob() != (want != "draft") || s.Type() != "UGC" {
			t.Errorf("%s: %s, a job: %v", want, s.Status(), s.HasJob())
		}
	}
	if again := video(work(v1beta1.WorkSucceeded, at(1), at(2)), nil); again.Status() != "processing" {
		t.Errorf("a video that is rendered again after its deletion: %s", again.Status())
	}
}

func TestVideoDetail(t *testing.T) {
	s := video(work(v1beta1.WorkSucceeded, at(1), at(2)), func(v *v1beta1.Video) {
		for i := range int64(5) {
			v.Status.Clips = append(v.Status.Clips, v1beta1.VideoClip{
				Role: []string{"avatar", "product_demo", "product_demo", "product_demo", "product_demo"}[i], MediaID: 40 + i, BlobKey: "clip.mp4",
				StartMilliseconds: 1500 * i, DurationMilliseconds: 1500, SourceMilliseconds: 1500,
			})
		}
		v.Spec.TextSettings = v1beta1.TextSettings{Position: &v1beta1.Position{X: 0.25, Y: 0.9}, Color: "#abc"}
	})
	d, err := s.Detail(noon)
	if err != nil {
		t.Fatal(err)
	}
	got := d.TypeData.Video
	address := "http://x/clip.mp4?valid=168h0m0s"
	if diff := cmp.Diff([]view.VideoClip{
		{Role: "avatar", URL: address, DurationSeconds: 1.5, Fit: "cover", SourceEnd: 1.5},
		{Role: "product_demo", MediaID: ptr.To[int64](41), URL: address, StartSeconds: 1.5, DurationSeconds: 1.5, Fit: "cover", SourceEnd: 1.5},
		{Role: "product_demo", URL: address, StartSeconds: 3, DurationSeconds: 1.5, Fit: "cover", SourceEnd: 1.5},
	}, got.Clips); diff != "" {
		t.Errorf("each clip once, and those from a URL without an id: %s", diff)
	}
	if diff := cmp.Diff([]any{[]int64{42}, []string{"https://x/b.mp4"}, (*int64)(nil), ptr.To("https://x/anna.mp4")},
		[]any{got.ProductDemoMediaIDs, got.ProductDemoURLs, got.AvatarMediaID, got.AvatarURL}); diff != "" {
		t.Error(diff)
	}
	if ts := got.TextSettings; ts.Position != (view.Position{X: 25, Y: 90}) || ts.Align != "center" || *ts.Color != "#AABBCC" || ts.FontSize != nil {
		t.Errorf("text settings %+v", ts)
	}
}

// Demos with a trim or texts are in one list, and the video's clips have these fields too.
func TestVideoDetail_Clips(t *testing.T) {
	media := func(name string) v1beta1.ClipSource {
		return v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: name}}
	}
	s := video(work(v1beta1.WorkSucceeded, at(1), at(2)), func(v *v1beta1.Video) {
		v.Spec.AvatarLayout = v1beta1.AvatarPictureInPicture
		v.Spec.Demos = append(v.Spec.Demos,
			v1beta1.DemoClip{ClipSource: media("media-43"), Fit: "auto"},
			v1beta1.DemoClip{
				ClipSource: v1beta1.ClipSource{URL: ptr.To("https://x/c.mp4")}, Fit: "contain", StartMilliseconds: 1500, EndMilliseconds: ptr.To[int64](4000),
				Text: "Two taps", CallToAction: "Try it",
			})
		v.Status.Clips = []v1beta1.VideoClip{
			{Role: "avatar", BlobKey: "clip.mp4", DurationMilliseconds: 5000, SourceMilliseconds: 3000, PictureInPicture: true},
			{Role: "product_demo"},
			{Role: "product_demo"},
			{Role: "product_demo"},
			{
				Role: "product_demo", BlobKey: "clip.mp4", StartMilliseconds: 6000, DurationMilliseconds: 2500, SourceStartMilliseconds: 1500,
				SourceMilliseconds: 2500, Fit: "contain",
			},
		}
	})
	s.DemoIDs = []int64{42, 0, 43, 0}
	d, err := s.Detail(noon)
	if err != nil {
		t.Fatal(err)
	}
	got := d.TypeData.Video
	texts := view.ClipTexts{Text: ptr.To("Two taps"), CallToAction: ptr.To("Try it")}
	if diff := cmp.Diff([]view.DemoClip{
		{MediaID: ptr.To[int64](43), Fit: "auto"},
		{URL: ptr.To("https://x/c.mp4"), Fit: "contain", Start: 1.5, End: ptr.To(4.0), ClipTexts: texts},
	}, got.ProductDemoClips); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{[]int64{42}, []string{"https://x/b.mp4"}, "picture_in_picture"}, []any{got.ProductDemoMediaIDs, got.ProductDemoURLs, got.AvatarLayout}); diff != "" {
		t.Error(diff)
	}
	address := "http://x/clip.mp4?valid=168h0m0s"
	for i, want := range map[int]view.VideoClip{
		0: {Role: "avatar", URL: address, DurationSeconds: 5, Fit: "cover", SourceEnd: 3, PictureInPicture: true},
		4: {Role: "product_demo", URL: address, StartSeconds: 6, DurationSeconds: 2.5, Fit: "contain", SourceStart: 1.5, SourceEnd: 4, ClipTexts: texts},
	} {
		if diff := cmp.Diff(want, got.Clips[i]); diff != "" {
			t.Errorf("clip %d: %s", i, diff)
		}
	}
}
