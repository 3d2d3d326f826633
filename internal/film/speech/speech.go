// SPDX-License-Identifier: Apache-2.0

package speech

import (
	"context"

	"github.com/reelops/reelops/internal/catalog"
)

// MaxCharacters is the longest text that is spoken, in Unicode code points.
const MaxCharacters = catalog.MaxSpeechCharacters

// Request is a text to say.
type Request struct {
	// Text in plain words. What is neither letter nor figure is a pause or nothing.
	Text string
	// Language is a BCP 47 tag; empty means that the text tells.
	Language string
	// Voice as the speaker knows it; empty means one that suits the language.
	Voice string
}

// Audio is spoken text.
type Audio struct {
	// ContentType is what the bytes are, found by looking at them: audio/wav, audio/flac, audio/mpeg, ...
	ContentType string
	// Data is the whole file.
	Data []byte
}

// Speaker says texts. It may be called at the same time from many places; whatever goes wrong is an *Error.
type Speaker interface {
	Speak(ctx context.Context, r Request) (*Audio, error)
}

// Error is why a text could not be said.
type Error struct {
	// Code is the catalog's code.
	Code string
	// Message is one sentence without a full stop that may be shown to a user: it holds no key, no address and no server text.
	Message string
	// Retryable says that the same request may succeed later.
	Retryable bool
	// Err is the cause for logs. It never holds a credential.
	Err error
}

// Fail makes an *Error with the code of everything that could not be made.
func Fail(message string, retryable bool, err error) *Error {
	return &Error{Code: string(catalog.GenerationFailed), Message: message, Retryable: retryable, Err: err}
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Code + ": " + e.Message
	}
	return e.Code + ": " + e.Message + ": " + e.Err.Error()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }
