// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/textgen"
)

const (
	// bodyAim is how long a slide's body gets before its last sentence.
	bodyAim = 120
	// manyParagraphs are enough to give each one slide; of fewer, a long one fills several.
	manyParagraphs = 7
)

// ownLines marks lines that are paragraphs of their own: in their block every line ends a sentence and begins one, so the breaks
// mean something. Where a single sentence runs over a break, the lines are only wrapped.
func ownLines(lines []string) []bool {
	out := make([]bool, len(lines))
	start := 0
	if len(lines) > 2 && standsAlone(lines, 0) && !endsSentence(lines[0]) {
		start = 1 // a headline
	}
	for i := start; i < len(lines); {
		j, whole := i, true
		for j < len(lines) && lines[j] != "" {
			whole = whole && (j == i || endsSentence(lines[j-1]) && !unicode.IsLower(firstRune(lines[j])))
			j++
		}
		for k := i; k < j && whole && j-i >= 2; k++ {
			out[k] = true
		}
		i = max(j, i+1)
	}
	return out
}

// paragraphsOf counts the paragraphs of prose.
func paragraphsOf(blocks []block) int {
	seen := map[int]bool{}
	for _, b := range blocks {
		if b.kind == prose {
			seen[b.para] = true
		}
	}
	return len(seen)
}

// paragraphUnits make slides of one paragraph: what it begins with is the heading, what it goes on with the body. Sentences of
// different paragraphs never share a slide. A long paragraph gives several slides when there are few of them.
func paragraphUnits(tag string, said []string, para int, several bool) []unit {
	var out []unit
	for _, s := range said {
		n := len(out)
		if n == 0 {
			out = append(out, unit{head: s, para: para, whole: s})
			continue
		}
		u := &out[n-1]
		fits := runes(u.body)+runes(s) < bodyAim || u.body == "" && runes(s) <= textgen.MaxBody
		if runes(u.head) > textgen.MaxHeading {
			fits = runes(u.text())+runes(s) < textgen.MaxHeading+textgen.MaxBody/2
		}
		switch {
		case fits && (u.body == "" || !several || asks(u.head) || leans(tag, s)):
			u.body = join(u.body, s)
			u.whole += " " + s
		case several && !leans(tag, s):
			out = append(out, unit{head: s, para: para, whole: s})
		default:
			return out // what leans on a sentence that is left out is left out with it
		}
	}
	return out
}

// asks tells a question.
func asks(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return isPicture(r) || unicode.IsSpace(r) || strings.ContainsRune(closers, r) })
	return s != "" && strings.ContainsRune("?？؟", lastRune(s))
}
