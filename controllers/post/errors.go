// SPDX-License-Identifier: Apache-2.0

package post

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
)

// Keys and values of an error's details.
const (
	detailReason      = "reason"
	detailTokenStatus = "token_status"
	detailResetsAt    = "resets_at"

	reasonMissed       = "missed_schedule"
	reasonUnknown      = "outcome_unknown"
	reasonUnauthorized = "unauthorized"
)

func workError(c catalog.Code, message string, details map[string]string) *v1beta1.WorkError {
	e, _ := catalog.LookupError(c)
	return &v1beta1.WorkError{Code: string(c), Message: message, Retryable: e.Retryable, Details: details}
}

func unknownOutcome() *v1beta1.WorkError {
	e := workError(catalog.InternalError, "The outcome of the post is still unknown after an hour: check the platform before posting it again",
		map[string]string{detailReason: reasonUnknown})
	e.Retryable = false
	return e
}

// lastError returns why the last try failed.
func lastError(p *v1beta1.Post) *v1beta1.WorkError {
	if p.Status.Error != nil {
		return p.Status.Error.DeepCopy()
	}
	if a := last(p); a != nil && a.Error != nil {
		return a.Error.DeepCopy()
	}
	return workError(catalog.InternalError, "The post could not be sent", nil)
}

// platformError returns any error as a *publish.Error. An error of an unknown kind is transient, and its text is not
// shown to users.
func platformError(err error) *publish.Error {
	var e *publish.Error
	lost, replaced := errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrDigest)
	switch known := errors.As(err, &e); {
	case known && (e.Kind != publish.Transient || !lost && !replaced):
		return e
	case replaced:
		return &publish.Error{
			Kind: publish.Rejected, CatalogCode: string(catalog.ShortNotPostable), Err: err,
			Safe: "The stored video is not the one that was rendered; nothing was sent. Render the short again",
		}
	case lost:
		return &publish.Error{Kind: publish.Rejected, CatalogCode: string(catalog.ShortNotPostable), Safe: "The content of the post is no longer stored", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "The platform could not be reached", Err: err}
}

// catalogError returns a platform error as a catalog error.
func catalogError(e *publish.Error, now time.Time) *v1beta1.WorkError {
	details := map[string]string{}
	if e.Code != "" {
		details[detailReason] = cut(e.Code)
	}
	c := catalog.Code(e.CatalogCode)
	_, listed := catalog.LookupError(c)
	switch {
	case listed:
	case e.Kind == publish.RateLimited:
		c = catalog.PlatformRateLimited
		if at := resets(e, now); !at.IsZero() {
			details[detailResetsAt] = at.UTC().Format(time.RFC3339)
		}
	case e.Kind == publish.Unauthorized:
		c = catalog.TokenExpired
		details[detailReason], details[detailTokenStatus] = reasonUnauthorized, string(v1beta1.TokenExpired)
	case e.Kind == publish.Auth:
		c = catalog.TokenExpired
		details[detailTokenStatus] = string(v1beta1.TokenExpired)
		if e.Revoked {
			details[detailTokenStatus] = string(v1beta1.TokenRevoked)
		}
	case e.Kind == publish.Scope:
		c = catalog.TokenExpired
		details[detailTokenStatus] = string(v1beta1.TokenInsufficientScope)
	case e.Kind == publish.Rejected:
		c = catalog.ValidationFailed
	case e.Kind == publish.Misconfigured:
		c = catalog.PlatformNotConfigured
	default:
		c = catalog.InternalError
	}
	message := e.Safe
	if message == "" {
		entry, _ := catalog.LookupError(c)
		message = entry.Message
	}
	w := workError(c, message, details)
	if len(details) == 0 {
		w.Details = nil
	}
	if e.Kind == publish.Rejected {
		w.Retryable = false
	}
	return w
}

// cut bounds a platform's error code to 200 characters.
func cut(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200])
	}
	return s
}

// resets returns when a platform accepts posts again; zero if the platform did not report it.
func resets(e *publish.Error, now time.Time) time.Time {
	if !e.ResetsAt.IsZero() {
		return e.ResetsAt
	}
	if e.RetryAfter > 0 {
		return now.Add(e.RetryAfter)
	}
	return time.Time{}
}

// afterFailure returns the decision after a try that certainly published nothing: a retry or the end. before is the
// number of earlier failures, without this one.
func afterFailure(p *v1beta1.Post, e *publish.Error, before int, now time.Time) decision {
	w := catalogError(e, now)
	first := posting.DueAt(p)
	if len(p.Status.Attempts) > 0 {
		first = p.Status.Attempts[0].StartedAt.Time
	}
	fail := decision{kind: doFail, err: w}
	again := now.Add(backOff(string(p.UID), before+1))
	switch e.Kind {
	case publish.Transient, publish.Expired, publish.Ambiguous:
	case publish.RateLimited:
		if at := resets(e, now); at.After(now) { // the platform's time wins over the backoff
			again = at.Add(jitter(string(p.UID), before+1, 2*time.Second))
		}
	case publish.Unauthorized:
		if unauthorized(p) > 1 {
			return fail // the renewed token was refused as well
		}
		again = now
	default:
		return fail
	}
	if before+1 >= maxTries || again.Sub(first) > maxLateness {
		return fail
	}
	return decision{kind: doWait, state: v1beta1.PostRetrying, next: again, err: w, again: again, reason: v1beta1.ReasonProgressing, message: w.Message}
}

// unauthorized returns the number of attempts whose token the platform refused.
func unauthorized(p *v1beta1.Post) int {
	n := 0
	for _, a := range p.Status.Attempts {
		if a.Error != nil && a.Error.Details[detailReason] == reasonUnauthorized {
			n++
		}
	}
	return n
}

// backOff returns 1, 2, 4, 8, 16 minutes after the n-th failure, plus up to 10 %.
func backOff(uid string, n int) time.Duration {
	d := time.Minute << min(n-1, 4)
	return d + jitter(uid, n, d/10)
}

// jitter returns a duration below most. It is the same for the same post and number, so that a repeated decision is
// equal.
func jitter(uid string, n int, most time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s/%d", uid, n)
	return time.Duration(float64(h.Sum32()) / (1 << 32) * float64(most))
}

// pollInterval returns how long to wait after the n-th poll in a row: from two seconds up to most, plus up to 10 %.
func pollInterval(uid string, n int, most time.Duration) time.Duration {
	d := min(2*time.Second<<min(n, 20), most)
	return d + jitter(uid, n, d/10)
}
