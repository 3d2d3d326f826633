// SPDX-License-Identifier: Apache-2.0

package renders

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
)

// Only the functions in this file derive the job and the video of a short. The slideshow controller writes their
// results to the status. The front end and the controller of PostBatches also call them, with the renders in their
// caches. A cache may hold a render that the status does not show yet: this process has just created it, the controller
// draws other slides first, or the controller is of a release without these fields.

// Shown returns the render in the status of a short: the running one, else the newest of the current revision, else the
// newest; nil if there is none.
func Shown(all []v1beta1.RenderJob, revision int64) *v1beta1.RenderJob {
	for _, which := range []func(*v1beta1.RenderJob) bool{
		func(r *v1beta1.RenderJob) bool { return !State(r).Settled() },
		func(r *v1beta1.RenderJob) bool { return Revision(r) == revision },
		func(*v1beta1.RenderJob) bool { return true },
	} {
		if r := first(all, which); r != nil {
			return r
		}
	}
	return nil
}

// Video returns the newest video of the current revision of a Slideshow, else its newest video; nil if there is none.
func Video(s *v1beta1.Slideshow, all []v1beta1.RenderJob) *v1beta1.SlideshowOutput {
	r := Finished(all, s.Status.Revision)
	if r == nil {
		r = first(all, finished)
	}
	if r == nil {
		return nil
	}
	return &v1beta1.SlideshowOutput{
		RenderOutput: *r.Status.Output, Render: r.Name, Revision: Revision(r), Stale: Revision(r) != s.Status.Revision,
		FinishedAt: r.Status.Work.FinishedAt, SlideMilliseconds: r.Status.SlideTimes(),
	}
}

// Job returns the newest piece of work on a Slideshow; nil for a draft. An edit of slides that exist is not a job.
//
// A generation that has not ended, or that started after the newest render, is newer than that render. With autoRender
// the render is the job from the moment the slides are there, so that a client that polls does not stop before the
// video.
func Job(s *v1beta1.Slideshow, all []v1beta1.RenderJob) *v1beta1.ShortJob {
	w, generation := s.Status.Work, deck.Generation(s)
	making := job(catalog.JobSlideshow, v1beta1.CreatedAt(s), generation)
	r := Shown(all, s.Status.Revision)
	switch {
	case s.Spec.Suspend && (w == nil || !w.State.Settled() || deck.Outdated(s)):
		return nil
	case generation == nil || !generation.State.Settled():
		return making
	case generation.State == v1beta1.WorkFailed && s.Status.Revision == 0 && deck.Outdated(s):
		return job(catalog.JobSlideshow, v1beta1.CreatedAt(s), nil) // the controller is about to retry it
	case Owed(s, all) && w.FinishedAt != nil:
		return job(catalog.JobRender, *w.FinishedAt, nil)
	case r == nil:
		return making
	// A generation that succeeded created the current revision, so a render of that revision is newer. Only a
	// generation that changed nothing is compared by time: the clocks of two machines, in whole seconds.
	case generation.State == v1beta1.WorkSucceeded && Revision(r) == s.Status.Revision:
	case generation.StartedAt != nil && generation.StartedAt.After(v1beta1.CreatedAt(r).Time):
		return making
	}
	out := job(catalog.JobRender, v1beta1.CreatedAt(r), r.Status.Work)
	out.Render = r.Name
	return out
}

// JobOfVideo returns the work on a Video, from its text to its rendered file; nil for a draft.
func JobOfVideo(v *v1beta1.Video) *v1beta1.ShortJob {
	w := v.Status.Work
	ended := w != nil && (w.State == v1beta1.WorkFailed || w.State == v1beta1.WorkSucceeded && v.Status.Output != nil)
	if v.Spec.Suspend && !ended {
		return nil
	}
	out := job(catalog.JobVideo, v1beta1.CreatedAt(v), w)
	if r := v.Status.Render; r != nil {
		out.Render = r.Name
	}
	return out
}

// job returns work with a record; a nil record means that no worker has started the work.
func job(kind string, requested metav1.Time, record *v1beta1.Work) *v1beta1.ShortJob {
	out := &v1beta1.ShortJob{Kind: kind, RequestedAt: requested, Work: v1beta1.Work{State: v1beta1.WorkQueued}}
	if record != nil {
		out.Work = *record
	}
	out.Attempt = max(out.Attempt, 1)
	return out
}

// Awaited reports whether a job is a render that autoRender requests and whose RenderJob does not exist yet.
func Awaited(j *v1beta1.ShortJob) bool {
	return j != nil && j.Kind == catalog.JobRender && j.Render == ""
}

// Percent returns the progress of the current attempt of a render, at most 99; 0 before its first report.
func Percent(r *v1beta1.RenderJob) int {
	w, p := r.Status.Work, r.Status.Progress
	if w == nil || p == nil || p.Attempt != w.Attempt {
		return 0
	}
	return min(int(p.Percent), 99)
}
