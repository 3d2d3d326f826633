// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox"
	standtiktok "github.com/reelops/reelops/internal/social/sandbox/tiktok"
)

// source is a TikTok adapter with one defect, which the types below add.
type source struct{ *tiktok.Platform }

// zeroes returns 0 for a metric that the platform does not report.
type zeroes struct{ source }

func (s zeroes) Page(ctx context.Context, a publish.Account, cursor string) (*analytics.Page, error) {
	page, err := s.Platform.Page(ctx, a, cursor)
	if err == nil {
		for i := range page.Posts {
			page.Posts[i].Favorites = conformance.N(0)
		}
	}
	return page, err
}

// twice adds a duplicate of the last post to each page.
type twice struct{ source }

func (s twice) Page(ctx context.Context, a publish.Account, cursor string) (*analytics.Page, error) {
	page, err := s.Platform.Page(ctx, a, cursor)
	if err == nil && page.Next != "" {
		page.Posts = append(page.Posts, page.Posts[len(page.Posts)-1])
	}
	return page, err
}

// hasty returns the first page as the only one.
type hasty struct{ source }

func (s hasty) Page(ctx context.Context, a publish.Account, cursor string) (*analytics.Page, error) {
	page, err := s.Platform.Page(ctx, a, cursor)
	if err == nil {
		page.Next = ""
	}
	return page, err
}

// faithful never reports deleted posts.
type faithful struct{ source }

func (s faithful) Measure(ctx context.Context, a publish.Account, posts []analytics.Post) ([]analytics.Post, []string, error) {
	measured, _, err := s.Platform.Measure(ctx, a, posts)
	return measured, nil, err
}

// calm returns empty totals instead of an error.
type calm struct{ source }

func (s calm) Totals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	totals, err := s.Platform.Totals(ctx, a)
	if err != nil {
		return &analytics.Totals{}, nil //nolint:nilerr // hiding the error is the defect under test
	}
	return totals, nil
}

// stale returns a measurement time that is an hour too early.
type stale struct{ source }

func (s stale) Measure(ctx context.Context, a publish.Account, posts []analytics.Post) ([]analytics.Post, []string, error) {
	measured, gone, err := s.Platform.Measure(ctx, a, posts)
	for i := range measured {
		measured[i].MeasuredAt = measured[i].MeasuredAt.Add(-time.Hour)
	}
	return measured, gone, err
}

var spoiltSources = map[string]struct {
	wrap func(source) publish.Platform
	says string
}{
	"zeroes":   {func(s source) publish.Platform { return zeroes{s} }, "Favorites"},
	"twice":    {func(s source) publish.Platform { return twice{s} }, "listed (-want +got)"},
	"hasty":    {func(s source) publish.Platform { return hasty{s} }, "listed (-want +got)"},
	"faithful": {func(s source) publish.Platform { return faithful{s} }, "are gone, want 3 and"},
	"calm":     {func(s source) publish.Platform { return calm{s} }, "want the kind [rate_limited]"},
	"stale":    {func(s source) publish.Platform { return stale{s} }, "known metrics of 7"},
}

// TestSpoiledSource runs the suite on the source named in the environment. The suite must fail.
func TestSpoiledSource(t *testing.T) {
	s, ok := spoiltSources[os.Getenv("SPOILED_SOURCE")]
	if !ok {
		t.Skip("run by TestSuite_DetectsDefectiveSources")
	}
	conformance.RunAnalytics(t, conformance.Analytics{
		Platform: "tiktok",
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return standtiktok.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := tiktok.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: tiktok.AllScopes, HTTP: o.HTTP, Clock: o.Clock}
			p, err := tiktok.New(c.At(o.Base))
			if err != nil {
				return nil, err
			}
			return s.wrap(source{p}), nil
		},
		Told: conformance.Told{Followers: true, Posts: true, Post: func(l sandbox.Landing, now time.Time) analytics.Numbers {
			n := l.Numbers(now)
			return analytics.Numbers{Views: &n.Views, Likes: &n.Likes, Comments: &n.Comments, Shares: &n.Shares}
		}},
	})
}

func TestSuite_DetectsDefectiveSources(t *testing.T) {
	for name, s := range spoiltSources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestSpoiledSource$")
			cmd.Env = append(os.Environ(), "SPOILED_SOURCE="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), s.says) {
				t.Errorf("the suite ended with %v and did not report %q:\n%s", err, s.says, out)
			}
		})
	}
}
