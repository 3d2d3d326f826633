// SPDX-License-Identifier: Apache-2.0

package read_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
)

var began = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func stamp(seconds int) *metav1.Time {
	t := metav1.NewTime(began.Add(time.Duration(seconds) * time.Second))
	return &t
}

// shows returns slideshows in all states, with all fields that make them large.
func shows() map[string]*v1beta1.Slideshow {
	long := strings.Repeat("word ", 200)
	fresh := func() *v1beta1.Slideshow {
		return &v1beta1.Slideshow{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "n", Name: "slideshow-7", UID: "u", ResourceVersion: "5", Generation: 2, CreationTimestamp: *stamp(0),
				Labels: map[string]string{v1beta1.LabelID: "7"}, Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": long},
				Finalizers: []string{"reelops.dev/blobs"},
				ManagedFields: []metav1.ManagedFieldsEntry{
					{Manager: "a", Time: stamp(1), FieldsV1: &metav1.FieldsV1{}}, {Manager: "b", Time: stamp(3)}, {Manager: "c", Time: stamp(99), Subresource: "status"},
				},
			},
			Spec: v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "b"}, Context: long, SlideCount: 5, AspectRatio: "4:5"},
		}
	}
	written := fresh()
	written.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1, StartedAt: stamp(2)}
	written.Status.Text = &v1beta1.Text{
		Title: "T", Caption: "C", Tags: []string{"a", "b"}, Language: "en",
		Slides: []v1beta1.SlideText{{Heading: long}, {Heading: long}, {Heading: long}, {Heading: long}},
	}
	drawn := written.DeepCopy()
	drawn.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: stamp(2), FinishedAt: stamp(9)}
	drawn.Status.Design = &v1beta1.Design{AspectRatio: "4:5", Style: "bold_center"}
	drawn.Status.Revision, drawn.Status.PreviewKey, drawn.Status.ThumbnailKey = 1, "p.jpg", "t.jpg"
	drawn.Status.Slides = make([]v1beta1.Slide, 6)
	for i := range drawn.Status.Slides {
		drawn.Status.Slides[i] = v1beta1.Slide{ID: int64(i + 1), AltText: long, PictureKey: long}
	}
	drawn.Status.Normalizations = []v1beta1.Normalization{{From: long}}
	drawn.Status.Conditions = []metav1.Condition{{Message: long}}
	byHand := fresh()
	byHand.Spec.Context, byHand.Spec.SlideCount = "", 0
	byHand.Spec.Title, byHand.Spec.Slides = ptr.To("By hand"), []v1beta1.SlideSpec{{Heading: long}, {Heading: long}, {Heading: long}}
	draft := byHand.DeepCopy()
	draft.Spec.Suspend = true
	failed := fresh()
	failed.Status.Work = &v1beta1.Work{
		State: v1beta1.WorkFailed, Attempt: 3, StartedAt: stamp(2), FinishedAt: stamp(9),
		Error: &v1beta1.WorkError{Code: "generation_failed", Message: "No.", Details: map[string]string{"reason": "x"}},
	}
	return map[string]*v1beta1.Slideshow{"new": fresh(), "written": written, "drawn": drawn, "by hand": byHand, "draft": draft, "failed": failed}
}

func render(state v1beta1.WorkState, revision int64) v1beta1.RenderJob {
	r := v1beta1.RenderJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "slideshow-7-r1", CreationTimestamp: *stamp(20)},
		Spec:       v1beta1.RenderJobSpec{Revision: &revision},
		Status:     v1beta1.RenderJobStatus{Work: &v1beta1.Work{State: state, Attempt: 1, StartedAt: stamp(21)}, TimelineKey: "k", Conditions: []metav1.Condition{{}}},
	}
	switch state {
	case v1beta1.WorkProcessing:
		r.Status.Progress = &v1beta1.RenderProgress{Attempt: 1, Percent: 40}
	case v1beta1.WorkSucceeded:
		r.Status.Work.FinishedAt = stamp(60)
		r.Status.Output = &v1beta1.RenderOutput{BlobKey: "f.mp4", DurationMilliseconds: 9500}
		r.Status.Report = &v1beta1.RenderReport{Output: r.Status.Output}
	}
	return r
}

