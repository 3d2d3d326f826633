// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/filmwords"
	"github.com/reelops/reelops/internal/film/timeline"
)

// video returns a video with fixed parts: speech of 2.9 s, then a demo, twice.
func video(change ...func(*v1beta1.Video)) *v1beta1.Video {
	v := &v1beta1.Video{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "v"}}
	v.Spec.BrandRef.Name, v.Spec.AspectRatio = "acme", "9:16"
	demo := v1beta1.VideoClip{Role: v1beta1.ClipProductDemo, BlobKey: "media/tenant/b/file.mov", StartMilliseconds: 2900, DurationMilliseconds: 1333, SourceMilliseconds: 1333, Sound: true}
	again := demo
	again.StartMilliseconds = 4233
	v.Status = v1beta1.VideoStatus{
		Work: &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1}, Revision: 1, WordsKey: "videos/tenant/v/words.json",
		Speech: &v1beta1.Speech{BlobKey: "videos/tenant/v/speech", Source: "package", DurationMilliseconds: 2400},
		Clips: []v1beta1.VideoClip{
			{Role: v1beta1.ClipAvatar, BlobKey: "media/library/a/file.mp4", DurationMilliseconds: 2900, SourceMilliseconds: 12000},
			demo, again,
		},
	}
	for _, c := range change {
		c(v)
	}
	return v
}

func spokenWords() *filmwords.Document {
	return &filmwords.Document{Version: filmwords.Version, Spots: []filmwords.Spot{
		{BlobKey: "w1", X: 100, Y: 400, FromMilliseconds: 0, ToMilliseconds: 1500},
		{BlobKey: "w2", X: 120, Y: 400, FromMilliseconds: 1500, ToMilliseconds: 3500},
	}}
}

