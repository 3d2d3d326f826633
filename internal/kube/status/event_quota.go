// SPDX-License-Identifier: Apache-2.0

package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// ofAccount derives quota.reached from the number of slideshows in the period. It is derived once, until the number
// falls below the limit: after a refund, a change of the plan, or in the next period.
var ofAccount = of(
	func(a *v1beta1.Account) *[]v1beta1.Transition { return &a.Status.Transitions },
	func(before, after *v1beta1.Account) (v1beta1.WebhookEvent, *metav1.Time) {
		if limit := after.Spec.Plan.SlideshowLimit; limit != nil && after.Status.SlideshowsUsed >= *limit && before.Status.SlideshowsUsed < *limit {
			return v1beta1.EventQuotaReached, nil
		}
		return "", nil
	})