// TestTrimmedShort_HasTheSameViews compares the views of whole objects and of their trimmed form.
func TestTrimmedShort_HasTheSameViews(t *testing.T) {
	for name, show := range shows() {
		for _, renders := range [][]v1beta1.RenderJob{
			nil, {render(v1beta1.WorkProcessing, 1)}, {render(v1beta1.WorkSucceeded, 1)}, {render(v1beta1.WorkSucceeded, 9)},
		} {
			whole := seen(t, show, renders)
			part := seen(t, trimmed(t, show), trimmedAll(t, renders))
			if d := cmp.Diff(whole, part); d != "" {
				t.Errorf("%s with %d renders: %s", name, len(renders), d)
			}
		}
	}
}

// videos returns videos in all states, with all fields that make them large.
func videos() map[string]*v1beta1.Video {
	long := strings.Repeat("word ", 50)
	fresh := func() *v1beta1.Video {
		v := &v1beta1.Video{
			ObjectMeta: shows()["new"].ObjectMeta,
			Spec: v1beta1.VideoSpec{
				BrandRef: v1beta1.LocalRef{Name: "b"}, HookText: &long, Avatar: v1beta1.ClipSource{URL: &long}, Demos: []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{URL: &long}}, {ClipSource: v1beta1.ClipSource{URL: &long}}},
				LoopCount: 2, AspectRatio: "4:5", Title: ptr.To("T"), TextSettings: v1beta1.TextSettings{FontFamily: long},
			},
		}
		v.Name = "video-7"
		return v
	}
	draft := fresh()
	draft.Spec.Suspend = true
	written := fresh()
	written.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1, StartedAt: stamp(2)}
	written.Status.Text = &v1beta1.VideoText{Language: "en", Hook: long, Title: "W", Caption: "C", Tags: []string{"a", "b"}}
	spoken := written.DeepCopy()
	spoken.Status.Speech = &v1beta1.Speech{Source: "package", BlobKey: long, Words: []v1beta1.SpokenWord{{Text: long}}}
	rendering := spoken.DeepCopy()
	rendering.Status.Revision, rendering.Status.Clips = 1, []v1beta1.VideoClip{{Role: "avatar", BlobKey: long}}
	rendering.Status.Render = &v1beta1.RenderSummary{Name: "r", State: v1beta1.WorkProcessing}
	made := rendering.DeepCopy()
	made.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: stamp(2), FinishedAt: stamp(9)}
	made.Status.Output = &v1beta1.RenderOutput{BlobKey: "film.mp4", DurationMilliseconds: 9500}
	made.Status.PosterKey, made.Status.ThumbnailKey, made.Status.CaptionsKey = "p.jpg", "t.jpg", "c.vtt"
	made.Status.Normalizations, made.Status.Conditions = []v1beta1.Normalization{{From: long}}, []metav1.Condition{{Message: long}}
	failed := spoken.DeepCopy()
	failed.Status.Work = &v1beta1.Work{
		State: v1beta1.WorkFailed, Attempt: 3, StartedAt: stamp(2), FinishedAt: stamp(9),
		Error: &v1beta1.WorkError{Code: "validation_failed", Message: "No.", Details: map[string]string{"field": "avatar_url"}},
	}
	return map[string]*v1beta1.Video{"new": fresh(), "draft": draft, "written": written, "spoken": spoken, "rendering": rendering, "made": made, "failed": failed}
}

