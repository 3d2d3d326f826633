// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
)

// record writes the facts of a decision into the status: which attempt runs under which name, and how the work ended.
func record(j *v1beta1.RenderJob, o *observed, d decision, now time.Time) {
	at := metav1.NewTime(now)
	s := &j.Status
	switch d.kind {
	case actionStart:
		if s.Work == nil {
			s.Work = &v1beta1.Work{}
		}
		s.Work.Attempt = d.attempt
		if s.Work.State == "" { // work that was going on goes on with the next attempt
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
		if s.Work == nil || s.JobName == "" || !(d.begun || s.Progress != nil) || s.Work.State != v1beta1.WorkQueued {
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

func end(w *v1beta1.Work, state v1beta1.WorkState, at metav1.Time) {
	if w.StartedAt == nil {
		w.StartedAt = &at
	}
	w.State, w.FinishedAt, w.EstimatedCompletionAt = state, &at, nil
}

// estimate is a guess for people; the film's length is a fair one on two processors.
func estimate(*v1beta1.RenderJob) time.Duration { return 30 * time.Second }

// report sets the conditions. It is the only place that does.
func report(j *v1beta1.RenderJob, o *observed, d decision) {
	c := status.Conditions{List: &j.Status.Conditions, Generation: j.Generation}
	c.Unconfined(o.unconfined)
	w := j.Status.Work
	// A condition that is taken away and set again would carry the time of this pass: the status would never stand still.
	if w == nil || w.State != v1beta1.WorkFailed {
		c.Remove(v1beta1.ConditionStalled)
	}
	switch {
	case w == nil || j.Status.JobName == "" && w.State != v1beta1.WorkFailed:
		c.Set(v1beta1.ConditionReady, false, d.reason, d.say)
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
		c.Set(v1beta1.ConditionStalled, true, v1beta1.ReasonFailed, "A RenderJob runs once: make a new one when the cause is gone")
	}
}
