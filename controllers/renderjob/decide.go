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
	actionNothing action = iota // settled
	actionStop                  // being deleted while it runs: end the Job first
	actionClean                 // being deleted: remove the film
	actionWait                  // for the short, or for the attempt to end
	actionStart                 // the first or the next attempt
	actionEnsure                // the attempt's Job is not there: make it
	actionSucceed               // the film is there
	actionFail                  // the work has failed
)

// decision is what a pass shall do.
type decision struct {
	kind    action
	reason  v1beta1.Reason        // of actionWait, before there is an attempt
	say     string                // of actionWait
	begun   bool                  // of actionWait: the attempt's container runs
	memory  bool                  // of actionStart: with twice the memory
	err     *v1beta1.WorkError    // of actionFail
	output  *v1beta1.RenderOutput // of actionSucceed
	attempt int32                 // of actionStart
	again   time.Duration         // when to look again
}

// stopTime is how long a deleted RenderJob waits for its pod to end; a pod on a node that is gone never says so.
const stopTime = time.Minute

// decide returns the decision of the first rule that holds. It reads nothing but its arguments.
func decide(j *v1beta1.RenderJob, o *observed, now time.Time) decision {
	switch {
	case !j.DeletionTimestamp.IsZero():
		// A film that is uploaded after the cleaning would stay for ever.
		if left := stopTime - now.Sub(j.DeletionTimestamp.Time); left > 0 && o.working {
			return decision{kind: actionStop, again: left}
		}
		return decision{kind: actionClean}
	case o.before.Settled():
		return decision{}
	case j.Status.JobName == "":
		return decideFirst(j, o, now)
	}
	return decideAttempt(j, o, now)
}

