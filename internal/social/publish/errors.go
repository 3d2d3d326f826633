// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what an error of a platform means for whoever publishes.
type Kind string

// Kinds of errors.
const (
	// Transient passes by itself, and nothing was published: the connection was refused, the platform is down, a 5xx to a call that
	// changes nothing.
	Transient Kind = "transient"
	// RateLimited means that the platform takes no more calls or posts for a while; ResetsAt or RetryAfter say how long where it
	// told. Nothing was published.
	RateLimited Kind = "rate_limited"
	// Unauthorized means that the access token was not accepted: renew it and try once more.
	Unauthorized Kind = "unauthorized"
	// Auth means that the permission has ended and a person has to connect again.
	Auth Kind = "auth"
	// Scope means that the permission is there and does not cover the call.
	Scope Kind = "scope"
	// Rejected means that the platform refuses this content or this account: trying again does not help.
	Rejected Kind = "rejected"
	// Expired means that what was prepared is of no more use: prepare again from the start. Nothing was published.
	Expired Kind = "expired"
	// Misconfigured means that the installation's app is at fault, not the account: whoever runs Reelops has to act.
	Misconfigured Kind = "misconfigured"
	// Ambiguous means that the call may have published: it left, and no answer came, or one that does not say.
	Ambiguous Kind = "ambiguous"
)

// Error is what a platform, or the way to it, answered.
type Error struct {
	Kind Kind
	// Code is the platform's own word for it.
	Code string
	// Safe is one sentence for people, without secrets: the only text that may reach a status or an event.
	Safe string
	// CatalogCode is the catalog's code where a rule of the catalog says the same: caption_too_long, title_too_long; else empty.
	CatalogCode string
	// AppWide says that the whole app is held, not this account alone.
	AppWide bool
	// RetryAfter and ResetsAt are the platform's own words on when; zero where it gave none.
	RetryAfter time.Duration
	ResetsAt   time.Time
	// Revoked says, for Auth, that it was taken back rather than ended.
	Revoked bool
	// Err is the cause, for logs alone.
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

// KindOf is the kind of an error; an error that is none of a platform's is Transient.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Transient
}

// What Find and Look say when there is no post to be seen.
var (
	// ErrNotFound means that it is provably not there.
	ErrNotFound = errors.New("the platform has no such post")
	// ErrCannotTell means that nobody can know now.
	ErrCannotTell = errors.New("whether the platform has the post cannot be told")
)
