// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"syscall"

	"github.com/reelops/reelops/internal/film/render"
	"github.com/reelops/reelops/internal/film/renderwork"
	"github.com/reelops/reelops/internal/film/timeline"
)

// outcome words the end of a render.
func outcome(result *renderwork.Result, err error) *renderwork.Outcome {
	if err == nil {
		return &renderwork.Outcome{Version: renderwork.Version, State: renderwork.Succeeded, Result: result}
	}
	f := failure(err)
	f.Message = cut(f.Message, 1000)
	for k, v := range f.Details {
		f.Details[k] = cut(v, 300)
	}
	return &renderwork.Outcome{Version: renderwork.Version, State: renderwork.Failed, Error: f}
}

// unconfinedMessage is for an operator: a user can do nothing about the node.
const unconfinedMessage = "The node does not confine the programs that open files of users, and the installation requires it."

// failure maps an error to what a caller is told. Causes stay in the log: they name paths and programs.
func failure(err error) *renderwork.Failure {
	step := func(reason, message string) *renderwork.Failure {
		return &renderwork.Failure{
			Code: renderwork.GenerationFailed, Message: message, Retryable: true,
			Details: map[string]string{renderwork.DetailReason: reason},
		}
	}
	invalid := func(field, message string) *renderwork.Failure {
		f := &renderwork.Failure{Code: renderwork.ValidationFailed, Message: message}
		if field != "" {
			f.Details = map[string]string{renderwork.DetailField: field}
		}
		return f
	}
	var (
		made   *render.Error
		input  *inputError
		upload *uploadError
		order  *renderwork.Error
	)
	switch fields := timeline.FieldErrors(err); {
	case errors.Is(err, errStopped):
		return step(renderwork.ReasonStopped, "The render was stopped before it was done.")
	case errors.Is(err, errExpired):
		return step(renderwork.ReasonExpired, "The render was not done before its deadline.")
	case errors.Is(err, errUnconfined):
		return step(renderwork.ReasonUnconfined, unconfinedMessage)
	case len(fields) > 0:
		return invalid("timeline."+fields[0].Field, fields[0].Message)
	case errors.As(err, &order):
		return invalid(order.Field, order.Message)
	case errors.As(err, &input) && input.tooLarge:
		return invalid("inputs."+input.key, "The file is larger than it may be.")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return step(renderwork.ReasonNoSpace, "The render ran out of scratch space.")
	case errors.As(err, &input):
		f := step(renderwork.ReasonInputUnavailable, input.sentence())
		f.Details[renderwork.DetailField] = "inputs." + input.key
		return f
	case errors.As(err, &upload):
		return step(renderwork.ReasonUploadRefused, "The finished "+upload.what+" could not be stored.")
	case errors.As(err, &made):
		switch made.Kind {
		case render.BadInput:
			return invalid(made.Field, made.Message)
		case render.BadTimeline:
			return invalid("timeline."+made.Field, made.Message)
		case render.NoSpace:
			return step(renderwork.ReasonNoSpace, made.Message)
		case render.EncoderKilled:
			return step(renderwork.ReasonEncoderKilled, made.Message)
		case render.EncoderFailed:
			return step(renderwork.ReasonEncoderFailed, made.Message)
		case render.BadOutput:
			return step(renderwork.ReasonBadOutput, made.Message)
		}
	}
	return &renderwork.Failure{
		Code: renderwork.InternalError, Message: "The renderer met a fault of its own.", Retryable: true,
	}
}

// cut shortens a text to n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