func TestVideoFilm(t *testing.T) {
	f := videoFilm(video(), spokenWords())
	if err := f.Timeline.Validate(); err != nil {
		t.Fatal(err)
	}
	cut, still := timeline.Transition{Kind: timeline.Cut}, timeline.Motion{Kind: timeline.Still}
	demo := timeline.Footage{Input: "clip-2", ContentType: "video/quicktime", Frames: 40, Sound: true}
	word := func(n int, x, from, to int) timeline.Spot {
		return timeline.Spot{Layer: timeline.Layer{Input: fmt.Sprintf("word-%d", n), X: x, Y: 400}, From: from, To: to}
	}
	want := film{
		Timeline: timeline.Timeline{
			Version: 1, Canvas: timeline.Canvas{Width: 1080, Height: 1920}, FPS: 30,
			Clips: []timeline.Clip{
				{
					Footage: &timeline.Footage{Input: "clip-1", ContentType: "video/mp4", Frames: 360, Focus: &timeline.Point{X: 0.5, Y: 0.4}},
					Frames:  87, Motion: still, Transition: cut, Spots: []timeline.Spot{word(1, 100, 0, 45), word(2, 120, 45, 87)},
				},
				{Footage: &demo, Frames: 40, Motion: still, Transition: cut, Spots: []timeline.Spot{word(2, 120, 0, 18)}},
				{Footage: &demo, Frames: 40, Motion: still, Transition: cut},
			},
			Audio: timeline.Audio{Kind: timeline.NoAudio, Voices: []timeline.Voice{{Input: "speech", At: 3}}},
		},
		Inputs: map[string]string{
			"clip-1": "media/library/a/file.mp4", "clip-2": "media/tenant/b/file.mov", "word-1": "w1", "word-2": "w2", "speech": "videos/tenant/v/speech",
		},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestVideoFilm_TrimsAndFitsDemos(t *testing.T) {
	f := videoFilm(video(func(v *v1beta1.Video) {
		c := &v.Status.Clips[1]
		c.SourceStartMilliseconds, c.SourceMilliseconds, c.Fit = 2000, 1333, "contain"
	}), nil)
	want := &timeline.Footage{Input: "clip-2", ContentType: "video/quicktime", Start: 60, Frames: 40, Fit: timeline.Contain, Sound: true}
	if diff := cmp.Diff(want, f.Timeline.Clips[1].Footage); diff != "" {
		t.Error(diff)
	}
}

// A text that is shown several times is one input.
func TestVideoFilm_NamesImagesOnce(t *testing.T) {
	words := &filmwords.Document{Version: filmwords.Version, Spots: []filmwords.Spot{
		{BlobKey: "text", FromMilliseconds: 2900, ToMilliseconds: 4233}, {BlobKey: "text", FromMilliseconds: 4233, ToMilliseconds: 5566},
	}}
	f := videoFilm(video(), words)
	for _, clip := range f.Timeline.Clips[1:] {
		if want := []timeline.Spot{{Layer: timeline.Layer{Input: "word-1"}, From: 0, To: 40}}; !cmp.Equal(clip.Spots, want) {
			t.Errorf("got spots %+v", clip.Spots)
		}
	}
	if f.Inputs["word-1"] != "text" || len(f.Inputs) != 4 {
		t.Errorf("got inputs %v", f.Inputs)
	}
}

func TestVideoFilm_ShortClips(t *testing.T) {
	for source, loop := range map[int64]bool{2900: false, 2500: false, 2300: true, 200: true} {
		f := videoFilm(video(func(v *v1beta1.Video) { v.Status.Clips[0].SourceMilliseconds = source }), nil)
		if got := f.Timeline.Clips[0].Footage.Loop; got != loop {
			t.Errorf("a clip of %d ms that is shown for 2900 does not restart: %v", source, got)
		}
	}
}

func TestVideoFilm_MusicWithoutSpeech(t *testing.T) {
	f := videoFilm(video(func(v *v1beta1.Video) {
		v.Status.Speech = &v1beta1.Speech{Source: "clip"}
		v.Status.Clips[0].Sound = true
	}), nil)
	f.withMusic("k")
	if err := f.Timeline.Validate(); err != nil {
		t.Fatal(err)
	}
	if a := f.Timeline.Audio; a.Kind != timeline.Music || len(a.Voices) != 0 || !f.Timeline.Clips[0].Footage.Sound {
		t.Errorf("got audio %+v", a)
	}
	f = videoFilm(video(), nil)
	f.withMusic("k")
	if a := f.Timeline.Audio; a.Kind != timeline.Music || len(a.Voices) != 1 {
		t.Errorf("music replaces the speech: %+v", a)
	}
	if maxBytes("clip-1") != catalog.MaxVideoBytes || maxBytes(speechInput) != catalog.MaxTrackBytes || maxBytes("word-1") != maxInputBytes {
		t.Error("clips, speech and texts have their own limits")
	}
}

func TestPlanVideo(t *testing.T) {
	pinned := func(n int64) func(*v1beta1.RenderJob) {
		return func(j *v1beta1.RenderJob) { j.Spec.Revision = &n }
	}
	ofVideo := func(change ...func(*v1beta1.RenderJob)) *v1beta1.RenderJob {
		return fresh(append(change, func(j *v1beta1.RenderJob) { j.Spec.Source.Kind = v1beta1.KindVideo })...)
	}
	for why, c := range map[string]struct {
		job   *v1beta1.RenderJob
		video *v1beta1.Video
		words *filmwords.Document
		kind  action
		code  catalog.Code
	}{
		"ready":                      {ofVideo(), video(), spokenWords(), actionStart, ""},
		"no subtitles":               {ofVideo(), video(func(v *v1beta1.Video) { v.Status.WordsKey = "" }), nil, actionStart, ""},
		"missing subtitles":          {ofVideo(), video(), nil, actionFail, catalog.InternalError},
		"missing video":              {ofVideo(), nil, nil, actionWait, ""},
		"parts not ready":            {ofVideo(), video(func(v *v1beta1.Video) { v.Status.Revision = 0 }), spokenWords(), actionWait, ""},
		"the video failed":           {ofVideo(), video(func(v *v1beta1.Video) { v.Status.Work.State = v1beta1.WorkFailed }), spokenWords(), actionFail, catalog.Conflict},
		"the video is being deleted": {ofVideo(), video(func(v *v1beta1.Video) { v.DeletionTimestamp = ptr.To(metav1.NewTime(start)) }), spokenWords(), actionWait, ""},
		"a missing revision":         {ofVideo(pinned(2)), video(), spokenWords(), actionWait, ""},
		"the current revision":       {ofVideo(pinned(1)), video(), spokenWords(), actionStart, ""},
	} {
		st := decide(c.job, &observed{video: c.video, words: c.words}, start.Add(time.Minute))
		code := catalog.Code("")
		if st.err != nil {
			code = catalog.Code(st.err.Code)
		}
		if st.kind != c.kind || code != c.code {
			t.Errorf("%s: got step %d, %+v", why, st.kind, st.err)
		}
	}
	if st := decide(ofVideo(), &observed{video: video(func(v *v1beta1.Video) { v.Spec.Music = &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: "x"}} }), words: spokenWords()}, start); st.reason != v1beta1.ReasonTrackNotFound {
		t.Errorf("a video does not wait for its music: %+v", st)
	}
}

func TestBuildJob_Video(t *testing.T) {
	j := renderJob(func(j *v1beta1.RenderJob) { j.Spec.Source.Kind = v1beta1.KindVideo })
	b := jobOf(j, podOptions(), 300<<20)
	if n := *b.Spec.Template.Spec.ActiveDeadlineSeconds; n != 1200 {
		t.Errorf("got a deadline of %d s", n)
	}
	scratch := podOptions().Scratch
	if got := b.Spec.Template.Spec.Volumes[0].EmptyDir.SizeLimit.Value(); got != scratch.Value()+300<<20 {
		t.Errorf("got %d bytes for its clips", got)
	}
	if p := podOptions(); p.Scratch.Cmp(scratch) != 0 {
		t.Error("the options were changed")
	}
	out := &v1beta1.RenderOutput{BlobKey: "x", Bytes: 10}
	j.Status.Report = &v1beta1.RenderReport{Attempt: 1, Output: out}
	for _, poster := range []bool{true, false} {
		st := decide(j, &observed{video: video(), stored: 10, poster: poster, before: v1beta1.WorkProcessing}, start.Add(time.Minute))
		if st.kind != actionSucceed || (st.output.PosterKey == keptKey(j, posterFile)) != poster {
			t.Errorf("the poster is stored: %v; got %+v", poster, st.output)
		}
	}
}

func TestWatch_ShortsOfTheKind(t *testing.T) {
	j := fresh()
	if got := WaitingForIndex(j)[0]; got != "Slideshow/tea" {
		t.Error(got)
	}
	j.Spec.Source.Kind = v1beta1.KindVideo
	if got := WaitingForIndex(j)[0]; got != "Video/tea" {
		t.Error(got)
	}
}
