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

// limitedWait is how long a platform is left alone that did not say how long.
const limitedWait = 15 * time.Minute

// platformError makes any error one of a platform's. What nobody foresaw is transient, and says nothing of itself to people.
func platformError(err error) *publish.Error {
	var e *publish.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, analytics.ErrNewer):
		return &publish.Error{Kind: publish.Transient, Code: "newer_document", Safe: "A newer version of Reelops wrote the numbers: they are left alone", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "The numbers could not be read just now", Err: err}
}

// stored is the error of a store that did not take the numbers.
func stored(err error) *publish.Error {
	return &publish.Error{Kind: publish.Transient, Code: "not_stored", Safe: "The numbers could not be stored", Err: err}
}

// takesAgain is when a platform that wants no more calls takes some.
func takesAgain(e *publish.Error, now time.Time) time.Time {
	switch {
	case e.ResetsAt.After(now):
		return e.ResetsAt
	case e.RetryAfter > 0:
		return now.Add(e.RetryAfter)
	}
	return now.Add(limitedWait)
}

// inWords is a platform's error in the words of the catalog.
func inWords(e *publish.Error, now time.Time) *v1beta1.WorkError {
	details := map[string]string{}
	if e.Code != "" {
		details[detailReason] = cut(e.Code, 200)
	}
	c := catalog.InternalError
	switch e.Kind {
	case publish.RateLimited:
		c = catalog.PlatformRateLimited
		details[detailResetsAt] = takesAgain(e, now).UTC().Format(time.RFC3339)
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
