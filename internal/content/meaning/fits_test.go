// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// abstract are the worlds without a subject: their images are never wrong.
var abstract = []string{"gradient_glow", "bokeh_lights", "geometric", "marble_ink"}

// tally counts the best image of each text. Images that fit equally each count with their share.
type tally struct {
	texts, possible   int // texts that some image of the library fits
	good, wrong, none float64
}

func (y tally) precision() float64 { return y.good / max(1, y.good+y.wrong) }
func (y tally) recall() float64    { return y.good / max(1, float64(y.possible)) }

// Below Least an image shows another subject than the text. The levels apply to the whole library; the threshold was
// chosen with the first file only.
func TestFit_LeastExcludesWrongImages(t *testing.T) {
	for file, c := range map[string]struct{ texts, precision, recall float64 }{
		"testdata/fits.txt":         {100, 0.85, 0.7},
		"testdata/fits-holdout.txt": {50, 0.8, 0.6},
	} {
		t.Run(file, func(t *testing.T) {
			var before tally
			for _, least := range []float64{0, 0.3, 0.4, 0.5, Least, 0.6, 0.7} {
				y := measure(t, file, least)
				t.Logf("least %.2f: precision %.2f, recall %.2f; of %d texts %.1f show a fit, %.1f another subject, %.0f a pattern",
					least, y.precision(), y.recall(), y.texts, y.good, y.wrong, y.none)
				if least == 0 {
					before = y
				}
				if least != Least {
					continue
				}
				if float64(y.texts) < c.texts {
					t.Errorf("got %d texts, want %.0f", y.texts, c.texts)
				}
				if y.precision() < c.precision || y.recall() < c.recall {
					t.Errorf("got precision %.2f, recall %.2f, want %.2f, %.2f", y.precision(), y.recall(), c.precision, c.recall)
				}
				if y.wrong > before.wrong/2 {
					t.Errorf("%.1f texts show another subject, without a threshold %.1f: want at most half of them", y.wrong, before.wrong)
				}
			}
		})
	}
}

var lineOfFits = regexp.MustCompile(`^(?:([a-z]{2}): )?(.+) \| (.*) => (.+)$`)

func measure(t *testing.T, file string, least float64) tally {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all := starter.All()
	x := NewIndex(nil, catalog())
	var y tally
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := lineOfFits.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s: %q does not have the form text | keywords => fits", file, line)
		}
		fits := func(p starter.Picture) bool {
			return slices.ContainsFunc(strings.Fields(m[4]), func(fit string) bool { return is(p, fit) })
		}
		scores := x.Fit(Text{Language: m[1], Heading: m[2], Keywords: strings.Split(m[3], ", ")})
		y.texts++
		if slices.ContainsFunc(all, fits) {
			y.possible++
		}
		best := slices.Max(scores)
		if best < least {
			y.none++
			continue
		}
		var shown, good, wrong float64
		for i, v := range scores {
			if v < best-0.04 { // the step within which fits count as equal
				continue
			}
			shown++
			switch {
			case fits(all[i]):
				good++
			case !slices.Contains(abstract, all[i].World):
				wrong++
			}
		}
		y.good, y.wrong = y.good+good/shown, y.wrong+wrong/shown
	}
	return y
}

