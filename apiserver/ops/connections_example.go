// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

func exampleConnections() view.Connections {
	a := &v1beta1.SocialAccount{
		Spec: v1beta1.SocialAccountSpec{Platform: catalog.TikTok},
		Status: v1beta1.SocialAccountStatus{
			TokenStatus: v1beta1.TokenActive, TokenExpiresAt: &metav1.Time{Time: exampleTime.Add(300 * 24 * time.Hour)},
			AccountName: "Maya's Kitchen", Username: "mayas.kitchen", ProfileURL: "https://www.tiktok.com/@mayas.kitchen", AccountType: "creator",
			ConnectedAt: &metav1.Time{Time: exampleTime.Add(-65 * 24 * time.Hour)}, LastPublishedAt: &metav1.Time{Time: exampleTime.Add(-3 * time.Hour)},
		},
	}
	limit := posting.Headroom(a, []time.Time{exampleTime.Add(-3 * time.Hour)}, exampleTime.Time)
	out := view.Connections{
		Accounts: []view.ConnectedAccount{view.ConnectedAccountOf(9, a, limit, nil)},
		NotConnected: []view.NotConnected{
			{Platform: catalog.YouTube, Name: catalog.PlatformName(catalog.YouTube), Configured: true, Steps: steps(catalog.YouTube)},
		},
	}
	for _, p := range catalog.Platforms() {
		out.SupportedPlatforms = append(out.SupportedPlatforms, view.PlatformName(p))
	}
	return out
}
