// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// meaning is the interpretation of one of YouTube's error reasons.
type meaning struct {
	kind publish.Kind
	safe string
	// day reports whether a project's quota is used up until midnight Pacific time; hold is how long an account waits.
	day  bool
	hold time.Duration
}

const (
	badMetadata = "YouTube does not accept "
	badAccount  = "YouTube does not allow this account to do that: "
	badCall     = "YouTube rejected the request as invalid; this is an error of the installation."
)

// known are the error reasons that YouTube documents, or that were observed.
var known = map[string]meaning{
	"authError":       {kind: publish.Unauthorized, safe: "YouTube did not accept the access token."},
	"UNAUTHENTICATED": {kind: publish.Unauthorized, safe: "YouTube did not accept the access token."},

	// The token stays valid, but there is no channel that it could be used on.
	"youtubeSignupRequired": {kind: publish.Rejected, safe: "The Google account has no YouTube channel: create one, or connect again and choose one."},

	"insufficientPermissions": {kind: publish.Scope, safe: "The permission does not cover managing videos: reconnect the channel and allow everything."},

	"forbidden":                         {kind: publish.Rejected, safe: badAccount + "the request was rejected."},
	"accountDelegationForbidden":        {kind: publish.Rejected, safe: badAccount + "it may not act for this channel."},
	"authenticatedUserAccountClosed":    {kind: publish.Rejected, safe: badAccount + "the YouTube account is closed."},
	"authenticatedUserAccountSuspended": {kind: publish.Rejected, safe: badAccount + "the YouTube account is suspended."},
	"authenticatedUserNotChannel":       {kind: publish.Rejected, safe: badAccount + "it is not the account of the channel."},

	"invalidTitle":            {kind: publish.Rejected, safe: badMetadata + "the title."},
	"invalidDescription":      {kind: publish.Rejected, safe: badMetadata + "the description."},
	"invalidTags":             {kind: publish.Rejected, safe: badMetadata + "the tags."},
	"invalidCategoryId":       {kind: publish.Rejected, safe: badMetadata + "the category."},
	"invalidVideoMetadata":    {kind: publish.Rejected, safe: badMetadata + "the metadata of the video."},
	"invalidRecordingDetails": {kind: publish.Rejected, safe: badMetadata + "the recording details."},
	"invalidVideoGameRating":  {kind: publish.Rejected, safe: badMetadata + "the rating."},
	"defaultLanguageNotSet":   {kind: publish.Rejected, safe: badMetadata + "translations without a language."},
	"invalidFilename":         {kind: publish.Rejected, safe: badMetadata + "the file's name."},
	"invalidPublishAt":        {kind: publish.Rejected, safe: badMetadata + "the time of publication."},
	"mediaBodyRequired":       {kind: publish.Rejected, safe: "YouTube received no video."},
	"forbiddenPrivacySetting": {kind: publish.Rejected, safe: badMetadata + "this visibility for the channel's videos."},
	"forbiddenLicenseSetting": {kind: publish.Rejected, safe: badMetadata + "the licence."},

	"uploadLimitExceeded": {kind: publish.RateLimited, hold: 24 * time.Hour, safe: "The channel has uploaded as many videos as YouTube allows for now; the limit resets after about a day."},

	"quotaExceeded":         {kind: publish.RateLimited, day: true, safe: "The installation has used up its calls to YouTube for today."},
	"dailyLimitExceeded":    {kind: publish.RateLimited, day: true, safe: "The installation has used up its calls to YouTube for today."},
	"rateLimitExceeded":     {kind: publish.RateLimited, safe: "YouTube accepts no more calls for a moment."},
	"userRateLimitExceeded": {kind: publish.RateLimited, safe: "YouTube accepts no more calls for this account for a moment."},
	"RESOURCE_EXHAUSTED":    {kind: publish.RateLimited, safe: "YouTube accepts no more calls for a moment."},

	"badRequest":               {kind: publish.Misconfigured, safe: badCall},
	"missingRequiredParameter": {kind: publish.Misconfigured, safe: badCall},
	"unexpectedParameter":      {kind: publish.Misconfigured, safe: badCall},
	"invalidPageToken":         {kind: publish.Misconfigured, safe: badCall},
	"incompatibleParameters":   {kind: publish.Misconfigured, safe: badCall},
	"invalidFilters":           {kind: publish.Misconfigured, safe: badCall},
	"accessNotConfigured":      {kind: publish.Misconfigured, safe: "The YouTube API is not enabled for the installation's app."},

	"commentsDisabled":    {kind: publish.Rejected, safe: "Comments are turned off for the video on YouTube."},
	"commentTextRequired": {kind: publish.Rejected, safe: badMetadata + "a comment without a text."},
	"commentTextTooLong":  {kind: publish.Rejected, safe: badMetadata + "a comment of this length."},
	"videoNotFound":       {kind: publish.Expired, safe: "YouTube no longer has the uploaded video."},
}

// spent is the meaning of an exhausted daily quota of uploads.
var spent = meaning{kind: publish.RateLimited, day: true, safe: "The installation has used up its uploads to YouTube for today."}

// refusal is YouTube's envelope of errors.
type refusal struct {
	Error struct {
		Message string `json:"message"`
		Status  string `json:"status"`
		Errors  []struct {
			Message string `json:"message"`
			Domain  string `json:"domain"`
			Reason  string `json:"reason"`
		} `json:"errors"`
	} `json:"error"`
}

