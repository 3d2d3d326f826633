// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Doc is what is known of one item.
type Doc struct {
	Title       string
	Description string
	World       string   // image world, or ""
	Tags        []string // the subject first
}

// Hit is an item that was found.
type Hit struct {
	Doc   int // place in the list given to NewIndex
	Score float64
}

// Text is what a slide is about. Pictures are tagged in English, so Keywords should hold English words when the rest is in
// another language.
type Text struct {
	Keywords []string
	// Heading and Body are not read when the text is in another language and there are keywords: "pane" is no window there.
	Heading, Body string
	// Around is the rest of the text that the item goes with. It is read only to recognize keywords in another language.
	Around   string
	Language string // BCP 47 tag; "" for English
}

// Index is a catalog that can be searched; it does not change, and is safe for concurrent use.
type Index struct {
	words *Words
	docs  [][]reason
}

// reason is a stem of an item: how sure it is that the item shows it, and how much it counts when items are ordered, which is
// less for stems that many items have.
type reason struct {
	stem          string
	shows, weight float64
}

// What a word counts for by where it stands.
const (
	tagWeight, titleWeight, worldWeight, descriptionWeight = 1.0, 0.85, 0.75, 0.45
	// titleShows and descriptionShows are what they count for as a sign of what the picture shows: "first stars" and "golden
	// hour" are no subjects.
	titleShows, descriptionShows = 0.6, 0.45
	// mainTags is how many tags name the subject; those that follow name what stands beside it, and laterTagShows is what they
	// count for: a laptop beside a plant is no picture of plants.
	mainTags, laterTagShows = 7, 0.6
)

// NewIndex reads a catalog. Without words it goes by the relations made by hand.
func NewIndex(words *Words, docs []Doc) *Index {
	if words == nil {
		words = NewWords(nil, nil)
	}
	x := &Index{words: words, docs: make([][]reason, len(docs))}
	count := map[string]float64{}
	for i, d := range docs {
		of, shows := weights{}, weights{}
		for k, t := range d.Tags {
			of.add(t, tagWeight)
			if k < mainTags {
				shows.add(t, tagWeight)
			} else {
				shows.add(t, laterTagShows)
			}
		}
		of.add(d.Title, titleWeight)
		of.add(d.World, worldWeight)
		of.add(d.Description, descriptionWeight)
		shows.add(d.Title, titleShows)
		shows.add(d.World, worldWeight)
		shows.add(d.Description, descriptionShows)
		for _, s := range slices.Sorted(maps.Keys(of)) { // sums of floats are equal only in equal order
			x.docs[i] = append(x.docs[i], reason{s, shows[s], of[s]})
			count[s]++
		}
	}
	n := float64(len(docs))
	for _, of := range x.docs {
		for k := range of {
			of[k].weight *= math.Log(1+n/count[of[k].stem]) / math.Log(1+n)
		}
	}
	return x
}

const (
	// more is what the second best reason counts for why a picture fits a notion, and all after it.
	more = 0.2
	// least is the share of the best score below which an item is not found.
	least = 0.35
	// leastShown is how well an item has to show what it is found for.
	leastShown = 0.3
	// misfit is what a picture of something unwanted loses, by how sure it is.
	misfit = 3.0
	// sure is how well a word has to fit an unwanted notion to stand for it.
	sure = 0.7
)

