// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shot is a candidate with the words that it shows.
type shot struct {
	Candidate
	shows []string
}

func pic(id, world string, shows ...string) shot { return shot{Candidate{ID: id, World: world}, shows} }

// about holds the words of a slide.
func about(words ...string) []string { return words }

// choose uses the share of the slide's words that the image shows as the fit of a slide and an image.
func choose(slides [][]string, from []shot, opts Options) []Choice {
	cands, fit := make([]Candidate, len(from)), make([][]float64, len(slides))
	for i, s := range from {
		cands[i] = s.Candidate
	}
	for i, words := range slides {
		fit[i] = make([]float64, len(from))
		for k, s := range from {
			for _, w := range words {
				if slices.Contains(s.shows, w) {
					fit[i][k] += 1 / float64(len(words))
				}
			}
		}
	}
	return Choose(fit, cands, opts)
}

func ids(cs []Choice) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.ID)
	}
	return out
}

func TestChoose(t *testing.T) {
	sea := pic("sea", "ocean_waves", "ocean", "blue", "calm")
	surf := pic("surf", "ocean_waves", "ocean", "waves", "energy")
	moon := pic("moon", "night_sky", "moon", "night", "sleep")
	star := pic("star", "night_sky", "stars", "night", "dream")
	plain := []shot{pic("a", "w"), pic("b", "w"), pic("c", "w")}
	cases := map[string]struct {
		why    string
		slides [][]string
		from   []shot
		opts   Options
		want   []string
	}{
		"words": {
			"the image with the named tags is chosen, in any order",
			[][]string{about("waves"), about("calm")},
			[]shot{sea, surf},
			Options{},
			[]string{"surf", "sea"},
		},
		"world asked for": {
			"images of the requested mood come before better matches, while there are any",
			[][]string{about("waves"), about("calm"), about("ocean")},
			[]shot{sea, surf, moon, star},
			Options{World: "night_sky"},
			nil,
		},
		"one mood": {
			"one slide would fit another world, but the slideshow uses one world",
			[][]string{about("ocean"), about("ocean", "night")},
			[]shot{sea, surf, moon},
			Options{},
			nil,
		},
		"least recently used": {
			"among equals, the least recently shown is chosen",
			[][]string{{}, {}, {}},
			plain,
			Options{RecentlyUsed: []string{"b", "c"}},
			[]string{"a", "c", "b"},
		},
		"none": {"without candidates there is no choice", [][]string{about("x")}, nil, Options{}, nil},
		"same ID twice": {
			"a candidate given twice counts once",
			[][]string{{}, {}},
			[]shot{plain[0], plain[0], plain[1]},
			Options{RecentlyUsed: []string{"b"}},
			[]string{"a", "b"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := ids(choose(c.slides, c.from, c.opts))
			switch name {
			case "world asked for":
				n := 0
				for _, id := range got {
					if id == "moon" || id == "star" {
						n++
					}
				}
				if n != 2 || len(got) != 3 {
					t.Errorf("got %v; %s", got, c.why)
				}
			case "one mood":
				for _, id := range got {
					if id == "moon" {
						t.Errorf("got %v; %s", got, c.why)
					}
				}
			default:
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s\n%s", c.why, d)
				}
			}
		})
	}
}

func TestChoose_SeedsGiveDifferentSlideshows(t *testing.T) {
	var from []shot
	for i := range 24 {
		from = append(from, pic(fmt.Sprint("p", i), fmt.Sprint("w", i%4), "calm"))
	}
	slides := make([][]string, 5)
	seen := map[string]bool{}
	for seed := range uint64(10) {
		a, b := choose(slides, from, Options{Seed: seed}), choose(slides, from, Options{Seed: seed})
		if d := cmp.Diff(a, b); d != "" {
			t.Fatalf("the same input gives two results:\n%s", d)
		}
		seen[fmt.Sprint(ids(a))] = true
	}
	if len(seen) < 8 {
		t.Errorf("10 seeds give only %d different slideshows", len(seen))
	}
}

func TestChoose_ReusesEvenly(t *testing.T) {
	from := []shot{pic("a", ""), pic("b", ""), pic("c", "")}
	got := choose(make([][]string, 8), from, Options{Seed: 3})
	count, reused := map[string]int{}, 0
	for i, c := range got {
		if c.Reused != (count[c.ID] > 0) {
			t.Errorf("slide %d: got Reused %v", i, c.Reused)
		}
		if i > 0 && got[i-1].ID == c.ID {
			t.Errorf("slides %d and %d show the same image", i-1, i)
		}
		if c.Reused {
			reused++
		}
		count[c.ID]++
	}
	if reused != 5 {
		t.Errorf("%d slides are marked as reused, want 5", reused)
	}
	for id, n := range count {
		if n < 2 || n > 3 {
			t.Errorf("%s is shown %d times, want 2 or 3", id, n)
		}
	}
}