// refused returns the error of an unsuccessful response to a call without visible effects.
func refused(a *publish.Answer, now time.Time) *publish.Error {
	var r refusal
	_ = json.Unmarshal(a.Body, &r) // an unreadable body has no reason
	reason, text := r.Error.Status, r.Error.Message
	if len(r.Error.Errors) > 0 {
		reason = r.Error.Errors[0].Reason
		text += " " + r.Error.Errors[0].Message
	}
	e := &publish.Error{Code: word(reason), RetryAfter: a.RetryAfter(now)}
	m, ok := known[reason]
	limited := a.Status == http.StatusTooManyRequests || (a.Status < 500 && m.kind == publish.RateLimited)
	switch {
	case limited && strings.Contains(strings.ToLower(text), "per day"):
		// A daily quota and a burst limit both have the reason rateLimitExceeded: only the text distinguishes them.
		m = spent
	case limited && m.kind != publish.RateLimited:
		m = known["rateLimitExceeded"]
	case a.Status >= 500, a.Status == http.StatusRequestTimeout:
		m = meaning{kind: publish.Transient, safe: "YouTube had an internal error and did not process the request."}
	case a.Status == http.StatusUnauthorized && m.kind != publish.Rejected:
		m = known["authError"]
	case ok:
	case a.Status == http.StatusNotFound:
		m = known["videoNotFound"]
	default:
		m = meaning{kind: publish.Rejected, safe: "YouTube rejected the request."}
	}
	e.Kind, e.Safe = m.kind, m.safe
	if e.RetryAfter == 0 {
		e.RetryAfter = m.hold
	}
	if m.day {
		e.AppWide, e.ResetsAt = true, midnight(now)
	}
	return e
}

// word returns a reason that is an identifier of at most 64 characters, and an empty string otherwise, because
// reasons are untrusted input.
func word(s string) string {
	if len(s) > 64 || strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
	}) {
		return ""
	}
	return s
}

// pacific is the time zone in which quotas reset at midnight. Without a time zone database, winter time is used: the
// computed reset is then never too early.
var pacific = func() *time.Location {
	if l, err := time.LoadLocation("America/Los_Angeles"); err == nil {
		return l
	}
	return time.FixedZone("PST", -8*60*60)
}()

// midnight returns the next midnight in California.
func midnight(now time.Time) time.Time {
	y, m, d := now.In(pacific).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, pacific).UTC()
}

// unreachable returns the error of a call without visible effects that received no response.
func unreachable(err error) *publish.Error {
	return &publish.Error{Kind: publish.Transient, Code: "unreachable", Safe: "YouTube could not be reached.", Err: err}
}

// unreadable returns the error of a success response that cannot be parsed.
func unreadable(err error) *publish.Error {
	return &publish.Error{Kind: publish.Transient, Code: "unreadable", Safe: "YouTube returned an invalid response.", Err: err}
}

// gone returns the error for prepared state that is no longer usable.
func gone(code, safe string) *publish.Error {
	return &publish.Error{Kind: publish.Expired, Code: code, Safe: safe}
}

// publishing converts the error of a call without visible effects into the error of a call that publishes. Without a
// response, or with an inconclusive one, the outcome is ambiguous.
func publishing(e *publish.Error, status int) *publish.Error {
	left := status == 0 && !errors.As(e.Err, new(*publish.Unsent))
	if left || status >= 500 || status == http.StatusRequestTimeout || (status >= 200 && status < 400) {
		e.Kind, e.Safe = publish.Ambiguous, "YouTube did not report whether it made the video public."
	}
	return e
}

// tokenError returns the error for a refusal by the token endpoint.
func tokenError(a *publish.Answer, now time.Time, grant string, old publish.Tokens) *publish.Error {
	var r struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(a.Body, &r)
	e := &publish.Error{Code: word(r.Error), RetryAfter: a.RetryAfter(now)}
	switch {
	case a.Status >= 500, a.Status == http.StatusRequestTimeout:
		e.Kind, e.Safe = publish.Transient, "Google had an internal error and returned no tokens."
	case a.Status == http.StatusTooManyRequests:
		e.Kind, e.Safe = publish.RateLimited, "Google returns no more tokens for a moment."
	case r.Error == "invalid_grant" && grant == "authorization_code":
		e.Kind, e.Safe = publish.Auth, "The approval on Google's page was used already or is too old: connect again."
	case r.Error == "invalid_grant":
		e.Kind, e.Safe = publish.Auth, "Google no longer accepts the permission: reconnect the channel."
		// Google uses the same error for expired and revoked tokens. A refresh token expires only if Google announced
		// its expiry.
		e.Revoked = old.RefreshExpiresAt.IsZero() || now.Before(old.RefreshExpiresAt)
	case r.Error == "admin_policy_enforced":
		e.Kind, e.Safe, e.Revoked = publish.Auth, "The administrator of the Google account does not allow this app.", true
	case r.Error == "":
		e.Kind, e.Safe = publish.Transient, "Google returned an invalid response."
	default: // invalid_client, deleted_client, redirect_uri_mismatch, unauthorized_client and the like
		e.Kind, e.Safe = publish.Misconfigured, "Google does not accept the installation's app: its client id, secret or callback address is wrong."
	}
	return e
}
