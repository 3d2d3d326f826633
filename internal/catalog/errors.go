// SPDX-License-Identifier: Apache-2.0

package catalog

// Code is an error code. Clients branch on codes; they are never renamed.
type Code string

// Every published error code.
const (
	MissingToken          Code = "missing_token"
	InvalidToken          Code = "invalid_token"
	KeyRevoked            Code = "key_revoked"
	KeyExpired            Code = "key_expired"
	MissingScope          Code = "missing_scope"
	QuotaExceeded         Code = "quota_exceeded"
	InsufficientCredits   Code = "insufficient_credits"
	ValidationFailed      Code = "validation_failed"
	BadRequest            Code = "bad_request"
	NotFound              Code = "not_found"
	UnknownErrorCode      Code = "unknown_error_code"
	JobNotFound           Code = "job_not_found"
	JobInProgress         Code = "job_in_progress"
	IdempotencyConflict   Code = "idempotency_conflict"
	MediaTooLarge         Code = "media_too_large"
	UnsupportedMediaType  Code = "unsupported_media_type"
	UnsupportedPlatform   Code = "unsupported_platform"
	NotCancellable        Code = "not_cancellable"
	ShortNotPostable      Code = "short_not_postable"
	RateLimited           Code = "rate_limited"
	PlatformNotConnected  Code = "platform_not_connected"
	TokenExpired          Code = "token_expired"
	GenerationFailed      Code = "generation_failed"
	PlatformRateLimited   Code = "platform_rate_limited"
	PlatformNotConfigured Code = "platform_not_configured"
	CaptionTooLong        Code = "caption_too_long"
	TitleTooLong          Code = "title_too_long"
	ScheduleTooSoon       Code = "schedule_too_soon"
	ApprovalRequired      Code = "approval_required"
	Conflict              Code = "conflict"
	InternalError         Code = "internal_error"
)

// Entry is the catalog entry of a code.
type Entry struct {
	// Code of the error.
	Code Code
	// HTTPStatus of a response whose first error has this code.
	HTTPStatus int
	// Retryable reports whether the same request can succeed later. A single error may override it.
	Retryable bool
	// Message describes what happened, in one sentence.
	Message string
	// Cause describes why the error occurs, in the service's terms.
	Cause string
	// Fix describes the remedy.
	Fix string
	// Details lists the members that details may hold.
	Details []string
}

