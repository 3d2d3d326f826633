// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/pod"
)

func podOptions() pod.Options {
	return pod.Options{Image: "renderer", CPU: resource.MustParse("2"), Memory: resource.MustParse("1Gi"), Scratch: resource.MustParse("2Gi"), TTLSeconds: 600}
}

// slideshow returns a rendered slideshow of revision 1.
func slideshow() *v1beta1.Slideshow {
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", Generation: 1, Labels: map[string]string{v1beta1.LabelID: "7"}}}
	s.Spec.BrandRef.Name = "acme"
	s.Status = v1beta1.SlideshowStatus{
		ObservedGeneration: 1, Revision: 1, Design: &v1beta1.Design{AspectRatio: "9:16", Style: "bold_center"},
		Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1},
	}
	for i := range int64(3) {
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{
			ID: i + 1, Background: v1beta1.SlideBackground{Source: "stock", ID: "x", BlobKey: "bg-" + string('1'+rune(i))}, LayerKey: "layer-" + string('1'+rune(i)),
			PictureKey: "picture", DurationMilliseconds: 3000, TextOverlays: []v1beta1.TextOverlay{},
		})
	}
	return s
}

func TestFilmOf(t *testing.T) {
	s := slideshow()
	f := filmOf(s)
	if err := f.Timeline.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(f.Timeline.Clips) != 3 || len(f.Inputs) != 6 || f.Inputs["background-2"] != "bg-2" || f.Inputs["layer-3"] != "layer-3" {
		t.Errorf("got clips %d, inputs %v", len(f.Timeline.Clips), f.Inputs)
	}
	for i, c := range f.Timeline.Clips {
		if c.Frames != 90 {
			t.Errorf("got %d frames for three seconds, want 90", c.Frames)
		}
		if in := c.Motion.To > c.Motion.From; c.Motion.Kind != timeline.SlowZoom || in != (i%2 == 0) {
			t.Errorf("clip %d: want neighbours to zoom in and out alternately, got %+v", i, c.Motion)
		}
	}
	for _, c := range []struct {
		style string
		asked v1beta1.FilmSpec
		zoom  float64
		fade  int // frames
	}{
		{"bold_center", v1beta1.FilmSpec{}, 1.1, 0},
		{"bold_center", v1beta1.FilmSpec{Transition: "crossfade"}, 1.1, 12},
		{"poster_caps", v1beta1.FilmSpec{}, 1.06, 15},
		{"poster_caps", v1beta1.FilmSpec{Motion: "still", Transition: "cut"}, 0, 0},
		{"caption_plate", v1beta1.FilmSpec{}, 0, 0},
		{"caption_plate", v1beta1.FilmSpec{Motion: "slow_zoom"}, 1.08, 0},
		{"numbered_slab", v1beta1.FilmSpec{}, 0, 9},
	} {
		s.Status.Design.Style, s.Spec.Film = c.style, c.asked
		f := filmOf(s)
		if err := f.Timeline.Validate(); err != nil {
			t.Fatal(err)
		}
		for i, clip := range f.Timeline.Clips {
			fade := c.fade
			if i == 2 { // the last clip has no transition
				fade = 0
			}
			if max(clip.Motion.From, clip.Motion.To) != c.zoom || clip.Transition.Frames != fade || (fade > 0) != (clip.Transition.Kind == timeline.Crossfade) {
				t.Errorf("%s with %+v: clip %d has motion %+v, transition %+v", c.style, c.asked, i, clip.Motion, clip.Transition)
			}
		}
	}
}