func TestTrimmedVideo_HasTheSameViews(t *testing.T) {
	for name, v := range videos() {
		for _, renders := range [][]v1beta1.RenderJob{nil, {render(v1beta1.WorkProcessing, 1)}} {
			whole := seenShort(t, view.Short{Video: v, Renders: renders})
			part := seenShort(t, view.Short{Video: trimmed(t, v), Renders: trimmedAll(t, renders)})
			if d := cmp.Diff(whole, part); d != "" {
				t.Errorf("%s with %d renders: %s", name, len(renders), d)
			}
		}
		small := trimmed(t, v)
		if text := ptr.Deref(small.Spec.HookText, ""); !strings.Contains(text, "word word") {
			t.Errorf("%s: the cached text is %q", name, text)
		}
		small.Spec.HookText = nil
		doc, err := json.Marshal(small)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(doc), "word word") || len(doc) > 1100 {
			t.Errorf("%s: %d bytes are cached: %s", name, len(doc), doc)
		}
		if !read.Partial(trimmed(t, v)) {
			t.Errorf("%s is not marked as trimmed", name)
		}
	}
}

// views holds the parts of a short that lists and jobs show.
type views struct {
	Summary view.ShortSummary
	Job     *view.Job
}

func seen(t *testing.T, show *v1beta1.Slideshow, renders []v1beta1.RenderJob) views {
	t.Helper()
	return seenShort(t, view.Short{Show: show, Renders: renders})
}

func seenShort(t *testing.T, s view.Short) (out views) {
	t.Helper()
	s.ID, s.Brand, s.BrandID = 7, &v1beta1.Brand{}, 1
	s.Sign = func(key string, _ time.Duration) (string, error) { return "https://x.example/" + key, nil }
	summary, err := s.Summary()
	if err != nil {
		t.Fatal(err)
	}
	out.Summary = *summary
	if s.HasJob() {
		if out.Job, err = s.Job(began); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// trimmed trims a copy. Trimming again an object that was restored from a snapshot must not change it.
func trimmed[O client.Object](t *testing.T, o O) O {
	t.Helper()
	out, err := read.Trim(o.DeepCopyObject())
	if err != nil {
		t.Fatal(err)
	}
	text, err := direct.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	back := reflect.New(reflect.TypeOf(o).Elem()).Interface()
	if err := direct.Unmarshal(text, back); err != nil {
		t.Fatal(err)
	}
	again, err := read.Trim(back)
	if d := cmp.Diff(out, again); d != "" || err != nil {
		t.Errorf("trimmed again, the object differs (%v): %s", err, d)
	}
	return out.(O)
}

func TestTrimmedPost(t *testing.T) {
	long := strings.Repeat("word ", 200)
	p := &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Name: "post-7", Namespace: "n", UID: "u", ResourceVersion: "5", Generation: 1, CreationTimestamp: *stamp(0),
			Labels:          map[string]string{v1beta1.LabelID: "7", v1beta1.LabelBrand: "b", "other": long},
			Annotations:     map[string]string{v1beta1.AnnotationOrigin: "rest", "other": long},
			OwnerReferences: []metav1.OwnerReference{{Kind: "PostBatch", Name: long}},
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "a", Time: stamp(1), FieldsV1: &metav1.FieldsV1{}}},
		},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: "b"}, Account: "tiktok-1", PostingMode: "direct_post", Tags: []string{"a"},
			Media: v1beta1.PostMedia{Kind: "video", VideoKey: long, Cover: &v1beta1.PostMediaCover{OffsetMillis: ptr.To[int64](3000)}},
			Settings: &v1beta1.PostSettings{
				Cover: &v1beta1.PostCover{Slide: ptr.To[int32](2)}, TikTok: &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY"}, FirstComment: &long,
			},
			Hold: true, Edit: &v1beta1.PostEdit{Number: 2}, Approval: &v1beta1.PostApproval{State: v1beta1.ApprovalReturned, Edit: 2, Comment: "Shorter", By: "ada"},
		},
		Status: v1beta1.PostStatus{Conditions: []metav1.Condition{{Message: long}}},
	}
	part := trimmed(t, p)
	if !read.Partial(part) || part.Spec.Account != "tiktok-1" || part.Annotations[v1beta1.AnnotationOrigin] != "rest" || part.Labels[v1beta1.LabelBrand] != "b" {
		t.Errorf("fields of lists are lost: %+v", part)
	}
	now, brand := stamp(2).Time, &v1beta1.Brand{Spec: v1beta1.BrandSpec{Approval: "hold"}}
	if d := cmp.Diff(view.PostOf(7, p, brand, 0, nil, now), view.PostOf(7, part, brand, 0, nil, now)); d != "" {
		t.Errorf("lists show another post: %s", d)
	}
	if part.Spec.Media.VideoKey != "" || part.Spec.Settings.TikTok != nil || *part.Spec.Settings.FirstComment != "" {
		t.Errorf("fields that no list shows are cached: %+v", part.Spec)
	}
	if part.OwnerReferences != nil || part.Spec.Tags != nil || part.Status.Conditions != nil || part.Labels["other"] != "" || part.Annotations["other"] != "" {
		t.Errorf("unused fields are cached: %+v", part)
	}
}

