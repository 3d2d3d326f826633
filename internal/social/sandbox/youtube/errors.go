// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// problem is an error of the API.
type problem struct {
	status          int
	reason, message string
}

func reason(status int, code, message string) *problem {
	return &problem{status: status, reason: code, message: message}
}

// broken is the response to an internal error of the sandbox.
var broken = reason(http.StatusInternalServerError, "backendError", "Backend Error")

func invalid(code, message string) *problem { return reason(http.StatusBadRequest, code, message) }

// domains are the domains of reasons that are not in "global".
var domains = map[string]string{
	"quotaExceeded": "youtube.quota", "dailyLimitExceeded": "usageLimits", "rateLimitExceeded": "global", "userRateLimitExceeded": "usageLimits",
	"youtubeSignupRequired": "youtube.header", "uploadLimitExceeded": "youtube.video", "videoNotFound": "youtube.video",
	"invalidTitle": "youtube.video", "invalidDescription": "youtube.video", "invalidTags": "youtube.video", "invalidCategoryId": "youtube.video",
	"invalidVideoMetadata": "youtube.video", "invalidPublishAt": "youtube.video", "invalidFilename": "youtube.video", "mediaBodyRequired": "youtube.video",
	"invalidRecordingDetails": "youtube.video", "invalidVideoGameRating": "youtube.video", "defaultLanguageNotSet": "youtube.video",
	"commentsDisabled": "youtube.commentThread", "commentTextRequired": "youtube.commentThread", "commentTextTooLong": "youtube.commentThread",
	"forbiddenPrivacySetting": "youtube.video", "forbiddenLicenseSetting": "youtube.video", "playlistNotFound": "youtube.playlistItem",
}

// states are Google's status names by HTTP status.
var states = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
}

func (e *problem) write(w http.ResponseWriter) {
	if e.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="https://accounts.google.com/", error="invalid_token"`)
	}
	doc := map[string]any{
		"code": e.status, "message": e.message,
		"errors": []map[string]string{{"message": e.message, "domain": cmp.Or(domains[e.reason], "global"), "reason": e.reason}},
	}
	// Older error formats, for missing channels and quotas, have no status.
	if s := states[e.status]; s != "" && e.reason != "quotaExceeded" && e.reason != "youtubeSignupRequired" && domains[e.reason] != "youtube.video" {
		doc["status"] = s
	}
	writeJSON(w, e.status, map[string]any{"error": doc})
}

const perDay = "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:404404404404'."

// exhausted returns the error for an exhausted quota.
func exhausted(kind allowance) *problem {
	switch kind {
	case uploads:
		return reason(http.StatusTooManyRequests, "rateLimitExceeded", perDay)
	case batchStats:
		return reason(http.StatusTooManyRequests, "rateLimitExceeded", strings.ReplaceAll(perDay, "Video Uploads", "Batch Get Stats"))
	default:
		return reason(http.StatusForbidden, "quotaExceeded", `The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.`)
	}
}

// PerDay is the code in fault scripts for an exhausted daily quota. YouTube has no reason of its own for it.
const PerDay = "perDay"

// usual are the usual reasons by status.
var usual = map[int]string{
	400: "badRequest", 401: "authError", 403: "forbidden", 404: "videoNotFound", 429: "rateLimitExceeded",
}

// Fail writes a scripted error in YouTube's format.
func (p *Platform) Fail(w http.ResponseWriter, call string, f sandbox.Fault) {
	if strings.HasPrefix(call, "oauth.") {
		code := cmp.Or(f.Code, map[int]string{400: "invalid_grant", 401: "invalid_client", 429: "rate_limit_exceeded"}[f.Status], "internal_failure")
		oauthError(w, f.Status, code, "Scripted.")
		return
	}
	code, text := cmp.Or(f.Code, usual[f.Status], "backendError"), "Scripted."
	switch code {
	case PerDay:
		code, text = "rateLimitExceeded", perDay
	case "rateLimitExceeded", "userRateLimitExceeded":
		text = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service 'youtube.googleapis.com'."
	case "backendError":
		text = "Backend Error"
	case "uploadLimitExceeded":
		text = "The user has exceeded the number of videos they may upload."
	}
	reason(f.Status, code, text).write(w)
}
