// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
	"github.com/reelops/reelops/internal/work/runner"
)

type action int

const (
	actionNothing action = iota // the work is settled
	actionStop                  // deleted while an attempt runs: stop the Job
	actionClean                 // deleted: remove the files
	actionWait                  // for the source, for a slot, or for the end of the attempt
	actionStart                 // start the first or the next attempt
	actionEnsure                // create the missing Job of the attempt
	actionSucceed               // the video is stored
	actionFail                  // the work has failed
)

// decision is the result of decide.
type decision struct {
	kind    action
	reason  v1beta1.Reason        // of actionWait, before the first attempt
	message string                // of actionWait, before the first attempt
	running bool                  // of actionWait: the attempt's container runs
	memory  bool                  // of actionStart: with twice the memory
	err     *v1beta1.WorkError    // of actionFail
	output  *v1beta1.RenderOutput // of actionSucceed
	attempt int32                 // of actionStart
	requeue time.Duration         // time until the next reconcile; 0 for the next event
}

// stopTime is how long a deleted RenderJob waits for the end of its pod. A pod on a lost node never ends.
const stopTime = time.Minute

// decide returns the decision of the first rule that applies. It depends on its arguments only.
func decide(j *v1beta1.RenderJob, o *observed, now time.Time) decision {
	switch {
	case !j.DeletionTimestamp.IsZero():
		// A video that is uploaded after the files were removed would never be removed.
		if left := stopTime - now.Sub(j.DeletionTimestamp.Time); left > 0 && o.running {
			return decision{kind: actionStop, requeue: left}
		}
		return decision{kind: actionClean}
	case o.before.Settled():
		return decision{}
	case j.Status.JobName == "":
		return decideFirst(j, o, now)
	}
	return decideAttempt(j, o, now)
}

// decideFirst waits for the source and its music until the queue deadline, and then starts the first attempt.
func decideFirst(j *v1beta1.RenderJob, o *observed, now time.Time) decision {
	waited := now.Sub(j.CreationTimestamp.Time)
	wait := func(r v1beta1.Reason, message string) decision {
		if waited >= catalog.QueueDeadline {
			code := catalog.ValidationFailed
			if r == v1beta1.ReasonQuotaExceeded {
				code = catalog.QuotaExceeded
			}
			return failed(code, false, message, nil)
		}
		return decision{kind: actionWait, reason: r, message: message, requeue: catalog.QueueDeadline - waited}
	}
	if o.closed != nil {
		d := wait(o.closed.Reason, o.closed.Message)
		d.requeue = min(d.requeue, tenancy.Retry)
		return d
	}
	if kindOf(j) == v1beta1.KindVideo {
		if d := decideVideo(j, o, wait); d != nil {
			return *d
		}
		return decision{kind: actionStart, attempt: 1}
	}
	s := o.source
	switch {
	case s == nil || !s.DeletionTimestamp.IsZero():
		return wait(v1beta1.ReasonSourceNotFound, fmt.Sprintf("There is no Slideshow %q in the namespace", j.Spec.Source.Name))
	case s.Status.Work == nil || !s.Status.Work.State.Settled(),
		// A render that was applied together with an edit renders the edited slides.
		j.Spec.Revision == nil && s.Status.ObservedGeneration != s.Generation:
		return wait(v1beta1.ReasonQueued, fmt.Sprintf("The slides of the Slideshow %q are not ready yet", s.Name))
	case s.Status.Work.State == v1beta1.WorkFailed:
		return failed(catalog.Conflict, false, fmt.Sprintf("The Slideshow %q has failed", s.Name), map[string]string{"status": "failed"})
	case j.Spec.Revision != nil && *j.Spec.Revision > s.Status.Revision:
		return wait(v1beta1.ReasonQueued, fmt.Sprintf("The Slideshow %q has no revision %d yet", s.Name, *j.Spec.Revision))
	case j.Spec.Revision != nil && *j.Spec.Revision < s.Status.Revision:
		return failed(catalog.Conflict, false, fmt.Sprintf("Revision %d of the Slideshow %q is no longer current: it is at %d", *j.Spec.Revision, s.Name, s.Status.Revision),
			map[string]string{"field": "revision"})
	}
	if d := decideMusic(o, wait); d != nil {
		return *d
	}
	return decision{kind: actionStart, attempt: 1}
}

