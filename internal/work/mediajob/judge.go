// SPDX-License-Identifier: Apache-2.0

package mediajob

import (
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/work/mediawork"
	"github.com/reelops/reelops/internal/work/renderpod"
)

// Next is what shall become of an attempt.
type Next int

// What may become of an attempt.
const (
	Wait   Next = iota // it goes on
	Make               // its Job is not there
	Lost               // it ended without a verdict, and another may follow
	Done               // the file is what Result says
	Refuse             // the file, or the work, failed for good
)

// Verdict is what the attempt comes to.
type Verdict struct {
	Next Next
	// Again is when to look again, of Wait.
	Again time.Duration
	// Result of Done.
	Result *mediawork.Result
	// Err of Refuse; of Lost it is what is said when no attempt is left.
	Err *v1beta1.WorkError
}

// Judge decides. What the renderer said counts before what became of its pod.
func Judge(s *Seen, now time.Time) Verdict {
	switch {
	case s.Foreign:
		return Verdict{Next: Refuse, Err: fault(catalog.InternalError, false, "The name of the Job is taken by an object of somebody else")}
	case s.Job == nil:
		return Verdict{Next: Make}
	case s.Said != nil && s.Said.Result != nil:
		return Verdict{Next: Done, Result: s.Said.Result}
	case s.Said != nil:
		e := s.Said.Error
		err := fault(catalog.Code(e.Code), e.Retryable, e.Message)
		if e.Reason != "" {
			err.Details = map[string]string{"reason": string(e.Reason)}
		}
		if e.Retryable {
			return Verdict{Next: Lost, Err: err}
		}
		return Verdict{Next: Refuse, Err: err}
	}
	at, over := renderpod.Ended(s.Job)
	if !over {
		return waiting(s, now)
	}
	terminated := renderpod.Terminated(s.Pod)
	switch {
	case terminated == nil && now.Sub(at) < renderpod.CacheGrace:
		return Verdict{Next: Wait, Again: renderpod.Glance}
	case renderpod.OutOfMemory(s.Pod):
		return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true, "The work on the file needed more memory than it may have")}
	case renderpod.Overdue(s.Job, s.Pod) && s.Pod == nil:
		return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true, "No worker was free in time")}
	case renderpod.Overdue(s.Job, s.Pod):
		return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true, "The work on the file took too long")}
	}
	return Verdict{Next: Lost, Err: fault(catalog.GenerationFailed, true, "The worker that had the file was lost")}
}

// Unconfined returns the parts of the confinement that the attempt's node did not have, and counts them as work of the kind. It is called
// when the attempt has come to its verdict.
func (s *Seen) Unconfined(kind string) []string {
	if s.Said == nil {
		return nil
	}
	for _, part := range s.Said.Unconfined {
		metric.Unconfined.WithLabelValues(kind, part).Inc()
	}
	return s.Said.Unconfined
}

// waiting names the next look: events of the Job come sooner, unless they are missed.
func waiting(s *Seen, now time.Time) Verdict {
	waited := now.Sub(s.Job.CreationTimestamp.Time)
	if renderpod.Held(s.Job) { // its own deadline does not run
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
