// SPDX-License-Identifier: Apache-2.0

// Package problem holds what a caller is told when a request is refused: a code of the error catalog, a sentence and
// machine-readable details. Anything that is not a Problem is an unexpected failure and tells the caller nothing of it.
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

// Details are the machine-readable specifics of a problem, in the words the catalog lists for its code.
type Details = map[string]any

// Problem is one refusal. It is an error, so that it can travel as one.
type Problem struct {
	// Code of the catalog.
	Code catalog.Code
	// Message is one sentence for people.
	Message string
	// Retryable says whether the same request later can succeed.
	Retryable bool
	// Details, or nil.
	Details Details
	// Also are further refusals of the same request, told after this one; their own Also, Status and headers do not count.
	Also []*Problem
	// Status of the HTTP answer.
	Status int
	// RetryAfter is sent as a header when it is not 0.
	RetryAfter time.Duration
	// Header holds further headers of the answer.
	Header http.Header
	// Cause is for the log only.
	Cause error
}

// New makes a problem as the catalog words it.
func New(code catalog.Code, details Details) *Problem {
	e, ok := catalog.LookupError(code)
	if !ok {
		e, _ = catalog.LookupError(catalog.InternalError)
	}
	return &Problem{Code: e.Code, Message: e.Message, Retryable: e.Retryable, Details: details, Status: e.HTTPStatus}
}

// Saying replaces the catalog's sentence by a more specific one.
func (p *Problem) Saying(message string) *Problem {
	p.Message = message
	return p
}

// Error is for logs.
func (p *Problem) Error() string {
	if p.Cause != nil {
		return string(p.Code) + ": " + p.Cause.Error()
	}
	return string(p.Code) + ": " + p.Message
}

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// Field refuses a field of the body.
func Field(field, message string) *Problem {
	return New(catalog.ValidationFailed, Details{"field": field}).Saying(message)
}

// NotAllowed refuses a field whose value is not one of those allowed.
func NotAllowed(field string, allowed any, message string) *Problem {
	return New(catalog.ValidationFailed, Details{"field": field, "allowed": allowed}).Saying(message)
}

// All returns the first problem with the others as Also; nil without any.
func All(list []*Problem) *Problem {
	if len(list) == 0 {
		return nil
	}
	list[0].Also = append(list[0].Also, list[1:]...)
	return list[0]
}

// Body refuses a body that cannot be read at all.
func Body(message string) *Problem {
	return New(catalog.BadRequest, Details{"parameter": "body"}).Saying(message)
}

// RetryAwayAfter is what a caller is told to wait when the cluster does not answer.
const RetryAwayAfter = 5 * time.Second

// From turns any error into what the caller is told. A Problem stays what it is. When the cluster's API is away or
// overloaded the answer is internal_error with status 503 and a time to wait. An object that a ResourceQuota rejects is
// quota_exceeded. Everything else is internal_error with 500.
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
	if apierrors.IsForbidden(err) && strings.Contains(err.Error(), "exceeded quota") { // the API server has no reason of its own for it
		p = New(catalog.QuotaExceeded, Details{"resource": "objects"}).Saying("The account has as many objects as it may have: delete some first.")
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

// Away says whether the error means that the cluster's API could not be asked, so that the same call later may work.
func Away(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
}

// Unavailable is the answer while this process is not ready.
func Unavailable(cause error) *Problem {
	return Shed(cause, time.Second).Saying("The service is starting.")
}

// Shed is the answer to a call that is not let in: there are too many just now, or it would change something in a cluster that does not
// answer. Nothing was done for it, nothing is kept of it, and it costs nothing.
func Shed(cause error, after time.Duration) *Problem {
	p := New(catalog.InternalError, nil).Saying("The service cannot do this just now.")
	p.Status, p.RetryAfter, p.Cause = http.StatusServiceUnavailable, after, cause
	return p
}

// Seconds rounds a wait up to whole seconds, at least 1, as headers and details state it.
func Seconds(d time.Duration) string {
	n := int64((d + time.Second - 1) / time.Second)
	return strconv.FormatInt(max(n, 1), 10)
}
