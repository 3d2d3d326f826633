// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"syscall"

	"github.com/reelops/reelops/internal/film/speech/spoken"
	"github.com/reelops/reelops/internal/media/probe"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// mediaFailure returns the failure of media work. The causes are only in the log, because they contain paths, programs
// and content of the file.
func mediaFailure(err error) *outcome.Failure {
	step := func(reason outcome.Reason, message string) *outcome.Failure {
		return &outcome.Failure{Code: outcome.GenerationFailed, Reason: reason, Message: message, Retryable: true}
	}
	var (
		refused  *probe.Refusal
		input    *inputError
		upload   *uploadError
		wrong    *order.Error
		creation *makeError
		unspoken *spoken.Refusal
	)
	switch {
	case errors.Is(err, errStopped):
		return step(outcome.Stopped, "The work was stopped before it finished.")
	case errors.Is(err, errExpired):
		return step(outcome.Expired, "The work did not finish before its deadline.")
	case errors.Is(err, errUnconfined):
		return step(outcome.Unconfined, unconfinedMessage)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return step(outcome.NoSpace, "The work ran out of scratch space.")
	case errors.As(err, &creation):
		return step(outcome.Killed, "The item of the starter set could not be generated.")
	case errors.As(err, &refused):
		return &outcome.Failure{Code: outcome.ValidationFailed, Reason: refused.Reason, Message: refused.Message}
	case errors.As(err, &unspoken):
		return &outcome.Failure{Code: outcome.ValidationFailed, Reason: unspoken.Reason, Message: unspoken.Message}
	case errors.Is(err, probe.ErrKilled), errors.Is(err, spoken.ErrKilled):
		return step(outcome.Killed, "The work was killed, most likely because it exceeded its memory limit.")
	case errors.As(err, &input) && input.tooLarge:
		return &outcome.Failure{Code: outcome.MediaTooLarge, Message: "The file is larger than allowed."}
	case errors.As(err, &input):
		return step(outcome.InputUnavailable, "The stored file could not be downloaded.")
	case errors.Is(err, errOtherFile):
		return &outcome.Failure{Code: outcome.ValidationFailed, Reason: outcome.Unreadable, Message: "The stored file has changed since it was ingested."}
	case errors.As(err, &upload):
		return step(outcome.UploadRefused, "The result could not be stored.")
	case errors.As(err, &wrong):
		return &outcome.Failure{Code: outcome.InternalError, Message: "The order is invalid."}
	}
	return &outcome.Failure{Code: outcome.InternalError, Message: "The renderer failed with an internal error.", Retryable: true}
}
