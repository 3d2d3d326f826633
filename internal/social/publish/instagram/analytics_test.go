// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/instagram"
	"github.com/reelops/reelops/internal/social/sandbox"
	sandboxinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
)

// insights returns all metrics that Instagram reports for a post.
func insights(l sandbox.Landing, now time.Time) analytics.Numbers {
	n := l.Numbers(now)
	return analytics.Numbers{
		Views: conformance.N(n.Views), Likes: conformance.N(n.Likes), Comments: conformance.N(n.Comments), Shares: conformance.N(n.Shares), Favorites: conformance.N(n.Saves),
	}
}

func listedNumbers(l sandbox.Landing, now time.Time) analytics.Numbers {
	n := l.Numbers(now)
	return analytics.Numbers{Likes: conformance.N(n.Likes), Comments: conformance.N(n.Comments)}
}

// behaving changes the behaviour of the sandbox from now on.
func behaving(change func(b *sandboxinstagram.Behaviour)) func(sandbox.Platform) {
	return func(p sandbox.Platform) {
		b := sandboxinstagram.Usual
		change(&b)
		p.(*sandboxinstagram.Platform).Behave(b)
	}
}

func TestAnalytics(t *testing.T) {
	everything := conformance.Told{Followers: true, Posts: true, Post: insights}
	told := func(post func(sandbox.Landing, time.Time) analytics.Numbers) conformance.Told {
		return conformance.Told{Followers: true, Posts: true, Post: post}
	}
	conformance.RunAnalytics(t, conformance.Analytics{
		Platform: catalog.Instagram,
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return sandboxinstagram.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := instagram.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, HTTP: o.HTTP, Clock: o.Clock}
			return instagram.New(c.At(o.Base))
		},
		Kinds: []string{catalog.MediaVideo, catalog.MediaPhotoSet},
		Told:  everything,
		Less: map[string]conformance.Less{
			"without insights": {Withhold: instagram.ScopeInsights, Told: told(listedNumbers)},
			"without insights, likes hidden": {
				Withhold: instagram.ScopeInsights, Change: behaving(func(b *sandboxinstagram.Behaviour) { b.HideLikes = true }),
				Told: told(func(l sandbox.Landing, now time.Time) analytics.Numbers {
					n := listedNumbers(l, now)
					n.Likes = nil
					return n
				}),
			},
			"likes hidden":            {Change: behaving(func(b *sandboxinstagram.Behaviour) { b.HideLikes = true }), Told: everything},
			"the account within data": {Change: behaving(func(b *sandboxinstagram.Behaviour) { b.WrappedMe = true }), Told: everything},
			"hardly any followers":    {Change: behaving(func(b *sandboxinstagram.Behaviour) { b.FewFollowers = true }), Told: everything},
			"not enough viewers":      {Change: behaving(func(b *sandboxinstagram.Behaviour) { b.NoInsights = sandboxinstagram.NoViewers }), Told: told(listedNumbers)},
			"no insights yet":         {Change: behaving(func(b *sandboxinstagram.Behaviour) { b.NoInsights = sandboxinstagram.NoDataYet }), Told: told(listedNumbers)},
			"posts without two metrics": {
				Change: behaving(func(b *sandboxinstagram.Behaviour) { b.NoMetrics = []string{"shares", "saved"} }),
				Told: told(func(l sandbox.Landing, now time.Time) analytics.Numbers {
					n := insights(l, now)
					n.Shares, n.Favorites = nil, nil
					return n
				}),
			},
		},
	})
}

// elsewhere creates posts of maya in Instagram's own app.
func (w *world) elsewhere(n int) {
	w.t.Helper()
	for i := range n {
		err := w.core.Land(sandbox.Landing{
			Platform: "instagram", Account: "maya", Kind: "video", Visibility: sandbox.Public, Caption: "By hand", ID: "1" + sandbox.Digits(16),
			URL: w.core.URL("instagram", "/reel/"+string(rune('a'+i))+"/"),
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestMeasure_PublishedPost(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	w.elsewhere(1)
	w.clock.Step(time.Minute)
	d := w.photos("Slow bread", 3)
	receipt, err := w.p.Commit(t.Context(), a, d, w.prepare(a, d))
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Step(time.Hour)
	page, err := w.p.Page(t.Context(), a, "")
	if err != nil || len(page.Posts) != 2 {
		t.Fatalf("got %+v, %v", page, err)
	}
	post := page.Posts[0]
	if post.ID != receipt.View.PostID || post.Caption != "Slow bread" || post.ThumbnailURL == "" || !post.MeasuredAt.IsZero() || post.Views != nil {
		t.Errorf("got %+v in the list", post)
	}
	// Only the post's ID is known. The response contains the other fields.
	measured, gone, err := w.p.Measure(t.Context(), a, []analytics.Post{{ID: post.ID}})
	if err != nil || len(gone) > 0 || len(measured) != 1 {
		t.Fatalf("got %+v %v, %v", measured, gone, err)
	}
	l, _ := w.core.LandedByID("instagram", post.ID)
	want := post
	want.Numbers, want.MeasuredAt = insights(l, w.clock.Now()), w.clock.Now()
	if diff := cmp.Diff(want, measured[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
