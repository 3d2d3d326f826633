// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/timeline"
)

// musicTrack returns an ingested track of one minute.
func musicTrack(change ...func(*v1beta1.MusicTrack)) *v1beta1.MusicTrack {
	t := &v1beta1.MusicTrack{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "song"}}
	t.Status = v1beta1.MusicTrackStatus{
		Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}, BlobKey: "media/tenant/t/file.mp3",
		Probe: &v1beta1.TrackProbe{DurationMilliseconds: 60_000, Loudness: &v1beta1.Loudness{IntegratedLUFS: -9, TruePeakDBTP: -0.5, RangeLU: 4, ThresholdLUFS: -19}},
	}
	for _, c := range change {
		c(t)
	}
	return t
}

func TestPlanMusic(t *testing.T) {
	now := start.Add(time.Minute)
	own := &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: "song"}}
	library := &v1beta1.MusicSource{LibraryTrackRef: &v1beta1.LocalRef{Name: "song"}}
	brand := func(name string) func(*v1beta1.MusicTrack) {
		return func(t *v1beta1.MusicTrack) { t.Spec.BrandRef = &v1beta1.LocalRef{Name: name} }
	}
	work := func(w *v1beta1.Work) func(*v1beta1.MusicTrack) {
		return func(t *v1beta1.MusicTrack) { t.Status = v1beta1.MusicTrackStatus{Work: w} }
	}
	for name, c := range map[string]struct {
		music  *v1beta1.MusicSource
		track  *v1beta1.MusicTrack
		kind   action
		reason v1beta1.Reason
	}{
		"no music requested":           {nil, nil, actionStart, ""},
		"a track of the account":       {own, musicTrack(), actionStart, ""},
		"a track of the brand":         {own, musicTrack(brand("acme")), actionStart, ""},
		"a track of another brand":     {own, musicTrack(brand("other")), actionWait, v1beta1.ReasonTrackNotFound},
		"a library track":              {library, musicTrack(), actionStart, ""},
		"a library track of one brand": {library, musicTrack(brand("acme")), actionWait, v1beta1.ReasonTrackNotFound},
		"missing track":                {own, nil, actionWait, v1beta1.ReasonTrackNotFound},
		"deleted track":                {own, musicTrack(func(t *v1beta1.MusicTrack) { t.DeletionTimestamp = ptr.To(metav1.NewTime(now)) }), actionWait, v1beta1.ReasonTrackNotFound},
		"track without status":         {own, musicTrack(work(nil)), actionWait, v1beta1.ReasonTrackNotReady},
		"track in progress":            {own, musicTrack(work(&v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1})), actionWait, v1beta1.ReasonTrackNotReady},
		"not a music file":             {own, musicTrack(work(&v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 1})), actionFail, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := slideshow()
			s.Spec.Music = c.music
			d := decide(fresh(), &observed{source: s, track: c.track}, now)
			if d.kind != c.kind || d.reason != c.reason {
				t.Fatalf("got step %d for %q, want %d for %q", d.kind, d.reason, c.kind, c.reason)
			}
			if d.kind == actionWait && d.requeue != catalog.QueueDeadline-time.Minute {
				t.Errorf("requeued after %s", d.requeue)
			}
			if d.kind == actionFail && (d.err.Retryable || d.err.Details["field"] != "background_music_id") {
				t.Errorf("failed with %+v", d.err)
			}
		})
	}
	s := slideshow()
	s.Spec.Music = own
	if d := decide(fresh(), &observed{source: s}, start.Add(catalog.QueueDeadline)); d.kind != actionFail || d.err.Code != string(catalog.ValidationFailed) {
		t.Errorf("the wait for music has no end: %+v", d)
	}
}

// A running render does not read the track again: it has a copy.
func TestPlanMusic_RunningRenderHasACopy(t *testing.T) {
	s := slideshow()
	s.Spec.Music = &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: "gone"}}
	if d := decide(renderJob(), &observed{source: s, job: job(), stored: -1}, start.Add(time.Minute)); d.kind != actionWait || d.reason != "" {
		t.Errorf("got step %+v", d)
	}
}

func TestFilm_WithMusic(t *testing.T) {
	f := filmOf(slideshow()) // nine seconds
	f.withMusic("renders/tenant/u/music")
	if err := f.Timeline.Validate(); err != nil {
		t.Fatal(err)
	}
	a := f.Timeline.Audio
	if a.Kind != timeline.Music || !a.Loop || a.FadeOutFrames != 45 || f.Inputs[a.Input] != "renders/tenant/u/music" {
		t.Errorf("got audio %+v, inputs %v", a, f.Inputs)
	}
	f = filmOf(slideshow())
	f.Timeline.Clips = f.Timeline.Clips[:1]
	f.Timeline.Clips[0].Frames, f.Timeline.Clips[0].Transition = 60, timeline.Transition{Kind: timeline.Cut}
	f.withMusic("k")
	if n := f.Timeline.Audio.FadeOutFrames; n != 15 {
		t.Errorf("got a fade of %d frames for a video of two seconds", n)
	}
	if maxBytes(musicInput) != catalog.MaxTrackBytes || maxBytes("layer-1") != maxInputBytes {
		t.Error("music and images have their own limits")
	}
}
