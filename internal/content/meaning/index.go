// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Doc describes one item.
type Doc struct {
	Title       string
	Description string
	World       string   // image world, or empty
	Tags        []string // the main subject first
}

// Hit is a search result.
type Hit struct {
	Doc   int // index in the list passed to NewIndex
	Score float64
}

// Text is the text of a slide. Images are tagged in English, so Keywords should hold English words if the rest is in
// another language.
type Text struct {
	Keywords []string
	// Heading and Body are ignored if Language is not English and there are keywords: in Italian, "pane" is bread.
	Heading, Body string
	// Around is the rest of the text of the post. It serves only to recognize keywords that are not English.
	Around   string
	Language string // BCP 47 tag; empty for English
}

// Index is a searchable catalog. It is immutable and safe for concurrent use.
type Index struct {
	words *Words
	docs  [][]reason
}

// reason is a stem of an item. shows is the confidence that the item shows the stem. weight is its weight in the
// ranking, which is lower for stems that many items have.
type reason struct {
	stem          string
	shows, weight float64
}

// The weights of a word by the field of an item.
const (
	tagWeight, titleWeight, worldWeight, descriptionWeight = 1.0, 0.85, 0.75, 0.45
	// titleShows and descriptionShows are the confidence that the image shows a word of the field. They are low because
	// "first stars" and "golden hour" name no subject.
	titleShows, descriptionShows = 0.6, 0.45
	// mainTags is the number of leading tags that name the subject. Later tags name secondary objects and have the
	// confidence laterTagShows: a laptop beside a plant is not an image of plants.
	mainTags, laterTagShows = 7, 0.6
)

// NewIndex returns an index of a catalog. If words is nil, only the built-in relations are used.
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
		for _, s := range slices.Sorted(maps.Keys(of)) { // sorted, because sums of floats depend on the order
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
	// more is the weight of all further matches of a notion relative to its best match.
	more = 0.2
	// least is the share of the best score below which an item is not returned.
	least = 0.35
	// leastShown is the least confidence that an item shows a notion of the query.
	leastShown = 0.3
	// misfit is the penalty factor for an item that shows an excluded notion.
	misfit = 3.0
	// sure is the least fit of a word to count for an excluded notion.
	sure = 0.7
)

// Search returns the items that fit a query, the best first; items with equal scores keep the catalog's order. An item
// that shows no notion of the query is not returned, even if its tone fits.
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

// Least is the fit below which an item shows something other than the subject of the text. Strong is the fit of an item
// that shows a word of the text itself. Both were chosen on testdata/fits.txt.
const (
	Least  = 0.45
	Strong = 0.6
)

// The weights of a word by the field of a text.
const (
	keywordWeight, headingWeight, bodyWeight = 1.0, 0.9, 0.6
	// alsoShows is the share of the remaining distance to 1 that the second best notion adds to a fit.
	alsoShows = 0.4
	// toneWeight is the weight of a word for a tone in a text: a dark green wall is not a forest.
	toneWeight = 0.4
	// vagueWeight is the weight of a word for a whole field.
	vagueWeight = 0.75
	// looseWeight is the weight of a word that usually has another meaning than its image. Such a word shows a subject
	// only together with another word.
	looseWeight = 0.55
	// unshown is the penalty for a fit if the item shows none of the listed words of a text. clearly is the confidence
	// from which a word counts as shown.
	unshown, clearly = 0.7, 0.5
)

// english reports whether the words of a text can be read as English.
func (t Text) english() bool {
	base, _, _ := strings.Cut(t.Language, "-")
	return base == "" || base == "en"
}

// Fit returns how well each item shows the subject of a text, from 0 to 1.
func (x *Index) Fit(t Text) []float64 {
	var notions []notion
	at := map[string]int{}
	add := func(text string, weight float64) {
		for _, n := range x.words.read(text) {
			n.weight *= weight
			if s := stems(n.words); len(s) == 1 && tones[s[0]] {
				n.weight *= toneWeight
			} else if len(s) == 1 && (loose[s[0]] || n.words == "book") { // "book" in a text usually means a booking
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

// fit returns how well an item shows the notions, from 0 to 1.
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
	if all == 0 { // no listed notion is missing
		shown, all = 1, 1
	}
	return (best + (1-best)*alsoShows*second) * (1 - unshown*(1-shown/all))
}

// top returns the confidence of the notion that an item shows best, from 0 to 1.
func top(notions []notion, doc []reason) float64 {
	out := 0.0
	for _, n := range notions {
		if !n.against {
			out = max(out, n.weight*n.shown(doc))
		}
	}
	return out
}

// shown returns how well an item shows a notion, from 0 to 1. The best match counts in full, the others a little.
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
