// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"slices"
	"testing"

	"github.com/reelops/reelops/internal/imagery"
)

// The tags are only as good as what they find: common topics of short videos must
// lead to pictures one would pick by hand.
func TestTopicsFindFittingPictures(t *testing.T) {
	cases := map[string]struct {
		slides []imagery.Query
		worlds []string // any of these may carry the slideshow
	}{
		"money": {[]imagery.Query{
			{Heading: "5 money habits of rich people"},
			{Heading: "Pay yourself first", Body: "Move 10% of your salary to savings."},
			{Heading: "Invest every month", Body: "Index funds beat most stock pickers."},
			{Heading: "Cut debt fast"},
		}, []string{"marble_ink", "city_dusk", "tech_grid", "bokeh_lights", "gradient_glow", "geometric"}},
		"sleep": {[]imagery.Query{
			{Heading: "Can't sleep?"}, {Heading: "Dim the lights at night"}, {Heading: "Keep your bedroom cool"}, {Heading: "No phone in bed"},
		}, []string{"night_sky", "cozy_interiors"}},
		"surf": {[]imagery.Query{
			{Heading: "Surf trips on a budget"}, {Heading: "Best beaches"}, {Heading: "Ocean safety", Body: "Watch the waves first."},
		}, []string{"ocean_waves"}},
		"reading": {[]imagery.Query{
			{Heading: "Books that changed my life"}, {Heading: "Read 20 pages a day"}, {Heading: "A cosy reading corner"},
		}, []string{"cozy_interiors"}},
		"machine learning": {[]imagery.Query{
			{Heading: "How AI models learn"}, {Heading: "Data is everything"}, {Heading: "Neural networks explained"},
		}, []string{"tech_grid"}},
		"hiking": {[]imagery.Query{
			{Heading: "Hiking in the mountains"}, {Heading: "Pack for fog and rain"}, {Heading: "Start before sunrise"},
		}, []string{"mountain_mist"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				for i, got := range imagery.Choose(c.slides, Candidates(), imagery.Options{Seed: seed}) {
					p, _ := ByID(got.ID)
					t.Logf("seed %d slide %d: %-28s %.2f %v", seed, i, p.ID, got.Score, got.Matched)
					if !slices.Contains(c.worlds, p.World) {
						t.Errorf("slide %q got %s", c.slides[i].Heading, p.ID)
					}
				}
			}
		})
	}
}
