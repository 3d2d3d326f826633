// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"unicode"
)

// chineseBreaks rates line breaks in runs of Han. Words of the built-in list are matched so that as few characters as
// possible remain unmatched; the rest is split in pairs. Particles are then joined to the word that they belong to.
func chineseBreaks(runes []rune, out []ruled) {
	for start := 0; start < len(runes); {
		end := start
		for end < len(runes) && (unicode.Is(unicode.Han, runes[end]) || unicode.IsDigit(runes[end])) {
			end++
		}
		if end == start {
			start++
			continue
		}
		chineseWords(runes[start:end], func(at int, kind breakKind) {
			if i := start + at; ideographic(runes[i]) || ideographic(runes[i-1]) {
				out[i] = ruled(kind)
			}
		})
		start = end
	}
	for at := 1; at < len(runes); at++ {
		a, b := runes[at-1], runes[at]
		if out[at] != unruled || unicode.IsSpace(a) || unicode.IsSpace(b) || !ideographic(a) && !ideographic(b) {
			continue
		}
		out[at] = ruled(betweenWord) // next to another script
		if strings.ContainsRune(chineseAfter, b) || strings.ContainsRune(chineseBefore, a) {
			out[at] = ruled(atCluster)
		}
	}
}

type chineseToken struct {
	end   int
	known bool
}

// chineseWords reports the kind of line break at each index in a run of Han and digits.
func chineseWords(run []rune, report func(at int, kind breakKind)) {
	run = simplified(run)
	tokens := chineseTokens(run)
	start := 0
	for i, t := range tokens {
		for at := start + 1; at < t.end; at++ {
			report(at, atCluster)
		}
		if i+1 < len(tokens) {
			report(t.end, chineseBorder(run[start:t.end], run[t.end:tokens[i+1].end], t.known, tokens[i+1].known))
		}
		start = t.end
	}
}

// chineseBorder rates the boundary between two tokens.
func chineseBorder(left, right []rune, known, nextKnown bool) breakKind {
	switch {
	case len(right) == 1 && strings.ContainsRune(chineseAfter, right[0]),
		len(left) == 1 && strings.ContainsRune(chineseBefore, left[0]),
		chineseNumber(left[len(left)-1]) && len(right) == 1:
		return atCluster
	case len(right) == 1 && len(left) > 1 && chineseNumber(left[0]), // a counted thing
		!known && !nextKnown, len(left) == 1 && len(right) == 1:
		return insideWord
	}
	return betweenWord
}

// chineseTokens splits a run of Han and digits into words.
func chineseTokens(run []rune) []chineseToken {
	n := len(run)
	const far = 1 << 30
	cost, from, known := make([]int, n+1), make([]int, n+1), make([]bool, n+1)
	for i := 1; i <= n; i++ {
		cost[i] = far
	}
	for i := range n {
		relax := func(to, c int, ok bool) {
			if cost[i]+c < cost[to] {
				cost[to], from[to], known[to] = cost[i]+c, i, ok
			}
		}
		for k := 2; k <= min(chineseLongest, n-i); k++ {
			if chineseDictionary[string(run[i:i+k])] {
				relax(i+k, 20-k, true)
			}
		}
		if to := chineseCount(run[i:]); to > 0 {
			relax(i+to, 12, true)
		}
		if strings.ContainsRune(chineseAfter+chineseBefore+chineseAlone, run[i]) {
			relax(i+1, 14, true)
		} else {
			relax(i+1, 30, false)
		}
		if i+2 <= n {
			relax(i+2, 36, false)
		}
	}
	var out []chineseToken
	for at := n; at > 0; at = from[at] {
		out = append([]chineseToken{{at, known[at]}}, out...)
	}
	return out
}

func chineseNumber(r rune) bool {
	return unicode.IsDigit(r) || strings.ContainsRune("一二三四五六七八九十百千万两几半每第", r)
}

// chineseCount returns the length of a number with its measure word at the beginning of a run; 0 for none.
func chineseCount(run []rune) int {
	n := 0
	for n < len(run) && chineseNumber(run[n]) {
		n++
	}
	if n > 0 && n < len(run) && strings.ContainsRune(chineseMeasures, run[n]) {
		return n + 1
	}
	if n > 1 || n == 1 && unicode.IsDigit(run[0]) {
		return n
	}
	return 0
}

// simplified returns the run with the traditional characters of the built-in list in their simplified form.
func simplified(run []rune) []rune {
	out := make([]rune, len(run))
	for i, r := range run {
		out[i] = r
		if s, ok := chineseForms[r]; ok {
			out[i] = s
		}
	}
	return out
}
