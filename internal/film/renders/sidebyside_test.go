// SPDX-License-Identifier: Apache-2.0

package renders_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/renders"
)

// short is a short as the front end had it, with the derivations of the front end before package renders had them.
type short struct {
	Show    *v1beta1.Slideshow
	Renders []v1beta1.RenderJob
}

type oldWork struct {
	kind    string
	created time.Time
	record  *v1beta1.Work
	film    *v1beta1.RenderOutput
}

func (s *short) latest() oldWork {
	generation := deck.Generation(s.Show)
	generating := oldWork{kind: catalog.JobSlideshow, created: v1beta1.CreatedAt(s.Show).Time, record: generation}
	if generation == nil || !generation.State.Settled() {
		return generating
	}
	if generation.State == v1beta1.WorkFailed && s.Show.Status.Revision == 0 && deck.Outdated(s.Show) {
		generating.record = nil
		return generating
	}
	if s.AwaitsRender() {
		return oldWork{kind: catalog.JobRender, created: s.Show.Status.Work.FinishedAt.Time}
	}
	if len(s.Renders) == 0 {
		return generating
	}
	r := &s.Renders[0]
	if generation.State == v1beta1.WorkSucceeded && renders.Revision(r) == s.Show.Status.Revision {
		return oldRendering(r)
	}
	if generation.StartedAt != nil && generation.StartedAt.After(v1beta1.CreatedAt(r).Time) {
		return generating
	}
	return oldRendering(r)
}

func oldRendering(r *v1beta1.RenderJob) oldWork {
	return oldWork{kind: catalog.JobRender, created: v1beta1.CreatedAt(r).Time, record: r.Status.Work, film: r.Status.Output}
}

func (s *short) AwaitsRender() bool {
	return s.Show.Status.Work != nil && s.Show.Status.Work.FinishedAt != nil && renders.Owed(s.Show, s.Renders)
}

func (s *short) HasJob() bool {
	w := s.Show.Status.Work
	making := w == nil || !w.State.Settled() || deck.Outdated(s.Show)
	return !(making && s.Show.Spec.Suspend)
}

func (s *short) renderStatus() string {
	stale := false
	for i := range s.Renders {
		r := &s.Renders[i]
		switch state := renders.State(r); {
		case !state.Settled() || s.isCurrent(r):
			return string(state)
		case state == v1beta1.WorkSucceeded:
			stale = true
		}
	}
	if stale {
		return "stale"
	}
	return "none"
}

func (s *short) isCurrent(r *v1beta1.RenderJob) bool {
	return renders.Revision(r) == s.Show.Status.Revision && !s.redrawing()
}

func (s *short) redrawing() bool {
	w := s.Show.Status.Work
	return deck.Outdated(s.Show) || deck.Edited(s.Show) && w != nil && !w.State.Settled()
}

// generated returns a Slideshow and its renders in a random state.
func generated(r *rand.Rand) (*v1beta1.Slideshow, []v1beta1.RenderJob) {
	at := func() *metav1.Time {
		t := metav1.NewTime(time.Unix(int64(1e9+r.IntN(20)), 0))
		return &t
	}
	coin := func() bool { return r.IntN(2) == 0 }
	work := func(states ...v1beta1.WorkState) *v1beta1.Work {
		w := &v1beta1.Work{State: states[r.IntN(len(states))], Attempt: int32(r.IntN(3)), StartedAt: at()}
		if w.State.Settled() {
			w.FinishedAt = at()
		} else if coin() {
			w.EstimatedCompletionAt = at()
		}
		if w.State == v1beta1.WorkQueued {
			w.StartedAt = nil
		}
		if w.State == v1beta1.WorkFailed {
			w.Error = &v1beta1.WorkError{Code: "generation_failed", Message: fmt.Sprint(r.IntN(9))}
		}
		return w
	}
	q, p, ok, bad := v1beta1.WorkQueued, v1beta1.WorkProcessing, v1beta1.WorkSucceeded, v1beta1.WorkFailed
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Generation: int64(1 + r.IntN(2)), CreationTimestamp: *at(), Annotations: map[string]string{}}}
	s.Spec.AutoRender, s.Spec.Suspend = coin(), r.IntN(5) == 0
	s.Annotations[deck.AnnotationOutdated] = fmt.Sprint(r.IntN(3) == 0)
	st := &s.Status
	st.WorkedOn, st.Revision = int64(r.IntN(3)), int64(r.IntN(3))
	if r.IntN(8) > 0 {
		st.Work = work(q, p, ok, ok, ok, bad)
		if r.IntN(3) == 0 {
			st.Generated = work(ok, ok, ok, bad)
		}
	}
	var all []v1beta1.RenderJob
	for i := range r.IntN(4) {
		revision := int64(r.IntN(4))
		j := v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s-r%d-%d", revision, i), CreationTimestamp: *at()}}
		if coin() {
			j.Spec.Revision = &revision
		}
		j.Status.Revision = revision
		if r.IntN(5) > 0 {
			j.Status.Work = work(q, p, ok, ok, ok, bad, bad)
		}
		if j.Status.Work != nil && j.Status.Work.State == ok {
			j.Status.Output = &v1beta1.RenderOutput{BlobKey: j.Name}
			j.Status.SetSlideTimes([]int64{revision})
		}
		all = append(all, j)
	}
	renders.Sort(all)
	return s, all
}