// decideAttempt decides on the current attempt. A reported outcome takes precedence over the state of the pod, because
// a pod may be lost after the video is stored.
func decideAttempt(j *v1beta1.RenderJob, o *observed, now time.Time) decision {
	if out := output(j, o); out != nil {
		if o.stored == out.Bytes {
			out.BlobKey = keptKey(j, filmFile)
			if o.poster {
				out.PosterKey = keptKey(j, posterFile)
			}
			return decision{kind: actionSucceed, output: out}
		}
		return nextOr(j, catalog.GenerationFailed, "The video in the store is not the one that was rendered", nil)
	}
	e := failure(j, o)
	stopped := e != nil && e.Details["reason"] == string(outcome.Stopped)
	if pod.Overdue(o.job, o.pod) && (e == nil || stopped) || stopped && pod.Due(o.pod, now) {
		// A renderer that is stopped at its deadline reports only that it was stopped. It may report this before the Job
		// has failed.
		return failed(catalog.GenerationFailed, true, "Rendering took too long", nil)
	}
	if e != nil {
		if !e.Retryable {
			return decision{kind: actionFail, err: e}
		}
		d := nextOr(j, catalog.Code(e.Code), e.Message, e.Details)
		// If the memory is used up, the kernel kills the encoder and not the renderer.
		d.memory = e.Details["reason"] == string(outcome.EncoderKilled) && raisable(j, o)
		return d
	}
	if o.foreign {
		return failed(catalog.InternalError, false, fmt.Sprintf("The name %q is used by a Job that does not belong to this RenderJob", j.Status.JobName), nil)
	}
	if o.job == nil {
		if tooLate(j, now) {
			return failed(catalog.GenerationFailed, true, "No worker could be started in time", nil)
		}
		if o.closed != nil { // the namespace was open when the attempt was recorded
			return decision{kind: actionWait, requeue: tenancy.Retry}
		}
		return decision{kind: actionEnsure}
	}
	if at, over := pod.Ended(o.job); over {
		t := pod.Terminated(o.pod)
		if t == nil && now.Sub(at) < pod.CacheGrace {
			return decision{kind: actionWait, running: true, requeue: pod.Glance}
		}
		if pod.OutOfMemory(o.pod) {
			d := nextOr(j, catalog.GenerationFailed, "Rendering exceeded its memory limit", nil)
			d.memory = raisable(j, o)
			return d
		}
		return nextOr(j, catalog.GenerationFailed, "The render worker was lost", nil)
	}
	d := decision{kind: actionWait, running: pod.Running(o.pod), requeue: runTime(j)}
	if !d.running {
		d.requeue = catalog.QueueDeadline - now.Sub(o.job.CreationTimestamp.Time)
	}
	if d.requeue <= 0 {
		return failed(catalog.GenerationFailed, true, "No worker was free in time", nil)
	}
	return d
}

// nextOr returns the start of the next attempt, or a retryable failure if no attempt is left.
func nextOr(j *v1beta1.RenderJob, c catalog.Code, message string, details map[string]string) decision {
	if n := j.Status.Work.Attempt; n < catalog.MaxAttempts {
		return decision{kind: actionStart, attempt: n + 1}
	}
	return failed(c, true, message, details)
}

// failed returns a decision with an error.
func failed(c catalog.Code, retryable bool, message string, details map[string]string) decision {
	return decision{kind: actionFail, err: &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable, Details: details}}
}

// output returns the video that the current attempt reported; nil if it reported none.
func output(j *v1beta1.RenderJob, o *observed) *v1beta1.RenderOutput {
	if r := legacyReport(j); r != nil {
		return r.Output.DeepCopy()
	}
	if o.outcome == nil || o.outcome.Film == nil {
		return nil
	}
	return renders.Output(o.outcome.Film)
}

// failure returns the error that the current attempt reported; nil if it reported none.
func failure(j *v1beta1.RenderJob, o *observed) *v1beta1.WorkError {
	if r := legacyReport(j); r != nil {
		return r.Error.DeepCopy()
	}
	if o.outcome == nil {
		return nil
	}
	e := runner.WorkError(o.outcome.Error)
	if e != nil && e.Details["reason"] == string(outcome.Stopped) {
		e.Retryable = true // the pod was stopped, and the video is not the cause
	}
	return e
}

// unconfined returns the parts of the confinement that the current attempt reported as missing.
func unconfined(j *v1beta1.RenderJob, o *observed) []string {
	if r := legacyReport(j); r != nil {
		return r.Unconfined
	}
	if o.outcome != nil {
		return o.outcome.Unconfined
	}
	return nil
}

// legacyReport returns the outcome of the current attempt that a front end of the previous release wrote to the status;
// nil for none.
func legacyReport(j *v1beta1.RenderJob) *v1beta1.RenderReport {
	if r := j.Status.Report; r != nil && j.Status.Work != nil && r.Attempt == j.Status.Work.Attempt {
		return r
	}
	return nil
}

// tooLate reports whether an attempt whose Job cannot be created has reached its deadline.
func tooLate(j *v1beta1.RenderJob, now time.Time) bool {
	if at := j.Status.Work.StartedAt; at != nil { // earlier attempts were lost
		return now.Sub(at.Time) > catalog.QueueDeadline+catalog.MaxAttempts*runTime(j)
	}
	return now.Sub(j.CreationTimestamp.Time) > catalog.QueueDeadline+runTime(j)
}

// runTime returns the longest time that an attempt may run.
func runTime(j *v1beta1.RenderJob) time.Duration {
	if kindOf(j) == v1beta1.KindVideo {
		return catalog.VideoDeadline
	}
	return catalog.RenderDeadline
}

// raisable reports whether the attempt had the memory of a first attempt. The memory is raised once.
func raisable(j *v1beta1.RenderJob, o *observed) bool { return j.Status.MemoryBytes <= o.memory }
