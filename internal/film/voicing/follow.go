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

// Work is what a short's Jobs are to do.
type Work struct {
	Owner client.Object
	// Kind of the owner as metrics name it, such as video.
	Kind string
	// Attempt is the number in the owner's status; 0 before the first.
	Attempt int32
	// Conditions of the owner.
	Conditions status.Conditions
	// Order returns the work order of an attempt.
	Order func(context.Context) (*order.Order, error)
	// Read takes a result over. An error of it counts as a lost attempt.
	Read func(context.Context, *outcome.Media) *v1beta1.WorkError
}

// Progress is what one pass over a Work came to. At most one of Attempt, Done, Refused and Failed is set.
type Progress struct {
	// Err means that the pass has to be repeated.
	Err error
	// Wait is the time until the next pass.
	Wait time.Duration
	// Attempt is the attempt that begins; the controller records it, and the next pass creates its Job.
	Attempt int32
	// Done means that Read took the result over.
	Done bool
	// Refused is why the Job cannot do the work, however often it is tried.
	Refused *v1beta1.WorkError
	// Failed is the error of the last attempt.
	Failed *v1beta1.WorkError
}

// Follow starts the Job of the owner's attempt, or reads how far it is. A pass takes one step.
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

// lost starts the next attempt while there are any left.
func (s Studio) lost(ctx context.Context, w Work, e *v1beta1.WorkError) Progress {
	if int(w.Attempt-1)%catalog.MaxAttempts < catalog.MaxAttempts-1 {
		return Progress{Attempt: w.Attempt + 1}
	}
	if err := s.Tidy(ctx, w.Owner, w.Attempt); err != nil {
		return Progress{Err: err}
	}
	return Progress{Failed: e}
}

// NextAttempts returns the first attempt of another try, after one that came to attempt n. Numbers continue, so that no name is
// used twice; 0 stays 0.
func NextAttempts(n int32) int32 {
	if n == 0 {
		return 0
	}
	return ((n-1)/catalog.MaxAttempts+1)*catalog.MaxAttempts + 1
}

// stopTime is how long a deleted owner waits for its pod to end; a pod on a lost node never reports its end.
const stopTime = time.Minute

// Halt ends the Jobs of an owner that is being deleted, and returns how long to wait for a pod that may still store a file.
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

// Tidy removes what only the Jobs of an owner needed, and releases its slot.
func (s Studio) Tidy(ctx context.Context, owner client.Object, attempt int32) error {
	if err := s.Jobs.FinishMedia(ctx, runner.Media(owner, attempt)); err != nil {
		return err
	}
	s.Jobs.Slots.Free(owner.GetUID())
	return nil
}
