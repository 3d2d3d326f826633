// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
)

// Next is the next step for an attempt of media work.
type Next int

// Steps that may follow.
const (
	// Wait is for an attempt that runs.
	Wait Next = iota
	// Create is for an attempt whose Job does not exist.
	Create
	// Lost is for an attempt that ended without a final outcome. Another attempt may follow.
	Lost
	// Done is for an attempt that succeeded.
	Done
	// Refuse is for work that failed and cannot succeed in another attempt.
	Refuse
)

// Decision is the next step for an attempt of media work.
type Decision struct {
	Next Next
	// Again is the time until the next reconcile. Only for Wait.
	Again time.Duration
	// Result is set for Done.
	Result *outcome.Media
	// Err is the failure. For Lost, it is the final error if no attempt is left.
	Err *v1beta1.WorkError
}

// Decide returns the next step. A reported outcome takes precedence over the state of the Job and its pod.
func Decide(o *Observed, now time.Time) Decision {
	switch {
	case o.Foreign:
		return Decision{Next: Refuse, Err: fault(catalog.InternalError, false,
			"The name of the Job is used by an object that is not controlled by the owner of the work")}
	case o.Outcome != nil && o.Outcome.Media != nil:
		return Decision{Next: Done, Result: o.Outcome.Media}
	case o.Outcome != nil:
		d := Decision{Next: Refuse, Err: WorkError(o.Outcome.Error)}
		if d.Err.Retryable {
			d.Next = Lost
		}
		return d
	case o.Job == nil:
		return Decision{Next: Create}
	}
	at, over := pod.Ended(o.Job)
	if !over {
		return waiting(o, now)
	}
	terminated := pod.Terminated(o.Pod)
	switch {
	case terminated == nil && now.Sub(at) < pod.CacheGrace:
		return Decision{Next: Wait, Again: pod.Glance}
	case pod.OutOfMemory(o.Pod):
		return Decision{Next: Lost, Err: fault(catalog.GenerationFailed, true,
			"The work on the file exceeded its memory limit")}
	case pod.Overdue(o.Job, o.Pod) && o.Pod == nil:
		return Decision{Next: Lost, Err: fault(catalog.GenerationFailed, true, "No worker was free in time")}
	case pod.Overdue(o.Job, o.Pod):
		return Decision{Next: Lost, Err: fault(catalog.GenerationFailed, true, "The work on the file took too long")}
	}
	return Decision{Next: Lost, Err: fault(catalog.GenerationFailed, true, "The worker of the file was lost")}
}

// waiting returns the time until the next reconcile, or Lost for a Job that was queued for too long. Events of the Job
// trigger a reconcile sooner.
func waiting(o *Observed, now time.Time) Decision {
	waited := now.Sub(o.Job.CreationTimestamp.Time)
	if pod.Held(o.Job) { // the deadline of a suspended Job does not run
		if waited >= catalog.QueueDeadline {
			return Decision{Next: Lost, Err: fault(catalog.GenerationFailed, true, "No worker was free in time")}
		}
		return Decision{Next: Wait, Again: catalog.QueueDeadline - waited}
	}
	left := catalog.QueueDeadline + catalog.MediaDeadline - waited
	return Decision{Next: Wait, Again: max(left, time.Second)}
}

// fault returns the error of a failed attempt.
func fault(c catalog.Code, retryable bool, message string) *v1beta1.WorkError {
	return &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable}
}
