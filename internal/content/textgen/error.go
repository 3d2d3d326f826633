// SPDX-License-Identifier: Apache-2.0

package textgen

import "github.com/reelops/reelops/internal/catalog"

// CodeGenerationFailed is the catalog code of every failure to write.
const CodeGenerationFailed = string(catalog.GenerationFailed)

// Error is why a draft could not be written.
type Error struct {
	// Code is the catalog's code.
	Code string
	// Message is one sentence without a full stop that may be shown to a user: it holds no key, no address and no server text.
	Message string
	// Retryable says that the same request may succeed later.
	Retryable bool
	// NotReady reports that the writer cannot take requests yet: a model is being started, downloaded or loaded. Nothing was
	// generated. The same request succeeds as soon as the writer is ready, and waiting for it is no failed attempt.
	NotReady bool
	// Err is the cause for logs. It never holds a credential.
	Err error
}

// Fail makes an *Error with the code every writer uses.
func Fail(message string, retryable bool, err error) *Error {
	return &Error{Code: CodeGenerationFailed, Message: message, Retryable: retryable, Err: err}
}

// NotReady makes the retryable *Error of a writer that cannot take requests yet.
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
