// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/renders"
)

// filmed returns a drawn slideshow that requests its video, with music.
func filmed(changes ...change) *v1beta1.Slideshow {
	return show(append([]change{done, func(s *v1beta1.Slideshow) {
		s.Spec.AutoRender, s.Spec.Music = true, &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: "theme"}}
	}}, changes...)...)
}

func track(state v1beta1.WorkState, message string) seenChange {
	return func(o *seen) {
		o.track = &v1beta1.MusicTrack{ObjectMeta: metav1.ObjectMeta{Name: "theme"}, Status: v1beta1.MusicTrackStatus{
			Work: &v1beta1.Work{State: state}, BlobKey: "k", Probe: &v1beta1.TrackProbe{},
			Conditions: []metav1.Condition{{Type: "Ready", Status: "False", Reason: "Any", Message: message}},
		}}
	}
}

func rendered(state v1beta1.WorkState, reason, message string) seenChange {
	return func(o *seen) {
		j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Name: "tea-r1"}, Spec: v1beta1.RenderJobSpec{Revision: ptr.To[int64](1)}}
		j.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "False", Reason: reason, Message: message}}
		if state != "" {
			j.Status.Work = &v1beta1.Work{State: state}
		}
		if state == v1beta1.WorkFailed {
			j.Status.Work.Error = &v1beta1.WorkError{Code: "generation_failed", Message: message}
		}
		o.renders = append([]v1beta1.RenderJob{*j}, o.renders...)
	}
}

func TestAutoRender_ReadyFollowsTheVideo(t *testing.T) {
	good := track(v1beta1.WorkSucceeded, "")
	retry := func(s *v1beta1.Slideshow) { s.Annotations = map[string]string{v1beta1.AnnotationRetry: "1"} }
	for name, c := range map[string]struct {
		s       *v1beta1.Slideshow
		o       *seen
		kind    stepKind
		reason  v1beta1.Reason
		says    string
		stalled bool
	}{
		"no such track":           {filmed(), objects(), stepAwaitTrack, v1beta1.ReasonTrackNotFound, `There is no MusicTrack "theme"`, false},
		"a track that waits":      {filmed(), objects(track(v1beta1.WorkQueued, "no file yet")), stepAwaitTrack, v1beta1.ReasonTrackNotReady, "no file yet", false},
		"a track that failed":     {filmed(), objects(track(v1beta1.WorkFailed, "it is no music")), stepAwaitTrack, v1beta1.ReasonTrackNotReady, "it is no music", false},
		"the track is there":      {filmed(), objects(good), stepRender, v1beta1.ReasonProgressing, "the video follows", false},
		"the render waits":        {filmed(), objects(good, rendered("", "Queued", "Waiting for a free worker")), stepNothing, v1beta1.ReasonQueued, "Waiting for a free worker", false},
		"the render is at work":   {filmed(), objects(good, rendered(v1beta1.WorkProcessing, "Progressing", "Rendering")), stepNothing, v1beta1.ReasonProgressing, "Rendering", false},
		"the render failed":       {filmed(), objects(good, rendered(v1beta1.WorkFailed, "Failed", "out of luck")), stepNothing, v1beta1.ReasonRenderFailed, "out of luck", true},
		"it failed, retry":        {filmed(retry), objects(good, rendered(v1beta1.WorkFailed, "Failed", "out of luck")), stepRender, v1beta1.ReasonProgressing, "the video follows", false},
		"it was rendered":         {filmed(), objects(rendered(v1beta1.WorkSucceeded, "Ready", "")), stepNothing, v1beta1.ReasonReady, "slides are ready", false},
		"rendered after a retry":  {filmed(), objects(rendered(v1beta1.WorkFailed, "Failed", "x"), rendered(v1beta1.WorkSucceeded, "Ready", "")), stepNothing, v1beta1.ReasonReady, "slides are ready", false},
		"no video is asked for":   {filmed(func(s *v1beta1.Slideshow) { s.Spec.AutoRender = false }), objects(rendered(v1beta1.WorkFailed, "Failed", "x")), stepNothing, v1beta1.ReasonReady, "slides are ready", false},
		"an older revision's one": {filmed(func(s *v1beta1.Slideshow) { s.Status.Revision = 2 }), objects(good, rendered(v1beta1.WorkSucceeded, "Ready", "")), stepRender, v1beta1.ReasonProgressing, "the video follows", false},
	} {
		t.Run(name, func(t *testing.T) {
			st := plan(c.s, c.o, start)
			if st.kind != c.kind {
				t.Fatalf("step %d, want %d", st.kind, c.kind)
			}
			report(c.s, c.o, st, did{}, start)
			ready := readyOf(c.s.Status.Conditions)
			if ready == nil || ready.Reason != string(c.reason) || !strings.Contains(ready.Message, c.says) || (ready.Status == "True") != (c.reason == v1beta1.ReasonReady) {
				t.Errorf("Ready is %+v", ready)
			}
			if stalled := meta.IsStatusConditionTrue(c.s.Status.Conditions, "Stalled"); stalled != c.stalled {
				t.Errorf("Stalled is %v", stalled)
			}
			waits := WaitingIndex(c.s) != nil
			if c.kind == stepAwaitTrack && !waits {
				t.Error("a MusicTrack would not wake it")
			}
		})
	}
}

func TestAutoRender_ARetryIsRenderedOnceUnderAnotherName(t *testing.T) {
	s := filmed(func(s *v1beta1.Slideshow) { s.Annotations = map[string]string{v1beta1.AnnotationRetry: "1"} })
	o := objects(track(v1beta1.WorkSucceeded, ""), rendered(v1beta1.WorkFailed, "Failed", "out of luck"))
	if got := renders.Name(s, o.renders); got != "tea-r1-2" {
		t.Errorf("the next RenderJob is %s", got)
	}
	report(s, o, plan(s, o, start), did{}, start)
	if st := plan(s, o, start); st.kind != stepNothing {
		t.Errorf("the same annotation renders again: %+v", st)
	}
}

func TestAnnounce_RecordsWhatIsMissingOnce(t *testing.T) {
	recorder := events.NewFakeRecorder(10)
	r := &Reconciler{Events: recorder}
	before, after := filmed(), filmed()
	report(before, objects(), step{}, did{}, start)
	report(after, objects(), plan(after, objects(), start), did{}, start)
	r.announce(before, after)
	r.announce(after, after)
	if n := len(recorder.Events); n != 1 {
		t.Fatalf("%d Events", n)
	}
	if event := <-recorder.Events; !strings.HasPrefix(event, "Warning TrackNotFound ") || !strings.Contains(event, `"theme"`) {
		t.Errorf("the Event says %q", event)
	}
}
