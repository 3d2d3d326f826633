// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func pic(id, world string, tags ...string) Candidate {
	return Candidate{ID: id, World: world, Tags: tags}
}

func about(words ...string) Query { return Query{Keywords: words} }

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
	plain := []Candidate{pic("a", "w"), pic("b", "w"), pic("c", "w")}
	cases := map[string]struct {
		why    string
		slides []Query
		from   []Candidate
		opts   Options
		want   []string
	}{
		"words": {
			"the picture whose tags are named wins, whatever the order",
			[]Query{about("waves"), about("calm")},
			[]Candidate{sea, surf},
			Options{},
			[]string{"surf", "sea"},
		},
		"plural and ending": {
			"star and stars, dreaming and dream are the same word",
			[]Query{about("star", "dreaming"), about("moons")},
			[]Candidate{moon, star},
			Options{},
			[]string{"star", "moon"},
		},
		"related words": {
			"insomnia is in no tag, but sleep and moon fit it",
			[]Query{{Heading: "Beat insomnia"}},
			[]Candidate{sea, surf, moon},
			Options{},
			[]string{"moon"},
		},
		"keyword beats body": {
			"what a slide is about counts more than a word in passing",
			[]Query{{Keywords: []string{"moon"}, Body: "like waves on the ocean"}},
			[]Candidate{surf, moon},
			Options{},
			[]string{"moon"},
		},
		"world asked for": {
			"the mood asked for comes before a better match elsewhere, while it lasts",
			[]Query{about("waves"), about("calm"), about("ocean")},
			[]Candidate{sea, surf, moon, star},
			Options{World: "night_sky"},
			nil,
		},
		"one mood": {
			"one slide would fit another world, but the slideshow stays together",
			[]Query{about("ocean"), about("ocean", "night")},
			[]Candidate{sea, surf, moon},
			Options{},
			nil,
		},
		"least recently used": {
			"among equals what was shown longest ago comes first",
			[]Query{{}, {}, {}},
			plain,
			Options{RecentlyUsed: []string{"b", "c"}},
			[]string{"a", "c", "b"},
		},
		"none": {"no candidates, no choice", []Query{about("x")}, nil, Options{}, nil},
		"same ID twice": {
			"a candidate given twice is one picture",
			[]Query{{}, {}},
			[]Candidate{plain[0], plain[0], plain[1]},
			Options{RecentlyUsed: []string{"b"}},
			[]string{"a", "b"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := ids(Choose(c.slides, c.from, c.opts))
			switch name {
			case "world asked for":
				n := 0
				for _, id := range got {
					if id == "moon" || id == "star" {
						n++
					}
				}
				if n != 2 || len(got) != 3 {
					t.Errorf("%v; %s", got, c.why)
				}
			case "one mood":
				for _, id := range got {
					if id == "moon" {
						t.Errorf("%v; %s", got, c.why)
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

func TestChooseFromWordsOfAnotherLanguage(t *testing.T) {
	from := []Candidate{pic("moon", "night_sky", "moon", "night"), pic("sea", "ocean_waves", "ocean", "blue")}
	got := Choose([]Query{{Keywords: []string{"ocean"}, Heading: "海を見に行こう", Body: "波の音を聞く。"}}, from, Options{})
	if got[0].ID != "sea" {
		t.Errorf("chose %s: English keywords must lead when the text is not English", got[0].ID)
	}
	if got := Choose([]Query{{Heading: "البحر"}}, from, Options{}); len(got) != 1 || got[0].Score != 0 {
		t.Errorf("text without any match must still get a picture, with score 0: %+v", got)
	}
}

func TestSeedsMakeSlideshowsDiffer(t *testing.T) {
	var from []Candidate
	for i := range 24 {
		from = append(from, pic(fmt.Sprint("p", i), fmt.Sprint("w", i%4), "calm"))
	}
	slides := make([]Query, 5)
	seen := map[string]bool{}
	for seed := range uint64(10) {
		a, b := Choose(slides, from, Options{Seed: seed}), Choose(slides, from, Options{Seed: seed})
		if d := cmp.Diff(a, b); d != "" {
			t.Fatalf("the same input gives two answers:\n%s", d)
		}
		seen[fmt.Sprint(ids(a))] = true
	}
	if len(seen) < 8 {
		t.Errorf("10 seeds give only %d different slideshows", len(seen))
	}
}

func TestReuseIsEvenAndNamed(t *testing.T) {
	from := []Candidate{pic("a", ""), pic("b", ""), pic("c", "")}
	got := Choose(make([]Query, 8), from, Options{Seed: 3})
	count, reused := map[string]int{}, 0
	for i, c := range got {
		if c.Reused != (count[c.ID] > 0) {
			t.Errorf("slide %d: Reused is %v", i, c.Reused)
		}
		if i > 0 && got[i-1].ID == c.ID {
			t.Errorf("slides %d and %d show the same picture", i-1, i)
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

// Whatever the input: one choice a slide, no picture twice while another is
// unused, even use after that, and the world asked for first.
func TestChoosePromises(t *testing.T) {
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
		var from []Candidate
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
		slides := make([]Query, r.IntN(14))
		for i := range slides {
			slides[i] = about(some()...)
		}
		got := Choose(slides, from, opts)
		if len(got) != len(slides) {
			t.Fatalf("seed %d: %d choices for %d slides", seed, len(got), len(slides))
		}
		count, asked := make([]int, len(from)), 0
		for _, c := range got {
			if from[c.Index].ID != c.ID || c.Score < 0 || c.Score > 1 {
				t.Fatalf("seed %d: choice %+v does not fit its candidate", seed, c)
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
			t.Errorf("seed %d: uses %v: a picture is shown again while another waits", seed, count)
		}
		if opts.World != "" && asked < min(inWorld, len(slides)) {
			t.Errorf("seed %d: %d pictures of the world asked for, %d possible", seed, asked, min(inWorld, len(slides)))
		}
	}
}

func TestStableID(t *testing.T) {
	a := StableID("starter", "x")
	if a != StableID("starter", "x") || a == StableID("starte", "rx") || a < 1<<52 || a >= 1<<53 {
		t.Errorf("StableID(starter, x) = %d: want one number of its own in [2^52, 2^53)", a)
	}
}

func TestStem(t *testing.T) {
	for in, want := range map[string]string{
		"stories": "story", "planning": "plan", "planned": "plan", "leaves": "leav", "leaving": "leav", "wave": "wave",
		"calm": "calm", "business": "business", "focus": "focus", "stress": "stress", "ring": "ring", "beaches": "beach", "日本": "日本",
	} {
		if got := stem(in); got != want {
			t.Errorf("stem(%q) = %q, want %q", in, got, want)
		}
	}
	for _, pair := range [][2]string{{"wave", "waves"}, {"leaf", "leafs"}, {"sunrise", "sunrises"}, {"investing", "invest"}, {"running", "run"}, {"habits", "habit"}} {
		if stem(pair[0]) != stem(pair[1]) {
			t.Errorf("%q and %q have different stems: %q, %q", pair[0], pair[1], stem(pair[0]), stem(pair[1]))
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	var from []Candidate
	for i := range 90 {
		from = append(from, pic(fmt.Sprint("p", i), fmt.Sprint("w", i%14), "ocean", "calm", "blue", fmt.Sprint("t", i)))
	}
	slides := make([]Query, 8)
	for i := range slides {
		slides[i] = Query{Keywords: []string{"ocean", "calm"}, Heading: "Save money every morning", Body: "Small habits add up over the years and let you travel."}
	}
	for b.Loop() {
		Choose(slides, from, Options{})
	}
}