func trimmedAll(t *testing.T, in []v1beta1.RenderJob) (out []v1beta1.RenderJob) {
	t.Helper()
	for i := range in {
		out = append(out, *trimmed(t, &in[i]))
	}
	return out
}

func TestTrim_DropsLargeFields(t *testing.T) {
	for name, show := range shows() {
		part := trimmed(t, show)
		if kept := len(show.Spec.Slides) > 0 || show.Status.Text != nil; kept != strings.Contains(part.Spec.Context, "word word") {
			t.Errorf("%s: the cached texts of slides are %q", name, part.Spec.Context)
		}
		part.Spec.Context = ""
		// Besides the values, only managed field times and the mark may remain.
		doc, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(doc), "word word") {
			t.Errorf("%s: long texts are cached: %s", name, doc)
		}
	}
	brand := &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"a": "b"}, Finalizers: []string{"f"}}, Spec: v1beta1.BrandSpec{DisplayName: "B"}}
	if d := cmp.Diff(brand, trimmed(t, brand)); d != "" || read.Partial(brand) {
		t.Errorf("other kinds are not trimmed: %s", d)
	}
}

// TestTrimmedObjects_AreNeverWritten tries every way of writing, with the cached object itself and with a copy of it.
func TestTrimmedObjects_AreNeverWritten(t *testing.T) {
	reached := false
	c := read.Client(interceptor.NewClient(nil, interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			reached = true
			return nil
		},
		Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error {
			reached = true
			return nil
		},
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			reached = true
			return nil
		},
		SubResourceUpdate: func(context.Context, client.Client, string, client.Object, ...client.SubResourceUpdateOption) error {
			reached = true
			return nil
		},
		SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
			reached = true
			return nil
		},
	}), index.New(clock.RealClock{}))
	ctx := context.Background()
	writes := map[string]func(o client.Object) error{
		"create":        func(o client.Object) error { return c.Create(ctx, o) },
		"update":        func(o client.Object) error { return c.Update(ctx, o) },
		"patch":         func(o client.Object) error { return c.Patch(ctx, o, client.Merge) },
		"status update": func(o client.Object) error { return c.Status().Update(ctx, o) },
		"status patch":  func(o client.Object) error { return c.Status().Patch(ctx, o, client.Merge) },
		"scale update":  func(o client.Object) error { return c.SubResource("scale").Update(ctx, o) },
		"scale patch":   func(o client.Object) error { return c.SubResource("scale").Patch(ctx, o, client.Merge) },
	}
	job := render(v1beta1.WorkSucceeded, 1)
	for _, whole := range []client.Object{shows()["drawn"], &job} {
		part := trimmed(t, whole)
		for name, write := range writes {
			for what, o := range map[string]client.Object{"itself": part, "a copy": part.DeepCopyObject().(client.Object)} {
				if err := write(o); !errors.Is(err, read.ErrPartial) || reached {
					t.Errorf("%s of %T %s: got %v, reached the cluster: %v", name, o, what, err, reached)
				}
				reached = false
			}
			if err := write(whole); err != nil || !reached {
				t.Errorf("%s of a whole %T: got %v, reached the cluster: %v", name, whole, err, reached)
			}
			reached = false
		}
	}
}
