// SPDX-License-Identifier: Apache-2.0

package starter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/meaning"
)

// choose chooses an image of the library for every slide, like a slideshow.
func choose(slides []meaning.Text, seed uint64) []imagery.Choice {
	var cands []imagery.Candidate
	var docs []meaning.Doc
	for _, p := range starter.All() {
		cands = append(cands, imagery.Candidate{ID: p.ID, World: p.World})
		docs = append(docs, meaning.Doc{Title: p.Title, Description: p.Description, World: p.World, Tags: p.Tags})
	}
	index := meaning.NewIndex(nil, docs)
	fit := make([][]float64, len(slides))
	for i, s := range slides {
		fit[i] = index.Fit(s)
	}
	return imagery.Choose(fit, cands, imagery.Options{Seed: seed, Least: meaning.Least, Strong: meaning.Strong})
}

// Common topics of short videos must find images that one would choose by hand, or none.
func TestTopics_FindFittingImages(t *testing.T) {
	cases := map[string]struct {
		slides []meaning.Text
		worlds []string // any of these may match the slideshow
		shown  int      // minimum number of slides with a fitting image
	}{
		"money": {[]meaning.Text{
			{Heading: "5 money habits of rich people"},
			{Heading: "Pay yourself first", Body: "Move 10% of your salary to savings."},
			{Heading: "Invest every month", Body: "Index funds beat most stock pickers."},
			{Heading: "Cut debt fast"},
		}, []string{"money_charts"}, 3},
		"breakfast": {[]meaning.Text{
			{Heading: "Fluffy pancakes for breakfast"}, {Heading: "Whisk eggs and flour"}, {Heading: "Serve with coffee and fruit"},
		}, []string{"kitchen_table"}, 2},
		"electricity": {[]meaning.Text{
			{Heading: "Your electricity bill explained"}, {Heading: "Read the meter every month"}, {Heading: "Unplug devices on standby"},
		}, []string{"home_life", "money_charts"}, 2},
		"sleep": {[]meaning.Text{
			{Heading: "Can't sleep?"}, {Heading: "Dim the lights at night"}, {Heading: "Keep your bedroom cool"}, {Heading: "No phone in bed"},
		}, []string{"night_sky", "cozy_interiors", "home_life", "desert_dunes", "ocean_waves", "city_dusk"}, 2},
		"surf": {[]meaning.Text{
			{Heading: "Surf trips on a budget"}, {Heading: "Best beaches"}, {Heading: "Ocean safety", Body: "Watch the waves first."},
		}, []string{"ocean_waves", "desert_dunes", "journeys"}, 2},
		"reading": {[]meaning.Text{
			{Heading: "Books that changed my life"}, {Heading: "Read 20 pages a day"}, {Heading: "A cosy reading corner"},
		}, []string{"cozy_interiors", "people"}, 2},
		"machine learning": {[]meaning.Text{
			{Heading: "How AI models learn"}, {Heading: "Data is everything"}, {Heading: "Neural networks explained"},
		}, []string{"tech_grid"}, 2},
		"hiking": {[]meaning.Text{
			{Heading: "Hiking in the mountains"}, {Heading: "Pack for fog and rain"}, {Heading: "Start before sunrise"},
		}, []string{"mountain_mist", "soft_clouds"}, 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				shown := 0
				for i, got := range choose(c.slides, seed) {
					if got.Index < 0 {
						t.Logf("seed %d slide %d: none", seed, i)
						continue
					}
					shown++
					p, _ := starter.ByID(got.ID)
					t.Logf("seed %d slide %d: %-28s %.2f", seed, i, p.ID, got.Score)
					if !slices.Contains(c.worlds, p.World) {
						t.Errorf("slide %q: got %s", c.slides[i].Heading, p.ID)
					}
				}
				if shown < c.shown {
					t.Errorf("seed %d: %d of %d slides show an image, want %d", seed, shown, len(c.slides), c.shown)
				}
			}
		})
	}
}

// A slide that names an object shows the image of that object.
func TestTopics_FindNamedObjects(t *testing.T) {
	for query, want := range map[string]string{
		"pancakes breakfast kitchen": "kitchen_table-01 kitchen_table-08",
		"croissant and coffee":       "kitchen_table-02",
		"salad":                      "kitchen_table-03",
		"sourdough bread":            "kitchen_table-04",
		"pizza":                      "kitchen_table-05",
		"electricity bill":           "money_charts-04 home_life-06",
		"piggy-bank":                 "money_charts-02",
		"credit cards":               "money_charts-09",
		"smartphone in the hand":     "desk_devices-01",
		"podcast microphone":         "desk_devices-10",
		"alarm clock":                "desk_devices-07",
		"cat":                        "home_life-01",
		"dog":                        "home_life-02",
		"lightbulb idea":             "home_life-05",
		"washing machine laundry":    "home_life-08",
		"runner marathon":            "people-01",
		"friends at the table":       "people-03",
		"yoga":                       "people-04",
		"lipstick":                   "products_shops-02",
		"sneakers":                   "products_shops-03",
		"parcel delivery":            "products_shops-05",
		"airplane":                   "journeys-01",
		"passport":                   "journeys-05",
		"bicycle":                    "sport_play-01",
		"football pitch":             "sport_play-02",
		"swimming pool":              "sport_play-05",
	} {
		for seed := range uint64(3) {
			got := choose([]meaning.Text{{Heading: query}}, seed)
			if !slices.Contains(strings.Fields(want), strings.TrimPrefix(got[0].ID, starter.Provider+"-")) {
				t.Errorf("%q with seed %d: got %q, want %s", query, seed, got[0].ID, want)
			}
		}
	}
}
