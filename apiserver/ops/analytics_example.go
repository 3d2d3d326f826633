// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
)

// exampleKnown is an account whose analytics were read some minutes ago.
func exampleKnown() view.AnalyticsAccount {
	a := &v1beta1.SocialAccount{
		Spec:   v1beta1.SocialAccountSpec{Platform: catalog.TikTok},
		Status: v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive, AccountName: "Maya's Kitchen"},
	}
	read := metav1.NewTime(exampleTime.Add(-4 * time.Minute))
	n := &v1beta1.AccountAnalytics{Status: v1beta1.AccountAnalyticsStatus{
		RefreshStartedAt: &read, RefreshedAt: &read,
		AccountNumbers: v1beta1.AccountNumbers{Followers: ptr.To[int64](1840), Posts: ptr.To[int64](96), Views: ptr.To[int64](402_113)},
	}}
	return view.AnalyticsAccountOf(9, a, n, 15*time.Minute, exampleTime.Time)
}

func exampleAnalytics() view.Analytics {
	platforms := catalog.AnalyticsPlatforms(false)
	out := view.Analytics{Accounts: []view.AnalyticsAccount{exampleKnown()}, Note: view.AnalyticsNote(platforms)}
	for _, p := range platforms {
		out.SupportedPlatforms = append(out.SupportedPlatforms, view.PlatformName(p))
	}
	return out
}

func exampleAccountAnalytics() view.AccountAnalytics {
	account := exampleKnown()
	measured := exampleTime.Add(-4 * time.Minute)
	d := &analytics.Document{
		RefreshedAt: measured,
		Totals:      analytics.Totals{Followers: account.FollowerCount, Posts: account.PostCount, Views: account.ViewCount},
		History: []analytics.Day{
			{Day: "2026-11-20", Totals: analytics.Totals{Followers: ptr.To[int64](1828), Posts: ptr.To[int64](95), Views: ptr.To[int64](398_004)}, Likes: ptr.To[int64](22_110)},
			{Day: "2026-11-21", Totals: analytics.Totals{Followers: account.FollowerCount, Posts: account.PostCount, Views: account.ViewCount}, Likes: ptr.To[int64](22_650)},
		},
		Rows: []analytics.Row{{
			Post: analytics.Post{
				ID: "7312345678901234567", Caption: "A desk that stays tidy. #desk", URL: "https://www.tiktok.com/@mayas.kitchen/video/7312345678901234567",
				PostedAt: exampleTime.Add(-20 * time.Hour), Seconds: 24.5, MeasuredAt: measured,
				// TikTok does not report how often a post was saved.
				Numbers: analytics.Numbers{Views: ptr.To[int64](8120), Likes: ptr.To[int64](540), Comments: ptr.To[int64](12), Shares: ptr.To[int64](31)},
			},
			OurPost: 512, OurShort: 123,
		}},
	}
	q, filter := (&accountAnalyticsInput{Period: catalog.DefaultAnalyticsPeriod, Filter: catalog.PostsAll}).query()
	return view.AccountAnalyticsOf(account, d, q, d.Select(q, exampleTime.Time), filter, exampleTime.Time)
}
