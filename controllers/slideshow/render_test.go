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

// filmed returns a rendered slideshow that requests its video, with music.
func filmed(changes ...change) *v1beta1.Slideshow {
	return show(append([]change{done, func(s *v1beta1.Slideshow) {
		s.Spec.AutoRender, s.Spec.Music = true, &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: "theme"}}
	}}, changes...)...)
}

func track(state v1beta1.WorkState, message string) observedChange {
	return func(o *observed) {
		o.track = &v1beta1.MusicTrack{ObjectMeta: metav1.ObjectMeta{Name: "theme"}, Status: v1beta1.MusicTrackStatus{
			Work: &v1beta1.Work{State: state}, BlobKey: "k", Probe: &v1beta1.TrackProbe{},
			Conditions: []metav1.Condition{{Type: "Ready", Status: "False", Reason: "Any", Message: message}},
		}}
	}
}

func rendered(state v1beta1.WorkState, reason, message string) observedChange {
	return func(o *observed) {
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
		o       *observed
		kind    action
		reason  v1beta1.Reason
		says    string
		stalled bool
	}{
		"missing track":                 {filmed(), objects(), actionAwaitTrack, v1beta1.ReasonTrackNotFound, `There is no MusicTrack "theme"`, false},
		"a waiting track":               {filmed(), objects(track(v1beta1.WorkQueued, "no file yet")), actionAwaitTrack, v1beta1.ReasonTrackNotReady, "no file yet", false},
		"a failed track":                {filmed(), objects(track(v1beta1.WorkFailed, "it is no music")), actionAwaitTrack, v1beta1.ReasonTrackNotReady, "it is no music", false},
		"a ready track":                 {filmed(), objects(good), actionRender, v1beta1.ReasonProgressing, "the video follows", false},
		"a waiting render":              {filmed(), objects(good, rendered("", "Queued", "Waiting for a free worker")), actionNothing, v1beta1.ReasonQueued, "Waiting for a free worker", false},
		"a running render":              {filmed(), objects(good, rendered(v1beta1.WorkProcessing, "Progressing", "Rendering")), actionNothing, v1beta1.ReasonProgressing, "Rendering", false},
		"a failed render":               {filmed(), objects(good, rendered(v1beta1.WorkFailed, "Failed", "out of luck")), actionNothing, v1beta1.ReasonRenderFailed, "out of luck", true},
		"a failed render, retried":      {filmed(retry), objects(good, rendered(v1beta1.WorkFailed, "Failed", "out of luck")), actionRender, v1beta1.ReasonProgressing, "the video follows", false},
		"a finished render":             {filmed(), objects(rendered(v1beta1.WorkSucceeded, "Ready", "")), actionNothing, v1beta1.ReasonReady, "slides are ready", false},
		"finished after a retry":        {filmed(), objects(rendered(v1beta1.WorkFailed, "Failed", "x"), rendered(v1beta1.WorkSucceeded, "Ready", "")), actionNothing, v1beta1.ReasonReady, "slides are ready", false},
		"no video requested":            {filmed(func(s *v1beta1.Slideshow) { s.Spec.AutoRender = false }), objects(rendered(v1beta1.WorkFailed, "Failed", "x")), actionNothing, v1beta1.ReasonReady, "slides are ready", false},
		"a render of an older revision": {filmed(func(s *v1beta1.Slideshow) { s.Status.Revision = 2 }), objects(good, rendered(v1beta1.WorkSucceeded, "Ready", "")), actionRender, v1beta1.ReasonProgressing, "the video follows", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := decide(c.s, c.o, start)
			if d.kind != c.kind {
				t.Fatalf("got action %d, want %d", d.kind, c.kind)
			}
			report(c.s, c.o, d, result{}, start)
			ready := readyOf(c.s.Status.Conditions)
			if ready == nil || ready.Reason != string(c.reason) || !strings.Contains(ready.Message, c.says) || (ready.Status == "True") != (c.reason == v1beta1.ReasonReady) {
				t.Errorf("got Ready %+v", ready)
			}
			if stalled := meta.IsStatusConditionTrue(c.s.Status.Conditions, "Stalled"); stalled != c.stalled {
				t.Errorf("got Stalled %v", stalled)
			}
			waits := WaitingIndex(c.s) != nil
			if c.kind == actionAwaitTrack && !waits {
				t.Error("the MusicTrack does not trigger the slideshow")
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
	report(s, o, decide(s, o, start), result{}, start)
	if d := decide(s, o, start); d.kind != actionNothing {
		t.Errorf("the same annotation renders again: %+v", d)
	}
}

func TestAnnounce_RecordsWhatIsMissingOnce(t *testing.T) {
	recorder := events.NewFakeRecorder(10)
	r := &Reconciler{Events: recorder}
	before, after := filmed(), filmed()
	report(before, objects(), decision{}, result{}, start)
	report(after, objects(), decide(after, objects(), start), result{}, start)
	r.announce(before, after)
	r.announce(after, after)
	if n := len(recorder.Events); n != 1 {
		t.Fatalf("got %d Events, want 1", n)
	}
	if event := <-recorder.Events; !strings.HasPrefix(event, "Warning TrackNotFound ") || !strings.Contains(event, `"theme"`) {
		t.Errorf("got Event %q", event)
	}
}
