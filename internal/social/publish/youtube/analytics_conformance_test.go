// SPDX-License-Identifier: Apache-2.0

package youtube_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/youtube"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/youtube"
)

func TestAnalyticsConformance(t *testing.T) {
	t.Parallel()
	change := func(f func(*stand.Rules)) func(sandbox.Platform) {
		return func(p sandbox.Platform) {
			there := p.(*stand.Platform)
			r := there.Rules()
			f(&r)
			there.SetRules(r)
		}
	}
	all := conformance.Told{Followers: true, Posts: true, Views: true, Post: numbers}
	unshared, hidden := all, all
	unshared.Post = func(l sandbox.Landing, now time.Time) analytics.Numbers {
		n := numbers(l, now)
		n.Shares = nil
		return n
	}
	hidden.Followers = false
	conformance.RunAnalytics(t, conformance.Analytics{
		Platform: catalog.YouTube,
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return stand.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := youtube.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, HTTP: o.HTTP, Clock: o.Clock}
			return youtube.New(c.At(o.Base))
		},
		ID:   func(n int) string { return fmt.Sprintf("vid_%07d", n) },
		Told: all,
		Less: map[string]conformance.Less{
			"no reports":         {Change: change(func(r *stand.Rules) { r.NoReports = true }), Told: unshared},
			"hidden subscribers": {Change: change(func(r *stand.Rules) { r.HideSubscribers = map[string]bool{"maya": true} }), Told: hidden},
		},
		Optional: []string{"reports.query"},
	})
}

// numbers returns the metrics that YouTube reports for a video. Shares are as of the last whole day in California that
// reports contain.
func numbers(l sandbox.Landing, now time.Time) analytics.Numbers {
	n := l.Numbers(now)
	out := analytics.Numbers{Views: &n.Views, Likes: &n.Likes, Comments: &n.Comments}
	california, _ := time.LoadLocation("America/Los_Angeles")
	y, m, d := now.Add(-48 * time.Hour).In(california).Date()
	if then := l.Numbers(time.Date(y, m, d, 0, 0, 0, 0, california)); then.Views > 0 {
		out.Shares = &then.Shares
	}
	return out
}
