// SPDX-License-Identifier: Apache-2.0

package voicing

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/film/speech"
)

var (
	// link matches an address in a text; the group is its host.
	link = regexp.MustCompile(`(?i)\b(?:https?://)?(?:www\.)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?::\d+)?(?:[/?#][^\s<>"]*)?`)
	// scheme matches a prefix with which a link is read as its host even without a path or query.
	scheme = regexp.MustCompile(`(?i)^(https?://|www\.)`)
	// number matches the beginning of a list item; the group is the number without leading zeros.
	number = regexp.MustCompile(`^\s*[(#]?0*(\d{1,3})\s*[.):]?(\s+|$)`)
	// listed distinguishes the number of a list item from another number: a mark follows it, or it is alone, or has
	// leading zeros.
	listed = regexp.MustCompile(`^\s*([(#]?\d{1,3}\s*[.):](\s|$)|\d{1,3}\s*$|0\d{1,2}\s)`)
	// bullet matches the beginning of a list item.
	bullet = regexp.MustCompile(`^\s*([-*•·▪◦‣–—✓✔✗✘→➤►▶☑]\x{fe0f}?)\s+`)
	// tag matches the sign of a hashtag.
	tag = regexp.MustCompile(`#([\p{L}\p{N}_])`)
)

// Text returns the words of blocks as they are read aloud: one block after the other, with a pause after each block and
// each item of a list. Emoji are left out, links are read as their host, and the number of a list item as a number. The
// text is empty if there is nothing to speak.
func Text(blocks ...string) string {
	var out []string
	for _, block := range blocks {
		// A line break may only be part of the layout. It ends a sentence if the next line is an item of a list.
		sentence := ""
		for line := range strings.Lines(block) {
			spoken, item := readable(line)
			if item {
				out, sentence = appended(out, sentence), ""
			}
			sentence = strings.TrimSpace(sentence + " " + spoken)
		}
		out = appended(out, sentence)
	}
	return strings.Join(out, " ")
}

// appended adds a sentence that ends with a pause, unless the sentence has no speakable character.
func appended(out []string, sentence string) []string {
	if len(speech.Words(sentence)) == 0 {
		return out
	}
	return append(out, ended(sentence))
}

// ended returns a sentence with a mark at its end.
func ended(s string) string {
	r := []rune(strings.TrimRightFunc(s, func(r rune) bool { return unicode.In(r, unicode.Pe, unicode.Pf) || r == '"' || r == '\'' }))
	switch last := r[len(r)-1]; {
	case strings.ContainsRune(".!?…:;,。！？、，：；؟۔।॥", last):
		return s
	case unicode.In(last, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return s + "。"
	case unicode.Is(unicode.Devanagari, last):
		return s + "।"
	}
	return s + "."
}

// readable returns a line as it is read aloud, and reports whether it is an item of a list.
func readable(line string) (spoken string, item bool) {
	line = strings.TrimSpace(spelled(line))
	if at := bullet.FindStringIndex(line); at != nil {
		line, item = line[at[1]:], true
	}
	if m := number.FindStringSubmatchIndex(line); m != nil && listed.MatchString(line) {
		n, rest := line[m[2]:m[3]], strings.TrimSpace(line[m[1]:])
		line, item = n+", "+rest, true
		if rest == "" {
			line = n
		}
	}
	line = link.ReplaceAllStringFunc(line, host)
	line = tag.ReplaceAllString(line, "$1")
	return strings.Join(strings.Fields(line), " "), item
}

// host returns the spoken form of a link. A word that only looks like a link, such as "e.g", stays as it is.
func host(s string) string {
	m := link.FindStringSubmatch(s)
	if !scheme.MatchString(s) && !strings.ContainsAny(s, "/?") {
		return s
	}
	return strings.TrimPrefix(m[1], "www.")
}

// joiner matches the joiner that is left between two removed emoji.
var joiner = regexp.MustCompile(`(^|\s)\x{200d}+`)

// spelled returns a text without characters that are not spoken, such as emoji. A character between words leaves a
// space.
func spelled(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Variation_Selector, r), r == '\u20e3': // of emoji and of keycap digits
			return -1
		case strings.ContainsRune("•·▪◦‣→➤►▶✓✔✗✘☑", r): // bullets, which readable removes
			return r
		case unicode.In(r, unicode.So, unicode.Sk, unicode.Co, unicode.Cs) && r != '°', r >= 0x1f3fb && r <= 0x1f3ff:
			return ' '
		}
		return r
	}, s)
	return joiner.ReplaceAllString(s, "$1")
}
