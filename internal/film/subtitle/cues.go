// SPDX-License-Identifier: Apache-2.0

package subtitle

import (
	"math"
	"slices"
	"strings"
	"unicode"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/speech"
)

// Cue is the text that is displayed at one time.
type Cue struct {
	// From and To are milliseconds.
	From, To int64
	// Words of the cue.
	Words []v1beta1.SpokenWord
}

// Text returns the text of the cue on one line.
func (c Cue) Text() string {
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		words[i] = w.Text
	}
	return speech.Join(words)
}

const (
	// mostWords and mostWidth bound a cue. The width is counted in letters; Chinese characters count twice.
	mostWords = 5
	mostWidth = 22
	// longPause is the pause between two words that separates cues, in milliseconds.
	longPause = 600
	// bridged is the longest pause over which a cue stays until the next one; lingers is how long a cue stays at most
	// after its last word. Both are in milliseconds.
	bridged = 900
	lingers = 700
	// commas are the marks that end a part of a sentence.
	commas = ",;:—–،؛、，；："
)

// Cues divides the words into cues: within sentences, at commas if there are any, evenly otherwise. A word that starts
// before the previous word is moved to that word's start. Cues without a duration are left out.
func Cues(words []v1beta1.SpokenWord) []Cue {
	words = inOrder(words)
	var out []Cue
	for start := 0; start < len(words); {
		end := start + 1
		for end < len(words) && !parted(words[end-1], words[end]) {
			end++
		}
		for _, group := range even(words[start:end]) {
			out = append(out, Cue{From: group[0].StartMilliseconds, To: group[len(group)-1].EndMilliseconds, Words: group})
		}
		start = end
	}
	for i := range out {
		stay := out[i].To + lingers
		if i+1 < len(out) {
			next := out[i+1].From
			if next-out[i].To <= bridged {
				stay = next
			}
			stay = min(stay, next)
		}
		out[i].To = max(stay, out[i].From)
	}
	return slices.DeleteFunc(out, func(c Cue) bool { return c.To <= c.From })
}

func inOrder(words []v1beta1.SpokenWord) []v1beta1.SpokenWord {
	var out []v1beta1.SpokenWord
	before := int64(0)
	for _, w := range words {
		w.Text = strings.Join(strings.Fields(w.Text), " ")
		if w.Text == "" {
			continue
		}
		w.StartMilliseconds = max(w.StartMilliseconds, before)
		w.EndMilliseconds = max(w.EndMilliseconds, w.StartMilliseconds)
		before = w.StartMilliseconds
		out = append(out, w)
	}
	return out
}

// parted reports whether two consecutive words must be in different cues.
func parted(a, b v1beta1.SpokenWord) bool {
	return b.StartMilliseconds-a.EndMilliseconds >= longPause || ends(a.Text, ".!?…。！？؟۔।॥") && !abbreviated(a.Text)
}

// ends reports whether a word ends in one of the marks, ignoring closing quotes and brackets.
func ends(word, marks string) bool {
	word = strings.TrimRightFunc(word, func(r rune) bool {
		return unicode.In(r, unicode.Pe, unicode.Pf, unicode.So, unicode.Sk, unicode.M, unicode.Cf) || r == '"' || r == '\'' || unicode.IsSpace(r)
	})
	r := []rune(word)
	return len(r) > 0 && strings.ContainsRune(marks, r[len(r)-1])
}

// abbreviated reports whether a word such as "e.g." or "Dr." ends in a full stop that ends no sentence.
func abbreviated(word string) bool {
	inner := strings.TrimSuffix(word, ".")
	return inner != word && (strings.Contains(inner, ".") || slices.Contains([]string{"Dr", "Mr", "Mrs", "Ms", "St", "vs", "No"}, inner))
}

// width returns the width of a text in letters.
func width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.M, r), unicode.Is(unicode.Cf, r):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.So):
			n += 2
		default:
			n++
		}
	}
	return n
}

// even divides words into groups of about the same width that are not too wide.
func even(words []v1beta1.SpokenWord) [][]v1beta1.SpokenWord {
	n := len(words)
	ideal := 0.8 * mostWidth
	best := make([]float64, n+1)
	from := make([]int, n+1)
	for j := 1; j <= n; j++ {
		best[j] = math.Inf(1)
		w, spacing := 0, 0
		for i := j - 1; i >= 0; i-- {
			w += width(words[i].Text)
			if i+1 < j {
				if spacing = 0; speech.Spaced(words[i].Text, words[i+1].Text) {
					spacing = 1
				}
				w += spacing
			}
			if j-i > 1 && (w > mostWidth || j-i > mostWords && spacing == 1) {
				break
			}
			off := (float64(w) - ideal) / ideal
			cost := best[i] + 0.4 + off*off
			if j < n && ends(words[j-1].Text, commas) {
				cost -= 0.4
			}
			if j < n && j-i > 1 && ends(words[j-2].Text, commas) {
				cost += 0.4 // this cue would begin with the last word of a clause
			}
			if j-i == 1 && n > 1 && w < 10 {
				cost += 0.6
			}
			if cost < best[j] {
				best[j], from[j] = cost, i
			}
		}
	}
	var out [][]v1beta1.SpokenWord
	for j := n; j > 0; j = from[j] {
		out = append(out, words[from[j]:j])
	}
	slices.Reverse(out)
	return out
}
