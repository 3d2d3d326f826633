// SPDX-License-Identifier: Apache-2.0

package connectionrequest

import (
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
)

type action int

const (
	// actFail ends the request.
	actFail action = iota
	// actExchange exchanges the code for tokens, once.
	actExchange
	// actStore stores the grant, actConnect creates the accounts of a stored grant.
	actStore
	actConnect
)

// decision is the next action with its input: the grant to store or connect, or the failure to report.
type decision struct {
	action  action
	grant   *credential.Grant
	failure *v1beta1.WorkError
}

// decide returns the next action. The first rule that matches wins.
func decide(q *v1beta1.ConnectionRequest, o *observed, now time.Time) decision {
	switch {
	case o.stored != nil: // the exchange succeeded and its grant is stored
		return decision{action: actConnect, grant: o.stored}
	case o.held != nil:
		return decision{action: actStore, grant: o.held}
	case q.Status.State == v1beta1.WorkProcessing: // the code was sent and the outcome is unknown
		return fail(catalog.InternalError, "The connection was interrupted: create a new connect link and approve again.", true)
	case !o.brand:
		return fail(catalog.NotFound, "The brand of the connection was deleted.", false)
	case o.platform == nil:
		return fail(catalog.PlatformNotConfigured, fmt.Sprintf("The installation has no app on %s: an operator has to configure one.", catalog.PlatformName(string(q.Spec.Platform))), false)
	case o.code == nil:
		return fail(catalog.InternalError, "The response of the platform cannot be read: create a new connect link and approve again.", true)
	case now.Sub(q.CreationTimestamp.Time) > consent.LinkTime:
		return fail(catalog.InternalError, "The approval expired before it was processed: create a new connect link and approve again.", true)
	}
	return decision{action: actExchange}
}

func fail(code catalog.Code, message string, retryable bool) decision {
	const most = 1000
	if r := []rune(message); len(r) > most {
		message = string(r[:most])
	}
	return decision{action: actFail, failure: &v1beta1.WorkError{Code: string(code), Message: message, Retryable: retryable}}
}

// exchangeFailed returns the decision for an error of the exchange.
func exchangeFailed(platform v1beta1.Platform, e *publish.Error) decision {
	name := catalog.PlatformName(string(platform))
	switch e.Kind {
	case publish.Misconfigured:
		return fail(catalog.PlatformNotConfigured, fmt.Sprintf("%s does not accept the installation's app: an operator has to check its settings. %s", name, e.Safe), false)
	case publish.Auth, publish.Unauthorized, publish.Scope, publish.Rejected, publish.Expired:
		return fail(catalog.TokenExpired, fmt.Sprintf("%s did not accept the approval. %s", name, e.Safe), true)
	case publish.RateLimited:
		return fail(catalog.PlatformRateLimited, fmt.Sprintf("%s limits approvals at the moment: create a new connect link in a few minutes.", name), true)
	}
	return fail(catalog.InternalError, fmt.Sprintf("%s did not answer: create a new connect link and approve again", name), true)
}
