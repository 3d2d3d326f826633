// SPDX-License-Identifier: Apache-2.0

package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// ofRun derives an event when a run of an automation ends. A run that was skipped has none.
var ofRun = of(
	func(r *v1beta1.AutomationRun) *[]v1beta1.Transition { return &r.Status.Transitions },
	func(before, after *v1beta1.AutomationRun) (v1beta1.WebhookEvent, *metav1.Time) {
		if before.Status.State == after.Status.State {
			return "", nil
		}
		switch after.Status.State {
		case v1beta1.RunSucceeded:
			return v1beta1.EventRunSucceeded, after.Status.FinishedAt
		case v1beta1.RunFailed:
			return v1beta1.EventRunFailed, after.Status.FinishedAt
		case v1beta1.RunMissed:
			return v1beta1.EventRunMissed, after.Status.FinishedAt
		}
		return "", nil
	})
