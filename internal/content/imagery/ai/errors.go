// SPDX-License-Identifier: Apache-2.0

package ai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"

	"github.com/reelops/reelops/internal/process/modelapi"
)

// Reasons of an Error, for programs.
const (
	// ReasonContentPolicy means that the model rejects the content of the slide.
	ReasonContentPolicy = "content_policy"
	// ReasonNotAccepted means that the server rejects the request itself: the key, the model or the parameters. A
	// redirect has this reason as well.
	ReasonNotAccepted = "not_accepted"
	// ReasonUnavailable means that the server is unreachable or too slow, returned an invalid response, or reports that
	// the quota is used up. A canceled request has this reason as well.
	ReasonUnavailable = "unavailable"
	// ReasonBusy means that the server rate limits the request. No image was generated.
	ReasonBusy = "busy"
)

// Error reports why an image could not be generated.
type Error struct {
	// Reason is one of the constants above.
	Reason string
	// Message is one sentence without a full stop that may be shown to users. It contains no key, no address and no
	// text from the server.
	Message string
	// Retryable reports whether the same request may succeed later.
	Retryable bool
	// After is the delay before the next request, with ReasonBusy: the Retry-After of the server, or a default.
	After time.Duration
	// Err is the cause for logs. It never contains a credential.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Message, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// busyWait is the delay for a busy server that requests none, maxBusyWait the maximum.
const (
	busyWait    = 10 * time.Second
	maxBusyWait = time.Minute
)

// policyCodes are the error codes of servers for content policy violations.
var policyCodes = []string{"content_policy_violation", "moderation_blocked", "content_filter", "safety_violation"}

// failure returns the Error for the error of a call. The Error excludes texts from the server, which may repeat the
// prompt.
func (m *Maker) failure(ctx context.Context, err error) *Error {
	var api *sdk.Error
	var bad *unreadable
	switch {
	case errors.Is(err, modelapi.ErrRedirect):
		return &Error{Reason: ReasonNotAccepted, Message: "The URL of the image model redirects", Err: modelapi.ErrRedirect}
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Reason: ReasonUnavailable, Message: "The image model took too long", Retryable: true, Err: context.DeadlineExceeded}
	case errors.Is(err, context.Canceled):
		return &Error{Reason: ReasonUnavailable, Message: "Generating images was stopped", Retryable: true, Err: context.Canceled}
	case errors.As(err, &bad), errors.Is(err, errEmpty):
		return &Error{Reason: ReasonUnavailable, Message: "The image model returned no readable image", Retryable: true, Err: err}
	case errors.As(err, &api):
		return m.answered(api)
	}
	return &Error{
		Reason: ReasonUnavailable, Message: "The image model could not be reached or returned an invalid response", Retryable: true,
		Err: m.server.Unreached(err),
	}
}

func (m *Maker) answered(api *sdk.Error) *Error {
	e := &Error{Err: m.server.Answered(api)}
	switch s := api.StatusCode; {
	case slices.Contains(policyCodes, api.Code) || slices.Contains(policyCodes, api.Type):
		e.Reason, e.Message = ReasonContentPolicy, "The image model rejects the text of the slide"
	case s == http.StatusTooManyRequests && api.Code == "insufficient_quota":
		e.Reason, e.Message, e.Retryable = ReasonUnavailable, "The quota of the image model is used up", true
	case s == http.StatusTooManyRequests:
		e.Reason, e.Message, e.Retryable, e.After = ReasonBusy, "The image model is busy", true, wait(api.Response)
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		e.Reason, e.Message = ReasonNotAccepted, "The image model does not accept the configured key"
	case s == http.StatusRequestTimeout || s >= http.StatusInternalServerError:
		e.Reason, e.Message, e.Retryable = ReasonUnavailable, "The image model is not available", true
	default:
		e.Reason, e.Message = ReasonNotAccepted, "The image model does not accept the request"
	}
	return e
}

// wait returns the delay that a busy server requests in Retry-After, in seconds, from 1 s to maxBusyWait. It returns
// busyWait if the header is missing or not a number.
func wait(r *http.Response) time.Duration {
	if r == nil {
		return busyWait
	}
	n, err := strconv.ParseFloat(r.Header.Get("Retry-After"), 64)
	if err != nil || n < 0 {
		return busyWait
	}
	return min(max(time.Duration(n*float64(time.Second)), time.Second), maxBusyWait)
}

// refusesSize reports whether an error means that the server does not support the requested image size.
func refusesSize(err error) bool {
	var api *sdk.Error
	if !errors.As(err, &api) || (api.StatusCode != http.StatusBadRequest && api.StatusCode != http.StatusUnprocessableEntity) {
		return false
	}
	return api.Param == "size" || strings.Contains(strings.ToLower(api.Message), "size") && !slices.Contains(policyCodes, api.Code)
}
