// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// joiners are words that begin a new thought. Those of the first list are dropped when a piece begins with them; those
// of the second are kept.
var joiners = map[string][2]string{
	"en": {"and but so or yet", "because when while where if which who that with without before after until since although for"},
	"es": {"y pero o", "porque cuando donde si que con sin antes después hasta para aunque"},
	"fr": {"et mais ou", "parce quand si que qui avec sans avant après pour car"},
	"de": {"und aber oder", "weil wenn dass damit mit ohne bevor nachdem für obwohl"},
	"it": {"e ma o", "perché quando dove se che con senza prima dopo per"},
	"pt": {"e mas ou", "porque quando onde se que com sem antes depois para"},
	"nl": {"en maar of", "omdat wanneer als die dat met zonder voor zodat"},
	"pl": {"i ale lub oraz", "bo gdy kiedy jeśli który która które że z bez przed dla aby"},
	"tr": {"ve ama veya", "çünkü için ile"}, "id": {"dan tetapi atau", "karena ketika jika yang dengan tanpa untuk agar"},
	"vi": {"và nhưng hoặc", "vì khi nếu để với mà"},
	"ru": {"и но а или", "потому когда если чтобы который которая которые что где с без для"},
	"uk": {"і й та але або", "бо коли якщо щоб який яка які що де з без для"},
	"ar": {"ثم لكن أو", "لأن عندما إذا حتى التي الذي مع بدون من"}, "he": {"או אבל", "כי כאשר אם עם בלי כדי"},
	"hi": {"और लेकिन या", "क्योंकि जब अगर ताकि जो"},
	"ko": {"그리고 하지만 또는", ""},
}

// bareJoiners begin a phrase in scripts without spaces.
var bareJoiners = []string{
	"และ", "หรือ", "แต่", "เพราะ", "เพื่อ", "โดย", "ซึ่ง", "เมื่อ", "ถ้า", "พร้อม", "但是", "但",
	"而且", "因为", "所以", "如果", "以及", "同时", "并且", "只要", "無需", "让", "讓",
}

func isJoiner(tag, word string) (drop, keep bool) {
	j := joiners[lang.Base(tag)]
	for _, w := range strings.Fields(j[0]) {
		if w == word {
			drop = true
		}
	}
	for _, w := range strings.Fields(j[1]) {
		if w == word {
			keep = true
		}
	}
	return drop, keep
}

type cut struct {
	at    int // byte offset where the second piece begins
	level int // 0 is the best place
}

// cuts returns the places where a text may be split: at strong punctuation, commas, joining words, then between any two
// words. A word is never split; scripts without spaces are split at their phrases and, last, between characters.
func cuts(tag, s string) []cut {
	var out []cut
	depth, quoted := 0, 0
	prev := rune(0)
	for i, r := range s {
		before := len(out)
		next, size := nextAfter(s, i, r)
		switch {
		case strings.ContainsRune("「『“„«", r) && !(r == '“' && quoted > 0):
			quoted++
		case strings.ContainsRune("」』”“»", r) && quoted > 0:
			quoted--
		case strings.ContainsRune("([（", r):
			if depth == 0 && i > 0 && strings.ContainsRune("(（", r) {
				out = append(out, cut{i, 1})
			}
			depth++
		case strings.ContainsRune(")]）", r) && depth > 0:
			depth--
		case depth > 0 && len(s)-i < 400:
		case strings.ContainsRune("。！？।؟", r):
			out = append(out, cut{i + size, 0})
		case strings.ContainsRune(".!?…", r) && unicode.IsSpace(next) && i+2 < len(s) &&
			!unicode.IsLower(firstRune(strings.TrimSpace(s[i+size:]))):
			out = append(out, cut{i + size, 0})
		case strings.ContainsRune(";؛", r) && unicode.IsSpace(next), strings.ContainsRune("；：", r), r == ':' &&
			unicode.IsSpace(next):
			out = append(out, cut{i + size, 0})
		case strings.ContainsRune("–—-|/", r) && unicode.IsSpace(prev) && unicode.IsSpace(next):
			out = append(out, cut{i + size, 0})
		case r == '—' && i > 0:
			out = append(out, cut{i + size, 1})
		case strings.ContainsRune(",،", r) && unicode.IsSpace(next), strings.ContainsRune("，、", r):
			out = append(out, cut{i + size, 1})
		case unicode.IsSpace(r):
			rest := s[i+size:]
			word, _, _ := strings.Cut(rest, " ")
			drop, keep := isJoiner(tag, strings.ToLower(strings.Trim(word, ",.;:")))
			level := 4
			switch {
			case drop:
				level = 2
			case keep:
				level = 3
			case !textgen.Spaced(prev) && !textgen.Spaced(firstRune(rest)):
				level = 1
			case lang.IsStop(tag, strings.ToLower(lastWord(s[:i]))):
				level = 9 // would leave "the" or "with" hanging
			}
			out = append(out, cut{i + size, level})
		case !textgen.Spaced(prev) && unicode.IsLetter(r) && !textgen.Spaced(r):
			for _, j := range bareJoiners {
				if strings.HasPrefix(s[i:], j) {
					out = append(out, cut{i, 2})
					break
				}
			}
			// After a particle a new Japanese phrase begins with kanji or katakana.
			if strings.ContainsRune("はがをにでともて", prev) && unicode.In(r, unicode.Han, unicode.Katakana) {
				out = append(out, cut{i, 3})
			}
		}
		for k := before; k < len(out) && quoted > 0; k++ {
			out[k].level += 3 // a quotation is better kept whole
		}
		prev = r
	}
	return out
}