// Search returns the items that fit a query, best first; equals keep the catalog's order. An item that shows nothing of what
// the query speaks of is not returned, however well its tone goes with it.
func (x *Index) Search(query string) []Hit {
	notions := x.words.read(query)
	var out []Hit
	best := 0.0
	for i := range x.docs {
		if s := x.score(notions, x.docs[i]); s > 0 && top(notions, x.docs[i]) >= leastShown {
			out = append(out, Hit{i, s})
			best = max(best, s)
		}
	}
	out = slices.DeleteFunc(out, func(h Hit) bool { return h.Score < least*best })
	slices.SortStableFunc(out, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// Least is the fit below which an item shows something other than the text speaks of. Strong is the fit of an item that
// shows a word of the text itself. Both were chosen on testdata/fits.txt.
const (
	Least  = 0.45
	Strong = 0.6
)

// What a word counts for by where it stands in a text.
const (
	keywordWeight, headingWeight, bodyWeight = 1.0, 0.9, 0.6
	// alsoShows is what the second best reason adds to a fit, of what is missing to 1.
	alsoShows = 0.4
	// toneWeight is what a word for a tone counts for in a text: a dark green wall is no forest.
	toneWeight = 0.4
	// vagueWeight is what a word for a whole field counts for.
	vagueWeight = 0.75
	// looseWeight is what a word counts for that mostly means something else than its picture: it shows a subject only
	// together with another word.
	looseWeight = 0.55
	// unshown is what a fit loses when no word of a text that the lists know is shown; clearly is how sure it has to be that
	// a word is shown.
	unshown, clearly = 0.7, 0.5
)

// english reports whether the words of a text can be read as English ones.
func (t Text) english() bool {
	base, _, _ := strings.Cut(t.Language, "-")
	return base == "" || base == "en"
}

// Fit returns how well each item shows what a text speaks of, 0 to 1.
func (x *Index) Fit(t Text) []float64 {
	var notions []notion
	at := map[string]int{}
	add := func(text string, weight float64) {
		for _, n := range x.words.read(text) {
			n.weight *= weight
			if s := stems(n.words); len(s) == 1 && tones[s[0]] {
				n.weight *= toneWeight
			} else if len(s) == 1 && (loose[s[0]] || n.words == "book") { // what a text says to book is no book, as books are
				n.weight *= looseWeight
			} else if len(s) == 1 && vague[s[0]] {
				n.weight *= vagueWeight
			}
			if i, ok := at[n.words]; ok {
				notions[i].weight = max(notions[i].weight, n.weight)
				continue
			}
			at[n.words] = len(notions)
			notions = append(notions, n)
		}
	}
	english := t.english()
	own := map[string]bool{}
	if !english {
		own = wordSet(t.Heading + "\n" + t.Body + "\n" + t.Around)
	}
	for _, k := range t.Keywords {
		if !own[strings.ToLower(k)] || international[strings.ToLower(k)] {
			add(k, keywordWeight)
		}
	}
	if english || len(t.Keywords) == 0 {
		add(t.Heading, headingWeight)
		add(t.Body, bodyWeight)
	}
	out := make([]float64, len(x.docs))
	for i, d := range x.docs {
		out[i] = fit(notions, d)
	}
	return out
}

// fit is how well an item shows what the notions speak of, 0 to 1.
func fit(notions []notion, doc []reason) float64 {
	best, second, shown, all := 0.0, 0.0, 0.0, 0.0
	for _, n := range notions {
		if n.against {
			continue
		}
		v := n.shown(doc)
		if n.listed {
			shown, all = shown+n.weight*min(v/clearly, 1), all+n.weight
		}
		v *= n.weight
		switch {
		case v > best:
			best, second = v, best
		case v > second:
			second = v
		}
	}
	if all == 0 { // nothing that the lists know is left out
		shown, all = 1, 1
	}
	return (best + (1-best)*alsoShows*second) * (1 - unshown*(1-shown/all))
}

// top is how well an item shows the notion that it shows best, 0 to 1.
func top(notions []notion, doc []reason) float64 {
	out := 0.0
	for _, n := range notions {
		if !n.against {
			out = max(out, n.weight*n.shown(doc))
		}
	}
	return out
}

// shown is how well an item shows a notion, 0 to 1: by the best reason, and a little by the others.
func (n notion) shown(doc []reason) float64 {
	best, rest := 0.0, 0.0
	for _, r := range doc {
		v := n.shows[r.stem] * r.shows
		if v > best {
			best, v = v, best
		}
		rest += v
	}
	return best + (1-best)*more*rest/(1+rest)
}

func (x *Index) score(notions []notion, doc []reason) float64 {
	sum := 0.0
	for _, n := range notions {
		top, rest := 0.0, 0.0
		for _, r := range doc {
			w := n.fits[r.stem]
			if w == 0 || (n.against && w < sure) {
				continue
			}
			v := w * r.weight
			if v > top {
				top, v = v, top
			}
			rest += v
		}
		v := top + more*rest/(1+rest)
		if n.against {
			v *= -misfit
		}
		sum += n.weight * v
	}
	return sum
}
