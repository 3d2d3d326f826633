// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"fmt"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Reasons of refusals, for programs.
const (
	// ReasonTypeMismatch says that a file is not of the type it was declared with, or not of one its purpose allows.
	ReasonTypeMismatch = "type_mismatch"
	// ReasonUnreadable says that a file is damaged, cut off or none that is known.
	ReasonUnreadable = "unreadable"
	// ReasonMissing says that the store holds no such object.
	ReasonMissing = "not_in_store"
	// ReasonForeignKey says that an object of the store belongs to somebody else.
	ReasonForeignKey = "foreign_key"
	// ReasonUnknownHost means that the name in a URL has no address.
	ReasonUnknownHost = "unknown_host"
	// ReasonUnavailable says that a file could not be had; it may be another time.
	ReasonUnavailable = "unavailable"
)

// Refusal says that a file cannot be used, or, when it is retryable, could not be had now.
type Refusal struct {
	v1beta1.WorkError
	// Lasts means that a retryable refusal is final once the attempts are used up.
	Lasts bool
	// Cause for logs; nil where the message says it all.
	Cause error
}

// Error is the sentence.
func (r *Refusal) Error() string { return r.Message }

// Unwrap is the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

// Refuse makes a refusal for good; reason may be empty.
func Refuse(code catalog.Code, reason, format string, args ...any) *Refusal {
	r := &Refusal{WorkError: v1beta1.WorkError{Code: string(code), Message: fmt.Sprintf(format, args...)}}
	if reason != "" {
		r.Details = map[string]string{"reason": reason}
	}
	return r
}

// tooLarge refuses a file by its size.
func tooLarge(what string, limit int64) *Refusal {
	r := Refuse(catalog.MediaTooLarge, "", "The file is larger than the %d bytes that are taken", limit)
	r.Details = map[string]string{"limit_bytes": fmt.Sprint(limit), "kind": what}
	return r
}
