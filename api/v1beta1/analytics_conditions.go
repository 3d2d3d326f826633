// SPDX-License-Identifier: Apache-2.0

package v1beta1

// FinalizerAccountAnalytics holds an AccountAnalytics until its document is gone from the blob store.
const FinalizerAccountAnalytics = "reelops.dev/analytics-blobs"

// Reasons of AccountAnalytics, beside those of SocialAccount that tell why its platform cannot be asked.
const (
	// ReasonRefreshed surfaces when the numbers are as the platform told them last.
	ReasonRefreshed Reason = "Refreshed"
	// ReasonRefreshFailed surfaces when the last refresh gave nothing: it is tried again, and the numbers before it stay.
	ReasonRefreshFailed Reason = "RefreshFailed"
	// ReasonRateLimited surfaces while a platform takes no more calls: it is asked again when it does, and the numbers before stay.
	ReasonRateLimited Reason = "RateLimited"
	// ReasonNotReported surfaces when the account's platform tells no numbers here.
	ReasonNotReported Reason = "NotReported"
	// ReasonNumbersScopeMissing surfaces when a person gave no permission to read numbers: publishing goes on, and to read them a
	// person has to connect the account again.
	ReasonNumbersScopeMissing Reason = "NumbersScopeMissing"
)
