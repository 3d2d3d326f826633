// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"syscall"

	"github.com/reelops/reelops/internal/film/speech/spoken"
	"github.com/reelops/reelops/internal/media/probe"
	"github.com/reelops/reelops/internal/work/mediawork"
)

// mediaOutcome words the end of media work.
func mediaOutcome(result *mediawork.Result, err error) *mediawork.Outcome {
	if err == nil {
		return &mediawork.Outcome{Version: mediawork.Version, State: mediawork.Succeeded, Result: result}
	}
	return &mediawork.Outcome{Version: mediawork.Version, State: mediawork.Failed, Error: mediaFailure(err)}
}

// mediaFailure maps an error to what a caller is told. Causes stay in the log: they name paths and programs, and repeat what
// stands in the file.
func mediaFailure(err error) *mediawork.Failure {
	step := func(reason mediawork.Reason, message string) *mediawork.Failure {
		return &mediawork.Failure{Code: mediawork.GenerationFailed, Reason: reason, Message: message, Retryable: true}
	}
	var (
		refused *probe.Refusal
		input   *inputError
		upload  *uploadError
		order   *mediawork.Error
		making  *makeError
		unsaid  *spoken.Refusal
	)
	switch {
	case errors.Is(err, errStopped):
		return step(mediawork.Stopped, "The work was stopped before it was done.")
	case errors.Is(err, errExpired):
		return step(mediawork.Expired, "The work was not done before its deadline.")
	case errors.Is(err, errUnconfined):
		return step(mediawork.Unconfined, unconfinedMessage)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return step(mediawork.NoSpace, "The work ran out of scratch space.")
	case errors.As(err, &making):
		return step(mediawork.Killed, "The item of the starter set could not be made.")
	case errors.As(err, &refused):
		return &mediawork.Failure{Code: mediawork.ValidationFailed, Reason: refused.Reason, Message: refused.Message}
	case errors.As(err, &unsaid):
		return &mediawork.Failure{Code: mediawork.ValidationFailed, Reason: unsaid.Reason, Message: unsaid.Message}
	case errors.Is(err, probe.ErrKilled), errors.Is(err, spoken.ErrKilled):
		return step(mediawork.Killed, "The work was ended from outside, most often for want of memory.")
	case errors.As(err, &input) && input.tooLarge:
		return &mediawork.Failure{Code: mediawork.MediaTooLarge, Message: "The file is larger than it may be."}
	case errors.As(err, &input):
		return step(mediawork.InputUnavailable, "The stored file could not be fetched.")
	case errors.Is(err, errOtherFile):
		return &mediawork.Failure{Code: mediawork.ValidationFailed, Reason: mediawork.Unreadable, Message: "The file is not what it was when it was taken in."}
	case errors.As(err, &upload):
		return step(mediawork.UploadRefused, "What was made could not be stored.")
	case errors.As(err, &order):
		return &mediawork.Failure{Code: mediawork.InternalError, Message: "The order could not be understood."}
	}
	return &mediawork.Failure{Code: mediawork.InternalError, Message: "The renderer met a fault of its own.", Retryable: true}
}
