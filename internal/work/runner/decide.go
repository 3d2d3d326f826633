// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
)

// Next is what follows for an attempt of media work.
type Next int

// What may follow.
const (
	Wait   Next = iota // the attempt runs
	Make               // its Job does not exist
	Lost               // it ended without a final outcome, and another may follow
	Done               // it succeeded with Result
	Refuse             // the file, or the work, failed for good
)

// Verdict is what an attempt of media work comes to.
type Verdict struct {
	Next Next
	// Again is the time until the next look, of Wait.
	Again time.Duration
	// Result of Done.
	Result *outcome.Media
	// Err of Refuse; of Lost it is the error when no attempt is left.
	Err *v1beta1.WorkError
}

// Judge decides what follows. A reported outcome counts before the end of the pod.
func Judge(s *Seen, now time.Time) Verdict {
	switch {
	case s.Foreign:
		return Verdict{Next: Refuse, Err: fault(catalog.InternalError, false,
			"The name of the Job is taken by an object of somebody else")}
	case s.Said != nil && s.Said.Media != nil:
		return Verdict{Next: Done, Result: s.Said.Media}
	case s.Said != nil:
		v := Verdict{Next: Refuse, Err: WorkError(s.Said.Error)}
		if v.Err.Retryable {
			v.Next = Lost
		}
		return v
	case s.Job == nil:
		return Verdict{Next: Make}
	}
	at, over := pod.Ended(s.Job)
	if !over {
		return waiting(s, now)
	}
	terminated := pod.Terminated(s.Pod)
	switch {
	case terminated == nil && now.Sub(at) < pod.CacheGrace:
		return Verdict{Next: Wait, Again: pod.Glance}
	case pod.OutOfMemory(s.Pod):
		return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true,
			"The work on the file needed more memory than it may have")}
	case pod.Overdue(s.Job, s.Pod) && s.Pod == nil:
		return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true, "No worker was free in time")}
	case pod.Overdue(s.Job, s.Pod):
		return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true, "The work on the file took too long")}
	}
	return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true, "The worker that had the file was lost")}
}

// waiting returns when to look again. Events of the Job come sooner, unless they are missed.
func waiting(s *Seen, now time.Time) Verdict {
	waited := now.Sub(s.Job.CreationTimestamp.Time)
	if pod.Held(s.Job) { // its own deadline does not run
		if waited >= catalog.QueueDeadline {
			return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true, "No worker was free in time")}
		}
		return Verdict{Next: Wait, Again: catalog.QueueDeadline - waited}
	}
	left := catalog.QueueDeadline + catalog.MediaDeadline - waited
	return Verdict{Next: Wait, Again: max(left, time.Second)}
}

func fault(c catalog.Code, retryable bool, message string) *v1beta1.WorkError {
	return &v1beta1.WorkError{Code: string(c), Message: message, Retryable: retryable}
}
