// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/offline"
	"github.com/reelops/reelops/internal/film/shortwork"
)

// TestModelNotReady_SlideshowWaitsAndSucceeds checks that a text model which is still being downloaded delays a
// slideshow. No attempt is counted, no deadline runs, nothing is written during the wait, and the conditions name the
// reason.
func TestModelNotReady_SlideshowWaitsAndSucceeds(t *testing.T) {
	calls := int(catalog.GenerationDeadline/shortwork.ModelWait) + 5
	w := &writer{err: textgen.NotReady("The server does not serve the language model, or not yet", nil)}
	st := newStage(t)
	var u *run
	written := 0
	u = st.run(t, "model", w, 0, "", func(r *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
		u = r
		s.Spec.AutoRender = false
		w.before = func() {
			switch s := u.live(); {
			case w.calls == calls:
				w.err = nil
			case w.calls == 2:
				written = len(u.rec.Writes)
				if k := s.Status.Work; k.State != v1beta1.WorkQueued || k.Attempt != 1 || k.StartedAt != nil {
					t.Errorf("got work %+v", k)
				}
				for _, c := range []v1beta1.ConditionType{v1beta1.ConditionWritten, v1beta1.ConditionReady} {
					got := meta.FindStatusCondition(s.Status.Conditions, string(c))
					if got == nil || got.Status != metav1.ConditionFalse || got.Reason != string(v1beta1.ReasonTextModelNotReady) || got.Message == "" {
						t.Errorf("condition %s: got %+v", c, got)
					}
				}
			case w.calls > 2 && len(u.rec.Writes) != written:
				t.Errorf("call %d: a waiting pass wrote %v", w.calls, u.rec.Writes[written:])
				written = len(u.rec.Writes)
			}
		}
	})
	s := u.live()
	if k := s.Status.Work; w.calls != calls || k.State != v1beta1.WorkSucceeded || k.Attempt != 1 || k.StartedAt == nil {
		t.Errorf("got %d calls, work %+v", w.calls, k)
	}
	u.isStable()
}

// TestShortfall_ConditionCountsTheSlides checks that without a model, a context with little text gives fewer slides,
// and the condition reports their number.
func TestShortfall_ConditionCountsTheSlides(t *testing.T) {
	var c struct{ written, ready *metav1.Condition }
	st := newStage(t)
	u := st.run(t, "thin", &writer{}, 0, "", func(r *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
		r.r.Writer = offline.New()
		s.Spec.Context, s.Spec.SlideCount, s.Spec.AutoRender = "5 tips for better sleep", 5, false
	})
	s := u.live()
	c.written = meta.FindStatusCondition(s.Status.Conditions, string(v1beta1.ConditionWritten))
	c.ready = meta.FindStatusCondition(s.Status.Conditions, string(v1beta1.ConditionReady))
	const want = "1 of 5 slides are from the context and the profile: no text model is configured to write the rest; configure one, or provide a longer context"
	if c.written == nil || c.written.Status != metav1.ConditionTrue || c.written.Reason != string(v1beta1.ReasonTextModelNotConfigured) || c.written.Message != want {
		t.Errorf("condition Written: got %+v", c.written)
	}
	if c.ready == nil || c.ready.Status != metav1.ConditionTrue || len(s.Status.Slides) != 1 {
		t.Errorf("got %d slides, Ready: %+v", len(s.Status.Slides), c.ready)
	}
	if x := s.Status.Text; x.Source != v1beta1.TextSourceOffline || x.Model != "" || x.Shortfall == nil || x.Shortfall.FromText != 1 || x.Shortfall.Wanted != 5 {
		t.Errorf("got text %+v", x)
	}
	u.isStable()
}
