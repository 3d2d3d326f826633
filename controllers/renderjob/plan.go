// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/renderwork"
	"github.com/reelops/reelops/internal/work/renderpod"
)

type stepKind int

const (
	stepNothing stepKind = iota // settled
	stepStop                    // being deleted while it runs: end the Job first
	stepClean                   // being deleted: remove the film
	stepWait                    // for the short, or for the attempt to end
	stepStart                   // the first or the next attempt
	stepEnsure                  // the attempt's Job is not there: make it
	stepSucceed                 // the film is there
	stepFail                    // the work has failed
)

// step is what a pass shall do.
type step struct {
	kind    stepKind
	reason  v1beta1.Reason        // of stepWait, before there is an attempt
	say     string                // of stepWait
	begun   bool                  // of stepWait: the attempt's container runs
	memory  bool                  // of stepStart: with twice the memory
	err     *v1beta1.WorkError    // of stepFail
	output  *v1beta1.RenderOutput // of stepSucceed
	attempt int32                 // of stepStart
	again   time.Duration         // when to look again
}

// stopTime is how long a deleted RenderJob waits for its pod to end; a pod on a node that is gone never says so.
const stopTime = time.Minute

// plan decides. It reads nothing but its arguments. The first rule that holds wins.
func plan(j *v1beta1.RenderJob, o *seen, now time.Time) step {
	switch {
	case !j.DeletionTimestamp.IsZero():
		// A film that is uploaded after the cleaning would stay for ever.
		if left := stopTime - now.Sub(j.DeletionTimestamp.Time); left > 0 && o.working {
			return step{kind: stepStop, again: left}
		}
		return step{kind: stepClean}
	case o.before.Settled():
		return step{}
	case j.Status.JobName == "":
		return planFirst(j, o, now)
	}
	return planAttempt(j, o, now)
}

// planFirst waits for the short and its music, as long as work may wait, and then starts the first attempt.
func planFirst(j *v1beta1.RenderJob, o *seen, now time.Time) step {
	waited := now.Sub(j.CreationTimestamp.Time)
	wait := func(r v1beta1.Reason, say string) step {
		if waited >= catalog.QueueDeadline {
			code := catalog.ValidationFailed
			if r == v1beta1.ReasonQuotaExceeded {
				code = catalog.QuotaExceeded
			}
			return failed(code, false, say, nil)
		}
		return step{kind: stepWait, reason: r, say: say, again: catalog.QueueDeadline - waited}
	}
	if o.closed != nil {
		st := wait(o.closed.Reason, o.closed.Message)
		st.again = min(st.again, tenancy.Retry)
		return st
	}
	if kindOf(j) == v1beta1.KindVideo {
		if st := planVideo(j, o, wait); st != nil {
			return *st
		}
		return step{kind: stepStart, attempt: 1}
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
	if st := planMusic(o, wait); st != nil {
		return *st
	}
	return step{kind: stepStart, attempt: 1}
}

// planAttempt follows the running attempt. What the renderer said counts before what became of its pod: a pod may be
// lost after the film is done.
func planAttempt(j *v1beta1.RenderJob, o *seen, now time.Time) step {
	if out := output(j, o); out != nil {
		if o.stored == out.Bytes {
			out.BlobKey = keptKey(j, filmFile)
			if o.poster {
				out.PosterKey = keptKey(j, posterFile)
			}
			return step{kind: stepSucceed, output: out}
		}
		return nextOr(j, catalog.GenerationFailed, "The film in the store is not the one that was made", nil)
	}
	e := failure(j, o)
	if stopped := e != nil && e.Details[renderwork.DetailReason] == renderwork.ReasonStopped; renderpod.Overdue(o.job, o.pod) && (e == nil || stopped) || stopped && renderpod.Due(o.pod, now) {
		// A renderer that is stopped at its deadline says only that it was stopped, and may say so before the Job does.
		return failed(catalog.GenerationFailed, true, "Rendering took too long", nil)
	}
	if e != nil {
		if !e.Retryable {
			return step{kind: stepFail, err: e}
		}
		st := nextOr(j, catalog.Code(e.Code), e.Message, e.Details)
		// The kernel ends the encoder, not the renderer, when the memory is used up.
		st.memory = e.Details[renderwork.DetailReason] == renderwork.ReasonEncoderKilled && raisable(j, o)
		return st
	}
	if o.foreign {
		return failed(catalog.InternalError, false, fmt.Sprintf("The name %q is taken by a Job of somebody else", j.Status.JobName), nil)
	}
	if o.job == nil {
		if tooLate(j, now) {
			return failed(catalog.GenerationFailed, true, "No worker could be started in time", nil)
		}
		if o.closed != nil { // it was open before the attempt was recorded
			return step{kind: stepWait, again: tenancy.Retry}
		}
		return step{kind: stepEnsure}
	}
	if at, over := renderpod.Ended(o.job); over {
		t := renderpod.Terminated(o.pod)
		if t == nil && now.Sub(at) < renderpod.CacheGrace {
			return step{kind: stepWait, begun: true, again: renderpod.Glance}
		}
		if renderpod.OutOfMemory(o.pod) {
			st := nextOr(j, catalog.GenerationFailed, "Rendering needed more memory than it may have", nil)
			st.memory = raisable(j, o)
			return st
		}
		return nextOr(j, catalog.GenerationFailed, "The render worker was lost", nil)
	}
	st := step{kind: stepWait, begun: renderpod.Running(o.pod), again: runTime(j)}
	if !st.begun {
		st.again = catalog.QueueDeadline - now.Sub(o.job.CreationTimestamp.Time)
	}
	if st.again <= 0 {
		return failed(catalog.GenerationFailed, true, "No worker was free in time", nil)
	}
	return st
}

// nextOr starts the next attempt while there are any left, else fails retryably.
func nextOr(j *v1beta1.RenderJob, c catalog.Code, message string, details map[string]string) step {
	if n := j.Status.Work.Attempt; n < catalog.MaxAttempts {
		return step{kind: stepStart, attempt: n + 1}
	}
	return failed(c, true, message, details)
}

func failed(c catalog.Code, retryable bool, message string, details map[string]string) step {
	return step{kind: stepFail, err: &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable, Details: details}}
}

// output is the film that the current attempt reported, by callback or by its last words; nil when it reported none.
func output(j *v1beta1.RenderJob, o *seen) *v1beta1.RenderOutput {
	if r := j.Status.Report; r != nil && j.Status.Work != nil && r.Attempt == j.Status.Work.Attempt {
		return r.Output.DeepCopy()
	}
	if o.said == nil {
		return nil
	}
	return renders.Output(o.said.Result)
}

// failure is what the current attempt reported as its error; nil when it reported none.
func failure(j *v1beta1.RenderJob, o *seen) *v1beta1.WorkError {
	if r := j.Status.Report; r != nil && r.Attempt == j.Status.Work.Attempt {
		return r.Error.DeepCopy()
	}
	if o.said == nil {
		return nil
	}
	out := renders.Failure(o.said.Error)
	if out != nil && out.Details[renderwork.DetailReason] == renderwork.ReasonStopped {
		out.Retryable = true // the pod was told to stop; the film was not at fault
	}
	return out
}

// unconfined returns the parts of the confinement that the current attempt reported as missing.
func unconfined(j *v1beta1.RenderJob, o *seen) []string {
	if r := j.Status.Report; r != nil && r.Attempt == j.Status.Work.Attempt {
		return r.Unconfined
	}
	if o.said != nil {
		return o.said.Unconfined
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
func raisable(j *v1beta1.RenderJob, o *seen) bool { return j.Status.MemoryBytes <= o.memory }
