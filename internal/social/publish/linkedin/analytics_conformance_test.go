// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/linkedin"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/linkedin"
)

func TestAnalyticsConformance(t *testing.T) {
	c := conformance.Analytics{
		Platform: catalog.LinkedIn,
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return stand.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := linkedin.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Pages: true, Analytics: true, HTTP: o.HTTP, Clock: o.Clock}
			return linkedin.New(c.At(o.Base))
		},
		Kinds: []string{catalog.MediaVideo, catalog.MediaPhotoSet},
		ID: func(n int) string {
			if n%2 == 1 {
				return fmt.Sprintf("urn:li:share:7%018d", n)
			}
			return fmt.Sprintf("urn:li:ugcPost:7%018d", n)
		},
	}
	t.Run("member", func(t *testing.T) {
		c := c
		c.Told = conformance.Told{Followers: true, Views: true, Post: func(l sandbox.Landing, now time.Time) analytics.Numbers {
			n := l.Numbers(now)
			return analytics.Numbers{Views: &n.Views, Likes: &n.Likes, Comments: &n.Comments, Shares: &n.Shares, Favorites: &n.Saves}
		}}
		conformance.RunAnalytics(t, c)
	})
	t.Run("page", func(t *testing.T) {
		c := c
		c.As = "acme"
		c.Told = conformance.Told{Followers: true, Post: func(l sandbox.Landing, now time.Time) analytics.Numbers {
			n := l.Numbers(now)
			return analytics.Numbers{Views: &n.Views, Likes: &n.Likes, Comments: &n.Comments, Shares: &n.Shares}
		}}
		c.Optional = []string{"followerStatistics"}
		conformance.RunAnalytics(t, c)
	})
}
