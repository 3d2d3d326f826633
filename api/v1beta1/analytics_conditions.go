// SPDX-License-Identifier: Apache-2.0

package v1beta1

// FinalizerAccountAnalytics blocks the deletion of an AccountAnalytics until its document is deleted from the blob
// store.
const FinalizerAccountAnalytics = "reelops.dev/analytics-blobs"

// Reasons of AccountAnalytics. The reasons of SocialAccount that block calls to the platform apply as well.
const (
	// ReasonRefreshed means that the last refresh succeeded.
	ReasonRefreshed Reason = "Refreshed"
	// ReasonRefreshFailed means that the last refresh failed. The refresh is retried, and the previous analytics are
	// kept.
	ReasonRefreshFailed Reason = "RefreshFailed"
	// ReasonRateLimited means that the platform's rate limit is reached. The refresh is retried when the limit resets,
	// and the previous analytics are kept.
	ReasonRateLimited Reason = "RateLimited"
	// ReasonNotReported means that the account's platform reports no analytics to this installation.
	ReasonNotReported Reason = "NotReported"
	// ReasonNumbersScopeMissing means that the permission lacks a scope for reading analytics. Publishing continues. To
	// read analytics, a user has to reconnect the account.
	ReasonNumbersScopeMissing Reason = "NumbersScopeMissing"
)
