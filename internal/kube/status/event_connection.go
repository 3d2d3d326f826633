// SPDX-License-Identifier: Apache-2.0

package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// ofSocialAccount derives the events of a connected account. A new account has none until its permission ends.
var ofSocialAccount = of(
	func(a *v1beta1.SocialAccount) *[]v1beta1.Transition { return &a.Status.Transitions },
	func(before, after *v1beta1.SocialAccount) (v1beta1.WebhookEvent, *metav1.Time) {
		was, is := before.Status.TokenStatus, after.Status.TokenStatus
		switch {
		case was == is, is == "":
			return "", nil
		case is == v1beta1.TokenExpiringSoon:
			return v1beta1.EventConnectionExpiring, nil
		case is == v1beta1.TokenActive && was != "":
			return v1beta1.EventConnectionRestored, nil
		case !is.Usable() && (was == "" || was.Usable()):
			return v1beta1.EventConnectionExpired, nil
		}
		return "", nil
	})