func nextAfter(s string, i int, r rune) (rune, int) {
	size := len(string(r))
	return firstRune(s[min(i+size, len(s)):]), size
}

func lastWord(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexFunc(s, unicode.IsSpace); i >= 0 {
		s = s[i:]
	}
	return strings.Trim(s, " ,.;:!?\"'()")
}

// weight returns the length of a piece in words; in a script without spaces two characters count as a word.
func weight(s string) int {
	n, bare := 0, 0
	for _, f := range strings.Fields(s) {
		if !hasWord(f) {
			continue
		}
		c := 0
		for _, r := range f {
			if unicode.IsLetter(r) && !textgen.Spaced(r) {
				c++
			}
		}
		if c > 0 {
			bare += c
			continue
		}
		n++
	}
	return n + (bare+1)/2
}

// halves splits a text into two self-contained pieces, at the best place and as evenly as possible. maxLevel limits how
// bad a place may be; least is the minimum size of a piece in words.
func halves(tag, s string, maxLevel, least int) (a, b string, ok bool) {
	best := 1 << 30
	for _, c := range cuts(tag, s) {
		if c.level > maxLevel {
			continue
		}
		x, y := cutAt(tag, s, c.at)
		y = capital(y)
		if weight(x) < least || weight(y) < least || textgen.Fold(x) == textgen.Fold(y) {
			continue
		}
		uneven := weight(x) - weight(y)
		if uneven < 0 {
			uneven = -uneven
		}
		if cost := c.level*weight(s) + uneven; cost < best {
			best, a, b, ok = cost, x, y, true
		}
	}
	return a, b, ok
}

// headOf returns the longest piece from the beginning that fits into limit characters, split at the best place, and the
// rest. A text without any place to split is cut between characters, never inside one.
func headOf(tag, s string, limit int) (head, rest string) {
	if runes(s) <= limit {
		return s, ""
	}
	best, at := 1<<30, -1
	for _, c := range cuts(tag, s) {
		n := runes(strings.TrimSpace(s[:c.at]))
		if n > limit+4 {
			break // cuts are in order
		}
		if n > limit+1 || runes(tidy(s[:c.at])) > limit || weight(s[:c.at]) < 1 {
			continue
		}
		// Places far from the limit waste room; a bad place is worse than some waste.
		if cost := c.level*limit/6 + (limit - n); cost < best && (n*3 >= limit || c.level > 3) {
			best, at = cost, c.at
		}
	}
	if at > 0 {
		if head, rest = cutAt(tag, s, at); hasWord(head) {
			return head, rest
		}
	}
	var b strings.Builder
	g := uniseg.NewGraphemes(s)
	for g.Next() {
		if runes(b.String())+len(g.Runes()) > limit-1 {
			break
		}
		b.WriteString(g.Str())
	}
	if head = strings.TrimSpace(b.String()); head == "" {
		return "…", ""
	}
	rest = strings.TrimPrefix(s, b.String())
	return head, tidy(rest)
}

// shorten returns a text cut to the limit, with an ellipsis if the cut is inside a clause.
func shorten(tag, s string, limit int) string {
	head, rest := headOf(tag, s, limit-1)
	if rest == "" || strings.HasSuffix(head, "…") || endsSentence(head) {
		return head
	}
	for _, c := range cuts(tag, s) {
		if c.level <= 3 && trimDangling(tag, tidy(s[:c.at])) == head {
			return head
		}
	}
	return strings.TrimRight(head, ".,;:") + "…"
}

// trimDangling removes small words from the end of a piece: "fresh bread and the" becomes "fresh bread".
func trimDangling(tag, s string) string {
	for range 4 {
		if endsSentence(s) {
			return s
		}
		w := lastWord(s)
		if w == "" || w == s || !strings.HasSuffix(s, w) || !lang.IsStop(tag, strings.ToLower(w)) || runes(w) > 7 {
			return s
		}
		if pronounEnd[strings.ToLower(w)] {
			return s
		}
		t := tidy(strings.TrimSuffix(s, w))
		if t == "" {
			return s
		}
		s = t
	}
	return s
}

// pronounEnd are small words that may end a sentence.
var pronounEnd = map[string]bool{
	"you": true, "it": true, "me": true, "us": true, "them": true, "this": true, "that": true, "here": true, "there": true, "again": true, "more": true,
	"now": true, "out": true, "up": true, "down": true, "off": true, "on": true, "in": true, "over": true, "too": true, "all": true, "own": true, "so": true,
	"ti": true, "mí": true, "dich": true, "dir": true, "toi": true, "moi": true, "vous": true, "nous": true, "sie": true, "uns": true, "an": true, "aus": true, "ein": false,
	"ist": true, "sind": true, "hat": true, "wird": true, "war": true, "है": true, "हैं": true, "था": true, "थी": true, "हो": true, "करें": true, "тебя": true, "вас": true, "нас": true,
	"bạn": true, "ta": true, "nhất": true, "ini": true, "itu": true, "kami": true, "kita": true, "anda": true, "değil": true, "var": true, "yok": true,
}

// cutAt splits a text before a byte offset. Small words at the end of the first piece move to the second, so none is
// lost.
func cutAt(tag, s string, at int) (head, rest string) {
	head = trimDangling(tag, tidy(s[:at]))
	if i := strings.Index(s, head); i >= 0 {
		at = i + len(head)
	}
	return head, tidy(s[at:])
}
