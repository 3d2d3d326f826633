// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"context"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/meaning"
)

// local searches the items that need no provider: rendered backgrounds and the items that the installation shares.
type local struct {
	base    string
	shared  func() []Item
	words   *meaning.Words
	vectors Vectors

	mu    sync.Mutex
	print uint64 // hash of the texts in index
	index *meaning.Index
}

// Vectors ranks texts by their similarity to a query, with an embedding model.
type Vectors interface {
	// Near returns a number for each text, higher for a more similar one. It returns false if the model is not
	// available now.
	Near(ctx context.Context, query string, texts []string) ([]float64, bool)
	// Want schedules texts for Run, so that their vectors are available to later searches.
	Want(texts []string)
	// Run fetches the vectors of scheduled texts until the context ends.
	Run(ctx context.Context)
}

// items returns all items: first the shared ones, newest first, then the rendered backgrounds.
func (l *local) items() []Item {
	var out []Item
	if l.shared != nil {
		out = append(out, l.shared()...)
	}
	for _, p := range starter.All() {
		out = append(out, StarterItem(l.base, p))
	}
	return out
}

// search returns the items that fit, the best first, or all items if no words are given.
func (l *local) search(ctx context.Context, text, mediaType string) []Item {
	all := l.items()
	if text == "" {
		return slices.DeleteFunc(all, func(i Item) bool { return mediaType != "" && i.MediaType != mediaType })
	}
	var out []Item
	for _, k := range l.ranked(ctx, all, text) {
		if mediaType == "" || all[k].MediaType == mediaType {
			out = append(out, all[k])
		}
	}
	return out
}

// ranked returns the indexes of the items that fit, the best first.
func (l *local) ranked(ctx context.Context, all []Item, text string) []int {
	hits := l.indexOf(all).Search(text)
	scores := make([]float64, len(all))
	for _, h := range hits {
		scores[h.Doc] = h.Score
	}
	if l.vectors != nil {
		if near, ok := l.vectors.Near(ctx, text, textsOf(all)); ok {
			return blend(near, scores)
		}
	}
	out := make([]int, len(hits))
	for i, h := range hits {
		out[i] = h.Doc
	}
	return out
}

// wordsShare is the weight of the word scores relative to the model. The model knows neither exclusions nor exact tag
// matches. farthest is how far below the best score an item may be to be returned, from 0 to 1.
const wordsShare, farthest = 0.35, 0.55

// blend combines the scores of the model and of the words, and returns the indexes of the items, the best first.
func blend(near, words []float64) []int {
	low, high, best := slices.Min(near), slices.Max(near), max(1e-9, slices.Max(words))
	total := make([]float64, len(near))
	order := make([]int, len(near))
	for i := range near {
		order[i] = i
		total[i] = wordsShare * words[i] / best
		if high > low {
			total[i] += (near[i] - low) / (high - low)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case total[a] > total[b]:
			return -1
		case total[a] < total[b]:
			return 1
		}
		return 0
	})
	end := slices.IndexFunc(order, func(k int) bool { return total[k] < total[order[0]]*(1-farthest) })
	if end < 0 {
		end = len(order)
	}
	return order[:end]
}

func textsOf(items []Item) []string {
	out := make([]string, len(items))
	for i := range items {
		out[i] = textOf(items[i])
	}
	return out
}

// textOf returns the text of an item for the model.
func textOf(i Item) string {
	t := i.Title
	if i.Description != "" {
		t += ". " + i.Description
	}
	for n, tag := range i.Tags {
		if n == 0 {
			t += " ["
		} else {
			t += ", "
		}
		t += tag
	}
	if len(i.Tags) > 0 {
		t += "]"
	}
	return t
}

// indexOf returns the index of the items' words and rebuilds it if the items changed.
func (l *local) indexOf(all []Item) *meaning.Index {
	h := fnv.New64a()
	for _, i := range all {
		_, _ = h.Write([]byte(textOf(i)))
		_, _ = h.Write([]byte{0})
		_, _ = h.Write([]byte(i.World))
		_, _ = h.Write([]byte{0})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if print := h.Sum64(); l.index == nil || l.print != print {
		docs := make([]meaning.Doc, len(all))
		for k, i := range all {
			docs[k] = meaning.Doc{Title: i.Title, Description: i.Description, World: i.World, Tags: i.Tags}
		}
		l.index, l.print = meaning.NewIndex(l.words, docs), print
	}
	return l.index
}