// sequential reports whether each render was requested after the ones before had ended, and never of an earlier revision or of one that is not drawn yet, as the front end
// and the controller do. By kubectl other sequences can be made.
func sequential(s *v1beta1.Slideshow, all []v1beta1.RenderJob) bool {
	if len(all) > 0 && renders.Revision(&all[0]) > s.Status.Revision {
		return false
	}
	for i := 1; i < len(all); i++ {
		if !renders.State(&all[i]).Settled() || renders.Revision(&all[i]) > renders.Revision(&all[i-1]) {
			return false
		}
	}
	return true
}

func TestSideBySide(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 4))
	compared, kinds := 0, map[string]int{}
	for compared < 20000 {
		s, all := generated(r)
		if !sequential(s, all) {
			continue
		}
		compared++
		old := &short{Show: s, Renders: all}
		fail := func(what string, old, now any) {
			t.Helper()
			if d := cmp.Diff(old, now); d != "" {
				t.Fatalf("%s: %s\n%+v\n%+v", what, d, s.Status, all)
			}
		}
		j := renders.Job(s, all)
		fail("has a job", old.HasJob(), j != nil)
		if j == nil {
			kinds["none"]++
		} else {
			was := old.latest()
			fail("kind", was.kind, j.Kind)
			fail("requested", was.created, j.RequestedAt.Time)
			record := v1beta1.Work{State: v1beta1.WorkQueued}
			if was.record != nil {
				record = *was.record
			}
			record.Attempt = max(record.Attempt, 1)
			fail("record", record, j.Work)
			fail("awaits a render", old.AwaitsRender(), renders.Awaited(j))
			kinds[j.Kind+" "+string(j.State)]++
			if was.film != nil {
				fail("video of the job", *was.film, renders.Video(s, all).RenderOutput)
			}
			if j.Kind == catalog.JobRender && j.State == v1beta1.WorkSucceeded {
				fail("video of the job", was.film != nil, true)
			}
		}
		v := renders.Video(s, all)
		fresh := v != nil && !v.Stale
		fail("there is a current video", renders.Finished(all, s.Status.Revision) != nil, fresh)
		if fresh {
			f := renders.Finished(all, s.Status.Revision)
			fail("video", *f.Status.Output, v.RenderOutput)
			fail("times of slides", f.Status.SlideTimes(), v.SlideMilliseconds)
			fail("finished", f.Status.Work.FinishedAt, v.FinishedAt)
		}
		fail("stale", oldStale(all, s.Status.Revision), v != nil && v.Stale)
		shown := renders.Shown(all, s.Status.Revision)
		fail("rendering", renders.Running(all) != nil || renders.Owed(s, all), shown != nil && !renders.State(shown).Settled() || renders.Owed(s, all))
		fail("render status", old.renderStatus(), old.renderStatusNew(shown, v))
		kinds["render "+old.renderStatus()]++
	}
	t.Log(compared, kinds)
}

func (s *short) renderStatusNew(r *v1beta1.RenderJob, v *v1beta1.SlideshowOutput) string {
	switch {
	case r == nil:
		return "none"
	case !renders.State(r).Settled() || s.isCurrent(r):
		return string(renders.State(r))
	case v != nil:
		return "stale"
	}
	return "none"
}

func oldStale(all []v1beta1.RenderJob, revision int64) bool {
	succeeded := func(r v1beta1.RenderJob) bool {
		return renders.State(&r) == v1beta1.WorkSucceeded && r.Status.Output != nil
	}
	return renders.Finished(all, revision) == nil && slices.ContainsFunc(all, succeeded)
}