func TestFit_ReadsAText(t *testing.T) {
	x := NewIndex(nil, []Doc{
		{Title: "Sea at dusk", Tags: []string{"ocean", "sea", "blue", "calm"}},
		{Title: "Pancakes", Tags: []string{"pancakes", "breakfast", "food", "warm"}},
		{Title: "Green hills", Tags: []string{"hills", "green", "fresh", "health"}},
		{Title: "Dog", Tags: []string{"dog", "puppy", "pet"}},
		{Title: "Train", Tags: []string{"train", "railway", "bridge", "valley", "mountains", "journey", "ticket", "lemons"}},
		{Title: "Messages", Tags: []string{"chat", "phone"}},
		{Title: "Desk", Tags: []string{"desk", "work", "study"}},
	})
	for name, c := range map[string]struct {
		text Text
		best int // -1: none fits
	}{
		"a word among the tags":     {Text{Heading: "Fluffy pancakes"}, 1},
		"a word related to a tag":   {Text{Heading: "My retriever"}, 3},
		"a mood is not a subject":   {Text{Heading: "A fresh dinner"}, -1},
		"a colour is not a subject": {Text{Heading: "Paint the wall green"}, -1},
		"unknown words":             {Text{Heading: "Qwertzuiop"}, -1},
		"no words":                  {Text{}, -1},
		"a word of the text in another language": {
			Text{Keywords: []string{"chat"}, Heading: "Adopter un chat", Language: "fr"}, -1,
		},
		"a word of the surrounding text": {
			Text{Keywords: []string{"chat"}, Heading: "Vos questions", Around: "Adopter un chat", Language: "fr"}, -1,
		},
		"a word with another meaning than the image's": {Text{Heading: "What works well"}, -1},
		"training is not a train":                      {Text{Heading: "Our training"}, -1},
		"words next to the subject":                    {Text{Heading: "Fresh lemons"}, -1},
		"keywords in English":                          {Text{Keywords: []string{"sea"}, Heading: "海を見に行こう", Language: "ja"}, 0},
		"another language is not searched":             {Text{Keywords: []string{"sea"}, Heading: "Hot dog mare", Language: "it"}, 0},
		"missing words weaken the match":               {Text{Heading: "Football, guitar and sushi at breakfast"}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			fit := x.Fit(c.text)
			best := slices.Max(fit)
			for i, v := range fit {
				if v < 0 || v > 1 {
					t.Errorf("fit %v of image %d is not within 0 and 1", v, i)
				}
			}
			switch {
			case c.best < 0 && best >= Least:
				t.Errorf("fits are %.2f, want all below %.2f", fit, Least)
			case c.best >= 0 && (best < Least || fit[c.best] != best):
				t.Errorf("fits are %.2f, want image %d", fit, c.best)
			}
		})
	}
}

// A word of a query anywhere in an item is sufficient.
func TestSearch_FindsExactWords(t *testing.T) {
	x := NewIndex(nil, []Doc{{Title: "Zeppelin"}, {Tags: []string{"zeppelin"}}, {Description: "Below a zeppelin."}, {Title: "Boat"}})
	var found []int
	for _, h := range x.Search("zeppelin") {
		found = append(found, h.Doc)
	}
	if slices.Sort(found); !slices.Equal(found, []int{0, 1, 2}) {
		t.Errorf("got %v, want the first three", found)
	}
}

// A search returns no object that shares only the mood of the query.
func TestSearch_ReturnsNoWrongObject(t *testing.T) {
	docs, all := catalog(), starter.All()
	for name, x := range map[string]*Index{
		"with the dictionary": NewIndex(NewWords(dictionary(t), func(err error) { t.Error(err) }), docs), "relations made by hand": NewIndex(nil, docs),
	} {
		for query, never := range map[string][]string{
			"pancakes breakfast kitchen": {"mountain_mist", "soft_clouds", "desert_dunes", "night_sky"},
			"electricity bill":           {"desert_dunes", "mountain_mist", "soft_clouds"},
			"wedding cake":               {"mountain_mist", "tech_grid"},
			"plumber":                    {"paper_craft"},
			"team meeting":               {"sport_play"},
			"parcel delivery":            {"kitchen_table", "products_shops-01"},
			"house for sale":             {"people", "desk_devices"},
			"elephant":                   worlds(all),
			"haircut":                    worlds(all),
		} {
			for _, h := range x.Search(query) {
				p := all[h.Doc]
				if slices.Contains(never, p.World) || slices.Contains(never, strings.TrimPrefix(p.ID, "starter-")) {
					t.Errorf("%s: %q finds %q", name, query, all[h.Doc].Title)
				}
			}
		}
	}
}

// worlds returns the worlds of images.
func worlds(of []starter.Picture) []string {
	var out []string
	for _, p := range of {
		out = append(out, p.World)
	}
	return slices.Compact(out)
}
