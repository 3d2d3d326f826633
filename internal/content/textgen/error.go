// SPDX-License-Identifier: Apache-2.0

package textgen

import "github.com/reelops/reelops/internal/catalog"

// CodeGenerationFailed is the catalog code of every writer error.
const CodeGenerationFailed = string(catalog.GenerationFailed)

// Error is the error of a writer that could not write a draft.
type Error struct {
	// Code is the catalog's error code.
	Code string
	// Message is one sentence without a full stop that may be shown to users. It contains no key, no address and no
	// text from a server.
	Message string
	// Retryable reports whether the same request may succeed later.
	Retryable bool
	// NotReady reports that the writer cannot take requests yet: a model is being started, downloaded or loaded.
	// Nothing was generated. The same request can succeed once the writer is ready. Waiting for that does not count as
	// a failed attempt.
	NotReady bool
	// Err is the cause for logs. It never contains a credential.
	Err error
}

// Fail returns an *Error with the code that every writer uses.
func Fail(message string, retryable bool, err error) *Error {
	return &Error{Code: CodeGenerationFailed, Message: message, Retryable: retryable, Err: err}
}

// NotReady returns the retryable *Error of a writer that cannot take requests yet.
func NotReady(message string, err error) *Error {
	e := Fail(message, true, err)
	e.NotReady = true
	return e
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Code + ": " + e.Message
	}
	return e.Code + ": " + e.Message + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }
