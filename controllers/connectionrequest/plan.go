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

type stepKind int

const (
	// stepFail ends the request.
	stepFail stepKind = iota
	// stepExchange has the platform turn the code into tokens, once.
	stepExchange
	// stepStore stores what it gave, stepConnect makes the accounts of what is stored.
	stepStore
	stepConnect
)

type step struct {
	kind    stepKind
	grant   *credential.Grant
	failure *v1beta1.WorkError
}

// plan decides what to do. The first that holds is done.
func plan(q *v1beta1.ConnectionRequest, o *observation, now time.Time) step {
	switch {
	case o.brought != nil: // the code was exchanged, and what it gave is safe
		return step{kind: stepConnect, grant: o.brought}
	case o.held != nil:
		return step{kind: stepStore, grant: o.held}
	case q.Status.State == v1beta1.WorkProcessing: // the code was sent and the outcome is unknown
		return failing(catalog.InternalError, "The connection was interrupted before it was complete: ask for a new link and approve again.", true)
	case !o.brand:
		return failing(catalog.NotFound, "The brand that the account was connected for is gone.", false)
	case o.platform == nil:
		return failing(catalog.PlatformNotConfigured, fmt.Sprintf("The installation has no app on %s: whoever runs it has to set one up.", catalog.PlatformName(string(q.Spec.Platform))), false)
	case o.code == nil:
		return failing(catalog.InternalError, "What the platform sent back cannot be read: ask for a new link and approve again.", true)
	case now.Sub(q.CreationTimestamp.Time) > consent.LinkTime:
		return failing(catalog.InternalError, "The approval waited too long to be taken up: ask for a new link and approve again.", true)
	}
	return step{kind: stepExchange}
}

func failing(code catalog.Code, message string, retryable bool) step {
	const most = 1000
	if r := []rune(message); len(r) > most {
		message = string(r[:most])
	}
	return step{kind: stepFail, failure: &v1beta1.WorkError{Code: string(code), Message: message, Retryable: retryable}}
}

// refused is what an error of the exchange means for the person.
func refused(platform v1beta1.Platform, e *publish.Error) step {
	name := catalog.PlatformName(string(platform))
	switch e.Kind {
	case publish.Misconfigured:
		return failing(catalog.PlatformNotConfigured, fmt.Sprintf("%s does not accept the installation's app: whoever runs it has to look at its settings. %s", name, e.Safe), false)
	case publish.Auth, publish.Unauthorized, publish.Scope, publish.Rejected, publish.Expired:
		return failing(catalog.TokenExpired, fmt.Sprintf("%s did not accept the approval. %s", name, e.Safe), true)
	case publish.RateLimited:
		return failing(catalog.PlatformRateLimited, fmt.Sprintf("%s takes no more approvals for now: ask for a new link in some minutes.", name), true)
	}
	return failing(catalog.InternalError, fmt.Sprintf("%s did not answer: ask for a new link and approve again", name), true)
}
