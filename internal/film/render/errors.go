// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"fmt"
	"syscall"
)

// Kind classifies failures by who can fix them.
type Kind string

// Values of Kind.
const (
	// BadInput means that an image or a sound file is unusable: a retry fails again.
	BadInput Kind = "bad_input"
	// BadTimeline means that the timeline is invalid.
	BadTimeline Kind = "bad_timeline"
	// NoSpace means that the scratch directory is full.
	NoSpace Kind = "no_space"
	// EncoderKilled means that ffmpeg was killed from outside, most often because memory ran out.
	EncoderKilled Kind = "encoder_killed"
	// EncoderFailed means that ffmpeg exited with an error.
	EncoderFailed Kind = "encoder_failed"
	// BadOutput means that the finished file does not match the timeline.
	BadOutput Kind = "bad_output"
)

// Error is a failed render.
type Error struct {
	Kind Kind
	// Field names the input or the field of the timeline, as in inputs.photo-1; empty if the error concerns no single
	// field.
	Field string
	// Message is a sentence for users. It contains no path, no URL and no output of ffmpeg.
	Message string
	// Err is the cause, for logs.
	Err error
}

// Error returns the message and the cause.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func badInput(key string, err error, format string, args ...any) *Error {
	return &Error{Kind: BadInput, Field: "inputs." + key, Message: fmt.Sprintf(format, args...), Err: err}
}

// isNoSpace reports whether a write failed for lack of space: the disk is full, the quota is used up, or the file has
// reached the maximum size for the process.
func isNoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

func noSpace(err error) *Error {
	return &Error{Kind: NoSpace, Message: "The render ran out of scratch space.", Err: err}
}