// decideFirst waits for the short and its music, as long as work may wait, and then starts the first attempt.
func decideFirst(j *v1beta1.RenderJob, o *observed, now time.Time) decision {
	waited := now.Sub(j.CreationTimestamp.Time)
	wait := func(r v1beta1.Reason, say string) decision {
		if waited >= catalog.QueueDeadline {
			code := catalog.ValidationFailed
			if r == v1beta1.ReasonQuotaExceeded {
				code = catalog.QuotaExceeded
			}
			return failed(code, false, say, nil)
		}
		return decision{kind: actionWait, reason: r, say: say, again: catalog.QueueDeadline - waited}
	}
	if o.closed != nil {
		d := wait(o.closed.Reason, o.closed.Message)
		d.again = min(d.again, tenancy.Retry)
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
		// Applied together with an edit, a render means the edited slides.
		j.Spec.Revision == nil && s.Status.ObservedGeneration != s.Generation:
		return wait(v1beta1.ReasonQueued, fmt.Sprintf("The Slideshow %q is not drawn yet", s.Name))
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

// decideAttempt follows the running attempt. A reported outcome counts before the end of its pod: a pod may be lost after the video is
// stored.
func decideAttempt(j *v1beta1.RenderJob, o *observed, now time.Time) decision {
	if out := output(j, o); out != nil {
		if o.stored == out.Bytes {
			out.BlobKey = keptKey(j, filmFile)
			if o.poster {
				out.PosterKey = keptKey(j, posterFile)
			}
			return decision{kind: actionSucceed, output: out}
		}
		return nextOr(j, catalog.GenerationFailed, "The film in the store is not the one that was made", nil)
	}
	e := failure(j, o)
	stopped := e != nil && e.Details["reason"] == string(outcome.Stopped)
	if pod.Overdue(o.job, o.pod) && (e == nil || stopped) || stopped && pod.Due(o.pod, now) {
		// A renderer that is stopped at its deadline reports only that it was stopped, and may do so before the Job does.
		return failed(catalog.GenerationFailed, true, "Rendering took too long", nil)
	}
	if e != nil {
		if !e.Retryable {
			return decision{kind: actionFail, err: e}
		}
		d := nextOr(j, catalog.Code(e.Code), e.Message, e.Details)
		// The kernel ends the encoder, not the renderer, when the memory is used up.
		d.memory = e.Details["reason"] == string(outcome.EncoderKilled) && raisable(j, o)
		return d
	}
	if o.foreign {
		return failed(catalog.InternalError, false, fmt.Sprintf("The name %q is taken by a Job of somebody else", j.Status.JobName), nil)
	}
	if o.job == nil {
		if tooLate(j, now) {
			return failed(catalog.GenerationFailed, true, "No worker could be started in time", nil)
		}
		if o.closed != nil { // it was open before the attempt was recorded
			return decision{kind: actionWait, again: tenancy.Retry}
		}
		return decision{kind: actionEnsure}
	}
	if at, over := pod.Ended(o.job); over {
		t := pod.Terminated(o.pod)
		if t == nil && now.Sub(at) < pod.CacheGrace {
			return decision{kind: actionWait, begun: true, again: pod.Glance}
		}
		if pod.OutOfMemory(o.pod) {
			d := nextOr(j, catalog.GenerationFailed, "Rendering needed more memory than it may have", nil)
			d.memory = raisable(j, o)
			return d
		}
		return nextOr(j, catalog.GenerationFailed, "The render worker was lost", nil)
	}
	d := decision{kind: actionWait, begun: pod.Running(o.pod), again: runTime(j)}
	if !d.begun {
		d.again = catalog.QueueDeadline - now.Sub(o.job.CreationTimestamp.Time)
	}
	if d.again <= 0 {
		return failed(catalog.GenerationFailed, true, "No worker was free in time", nil)
	}
	return d
}

// nextOr starts the next attempt while there are any left, else fails retryably.
func nextOr(j *v1beta1.RenderJob, c catalog.Code, message string, details map[string]string) decision {
	if n := j.Status.Work.Attempt; n < catalog.MaxAttempts {
		return decision{kind: actionStart, attempt: n + 1}
	}
	return failed(c, true, message, details)
}

func failed(c catalog.Code, retryable bool, message string, details map[string]string) decision {
	return decision{kind: actionFail, err: &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable, Details: details}}
}

// output returns the video that the current attempt reported; nil when it reported none.
func output(j *v1beta1.RenderJob, o *observed) *v1beta1.RenderOutput {
	if r := legacyReport(j); r != nil {
		return r.Output.DeepCopy()
	}
	if o.said == nil || o.said.Film == nil {
		return nil
	}
	return renders.Output(o.said.Film)
}

// failure returns the error that the current attempt reported; nil when it reported none.
func failure(j *v1beta1.RenderJob, o *observed) *v1beta1.WorkError {
	if r := legacyReport(j); r != nil {
		return r.Error.DeepCopy()
	}
	if o.said == nil {
		return nil
	}
	e := runner.WorkError(o.said.Error)
	if e != nil && e.Details["reason"] == string(outcome.Stopped) {
		e.Retryable = true // the pod was told to stop; the video was not at fault
	}
	return e
}

// unconfined returns the parts of the confinement that the current attempt reported as missing.
func unconfined(j *v1beta1.RenderJob, o *observed) []string {
	if r := legacyReport(j); r != nil {
		return r.Unconfined
	}
	if o.said != nil {
		return o.said.Unconfined
	}
	return nil
}

// legacyReport returns the outcome of the current attempt that a front end of the previous release wrote into the status; nil for none.
func legacyReport(j *v1beta1.RenderJob) *v1beta1.RenderReport {
	if r := j.Status.Report; r != nil && j.Status.Work != nil && r.Attempt == j.Status.Work.Attempt {
		return r
	}
	return nil
}

// tooLate says that an attempt whose Job cannot be made has waited for as long as work may wait.
func tooLate(j *v1beta1.RenderJob, now time.Time) bool {
	if at := j.Status.Work.StartedAt; at != nil { // lost workers came before
		return now.Sub(at.Time) > catalog.QueueDeadline+catalog.MaxAttempts*runTime(j)
	}
	return now.Sub(j.CreationTimestamp.Time) > catalog.QueueDeadline+runTime(j)
}

// runTime is how long an attempt may work.
func runTime(j *v1beta1.RenderJob) time.Duration {
	if kindOf(j) == v1beta1.KindVideo {
		return catalog.VideoDeadline
	}
	return catalog.RenderDeadline
}

// raisable says that the attempt had no more memory than a first one has: it is raised once.
func raisable(j *v1beta1.RenderJob, o *observed) bool { return j.Status.MemoryBytes <= o.memory }
