// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// apiError is an error in LinkedIn's format; fields may be missing.
type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Details is an object with inputErrors if LinkedIn refuses an input.
	Details json.RawMessage `json:"errorDetails"`
}

// code returns the code that determines the error. LinkedIn reports invalid inputs in inputErrors, often under a
// general code or none. The first known code among them takes precedence over an unknown one above them.
func (s *apiError) code() string {
	if _, known := byCode[s.Code]; known {
		return s.Code
	}
	var d struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"inputErrors"`
	}
	_ = json.Unmarshal(s.Details, &d) // details of another shape hold no code
	for _, e := range d.Errors {
		if _, known := byCode[e.Code]; known {
			return e.Code
		}
	}
	if s.Code == "" && len(d.Errors) > 0 {
		return d.Errors[0].Code
	}
	return s.Code
}

// Codes with special handling.
const (
	// notFound is the code of a record that does not exist, or no longer exists.
	notFound  = "NOT_FOUND"
	duplicate = "DUPLICATE_POST"
	denied    = "ACCESS_DENIED"
	revoked   = "REVOKED_ACCESS_TOKEN"
	throttled = "TOO_MANY_REQUESTS"
	conflict  = "CONFLICT"
	noVersion = "NONEXISTENT_VERSION"
	oldUpload = "EXPIRED_UPLOAD_URL"
	tooLong   = "FIELD_LENGTH_TOO_LONG"
	// tooMany is a code that LinkedIn also returns for a commentary that is too long.
	tooMany = "FIELD_ARRAY_SIZE_TOO_HIGH"
	// noResource is the code of a resource type that LinkedIn does not offer.
	noResource = "RESOURCE_NOT_FOUND"
	// noActivity and forbidden are codes for refusals that LinkedIn returns only as a text.
	noActivity = "ACTIVITY_UNAVAILABLE"
	forbidden  = "RESOURCE_FORBIDDEN"
)

const (
	textNoActivity = "Unable to obtain activity"
	textForbidden  = "resource is forbidden"
)

// overlong is the message for a commentary that is too long, with its length and the limit. LinkedIn counts the
// backslashes that escape reserved characters.
var overlong = regexp.MustCompile(`text length \((\d{1,9}) characters\) exceeded the maximum allowed \((\d{1,9}) characters\)`)

// statusBlocked is LinkedIn's status for callers that it classifies as abusive bots.
const statusBlocked = 999

// shortRetry is the retry delay for short-lived conditions. throttledRetry is the delay when LinkedIn throttles without
// a reported time.
const (
	shortRetry     = 30 * time.Second
	throttledRetry = 5 * time.Minute
)

// meaning is the kind of error for a code, and a sentence for users.
type meaning struct {
	kind publish.Kind
	safe string
}

var byCode = map[string]meaning{
	"EXPIRED_ACCESS_TOKEN":          {publish.Unauthorized, "LinkedIn reports that the access token has expired."},
	revoked:                         {publish.Auth, "The permission was revoked on LinkedIn: reconnect the account."},
	"INVALID_ACCESS_TOKEN":          {publish.Unauthorized, "LinkedIn does not accept the access token."},
	"EMPTY_ACCESS_TOKEN":            {publish.Unauthorized, "LinkedIn does not accept the access token."},
	denied:                          {publish.Scope, "LinkedIn does not allow this: a permission, or the role on the page, is missing."},
	"VERSION_MISSING":               {publish.Misconfigured, "LinkedIn did not receive the version of its API."},
	noVersion:                       {publish.Misconfigured, "LinkedIn does not serve the configured version of its API: configure another one."},
	"MEDIA_ASSET_WAITING_UPLOAD":    {publish.Transient, "LinkedIn has not finished the upload yet."},
	"MEDIA_ASSET_PROCESSING_FAILED": {publish.Rejected, "LinkedIn could not use the file."},
	oldUpload:                       {publish.Expired, "LinkedIn no longer accepts this upload."},
	"UPDATING_ASSET_FAILED":         {publish.Expired, "LinkedIn could not assemble the upload."},
	// LinkedIn does not keep uploads for ever: they are sent again.
	"INVALID_VIDEO_ID": {publish.Expired, "LinkedIn no longer has the video that was sent."},
	"INVALID_IMAGE_ID": {publish.Expired, "LinkedIn no longer has an image that was sent."},
	duplicate:          {publish.Rejected, "LinkedIn rejects it: the account already has a post with the same content."},
	conflict:           {publish.Transient, "LinkedIn was busy with the same record."},
	throttled:          {publish.RateLimited, "LinkedIn accepts no more calls at the moment."},
	tooLong:            {publish.Rejected, "LinkedIn rejects it: a text is too long."},
	tooMany:            {publish.Rejected, "LinkedIn rejects a text or a list that is too long."},
	notFound:           {publish.Rejected, "LinkedIn has no such record."},
}

// byStatus holds the codes for statuses of responses without a known code.
var byStatus = map[int]string{
	http.StatusUnauthorized:    "INVALID_ACCESS_TOKEN",
	http.StatusForbidden:       denied,
	http.StatusNotFound:        notFound,
	http.StatusConflict:        conflict,
	http.StatusUpgradeRequired: noVersion,
	http.StatusTooManyRequests: throttled,
}

// refused returns the error of a response that is not a success. It ignores the numeric codes of token errors, which
// are not documented well enough. Texts may change.
func refused(a *publish.Answer, publishes bool, now time.Time) *publish.Error {
	var s apiError
	_ = json.Unmarshal(a.Body, &s)
	e := &publish.Error{Code: s.code(), RetryAfter: a.RetryAfter(now)}
	m, known := byCode[e.Code]
	if fallback := byStatus[a.Status]; !known && fallback != "" {
		e.Code = fallback
		m, known = byCode[fallback]
	}
	switch {
	case a.Status == statusBlocked:
		e.Kind, e.AppWide, e.Safe = publish.Misconfigured, true, "LinkedIn considers the calls of this installation abuse and blocks them."
	case a.Status >= http.StatusInternalServerError && publishes:
		e.Kind, e.Safe = publish.Ambiguous, "LinkedIn had an internal error while it published: the outcome of the post is not known yet."
	case a.Status >= http.StatusInternalServerError:
		e.Kind, e.Safe = publish.Transient, "LinkedIn had an internal error."
	case a.Status == http.StatusNotFound && strings.Contains(s.Message, "virtual resource"):
		// The whole resource type is unavailable to this app or in this version, not just the record.
		e.Kind, e.Code, e.Safe = publish.Misconfigured, noResource, "LinkedIn does not offer this to the installation's app, or not in the configured version of its API."
	case a.Status == http.StatusRequestTimeout:
		return transportError(errors.New("408"), publishes)
	case a.Status == http.StatusTooManyRequests || e.Code == throttled:
		limited(e, s, now)
	case a.Status == http.StatusUnprocessableEntity && strings.Contains(s.Message, "duplicate of urn:li:"):
		e.Kind, e.Safe, e.Code = publish.Rejected, byCode[duplicate].safe, duplicate
		e.Err = duplicateURN(postURN.FindString(s.Message))
	case strings.Contains(s.Message, textNoActivity) && publishes:
		// The activity is that of the post, so the post may exist.
		e.Kind, e.Code, e.Safe = publish.Ambiguous, noActivity, "LinkedIn did not find its own record of the post: the outcome of the post is not known yet."
	case strings.Contains(s.Message, textNoActivity):
		e.Kind, e.Code, e.Safe = publish.Transient, noActivity, "LinkedIn does not show the post everywhere yet."
	case a.Status == http.StatusForbidden && strings.Contains(s.Message, textForbidden):
		e.Kind, e.Code = publish.Transient, forbidden
		e.Safe = "LinkedIn does not allow the account to use the file now. If this continues, check the account's role on the page."
	case overlong.MatchString(s.Message):
		n := overlong.FindStringSubmatch(s.Message)
		e.Kind, e.Code, e.CatalogCode = publish.Rejected, tooLong, string(catalog.CaptionTooLong)
		e.Safe = "LinkedIn counts " + n[1] + " characters in the text, escapes included, and accepts " + n[2] + ": shorten it."
	case a.Status < http.StatusBadRequest: // neither a success nor a refusal
		return inconclusive(publishes)
	case known:
		e.Kind, e.Safe, e.Revoked = m.kind, m.safe, e.Code == revoked
		if e.Code == duplicate {
			e.Err = duplicateURN(postURN.FindString(s.Message))
		}
	default:
		e.Kind, e.Safe = publish.Rejected, "LinkedIn rejects the request."
	}
	if e.Kind == publish.Transient && e.RetryAfter == 0 && a.Status < http.StatusInternalServerError {
		e.RetryAfter = shortRetry
	}
	return e
}

// limited sets when the limit ends. Daily counters reset at midnight UTC; other limits are LinkedIn's own overload
// protection.
func limited(e *publish.Error, s apiError, now time.Time) {
	e.Kind, e.Safe = publish.RateLimited, byCode[throttled].safe
	e.AppWide = strings.Contains(s.Message, "APPLICATION")
	switch {
	case e.RetryAfter > 0:
	case strings.Contains(s.Message, "DAY"):
		e.ResetsAt = now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	default:
		e.RetryAfter = throttledRetry
	}
}

// notOpened returns the error of an upload that could not be opened. No file exists yet that LinkedIn could be
// processing. A forbidden error therefore means that the member may not send videos for the owner.
func notOpened(err error) error {
	if e := asError(err); e != nil && e.Code == forbidden {
		e.Kind, e.RetryAfter = publish.Scope, 0
		e.Safe = "LinkedIn does not accept a video from this account: the member must be an administrator of the page, not a content administrator."
	}
	return err
}

// notTaken returns the error of an upload that LinkedIn did not accept.
func notTaken(a *publish.Answer, now time.Time) *publish.Error {
	e := refused(a, false, now)
	switch a.Status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		// Upload addresses are valid only as long as their signature.
		e.Kind, e.Safe = publish.Expired, byCode[oldUpload].safe
	}
	return e
}

// tokenRefused returns the error of a token call. Only an invalid code or refresh token requires a person to connect
// again. LinkedIn uses the same code for a malformed request, so the text decides: if an ended permission were
// classified as the app's fault, it would not be recorded.
func tokenRefused(a *publish.Answer, t tokenAnswer, now time.Time) *publish.Error {
	e := &publish.Error{Code: t.Error, RetryAfter: a.RetryAfter(now)}
	says := func(text string) bool { return strings.Contains(t.Description, text) }
	switch {
	case a.Status == http.StatusTooManyRequests:
		e.Kind, e.Safe = publish.RateLimited, byCode[throttled].safe
		if e.RetryAfter == 0 {
			e.RetryAfter = throttledRetry
		}
	case a.Status == statusBlocked:
		return refused(a, false, now)
	case a.Status >= http.StatusInternalServerError || a.Status < http.StatusBadRequest || a.Status == http.StatusRequestTimeout:
		e.Kind, e.Safe = publish.Transient, "LinkedIn did not return a token."
	case strings.HasPrefix(t.Error, "invalid_client") || t.Error == "unauthorized_client" || t.Error == "invalid_redirect_uri" || t.Error == "invalid_scope":
		e.Kind, e.Safe = publish.Misconfigured, "LinkedIn does not accept the app's own credentials."
	case t.Error == "invalid_grant", a.Status == http.StatusUnauthorized, says("expired or revoked"), says("refresh token"), says("authorization code"):
		e.Kind, e.Safe = publish.Auth, "LinkedIn no longer accepts the permission: reconnect the account."
	default:
		e.Kind, e.Safe = publish.Misconfigured, "LinkedIn does not accept the token request of this app."
	}
	return e
}

// transportError returns the error of a call without a complete response.
func transportError(err error, publishes bool) *publish.Error {
	var unsent *publish.Unsent
	switch {
	case errors.As(err, &unsent):
		return &publish.Error{Kind: publish.Transient, Safe: "LinkedIn could not be reached.", Err: err}
	case publishes:
		return &publish.Error{Kind: publish.Ambiguous, Safe: "LinkedIn's response was lost: the outcome of the post is not known yet.", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "LinkedIn did not respond.", Err: err}
}

// inconclusive returns the error of a response that does not report the outcome.
func inconclusive(publishes bool) *publish.Error {
	if publishes {
		return &publish.Error{Kind: publish.Ambiguous, Safe: "LinkedIn's response does not show whether the post was published."}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "LinkedIn's response is invalid."}
}

// asError returns the *publish.Error within an error, or nil.
func asError(err error) *publish.Error {
	var e *publish.Error
	_ = errors.As(err, &e)
	return e
}
