// SPDX-License-Identifier: Apache-2.0

package feed

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
	// TooLarge is a feed of more than MaxBytes.
	TooLarge Kind = "TooLarge"
	// Gone is a feed that does not exist: status 404 or 410.
	Gone Kind = "FeedNotFound"
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
	// Status is the HTTP status for Gone, Denied, Limited and ServerError, else 0.
	Status int
	// message is the sentence.
	message string
}

// Error returns one sentence that a user can act on, with a full stop. It contains neither a resolved address nor a
// part of the response.
func (e *Error) Error() string { return e.message }

// Retryable reports whether the same read can succeed later without a change by a user.
func (e *Error) Retryable() bool { return false }
