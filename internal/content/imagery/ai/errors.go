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
	// ReasonContentPolicy means that the model will not draw what the slide says.
	ReasonContentPolicy = "content_policy"
	// ReasonNotAccepted means that the server refuses the request as such: key, model or parameters.
	ReasonNotAccepted = "not_accepted"
	// ReasonUnavailable means that the server is away, too slow or gave nonsense.
	ReasonUnavailable = "unavailable"
	// ReasonBusy means that the server asks to wait. Nothing was made.
	ReasonBusy = "busy"
)

// Error is why a picture could not be made.
type Error struct {
	// Reason is one of the above.
	Reason string
	// Message is one sentence without a full stop that may be shown to a user: it holds no key, no address and no server text.
	Message string
	// Retryable says that the same request may succeed later.
	Retryable bool
	// After is how long the server asks to wait, with ReasonBusy.
	After time.Duration
	// Err is the cause for logs. It never holds a credential.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Message, e.Err) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// How long to wait for a server that is busy and does not say, and at most.
const (
	busyWait    = 10 * time.Second
	maxBusyWait = time.Minute
)

// policyCodes are what servers call a refusal on grounds of content.
var policyCodes = []string{"content_policy_violation", "moderation_blocked", "content_filter", "safety_violation"}

// failure makes an Error of whatever a call ended with. Server texts stay out of it: they may repeat the prompt.
func (m *Maker) failure(ctx context.Context, err error) *Error {
	var api *sdk.Error
	var bad *unreadable
	switch {
	case errors.Is(err, modelapi.ErrRedirect):
		return &Error{Reason: ReasonNotAccepted, Message: "The address of the picture model leads elsewhere", Err: modelapi.ErrRedirect}
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Reason: ReasonUnavailable, Message: "The picture model took too long", Retryable: true, Err: context.DeadlineExceeded}
	case errors.Is(err, context.Canceled):
		return &Error{Reason: ReasonUnavailable, Message: "Making pictures was stopped", Retryable: true, Err: context.Canceled}
	case errors.As(err, &bad), errors.Is(err, errEmpty):
		return &Error{Reason: ReasonUnavailable, Message: "The picture model gave no readable picture", Retryable: true, Err: err}
	case errors.As(err, &api):
		return m.answered(api)
	}
	return &Error{
		Reason: ReasonUnavailable, Message: "The picture model could not be reached or understood", Retryable: true,
		Err: m.server.Unreached(err),
	}
}

func (m *Maker) answered(api *sdk.Error) *Error {
	e := &Error{Err: m.server.Answered(api)}
	switch s := api.StatusCode; {
	case slices.Contains(policyCodes, api.Code) || slices.Contains(policyCodes, api.Type):
		e.Reason, e.Message = ReasonContentPolicy, "The picture model will not draw what the slide says"
	case s == http.StatusTooManyRequests && api.Code == "insufficient_quota":
		e.Reason, e.Message, e.Retryable = ReasonUnavailable, "The picture model's allowance is used up", true
	case s == http.StatusTooManyRequests:
		e.Reason, e.Message, e.Retryable, e.After = ReasonBusy, "The picture model is busy", true, wait(api.Response)
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		e.Reason, e.Message = ReasonNotAccepted, "The picture model does not accept the configured key"
	case s == http.StatusRequestTimeout || s >= http.StatusInternalServerError:
		e.Reason, e.Message, e.Retryable = ReasonUnavailable, "The picture model is not available", true
	default:
		e.Reason, e.Message = ReasonNotAccepted, "The picture model does not accept the request"
	}
	return e
}

// wait reads how long a busy server asks to wait.
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

// refusesSize tells the answers of servers that do not make pictures of the size.
func refusesSize(err error) bool {
	var api *sdk.Error
	if !errors.As(err, &api) || (api.StatusCode != http.StatusBadRequest && api.StatusCode != http.StatusUnprocessableEntity) {
		return false
	}
	return api.Param == "size" || strings.Contains(strings.ToLower(api.Message), "size") && !slices.Contains(policyCodes, api.Code)
}