// Errors is the catalog of errors in the order in which it is published.
var Errors = []Entry{
	{MissingToken, 401, false, "No API key was sent.", "The Authorization header is absent or empty.", "Send `Authorization: Bearer <API_KEY>`.", nil},
	{InvalidToken, 401, false, "The API key is not valid.", "The value matches no key of this installation.", "Check that the value is complete and has no extra characters, or create a new key.", nil},
	{KeyRevoked, 401, false, "This API key was revoked.", "A user or an operator revoked it. Revocation takes effect at once.", "Create a new key and replace it in your program.", nil},
	{KeyExpired, 401, false, "This API key has expired.", "Its expiry date has passed.", "Create a new key, with a later date or none.", nil},
	{MissingScope, 403, false, "The key lacks a needed scope.", "The operation, or the selected brand, needs a scope that the key does not have.", "Use a key with the scope `details.required_scope`; another brand than the key's needs `brands:all`.", []string{"required_scope", "key_scopes"}},
	{QuotaExceeded, 403, false, "The plan's quota is used up.", "The plan allows no more slideshows in this period.", "Wait for the new period (`details.resets_at`) or change the plan.", []string{"slideshow_limit_exceeded", "limit", "used", "remaining", "resets_at"}},
	{InsufficientCredits, 402, false, "Not enough credits.", "AI images cost more credits than are left.", "Use `stock` or `pack` images, fewer slides, or add credits.", []string{"credits_required", "current_credits"}},
	{ValidationFailed, 422, false, "A field was not accepted.", "`details.field` is missing, of a wrong type, or outside the accepted values.", "Correct the field; accepted values are in `GET /capabilities`.", []string{"field", "allowed", "reason", "invalid_ids", "cause"}},
	{BadRequest, 400, false, "The request could not be read.", "A required parameter is missing or the body is not readable JSON.", "Correct `details.parameter` and send the request again.", []string{"parameter", "allowed", "line", "column"}},
	{NotFound, 404, false, "No such record.", "It does not exist, or belongs to a brand that the key cannot access.", "Check the id and the brand; list the records first.", nil},
	{UnknownErrorCode, 404, false, "No such error code.", "The code is not in the catalog.", "Choose one of `details.known_codes`.", []string{"code", "known_codes"}},
	{JobNotFound, 404, false, "No such job.", "No work with this id belongs to the brand.", "Use the `job_id` returned by the create call, with the same brand.", nil},
	{JobInProgress, 409, true, "Work on this record is still running.", "A generation or render has not finished.", "Poll `GET /jobs/{id}`, then repeat.", []string{"short_id", "kind", "render_requested_at"}},
	{IdempotencyConflict, 409, false, "This idempotency key is in use.", "It was used with another body, or the first request is still running.", "Use a new key for a new request; if `details.in_flight`, wait and repeat the same request.", []string{"endpoint", "in_flight"}},
	{MediaTooLarge, 422, false, "The file is too large.", "It exceeds the limit for its type.", "Stay within `details.limit_bytes`; compress or trim it.", []string{"byte_size", "limit_bytes", "kind"}},
	{UnsupportedMediaType, 415, false, "This file type is not accepted.", "Only the image and video types in `details.allowed` can be used.", "Convert the file, for example to JPEG or MP4.", []string{"content_type", "allowed"}},
	{UnsupportedPlatform, 422, false, "This platform is not supported.", "The value is not one of the four platforms.", "Use one of `details.supported_platforms`.", []string{"platform", "supported_platforms"}},
	{NotCancellable, 409, false, "This post can no longer be cancelled.", "It is published, final, or being sent now.", "Only draft, pending and scheduled posts can be cancelled; remove a live post on the platform.", []string{"post_id", "status", "cancellable_statuses"}},
	{ShortNotPostable, 422, true, "This short cannot be posted yet.", "It has no video and no slides, or the platform needs a video.", "Wait for generation or start a render, then post again.", []string{"results"}},
	{RateLimited, 429, true, "Too many requests.", "The rate limit named in `details.bucket` was reached.", "Wait `Retry-After` seconds; poll no faster than `poll_after_seconds`.", []string{"retry_after_seconds", "limit", "window_seconds", "bucket"}},
	{PlatformNotConnected, 422, false, "No account is connected for this platform.", "The brand has not connected one.", "Create a link with `POST /connections/link`, let a user approve, then repeat.", []string{"platform"}},
	{TokenExpired, 422, false, "The account's connection has ended.", "The platform no longer accepts the stored permission.", "Create a new connect link; the account id stays the same.", []string{"token_status"}},
	{GenerationFailed, 500, true, "The content could not be created.", "A text, image or render step failed.", "Start it again; if `retryable` is false, change the input named in `details`.", []string{"reason", "field", "slide_id"}},
	{PlatformRateLimited, 422, true, "The platform's own posting limit is reached.", "The account, or the installation's app, has used up its limit.", "Post after `details.resets_at`, or schedule for later.", []string{"resets_at"}},
	{PlatformNotConfigured, 503, false, "This platform is not set up on the server.", "The client id or the callback URL is missing.", "Ask the operator to configure it; other platforms still work.", []string{"platform", "missing"}},
	{CaptionTooLong, 422, false, "The caption exceeds the platform's limit.", "`details.length` is more than `details.max`.", "Shorten it, or set one for this account in `platform_customizations`.", []string{"max", "length", "unit", "social_data_id", "platform"}},
	{TitleTooLong, 422, false, "The title exceeds the platform's limit.", "`details.length` is more than `details.max`.", "Shorten it, or set one for this account in `platform_customizations`.", []string{"max", "length", "unit", "social_data_id", "platform"}},
	{ScheduleTooSoon, 422, false, "The scheduled time is too soon.", "It is less than five minutes ahead.", "Use `details.earliest_at` or later, or leave it out to publish now.", []string{"min_lead_seconds", "earliest_at"}},
	{ApprovalRequired, 403, false, "A user must approve this first.", "The brand's policy holds posts, or the key may not publish unreviewed.", "Ask an approver; the held post is listed as `draft`.", nil},
	{Conflict, 409, false, "The record is not in a state that allows this.", "`details` names the state.", "Read the record again and choose another action.", []string{"status", "short_id", "post_id", "video_url", "rendered_at", "reason", "managed_by", "post_ids", "batch_ids", "short_ids", "brand_ids", "media_id", "media_pack_id", "edits"}},
	{InternalError, 500, true, "An internal error occurred.", "An unexpected failure.", "Repeat later with the same idempotency key; quote `details.request_id`.", []string{"request_id"}},
}

var errorIndex = func() map[Code]*Entry {
	m := make(map[Code]*Entry, len(Errors))
	for i := range Errors {
		m[Errors[i].Code] = &Errors[i]
	}
	return m
}()

// LookupError returns the entry of a code, and reports whether the code is in the catalog.
func LookupError(c Code) (Entry, bool) {
	e, ok := errorIndex[c]
	if !ok {
		return Entry{}, false
	}
	return *e, true
}

// ErrorCodes returns every code in published order.
func ErrorCodes() []string {
	out := make([]string, len(Errors))
	for i, e := range Errors {
		out[i] = string(e.Code)
	}
	return out
}
