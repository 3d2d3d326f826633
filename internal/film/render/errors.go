// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"fmt"
	"syscall"
)

// Kind sorts failures by who can do something about them.
type Kind string

// The kinds of failure.
const (
	// BadInput means that a picture or a sound file cannot be used: trying again gives the same answer.
	BadInput Kind = "bad_input"
	// BadTimeline means that the film is impossible.
	BadTimeline Kind = "bad_timeline"
	// NoSpace means that the scratch folder is full.
	NoSpace Kind = "no_space"
	// EncoderKilled means that ffmpeg was ended from outside, most often for want of memory.
	EncoderKilled Kind = "encoder_killed"
	// EncoderFailed means that ffmpeg gave up by itself.
	EncoderFailed Kind = "encoder_failed"
	// BadOutput means that the finished file is not what was asked for.
	BadOutput Kind = "bad_output"
)

// Error is a failed render.
type Error struct {
	Kind Kind
	// Field names the input or the field of the timeline, as in inputs.photo-1; empty when it is nobody's in particular.
	Field string
	// Message is a sentence for people. It holds no path, no URL and no output of ffmpeg.
	Message string
	// Err is the cause, for logs.
	Err error
}

// Error is the sentence and the cause.
func (e *Error) Error() string {
	s := e.Message
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	return s
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

func badInput(key string, err error, format string, args ...any) *Error {
	return &Error{Kind: BadInput, Field: "inputs." + key, Message: fmt.Sprintf(format, args...), Err: err}
}

// isNoSpace tells whether a write failed because there was no room: the disk is full, the quota is used up, or the file has
// reached the size a process may write.
func isNoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

func noSpace(err error) *Error {
	return &Error{Kind: NoSpace, Message: "The render ran out of scratch space.", Err: err}
}
