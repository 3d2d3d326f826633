// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies a platform error by what the publisher has to do about it.
type Kind string

// Kinds of errors.
const (
	// Transient errors pass without action, and nothing was published. Examples: the connection was refused, the
	// platform is down, a 5xx response to a call that changes nothing.
	Transient Kind = "transient"
	// RateLimited means that the platform accepts no more calls or posts for a while. ResetsAt or RetryAfter hold the
	// wait if the platform reported it. Nothing was published.
	RateLimited Kind = "rate_limited"
	// Unauthorized means that the platform rejected the access token: renew it and try once more.
	Unauthorized Kind = "unauthorized"
	// Auth means that the permission has ended and a person has to connect the account again.
	Auth Kind = "auth"
	// Scope means that the permission is valid but does not cover the call.
	Scope Kind = "scope"
	// Rejected means that the platform refuses this content or this account: retrying does not help.
	Rejected Kind = "rejected"
	// Expired means that the prepared state is no longer usable: prepare again from the start. Nothing was published.
	Expired Kind = "expired"
	// Misconfigured means that the app of the installation is at fault, not the account: the operator of Reelops has to
	// act.
	Misconfigured Kind = "misconfigured"
	// Ambiguous means that the call may have published: it was sent, and the response is missing or inconclusive.
	Ambiguous Kind = "ambiguous"
)

// Error is a failed call to a platform: an error response, or a transport failure.
type Error struct {
	Kind Kind
	// Code is the platform's own error code.
	Code string
	// Safe is one sentence for users, without secrets. It is the only text that may reach a status or an event.
	Safe string
	// CatalogCode is the catalog's code if a catalog rule covers the error: caption_too_long, title_too_long. Otherwise
	// empty.
	CatalogCode string
	// AppWide reports whether the limit applies to the whole app, not to this account alone.
	AppWide bool
	// RetryAfter and ResetsAt are the wait that the platform reported; zero if it reported none.
	RetryAfter time.Duration
	ResetsAt   time.Time
	// Revoked reports, for Auth, whether the permission was revoked; if false, it expired.
	Revoked bool
	// Err is the cause, for logs only.
	Err error
}

func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Code != "" {
		s += " (" + e.Code + ")"
	}
	s += ": " + e.Safe
	if e.Err != nil {
		s += fmt.Sprintf(": %v", e.Err)
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an error. An error that is not an Error is Transient.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Transient
}

// Errors that Find and Look return when they see no post.
var (
	// ErrNotFound means that the post provably does not exist.
	ErrNotFound = errors.New("the platform has no such post")
	// ErrCannotTell means that the existence of the post cannot be determined now.
	ErrCannotTell = errors.New("it is unknown whether the platform has the post")
)
