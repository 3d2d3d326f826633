// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
)

// record writes a decision to the status: the attempt and the name of its Job, or the end of the work.
func record(j *v1beta1.RenderJob, o *observed, d decision, now time.Time) {
	at := metav1.NewTime(now)
	s := &j.Status
	switch d.kind {
	case actionStart:
		if s.Work == nil {
			s.Work = &v1beta1.Work{}
		}
		s.Work.Attempt = d.attempt
		if s.Work.State == "" { // work in progress stays in progress in the next attempt
			s.Work.State = v1beta1.WorkQueued
		} else if s.Work.State == v1beta1.WorkProcessing {
			eta := metav1.NewTime(now.Add(estimate(j)))
			s.Work.EstimatedCompletionAt = &eta
		}
		if s.TimelineKey == "" {
			s.Revision, s.MemoryBytes = o.revision(), o.memory
		}
		s.JobName, s.TimelineKey = jobName(j, d.attempt), timelineKey(j)
		s.Progress, s.Report = nil, nil
		if d.memory {
			s.MemoryBytes *= 2
		}
	case actionWait:
		if s.Work == nil || s.JobName == "" || !(d.running || s.Progress != nil) || s.Work.State != v1beta1.WorkQueued {
			return
		}
		eta := metav1.NewTime(now.Add(estimate(j)))
		s.Work.State, s.Work.EstimatedCompletionAt = v1beta1.WorkProcessing, &eta
		if s.Work.StartedAt == nil {
			s.Work.StartedAt = &at
		}
	case actionSucceed:
		s.Output = d.output
		if s.Progress != nil {
			s.Progress.Percent, s.Progress.Frame = 100, d.output.Frames
		}
		end(s.Work, v1beta1.WorkSucceeded, at)
	case actionFail:
		if s.Work == nil {
			s.Work = &v1beta1.Work{Attempt: 1}
		}
		s.Work.Error = d.err
		end(s.Work, v1beta1.WorkFailed, at)
	}
}

// end writes the final state of the work.
func end(w *v1beta1.Work, state v1beta1.WorkState, at metav1.Time) {
	if w.StartedAt == nil {
		w.StartedAt = &at
	}
	w.State, w.FinishedAt, w.EstimatedCompletionAt = state, &at, nil
}

// estimate returns the estimated duration of a render. Rendering on two processors takes about the length of the video.
func estimate(*v1beta1.RenderJob) time.Duration { return 30 * time.Second }

// report sets the conditions. No other function sets them.
func report(j *v1beta1.RenderJob, o *observed, d decision) {
	c := status.Conditions{List: &j.Status.Conditions, Generation: j.Generation}
	c.Unconfined(o.unconfined)
	w := j.Status.Work
	// A condition that is removed and set again would have a new transition time, so that each reconcile changed the
	// status.
	if w == nil || w.State != v1beta1.WorkFailed {
		c.Remove(v1beta1.ConditionStalled)
	}
	switch {
	case w == nil || j.Status.JobName == "" && w.State != v1beta1.WorkFailed:
		c.Set(v1beta1.ConditionReady, false, d.reason, d.message)
	case w.State == v1beta1.WorkQueued:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonQueued, "Waiting for a free worker")
	case w.State == v1beta1.WorkProcessing:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Rendering the video")
	case w.State == v1beta1.WorkSucceeded:
		out := j.Status.Output
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, fmt.Sprintf("%dx%d, %s, %d bytes",
			out.Width, out.Height, time.Duration(out.DurationMilliseconds)*time.Millisecond, out.Bytes))
	default:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, w.Error.Message)
		c.Set(v1beta1.ConditionStalled, true, v1beta1.ReasonFailed, "A RenderJob runs once: remove the cause and create a new RenderJob")
	}
}
