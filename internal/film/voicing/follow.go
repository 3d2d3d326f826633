// SPDX-License-Identifier: Apache-2.0

package voicing

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// SlotWait is the wait before the next request for a free Job.
const SlotWait = time.Second

// Work is the speech work of a short.
type Work struct {
	Owner client.Object
	// Kind of the owner in metrics, such as video.
	Kind string
	// Attempt is the number in the owner's status; 0 before the first.
	Attempt int32
	// Conditions of the owner.
	Conditions status.Conditions
	// Order returns the work order of an attempt.
	Order func(context.Context) (*order.Order, error)
	// Read records a result. Its error counts as a lost attempt.
	Read func(context.Context, *outcome.Media) *v1beta1.WorkError
}

// Progress is the result of a step of Follow. At most one of Attempt, Done, Refused and Failed is set.
type Progress struct {
	// Err means that the step must be repeated.
	Err error
	// Wait is the time until the next step.
	Wait time.Duration
	// Attempt is the next attempt. The controller records it, and the next step creates its Job.
	Attempt int32
	// Done means that Read recorded the result.
	Done bool
	// Refused is the reason why no attempt can succeed.
	Refused *v1beta1.WorkError
	// Failed is the error of the last attempt.
	Failed *v1beta1.WorkError
}

// Follow executes one step: it acquires a slot, creates the Job of the owner's attempt, or reads its outcome.
func (s Studio) Follow(ctx context.Context, w Work) Progress {
	if w.Attempt == 0 {
		if !s.Jobs.Slots.Take(w.Owner.GetNamespace(), w.Owner.GetUID()) {
			return Progress{Wait: SlotWait}
		}
		return Progress{Attempt: 1}
	}
	observed, err := s.Jobs.Observe(ctx, runner.Media(w.Owner, w.Attempt))
	if err != nil {
		return Progress{Err: err}
	}
	if observed.Job != nil {
		s.Jobs.Slots.Hold(w.Owner.GetNamespace(), w.Owner.GetUID())
	} else if !s.Jobs.Slots.Take(w.Owner.GetNamespace(), w.Owner.GetUID()) {
		return Progress{Wait: SlotWait}
	}
	w.Conditions.Unconfined(observed.Unconfined(w.Kind))
	switch decision := runner.Decide(observed, s.Clock.Now()); decision.Next {
	case runner.Create:
		o, err := w.Order(ctx)
		if err != nil {
			return Progress{Err: err}
		}
		return Progress{Err: s.Jobs.LaunchMedia(ctx, runner.Media(w.Owner, w.Attempt), o), Wait: catalog.QueueDeadline + catalog.MediaDeadline}
	case runner.Wait:
		return Progress{Wait: decision.Again}
	case runner.Done:
		if failed := w.Read(ctx, decision.Result); failed != nil {
			return s.lost(ctx, w, failed)
		}
		return Progress{Done: true, Err: s.Tidy(ctx, w.Owner, w.Attempt)}
	case runner.Lost:
		return s.lost(ctx, w, decision.Err)
	default:
		if err := s.Tidy(ctx, w.Owner, w.Attempt); err != nil {
			return Progress{Err: err}
		}
		return Progress{Refused: decision.Err}
	}
}

// lost returns the next attempt, or the failure if no attempt is left.
func (s Studio) lost(ctx context.Context, w Work, e *v1beta1.WorkError) Progress {
	if int(w.Attempt-1)%catalog.MaxAttempts < catalog.MaxAttempts-1 {
		return Progress{Attempt: w.Attempt + 1}
	}
	if err := s.Tidy(ctx, w.Owner, w.Attempt); err != nil {
		return Progress{Err: err}
	}
	return Progress{Failed: e}
}

// NextAttempts returns the number of the first attempt of the next try, if the last one was attempt n. The numbers
// continue, so that no name is used twice. For 0 it returns 0.
func NextAttempts(n int32) int32 {
	if n == 0 {
		return 0
	}
	return ((n-1)/catalog.MaxAttempts+1)*catalog.MaxAttempts + 1
}

// stopTime is how long a deleted owner waits for its pod to end; a pod on a lost node never reports its end.
const stopTime = time.Minute

// Halt ends the Jobs of an owner that is being deleted, and returns how long to wait for a pod that may still store a
// file.
func (s Studio) Halt(ctx context.Context, owner client.Object, attempt int32) (time.Duration, error) {
	if attempt == 0 {
		return 0, nil
	}
	working, err := s.Jobs.HaltMedia(ctx, runner.Media(owner, attempt))
	if err != nil || !working {
		return 0, err
	}
	left := stopTime - s.Clock.Now().Sub(owner.GetDeletionTimestamp().Time)
	return max(0, min(left, SlotWait)), nil
}

// Tidy removes the objects that only the Jobs of an owner needed, and releases its slot.
func (s Studio) Tidy(ctx context.Context, owner client.Object, attempt int32) error {
	if err := s.Jobs.FinishMedia(ctx, runner.Media(owner, attempt)); err != nil {
		return err
	}
	s.Jobs.Slots.Free(owner.GetUID())
	return nil
}