func TestFilmOf_SpeaksEachSlideAfterItsLead(t *testing.T) {
	s := slideshow()
	s.Status.Slides[0].Speech = &v1beta1.SlideSpeech{BlobKey: "said-1", DurationMilliseconds: 2000}
	s.Status.Slides[2].Speech = &v1beta1.SlideSpeech{BlobKey: "said-3", DurationMilliseconds: 2000}
	s.Spec.Film.Transition = "crossfade"
	f := filmOf(s)
	f.withMusic("k")
	if err := f.Timeline.Validate(); err != nil {
		t.Fatal(err)
	}
	want := []timeline.Voice{{Input: "speech-1", At: 9}, {Input: "speech-3", At: 189}} // 0.3 s after 0 and 180 frames
	if diff := cmp.Diff(want, f.Timeline.Audio.Voices); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if f.Inputs["speech-3"] != "said-3" || f.Timeline.Audio.Kind != timeline.Music || maxBytes("speech-3") != catalog.MaxTrackBytes {
		t.Errorf("got inputs %v", f.Inputs)
	}
	for i, at := range []int{9, 189} { // no slide speaks before it is fully visible
		if whole := f.Timeline.Alone(2 * i); at < whole {
			t.Errorf("the speech starts at frame %d, the slide is visible from frame %d", at, whole)
		}
	}
}

func TestBuildJob(t *testing.T) {
	j := renderJob(func(j *v1beta1.RenderJob) { j.Status.MemoryBytes, j.Status.Work.Attempt = 2<<30, 2 })
	j.Labels = map[string]string{v1beta1.LabelShort: "7", v1beta1.LabelBrand: "acme"}
	b := jobOf(j, podOptions(), 0)
	if b.Name != j.Status.JobName || b.Labels[v1beta1.LabelAttempt] != "2" || b.Labels[v1beta1.LabelRenderJob] != j.Name {
		t.Errorf("got name %q, labels %v", b.Name, b.Labels)
	}
	if b.Spec.Template.Labels[v1beta1.LabelRenderJob] != j.Name {
		t.Error("the pod does not reference its RenderJob")
	}
	if *b.Spec.BackoffLimit != 0 || *b.Spec.ActiveDeadlineSeconds != 2700 || *b.Spec.Template.Spec.ActiveDeadlineSeconds != 900 || *b.Spec.TTLSecondsAfterFinished != 600 {
		t.Errorf("got pod spec %+v", b.Spec)
	}
	spec := b.Spec.Template.Spec
	if *spec.AutomountServiceAccountToken || spec.RestartPolicy != corev1.RestartPolicyNever {
		t.Error("the pod has a token or restarts")
	}
	c := spec.Containers[0]
	if diff := cmp.Diff(c.Resources.Requests, c.Resources.Limits); diff != "" {
		t.Errorf("requests and limits differ: %s", diff)
	}
	if m := c.Resources.Limits[corev1.ResourceMemory]; m.Value() != (2+2)<<30 { // and that of the working directory
		t.Errorf("got memory %s, want that of the attempt", m.String())
	}
	if len(c.Env) != 1 || c.Env[0].ValueFrom == nil || c.Env[0].ValueFrom.SecretKeyRef.Name != j.Status.JobName {
		t.Errorf("want one signed URL from the Secret of the attempt: %+v", c.Env)
	}
	for _, v := range spec.Volumes {
		if v.EmptyDir == nil || v.EmptyDir.SizeLimit == nil {
			t.Errorf("want one bounded scratch volume: %+v", v)
		}
	}
}

// jobOf returns the Job of the current attempt as the runner creates it.
func jobOf(j *v1beta1.RenderJob, o pod.Options, clipBytes int64) *batchv1.Job {
	w := work(j, clipBytes)
	w.Namespace, w.Name, w.Queue = j.Namespace, j.Status.JobName, catalog.QueueDeadline
	return w.Job(o)
}

// TestOrder_AcceptsEveryTimeline compares the limit of an order with those of timelines.
func TestOrder_AcceptsEveryTimeline(t *testing.T) {
	if most := 2*timeline.MaxClips + timeline.MaxSpots + timeline.MaxVoices + 1; most > order.MaxFiles {
		t.Errorf("a timeline names up to %d files, an order accepts at most %d", most, order.MaxFiles)
	}
}
