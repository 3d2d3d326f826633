// SPDX-License-Identifier: Apache-2.0

package items

import (
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/content/textsearch"
)

const (
	// alike is the share of common words from which titles, or whole texts, are the same.
	alike = 0.7
	// fewWords is the number of words below which a title alone is not compared: "Daily news".
	fewWords = 3
)

// words are the different words of a text, as stems and sorted.
type words struct{ title, all []string }

func wordsOf(text string) words {
	title, _, _ := strings.Cut(text, "\n")
	return words{title: distinct(title), all: distinct(text)}
}

func distinct(text string) []string {
	list := textsearch.Stems(text)
	slices.Sort(list)
	return slices.Compact(list)
}

// like reports whether two texts are about the same. It compares words, not meanings: a rewritten title counts as new.
func (w words) like(o words) bool {
	return min(len(w.title), len(o.title)) >= fewWords && share(w.title, o.title) >= alike || share(w.all, o.all) >= alike
}

// share returns the number of common words by the number of all words, 0 to 1.
func share(a, b []string) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch strings.Compare(a[i], b[j]) {
		case 0:
			common, i, j = common+1, i+1, j+1
		case -1:
			i++
		default:
			j++
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}
