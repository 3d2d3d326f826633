// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/process/fetch"
)

// Kind is the class of a failed read. It can be the reason of a condition.
type Kind string

// Classes of failed reads.
const (
	// Forbidden is a URL, or the target of a redirect, that this installation does not fetch.
	Forbidden Kind = "AddressNotAllowed"
	// UnknownHost is a host name without an address.
	UnknownHost Kind = "UnknownHost"
	// Unreachable is a server that does not accept connections or has no valid certificate.
	Unreachable Kind = "Unreachable"
	// TooSlow is a server that did not send the feed in time.
	TooSlow Kind = "TooSlow"
	// TooLarge is a feed of more than MaxBytes, or with too many elements.
	TooLarge Kind = "TooLarge"
	// Unusable is a response that is compressed, ends too early, or redirects too often.
	Unusable Kind = "UnusableResponse"
	// NotFound is a feed that does not exist: status 404 or 410.
	NotFound Kind = "FeedNotFound"
	// Denied is a feed that needs authorization: status 401, 402, 403 or 407.
	Denied Kind = "AccessDenied"
	// Limited is a server that limits requests: status 429.
	Limited Kind = "RateLimited"
	// ServerError is any other status.
	ServerError Kind = "ServerError"
	// NotAFeed is a document that is not a feed, such as a web page.
	NotAFeed Kind = "NotAFeed"
	// Malformed is a feed that cannot be parsed.
	Malformed Kind = "MalformedFeed"
)

// Error is a failed read.
type Error struct {
	Kind Kind
	// Status is the HTTP status for NotFound, Denied, Limited and ServerError, else 0.
	Status int
	// message is the sentence.
	message string
}

// Error returns one sentence that a user can act on, with a full stop. It contains neither a resolved address nor a
// part of the response.
func (e *Error) Error() string { return e.message }

// Retryable reports whether the same read can succeed later without a change by a user.
func (e *Error) Retryable() bool {
	return !slices.Contains([]Kind{Forbidden, TooLarge, NotFound, Denied, NotAFeed}, e.Kind)
}

// unfetched returns the error for a feed that package fetch could not fetch.
func unfetched(err error) *Error {
	reason := err.Error() // it contains no address
	if _, why, found := strings.Cut(reason, ": "); found {
		reason = why
	}
	if status, ok := errors.AsType[fetch.StatusError](err); ok {
		return answered(int(status))
	}
	e := &Error{}
	switch {
	case errors.Is(err, fetch.ErrForbidden):
		e.Kind = Forbidden
		e.message = "The address of the feed, or one that it redirects to, is not allowed (%s): use a public https address."
	case errors.Is(err, fetch.ErrTooLarge):
		return tooLarge()
	case errors.Is(err, fetch.ErrTooSlow):
		e.Kind = TooSlow
		e.message = "The server of the feed is too slow (%s): it is read again later; if this persists, use another feed."
	case errors.Is(err, fetch.ErrUnknownHost):
		return &Error{Kind: UnknownHost, message: "The host name of the feed has no address: check the spelling of the URL."}
	case errors.Is(err, fetch.ErrUnusable):
		e.Kind = Unusable
		e.message = "The response of the feed's server cannot be used (%s): check the URL in a browser, or use another feed."
	default:
		e.Kind = Unreachable
		e.message = "The server of the feed cannot be reached (%s): it is read again later; if this persists, check the URL."
	}
	e.message = fmt.Sprintf(e.message, reason)
	return e
}

// answered returns the error for a response with a status other than 200.
func answered(status int) *Error {
	e := &Error{Status: status}
	switch status {
	case http.StatusNotFound, http.StatusGone:
		e.Kind, e.message = NotFound, "The feed does not exist (status %d): use its new address."
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired:
		e.Kind, e.message = Denied, "The server of the feed denies access (status %d): use a feed that is public."
	case http.StatusTooManyRequests:
		e.Kind, e.message = Limited, "The server of the feed limits requests (status %d): it is read again later."
	default:
		e.Kind = ServerError
		e.message = "The server of the feed answered %d: it is read again later; if this persists, use another feed."
	}
	e.message = fmt.Sprintf(e.message, status)
	return e
}
