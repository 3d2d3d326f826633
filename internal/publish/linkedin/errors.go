// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/publish"
)

// said is an error as LinkedIn writes it; members may be missing.
type said struct {
	Status  int    `json:"status"`
	Service int    `json:"serviceErrorCode"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// serviceRevoked is the number of a token that was taken back. Numbers of other token errors are not known well enough.
const serviceRevoked = 65601

// notFound is the code of what is not there, or no more.
const notFound = "NOT_FOUND"

// meaning of a code: what to do, and a sentence for people.
type meaning struct {
	kind publish.Kind
	safe string
}

var byCode = map[string]meaning{
	"EXPIRED_ACCESS_TOKEN":          {publish.Unauthorized, "LinkedIn says that the access token has expired."},
	"REVOKED_ACCESS_TOKEN":          {publish.Auth, "The permission was taken back on LinkedIn: connect the account again."},
	"INVALID_ACCESS_TOKEN":          {publish.Unauthorized, "LinkedIn does not accept the access token."},
	"EMPTY_ACCESS_TOKEN":            {publish.Unauthorized, "LinkedIn does not accept the access token."},
	"ACCESS_DENIED":                 {publish.Scope, "LinkedIn does not allow this: a permission, or the role on the page, is missing."},
	"VERSION_MISSING":               {publish.Misconfigured, "LinkedIn did not see which version of its API was meant."},
	"NONEXISTENT_VERSION":           {publish.Misconfigured, "LinkedIn no longer has the configured version of its API."},
	"MEDIA_ASSET_WAITING_UPLOAD":    {publish.Transient, "LinkedIn is not done with the upload yet."},
	"MEDIA_ASSET_PROCESSING_FAILED": {publish.Rejected, "LinkedIn could not use the file."},
	"EXPIRED_UPLOAD_URL":            {publish.Expired, "LinkedIn no longer takes this upload."},
	"UPDATING_ASSET_FAILED":         {publish.Expired, "LinkedIn could not put the upload together."},
	"DUPLICATE_POST":                {publish.Rejected, "LinkedIn refuses it: the account has a post with the same content already."},
	"CONFLICT":                      {publish.Transient, "LinkedIn was busy with the same record."},
	"TOO_MANY_REQUESTS":             {publish.RateLimited, "LinkedIn takes no more calls for now."},
}

// refused is the error of an answer that is no success.
func refused(a *publish.Answer, publishes bool, now time.Time) *publish.Error {
	var s said
	_ = json.Unmarshal(a.Body, &s)
	e := &publish.Error{Code: s.Code, RetryAfter: a.RetryAfter(now)}
	m, known := byCode[s.Code]
	switch {
	case a.Status >= 500:
		e.Kind, e.Safe = publish.Transient, "LinkedIn has a fault of its own."
		if publishes {
			e.Kind, e.Safe = publish.Ambiguous, "LinkedIn had a fault after it was asked: whether the post went out is not known yet."
		}
	case a.Status == http.StatusTooManyRequests || s.Code == "TOO_MANY_REQUESTS":
		limited(e, s, now)
	case known && s.Code != "":
		e.Kind, e.Safe = m.kind, m.safe
		e.Revoked = s.Code == "REVOKED_ACCESS_TOKEN"
	case a.Status == http.StatusUnauthorized:
		e.Kind, e.Safe = publish.Unauthorized, "LinkedIn does not accept the access token."
		if s.Service == serviceRevoked && !strings.Contains(s.Message, "expired") {
			e.Kind, e.Safe, e.Revoked = publish.Auth, byCode["REVOKED_ACCESS_TOKEN"].safe, true
		}
	case a.Status == http.StatusForbidden:
		e.Kind, e.Safe = publish.Scope, byCode["ACCESS_DENIED"].safe
	case a.Status == http.StatusUpgradeRequired:
		e.Kind, e.Safe = publish.Misconfigured, byCode["NONEXISTENT_VERSION"].safe
	case a.Status == http.StatusConflict:
		e.Kind, e.Safe = publish.Transient, byCode["CONFLICT"].safe
	case a.Status == http.StatusRequestTimeout && !publishes:
		e.Kind, e.Safe = publish.Transient, "LinkedIn did not answer in time."
	case a.Status == http.StatusRequestTimeout:
		e.Kind, e.Safe = publish.Ambiguous, "LinkedIn did not answer in time: whether the post went out is not known yet."
	case a.Status == http.StatusUnprocessableEntity && strings.Contains(s.Message, "duplicate of urn:li:"):
		e.Kind, e.Safe, e.Code = publish.Rejected, byCode["DUPLICATE_POST"].safe, "DUPLICATE_POST"
	case a.Status == http.StatusNotFound:
		e.Kind, e.Safe, e.Code = publish.Rejected, "LinkedIn has no such record.", notFound
	case s.Code == "FIELD_LENGTH_TOO_LONG":
		e.Kind, e.Safe = publish.Rejected, "LinkedIn says that a text is too long."
	case a.Status >= 400 && a.Status < 500:
		e.Kind, e.Safe = publish.Rejected, "LinkedIn refuses the request."
	default: // neither a success nor a refusal that is known
		return unclear(publishes)
	}
	return e
}

// limited says until when. Counters of a day begin again at midnight UTC; others are LinkedIn's protection of itself.
func limited(e *publish.Error, s said, now time.Time) {
	e.Kind, e.Safe = publish.RateLimited, byCode["TOO_MANY_REQUESTS"].safe
	e.AppWide = strings.Contains(s.Message, "APPLICATION")
	if e.RetryAfter == 0 && strings.Contains(s.Message, "DAY") {
		e.ResetsAt = now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	} else if e.RetryAfter == 0 {
		e.RetryAfter = 5 * time.Minute
	}
}

// tokenRefused is the error of a token call. Only a dead code or refresh token means that a person has to connect again.
func tokenRefused(a *publish.Answer, t tokenAnswer, now time.Time) *publish.Error {
	e := &publish.Error{Code: t.Error, RetryAfter: a.RetryAfter(now)}
	dead := t.Error == "invalid_grant" || strings.Contains(t.Description, "expired or revoked") || strings.Contains(t.Description, "refresh token is invalid")
	switch {
	case a.Status >= 500 || a.Status == http.StatusTooManyRequests || a.Status < 400:
		e.Kind, e.Safe = publish.Transient, "LinkedIn did not give a token."
	case dead || (a.Status == http.StatusUnauthorized && t.Error != "invalid_client") || strings.Contains(t.Description, "authorization code"):
		e.Kind, e.Safe = publish.Auth, "LinkedIn no longer accepts the permission: connect the account again."
	case t.Error == "invalid_client" || t.Error == "invalid_client_id" || t.Error == "unauthorized_client" || t.Error == "invalid_redirect_uri" || t.Error == "invalid_scope":
		e.Kind, e.Safe = publish.Misconfigured, "LinkedIn does not accept the app's own credentials."
	default:
		e.Kind, e.Safe = publish.Misconfigured, "LinkedIn does not understand how this app asks for a token."
	}
	return e
}

// unanswered is the error of a call that got no whole answer.
func unanswered(err error, publishes bool) *publish.Error {
	var unsent *publish.Unsent
	switch {
	case errors.As(err, &unsent):
		return &publish.Error{Kind: publish.Transient, Safe: "LinkedIn could not be reached.", Err: err}
	case publishes:
		return &publish.Error{Kind: publish.Ambiguous, Safe: "LinkedIn's answer was lost: whether the post went out is not known yet.", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "LinkedIn did not answer.", Err: err}
}

// unclear is the error of an answer that does not say what happened.
func unclear(publishes bool) *publish.Error {
	if publishes {
		return &publish.Error{Kind: publish.Ambiguous, Safe: "LinkedIn's answer does not tell whether the post went out."}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "LinkedIn's answer could not be understood."}
}
