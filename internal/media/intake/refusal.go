// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"fmt"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Reasons of refusals, for programs.
const (
	// ReasonTypeMismatch means that the type of a file is not the declared one, or not allowed for its purpose.
	ReasonTypeMismatch = "type_mismatch"
	// ReasonUnreadable means that a file is damaged, truncated or of an unknown format.
	ReasonUnreadable = "unreadable"
	// ReasonMissing means that the store has no such object.
	ReasonMissing = "not_in_store"
	// ReasonForeignKey means that an object of the store belongs to another namespace.
	ReasonForeignKey = "foreign_key"
	// ReasonUnknownHost means that the name in a URL has no address.
	ReasonUnknownHost = "unknown_host"
	// ReasonUnavailable means that a file could not be read. The fault may be transient.
	ReasonUnavailable = "unavailable"
)

// Refusal is the error of a file that cannot be used or, if it is retryable, could not be read now.
type Refusal struct {
	v1beta1.WorkError
	// Lasts means that a retryable refusal is final once the attempts are used up.
	Lasts bool
	// Cause is the cause for logs; nil if the message is complete.
	Cause error
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

// Refuse returns a final refusal; reason may be empty.
func Refuse(code catalog.Code, reason, format string, args ...any) *Refusal {
	r := &Refusal{WorkError: v1beta1.WorkError{Code: string(code), Message: fmt.Sprintf(format, args...)}}
	if reason != "" {
		r.Details = map[string]string{"reason": reason}
	}
	return r
}

// tooLarge returns the refusal of a file that exceeds the limit in bytes.
func tooLarge(what string, limit int64) *Refusal {
	r := Refuse(catalog.MediaTooLarge, "", "The file is larger than the limit of %d bytes", limit)
	r.Details = map[string]string{"limit_bytes": fmt.Sprint(limit), "kind": what}
	return r
}
