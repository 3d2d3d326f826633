// SPDX-License-Identifier: Apache-2.0

package renders_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/renders"
)

func second(n int64) *metav1.Time {
	t := metav1.NewTime(time.Unix(n, 0))
	return &t
}

func record(state v1beta1.WorkState, started, finished int64) *v1beta1.Work {
	w := &v1beta1.Work{State: state, Attempt: 1, StartedAt: second(started)}
	if state.Settled() {
		w.FinishedAt = second(finished)
	}
	return w
}

// requested returns a render of a revision, created at the given second.
func requested(name string, revision int64, state v1beta1.WorkState, created int64) v1beta1.RenderJob {
	r := render(name, revision, state)
	r.CreationTimestamp = *second(created)
	if r.Status.Work != nil {
		r.Status.Work = record(state, created+1, created+2)
	}
	return r
}

func TestJob_IsTheNewestWork(t *testing.T) {
	const done, bad, busy, queued = v1beta1.WorkSucceeded, v1beta1.WorkFailed, v1beta1.WorkProcessing, v1beta1.WorkQueued
	slides := func(revision int64, w *v1beta1.Work, changes ...func(*v1beta1.Slideshow)) *v1beta1.Slideshow {
		s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Generation: 1, CreationTimestamp: *second(1)}}
		s.Status = v1beta1.SlideshowStatus{Revision: revision, WorkedOn: 1, Work: w}
		for _, c := range changes {
			c(s)
		}
		return s
	}
	auto := func(s *v1beta1.Slideshow) { s.Spec.AutoRender = true }
	suspended := func(s *v1beta1.Slideshow) { s.Spec.Suspend = true }
	edited := func(s *v1beta1.Slideshow) {
		s.Generation, s.Annotations = 2, map[string]string{deck.AnnotationOutdated: "true"}
	}
	drawing := func(s *v1beta1.Slideshow) {
		s.Status.Generated, s.Status.Work = s.Status.Work, record(busy, 30, 0)
	}
	for name, c := range map[string]struct {
		show *v1beta1.Slideshow
		all  []v1beta1.RenderJob // the newest first
		want string              // kind, state and render
		at   int64               // second of the request
	}{
		"no worker has started":                       {slides(0, nil), nil, "slideshow_generation queued ", 1},
		"a draft":                                     {slides(0, nil, suspended), nil, "none", 0},
		"suspended during the layout":                 {slides(0, record(busy, 2, 0), suspended), nil, "none", 0},
		"suspended after the layout":                  {slides(1, record(done, 2, 3), suspended), nil, "slideshow_generation succeeded ", 1},
		"slides rendered":                             {slides(0, record(busy, 2, 0)), nil, "slideshow_generation processing ", 1},
		"failed":                                      {slides(0, record(bad, 2, 3)), nil, "slideshow_generation failed ", 1},
		"failed, then edited":                         {slides(0, record(bad, 2, 3), edited), nil, "slideshow_generation queued ", 1},
		"failed with slides, then edited":             {slides(1, record(bad, 2, 3), edited), nil, "slideshow_generation failed ", 1},
		"an edit in progress":                         {slides(1, record(done, 2, 3), drawing), nil, "slideshow_generation succeeded ", 1},
		"autoRender, before the RenderJob":            {slides(1, record(done, 2, 3), auto), nil, "render queued ", 3},
		"autoRender, a video of revision 1":           {slides(2, record(done, 12, 13), auto), []v1beta1.RenderJob{requested("a", 1, done, 5)}, "render queued ", 13},
		"autoRender, edited":                          {slides(1, record(done, 2, 3), auto, edited), nil, "slideshow_generation succeeded ", 1},
		"a render is requested":                       {slides(1, record(done, 2, 3)), []v1beta1.RenderJob{requested("a", 1, "", 5)}, "render queued a", 5},
		"a render runs":                               {slides(1, record(done, 2, 3)), []v1beta1.RenderJob{requested("a", 1, busy, 5)}, "render processing a", 5},
		"rendered":                                    {slides(1, record(done, 2, 3)), []v1beta1.RenderJob{requested("a", 1, done, 5)}, "render succeeded a", 5},
		"rendered by a clock that is behind":          {slides(1, record(done, 9, 10)), []v1beta1.RenderJob{requested("a", 1, done, 5)}, "render succeeded a", 5},
		"rendered, then edited":                       {slides(1, record(done, 2, 3), edited), []v1beta1.RenderJob{requested("a", 1, done, 5)}, "render succeeded a", 5},
		"rendered, then an edit in progress":          {slides(1, record(done, 2, 3), drawing), []v1beta1.RenderJob{requested("a", 1, done, 5)}, "render succeeded a", 5},
		"failed, then requested again":                {slides(1, record(done, 2, 3)), []v1beta1.RenderJob{requested("b", 1, queued, 9), requested("a", 1, bad, 5)}, "render queued b", 9},
		"slides of another text in progress":          {slides(1, record(busy, 12, 0)), []v1beta1.RenderJob{requested("a", 1, done, 5)}, "slideshow_generation processing ", 1},
		"slides of another text rendered":             {slides(2, record(done, 12, 13)), []v1beta1.RenderJob{requested("a", 1, done, 5)}, "slideshow_generation succeeded ", 1},
		"two renders, the older one runs":             {slides(1, record(done, 2, 3)), []v1beta1.RenderJob{requested("b", 1, bad, 9), requested("a", 1, busy, 5)}, "render processing a", 5},
		"an earlier revision by kubectl":              {slides(2, record(done, 2, 3)), []v1beta1.RenderJob{requested("b", 1, bad, 9), requested("a", 2, done, 5)}, "render succeeded a", 5},
		"a later revision without slides":             {slides(1, record(done, 2, 3)), []v1beta1.RenderJob{requested("b", 2, "", 9), requested("a", 1, done, 5)}, "render queued b", 9},
		"a render that waited until all others ended": {slides(1, record(done, 2, 3), suspended), []v1beta1.RenderJob{requested("a", 1, "", 5)}, "render queued a", 5},
	} {
		t.Run(name, func(t *testing.T) {
			got, at := "none", int64(0)
			if j := renders.Job(c.show, c.all); j != nil {
				got, at = j.Kind+" "+string(j.State)+" "+j.Render, j.RequestedAt.Unix()
				if j.Attempt < 1 || j.State.Settled() != (j.FinishedAt != nil) || renders.Awaited(j) != (got == "render queued ") {
					t.Errorf("got %+v", j)
				}
			}
			if got != c.want || at != c.at {
				t.Errorf("got %s, requested at %d", got, at)
			}
		})
	}
}

