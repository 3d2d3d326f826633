// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/film/renders"
)

func TestReport_JobAndOutputFollowTheRenders(t *testing.T) {
	finished := metav1.NewTime(start)
	s := show(done, func(s *v1beta1.Slideshow) {
		s.Spec.AutoRender, s.Status.Work.FinishedAt = true, &finished
	})
	pass := func(o *observed) {
		t.Helper()
		report(s, o, decide(s, o, start), result{}, start)
		if s.Status.Job == nil {
			t.Fatal("no job")
		}
	}
	pass(objects())
	if j := s.Status.Job; j.Kind != "render" || j.State != v1beta1.WorkQueued || !renders.Awaited(j) || s.Status.Output != nil {
		t.Errorf("before the RenderJob exists: %+v, output %+v", j, s.Status.Output)
	}
	pass(objects(rendered(v1beta1.WorkProcessing, "Progressing", "")))
	if j := s.Status.Job; j.Render != "tea-r1" || j.State != v1beta1.WorkProcessing || s.Status.Render.State != v1beta1.WorkProcessing || s.Status.Output != nil {
		t.Errorf("while the render runs: %+v, output %+v", j, s.Status.Output)
	}
	there := objects(rendered(v1beta1.WorkSucceeded, "Ready", ""))
	there.renders[0].Status.Output = &v1beta1.RenderOutput{BlobKey: "film.mp4", Bytes: 7}
	pass(there)
	if o := s.Status.Output; s.Status.Job.State != v1beta1.WorkSucceeded || o == nil || o.Render != "tea-r1" || o.Revision != 1 || o.BlobKey != "film.mp4" || o.Stale {
		t.Errorf("with the video: %+v, output %+v", s.Status.Job, o)
	}
	s.Status.Revision++
	pass(there)
	if o := s.Status.Output; o == nil || !o.Stale || o.Revision != 1 {
		t.Errorf("of an earlier revision: output %+v", o)
	}
	pass(objects())
	if s.Status.Output != nil || s.Status.Render != nil {
		t.Errorf("after the RenderJob was deleted: output %+v, render %+v", s.Status.Output, s.Status.Render)
	}
}

// TestBackdrop_ConditionSuggestsAProvider checks that the condition reports slides without a fitting image, and
// suggests the providers if none is configured.
func TestBackdrop_ConditionSuggestsAProvider(t *testing.T) {
	s, o := show(byHand(), done), objects()
	for i, b := range starter.Backdrops("bold_center")[:3] {
		s.Status.Slides[i].Background.ID = b.ID
	}
	s.Status.VisualHash = deck.VisualHash(s, *s.Status.Design)
	said := func() string {
		report(s, o, decision{kind: actionNothing}, result{}, start)
		return meta.FindStatusCondition(s.Status.Conditions, string(v1beta1.ConditionDrawn)).Message
	}
	const with = "3 slides are drawn; no image fits 3 of them, which show a pattern"
	const without = with + "; configure Pexels, Unsplash or Pixabay for more images"
	if got := said(); got != without {
		t.Errorf("without a provider the condition is %q", got)
	}
	o.configured = true
	if got := said(); got != with {
		t.Errorf("with a provider the condition is %q", got)
	}
}
