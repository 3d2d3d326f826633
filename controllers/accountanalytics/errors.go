// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"errors"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

// Members of an error's details.
const (
	detailReason      = "reason"
	detailTokenStatus = "token_status"
	detailResetsAt    = "resets_at"
)

// defaultRateLimitWait applies if the platform reports no reset time.
const defaultRateLimitWait = 15 * time.Minute

// platformError converts any error to a *publish.Error. Unknown errors are transient and have a generic message.
func platformError(err error) *publish.Error {
	var e *publish.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, analytics.ErrNewer):
		return &publish.Error{Kind: publish.Transient, Code: "newer_document", Safe: "A newer version of Reelops wrote the analytics: upgrade the manager", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "Reading the analytics failed; it is retried", Err: err}
}

// storeError returns the error of a failed write to the store.
func storeError(err error) *publish.Error {
	return &publish.Error{Kind: publish.Transient, Code: "not_stored", Safe: "Storing the analytics failed; it is retried", Err: err}
}

// resetTime returns when a rate limit resets.
func resetTime(e *publish.Error, now time.Time) time.Time {
	switch {
	case e.ResetsAt.After(now):
		return e.ResetsAt
	case e.RetryAfter > 0:
		return now.Add(e.RetryAfter)
	}
	return now.Add(defaultRateLimitWait)
}

// workError converts a platform's error to an error of the catalog.
func workError(e *publish.Error, now time.Time) *v1beta1.WorkError {
	details := map[string]string{}
	if e.Code != "" {
		details[detailReason] = cut(e.Code, 200)
	}
	c := catalog.InternalError
	switch e.Kind {
	case publish.RateLimited:
		c = catalog.PlatformRateLimited
		details[detailResetsAt] = resetTime(e, now).UTC().Format(time.RFC3339)
	case publish.Unauthorized:
		c = catalog.TokenExpired
		details[detailTokenStatus] = string(v1beta1.TokenExpired)
	case publish.Auth:
		c = catalog.TokenExpired
		details[detailTokenStatus] = string(v1beta1.TokenExpired)
		if e.Revoked {
			details[detailTokenStatus] = string(v1beta1.TokenRevoked)
		}
	case publish.Scope:
		c = catalog.TokenExpired
		details[detailTokenStatus] = string(v1beta1.TokenInsufficientScope)
	case publish.Misconfigured:
		c = catalog.PlatformNotConfigured
	}
	entry, _ := catalog.LookupError(c)
	w := &v1beta1.WorkError{Code: string(c), Message: e.Safe, Retryable: entry.Retryable, Details: details}
	if w.Message == "" {
		w.Message = entry.Message
	}
	w.Message = cut(w.Message, 1000)
	if len(details) == 0 {
		w.Details = nil
	}
	return w
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}