func TestVideo_HasTheFactsOfItsRender(t *testing.T) {
	r := requested("a", 1, v1beta1.WorkSucceeded, 5)
	r.Status.SlideMillis = []int64{0, 2000} // as an earlier release wrote them
	s := &v1beta1.Slideshow{Status: v1beta1.SlideshowStatus{Revision: 2}}
	want := &v1beta1.SlideshowOutput{
		RenderOutput: v1beta1.RenderOutput{BlobKey: "a"}, Render: "a", Revision: 1, Stale: true, FinishedAt: second(7), SlideMilliseconds: []int64{0, 2000},
	}
	if d := cmp.Diff(want, renders.Video(s, []v1beta1.RenderJob{r})); d != "" {
		t.Error(d)
	}
}

func TestJobOfVideo(t *testing.T) {
	film := func(v *v1beta1.Video) { v.Status.Output = &v1beta1.RenderOutput{} }
	suspended := func(v *v1beta1.Video) { v.Spec.Suspend = true }
	none := func(*v1beta1.Video) {}
	for name, c := range map[string]struct {
		w       *v1beta1.Work
		change  func(*v1beta1.Video)
		suspend func(*v1beta1.Video)
		want    v1beta1.WorkState // empty: no job
	}{
		"no worker has started": {nil, none, none, v1beta1.WorkQueued},
		"a draft":               {nil, none, suspended, ""},
		"suspended in progress": {record(v1beta1.WorkProcessing, 2, 0), none, suspended, ""},
		"there":                 {record(v1beta1.WorkSucceeded, 2, 3), film, suspended, v1beta1.WorkSucceeded},
		"failed":                {record(v1beta1.WorkFailed, 2, 3), none, suspended, v1beta1.WorkFailed},
	} {
		v := &v1beta1.Video{Status: v1beta1.VideoStatus{Work: c.w, Render: &v1beta1.RenderSummary{Name: "r"}}}
		c.change(v)
		c.suspend(v)
		j := renders.JobOfVideo(v)
		if (j == nil) != (c.want == "") || j != nil && (j.Kind != "video_generation" || j.State != c.want || j.Render != "r") {
			t.Errorf("%s: got %+v", name, j)
		}
	}
}

func TestPercent_OfTheCurrentAttempt(t *testing.T) {
	r := requested("a", 1, v1beta1.WorkProcessing, 5)
	r.Status.Progress = &v1beta1.RenderProgress{Attempt: 1, Percent: 100}
	if got := renders.Percent(&r); got != 99 {
		t.Errorf("got %d, want 99: 100 is for succeeded work", got)
	}
	r.Status.Work.Attempt = 2
	if got := renders.Percent(&r); got != 0 {
		t.Errorf("got %d of an earlier attempt", got)
	}
}
