// SPDX-License-Identifier: Apache-2.0

package speech

import (
	"context"

	"github.com/reelops/reelops/internal/catalog"
)

// MaxCharacters is the longest text that is spoken, in Unicode code points.
const MaxCharacters = catalog.MaxSpeechCharacters

// Request is a text to speak.
type Request struct {
	// Text is plain text. Characters that are neither letters nor digits are pauses or ignored.
	Text string
	// Language is a BCP 47 tag; empty means that the language is detected from the text.
	Language string
	// Voice is a voice of the speaker; empty means one that suits the language.
	Voice string
}

// Audio is spoken text.
type Audio struct {
	// ContentType is the type of the data, detected from its bytes: audio/wav, audio/flac, audio/mpeg, ...
	ContentType string
	// Data is the whole file.
	Data []byte
}

// Speaker synthesizes speech. It is safe for concurrent use. Every error is an *Error.
type Speaker interface {
	Speak(ctx context.Context, r Request) (*Audio, error)
}

// Error is why a text could not be spoken.
type Error struct {
	// Code is the catalog's code.
	Code string
	// Message is one sentence without a full stop that may be shown to a user: it contains no key, no address and no
	// server text.
	Message string
	// Retryable reports whether the same request may succeed later.
	Retryable bool
	// Err is the cause for logs. It never contains a credential.
	Err error
}

// Fail returns an *Error with the code for a failed generation.
func Fail(message string, retryable bool, err error) *Error {
	return &Error{Code: string(catalog.GenerationFailed), Message: message, Retryable: retryable, Err: err}
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Code + ": " + e.Message
	}
	return e.Code + ": " + e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
