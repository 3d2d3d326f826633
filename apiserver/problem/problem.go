// SPDX-License-Identifier: Apache-2.0

// Package problem represents the refusal of a request: a code of the error catalog, a sentence and machine-readable
// details. Any other error is an unexpected failure, whose cause is not shown to the caller.
package problem

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/reelops/reelops/internal/catalog"
)

// Details are the machine-readable details of a problem, with the keys that the catalog lists for its code.
type Details = map[string]any

// Problem is one refusal. It implements error.
type Problem struct {
	// Code of the catalog.
	Code catalog.Code
	// Message is one sentence for people.
	Message string
	// Retryable reports whether the same request can succeed later.
	Retryable bool
	// Details, or nil.
	Details Details
	// Also lists further problems of the same request. Their own Also, Status and headers are ignored.
	Also []*Problem
	// Status of the HTTP response.
	Status int
	// RetryAfter is sent as a header unless it is 0.
	RetryAfter time.Duration
	// Header holds further response headers.
	Header http.Header
	// Cause is for the log only.
	Cause error
}

// New returns a problem with the catalog's message.
func New(code catalog.Code, details Details) *Problem {
	e, ok := catalog.LookupError(code)
	if !ok {
		e, _ = catalog.LookupError(catalog.InternalError)
	}
	return &Problem{Code: e.Code, Message: e.Message, Retryable: e.Retryable, Details: details, Status: e.HTTPStatus}
}

// Saying replaces the catalog's message by a more specific one.
func (p *Problem) Saying(message string) *Problem {
	p.Message = message
	return p
}

// Error returns the text for logs.
func (p *Problem) Error() string {
	if p.Cause != nil {
		return string(p.Code) + ": " + p.Cause.Error()
	}
	return string(p.Code) + ": " + p.Message
}

func (p *Problem) Unwrap() error { return p.Cause }

// Field returns a problem for a field of the body.
func Field(field, message string) *Problem {
	return New(catalog.ValidationFailed, Details{"field": field}).Saying(message)
}

// NotAllowed returns a problem for a field whose value is not one of those allowed.
func NotAllowed(field string, allowed any, message string) *Problem {
	return New(catalog.ValidationFailed, Details{"field": field, "allowed": allowed}).Saying(message)
}

// All returns the first problem with the others as Also; nil if there are none.
func All(list []*Problem) *Problem {
	if len(list) == 0 {
		return nil
	}
	list[0].Also = append(list[0].Also, list[1:]...)
	return list[0]
}

// Body returns a problem for a body that cannot be read at all.
func Body(message string) *Problem {
	return New(catalog.BadRequest, Details{"parameter": "body"}).Saying(message)
}

// RetryAwayAfter is the Retry-After when the cluster does not respond.
const RetryAwayAfter = 5 * time.Second

// From returns the problem for any error. A Problem stays as it is. If the cluster's API or the archive is unavailable or
// overloaded, the problem is internal_error with status 503 and a Retry-After. An object that a ResourceQuota rejects is
// quota_exceeded. Every other error is internal_error with status 500.
func From(err error, requestID string) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		if p.Code == catalog.InternalError {
			q := *p
			q.Details = Details{"request_id": requestID}
			return &q
		}
		return p
	}
	// the API server has no status reason for an exceeded quota
	if apierrors.IsForbidden(err) && strings.Contains(err.Error(), "exceeded quota") {
		p = New(catalog.QuotaExceeded, Details{"resource": "objects"}).Saying("The account has the maximum number of objects: delete some first.")
		p.Cause = err
		return p
	}
	p = New(catalog.InternalError, nil)
	p.Cause = err
	if Away(err) {
		p = Shed(err, RetryAwayAfter)
	}
	p.Details = Details{"request_id": requestID}
	return p
}

// Away reports whether the error means that the cluster's API, or the archive, was unavailable, so that the same call may
// succeed later.
func Away(err error) bool {
	var network net.Error
	var marked interface{ Unavailable() bool }
	return errors.As(err, &network) || errors.As(err, &marked) && marked.Unavailable() || errors.Is(err, context.DeadlineExceeded) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
}

// Unavailable returns the problem for calls that arrive while this process is not ready.
func Unavailable(cause error) *Problem {
	return Shed(cause, time.Second).Saying("The service is starting.")
}

// Shed returns the problem for a call that was not admitted: too many calls are in flight, or it would change something
// while the cluster does not respond. The call had no effect, is not recorded and costs nothing.
func Shed(cause error, after time.Duration) *Problem {
	p := New(catalog.InternalError, nil).Saying("The service is temporarily unavailable.")
	p.Status, p.RetryAfter, p.Cause = http.StatusServiceUnavailable, after, cause
	return p
}

// Seconds returns a wait rounded up to whole seconds, at least 1, for headers and details.
func Seconds(d time.Duration) string {
	n := int64((d + time.Second - 1) / time.Second)
	return strconv.FormatInt(max(n, 1), 10)
}
