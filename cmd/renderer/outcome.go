// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"syscall"

	"github.com/reelops/reelops/internal/film/render"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// unconfinedMessage is for an operator, because a user cannot change the node.
const unconfinedMessage = "The node does not confine the programs that open files of users, and the installation requires it."

// failure returns the failure of a render. The causes are only in the log, because they contain paths and programs.
func failure(err error) *outcome.Failure {
	step := func(reason outcome.Reason, message string) *outcome.Failure {
		return &outcome.Failure{Code: outcome.GenerationFailed, Reason: reason, Message: outcome.Cut(message, 1000), Retryable: true}
	}
	invalid := func(field, message string) *outcome.Failure {
		return &outcome.Failure{Code: outcome.ValidationFailed, Field: outcome.Cut(field, 300), Message: outcome.Cut(message, 1000)}
	}
	var (
		failed *render.Error
		input  *inputError
		upload *uploadError
		wrong  *order.Error
	)
	switch fields := timeline.FieldErrors(err); {
	case errors.Is(err, errStopped):
		return step(outcome.Stopped, "The render was stopped before it finished.")
	case errors.Is(err, errExpired):
		return step(outcome.Expired, "The render did not finish before its deadline.")
	case errors.Is(err, errUnconfined):
		return step(outcome.Unconfined, unconfinedMessage)
	case errors.Is(err, order.ErrVersion):
		return step(outcome.OtherVersion, "The release of the worker differs from the release of the manager.")
	case len(fields) > 0:
		return invalid("timeline."+fields[0].Field, fields[0].Message)
	case errors.As(err, &wrong):
		return &outcome.Failure{Code: outcome.InternalError, Field: outcome.Cut(wrong.Field, 300), Message: "The order is invalid."}
	case errors.As(err, &input) && input.tooLarge:
		return invalid("inputs."+input.key, "The file is larger than allowed.")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return step(outcome.NoSpace, "The render ran out of scratch space.")
	case errors.As(err, &input):
		f := step(outcome.InputUnavailable, input.sentence())
		f.Field = outcome.Cut("inputs."+input.key, 300)
		return f
	case errors.As(err, &upload):
		return step(outcome.UploadRefused, "The finished "+upload.what+" could not be stored.")
	case errors.As(err, &failed):
		switch failed.Kind {
		case render.BadInput:
			return invalid(failed.Field, failed.Message)
		case render.BadTimeline:
			return invalid("timeline."+failed.Field, failed.Message)
		case render.NoSpace:
			return step(outcome.NoSpace, failed.Message)
		case render.EncoderKilled:
			return step(outcome.EncoderKilled, failed.Message)
		case render.EncoderFailed:
			return step(outcome.EncoderFailed, failed.Message)
		case render.BadOutput:
			return step(outcome.BadOutput, failed.Message)
		}
	}
	return &outcome.Failure{Code: outcome.InternalError, Message: "The renderer failed with an internal error.", Retryable: true}
}
