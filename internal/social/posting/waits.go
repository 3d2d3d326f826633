// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Hindrance returns the issue that prevents posting to a target until its account is connected or reconnected, or its
// platform is set up; nil for none. a is nil if there is no account. name is the requested account name, or empty.
func Hindrance(platform v1beta1.Platform, name string, a *v1beta1.SocialAccount, missing func(v1beta1.Platform) []string) *Issue {
	if a != nil {
		return FirstError(Connection(a, missing))
	}
	i := NotConnected(platform)
	if name != "" {
		i.Message, i.Details = "The brand has no SocialAccount "+name+".", Details{"account": name}
	}
	return &i
}

// ReasonFileMissing is in the details of the error of a post that is not due yet, while a file that it publishes is not
// stored.
const ReasonFileMissing = "file_missing"

// ReasonSuspended is in the details of the error of a due post while posting of its brand is suspended.
const ReasonSuspended = "posting_suspended"

// WaitReason returns the condition's reason of a target that waits because of e until it is due, or until posting is
// resumed. It is empty for nil, and for errors that only another batch can resolve.
func WaitReason(e *v1beta1.WorkError) v1beta1.Reason {
	if e == nil {
		return ""
	}
	switch catalog.Code(e.Code) {
	case catalog.PlatformNotConnected:
		return v1beta1.ReasonSocialAccountNotFound
	case catalog.PlatformNotConfigured:
		return v1beta1.ReasonNotConfigured
	case catalog.ShortNotPostable:
		if e.Details["reason"] == ReasonFileMissing {
			return v1beta1.ReasonFileNotFound
		}
	case catalog.Conflict:
		if e.Details["reason"] == ReasonSuspended {
			return v1beta1.ReasonPostingSuspended
		}
	case catalog.TokenExpired:
		switch v1beta1.TokenStatus(e.Details["token_status"]) {
		case v1beta1.TokenRevoked:
			return v1beta1.ReasonTokenRevoked
		case v1beta1.TokenInsufficientScope:
			return v1beta1.ReasonScopeMissing
		}
		return v1beta1.ReasonTokenExpired
	}
	return ""
}
