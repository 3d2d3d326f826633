// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"math"
	"sort"
)

// How much a word weighs by where it stands.
const (
	keywordWeight, headingWeight, bodyWeight             = 1.0, 0.7, 0.4
	tagWeight, titleWeight, worldWeight, descriptionPart = 1.0, 0.8, 0.7, 0.4
	relatedWeight                                        = 0.55 // a related word instead of the word itself
)

// themeWeight is how much a picture gains on every slide by fitting the slideshow
// as a whole: a slide whose own words say little stays with the subject.
const themeWeight = 0.35

// matches holds the score of every slide with every candidate.
type matches struct {
	score [][]float64 // by the slide's own words, 0 to 1
	theme []float64   // mean over the slides
	query []terms
	docs  []terms
}

// terms are stems with weights, sorted by stem.
type terms []term

type term struct {
	stem   string
	weight float64
}

func (t terms) weight(stem string) float64 {
	i := sort.Search(len(t), func(i int) bool { return t[i].stem >= stem })
	if i < len(t) && t[i].stem == stem {
		return t[i].weight
	}
	return 0
}

// collect keeps the highest weight of each stem.
type collect map[string]float64

func (c collect) add(words []string, weight float64) {
	for _, w := range words {
		c[w] = max(c[w], weight)
	}
}

func (c collect) sorted() terms {
	out := make(terms, 0, len(c))
	for s, w := range c {
		out = append(out, term{s, w})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].stem < out[j].stem })
	return out
}

func match(slides []Query, all []Candidate, cands []int) *matches {
	m := &matches{}
	df := map[string]int{}
	for _, i := range cands {
		d := document(all[i])
		m.docs = append(m.docs, d)
		for _, t := range d {
			df[t.stem]++
		}
	}
	n := float64(len(cands))
	idf := func(stem string) float64 {
		f, ok := df[stem]
		if !ok {
			return 0
		}
		return math.Log(1 + n/float64(f))
	}
	for _, q := range slides {
		terms := query(q)
		row := make([]float64, len(cands))
		for k, d := range m.docs {
			sum := 0.0
			for _, t := range terms {
				if w := d.weight(t.stem); w > 0 {
					sum += t.weight * w * idf(t.stem)
				}
			}
			// Saturates: two good words say nearly all, ten more add little.
			row[k] = sum / (sum + 2.5)
		}
		m.query = append(m.query, terms)
		m.score = append(m.score, row)
	}
	m.theme = make([]float64, len(cands))
	for _, row := range m.score {
		for k, v := range row {
			m.theme[k] += v / float64(len(slides))
		}
	}
	return m
}

// worth is what the assignment goes by.
func (m *matches) worth(slide, cand int) float64 {
	return m.score[slide][cand] + themeWeight*m.theme[cand]
}

func document(c Candidate) terms {
	d := collect{}
	for _, t := range c.Tags {
		d.add(stems(t), tagWeight)
	}
	d.add(stems(c.Title), titleWeight)
	d.add(stems(c.World), worldWeight)
	d.add(stems(c.Description), descriptionPart)
	return d.sorted()
}

func query(q Query) terms {
	c := collect{}
	add := func(text string, weight float64) {
		words := stems(text)
		c.add(words, weight)
		for _, w := range words {
			c.add(related[w], weight*relatedWeight)
		}
	}
	for _, k := range q.Keywords {
		add(k, keywordWeight)
	}
	add(q.Heading, headingWeight)
	add(q.Body, bodyWeight)
	return c.sorted()
}

// words are the candidate's stems that matched the slide.
func (m *matches) words(slide, cand int) []string {
	var out []string
	for _, t := range m.query[slide] {
		if m.docs[cand].weight(t.stem) > 0 {
			out = append(out, t.stem)
		}
	}
	return out
}