// For any input: one choice for each slide, no image twice while another is unused, even use after that, and images
// of the requested world first.
func TestChoose_Invariants(t *testing.T) {
	words := []string{"ocean", "night", "calm", "money", "sun", "book", "red", "travel", "health", "love"}
	worlds := []string{"", "ocean_waves", "night_sky", "tech_grid", "unknown"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		some := func() (out []string) {
			for range r.IntN(4) {
				out = append(out, words[r.IntN(len(words))])
			}
			return
		}
		var from []shot
		inWorld := 0
		opts := Options{World: worlds[r.IntN(len(worlds))], Seed: seed}
		for i := range 1 + r.IntN(12) {
			c := pic(fmt.Sprint("p", i), worlds[r.IntN(len(worlds))], some()...)
			if c.World == opts.World {
				inWorld++
			}
			if r.IntN(3) == 0 {
				opts.RecentlyUsed = append(opts.RecentlyUsed, c.ID)
			}
			from = append(from, c)
		}
		slides := make([][]string, r.IntN(14))
		for i := range slides {
			slides[i] = about(some()...)
		}
		got := choose(slides, from, opts)
		if len(got) != len(slides) {
			t.Fatalf("seed %d: got %d choices for %d slides", seed, len(got), len(slides))
		}
		count, asked := make([]int, len(from)), 0
		for _, c := range got {
			if from[c.Index].ID != c.ID || c.Score < 0 || c.Score > 1 {
				t.Fatalf("seed %d: choice %+v does not match its candidate", seed, c)
			}
			count[c.Index]++
			if opts.World != "" && from[c.Index].World == opts.World {
				asked++
			}
		}
		low, high := len(slides), 0
		for _, n := range count {
			low, high = min(low, n), max(high, n)
		}
		if len(slides) > 0 && high-low > 1 {
			t.Errorf("seed %d: uses %v: an image is shown again while another is unused", seed, count)
		}
		if opts.World != "" && asked < min(inWorld, len(slides)) {
			t.Errorf("seed %d: got %d images of the requested world, %d are possible", seed, asked, min(inWorld, len(slides)))
		}
	}
}

// The images of a slideshow match: either most slides show one that fits, or only the slides with a strong fit do.
func TestChoose_ImagesMatchEachOther(t *testing.T) {
	const least, strong = 0.45, 0.6
	opts := Options{Least: least, Strong: strong}
	cup, pan, dog, sea := pic("cup", "kitchen"), pic("pan", "kitchen"), pic("dog", "home"), pic("sea", "ocean")
	cands := []Candidate{cup.Candidate, pan.Candidate, dog.Candidate, sea.Candidate}
	for name, c := range map[string]struct {
		fit  [][]float64
		want []string
	}{
		"nothing fits":                         {[][]float64{{0.1, 0.2, 0.4, 0.44}, {0, 0, 0, 0}}, []string{"", ""}},
		"one weak fit among many is omitted":   {[][]float64{{0.5, 0, 0, 0}, {}, {}, {}, {}, {}, {}, {}, {}}, []string{"", "", "", "", "", "", "", "", ""}},
		"one strong fit among many stays":      {[][]float64{{0.9, 0, 0, 0}, {}, {}, {}, {}, {}, {}, {}, {}}, []string{"cup", "", "", "", "", "", "", "", ""}},
		"weak fits of half of the slides stay": {[][]float64{{0.5, 0, 0, 0}, {0, 0.5, 0, 0}, {}, {}}, []string{"cup", "pan", "", ""}},
		"the subject replaces missing fits":    {[][]float64{{0.9, 0.6, 0, 0}, {0.5, 0.8, 0, 0}, {}, {0.8, 0.7, 0.5, 0}, {}, {}}, []string{"cup", "pan", "", "dog", "", ""}},
		"the subject is shown once":            {[][]float64{{0.9, 0.5, 0.5, 0}, {0.5, 0.9, 0.5, 0}, {}}, []string{"cup", "pan", "dog"}},
		"a single slide shows a fitting image": {[][]float64{{0.5, 0, 0, 0}}, []string{"cup"}},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.fit {
				c.fit[i] = append(c.fit[i], make([]float64, len(cands)-len(c.fit[i]))...)
			}
			got := Choose(c.fit, cands, opts)
			if d := cmp.Diff(c.want, ids(got)); d != "" {
				t.Error(d)
			}
			for _, g := range got {
				if (g.Index < 0) != (g.ID == "") {
					t.Errorf("%+v has an index or an ID, not both", g)
				}
			}
		})
	}
}

// A slide that fits images of several worlds equally shows one of the world that most slides show, or of a related
// one.
func TestChoose_KeepsToOneMood(t *testing.T) {
	cands := []Candidate{{"a", "night_sky"}, {"b", "night_sky"}, {"c", "mountain_mist"}, {"d", "paper_craft"}}
	fit := [][]float64{{0.8, 0.5, 0, 0}, {0.5, 0.8, 0, 0}, {0, 0, 0.6, 0.6}}
	for seed := range uint64(20) {
		got := ids(Choose(fit, cands, Options{Least: 0.45, Strong: 0.6, Seed: seed}))
		if d := cmp.Diff([]string{"a", "b", "c"}, got); d != "" {
			t.Fatalf("seed %d: got %s", seed, d)
		}
	}
}

func TestStableID(t *testing.T) {
	a := StableID("starter", "x")
	if a != StableID("starter", "x") || a == StableID("starte", "rx") || a < 1<<52 || a >= 1<<53 {
		t.Errorf("StableID(starter, x) = %d, want a distinct number in [2^52, 2^53)", a)
	}
}

func BenchmarkChoose(b *testing.B) {
	var from []shot
	for i := range 90 {
		from = append(from, pic(fmt.Sprint("p", i), fmt.Sprint("w", i%14), "ocean", "calm", "blue", fmt.Sprint("t", i)))
	}
	slides := make([][]string, 8)
	for i := range slides {
		slides[i] = about("ocean", "calm", "save", "money")
	}
	for b.Loop() {
		choose(slides, from, Options{})
	}
}
