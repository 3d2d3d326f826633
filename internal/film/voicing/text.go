// SPDX-License-Identifier: Apache-2.0

package voicing

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/film/speech"
)

var (
	// link is an address in a text; the group is its host.
	link = regexp.MustCompile(`(?i)\b(?:https?://)?(?:www\.)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?::\d+)?(?:[/?#][^\s<>"]*)?`)
	// scheme begins every link that is read as its host, whatever its end looks like.
	scheme = regexp.MustCompile(`(?i)^(https?://|www\.)`)
	// number begins an item of a list; the group is the number without zeros in front.
	number = regexp.MustCompile(`^\s*[(#]?0*(\d{1,3})\s*[.):]?(\s+|$)`)
	// listed tells a number of a list from a figure: it has a mark behind it, or is alone, or has zeros in front.
	listed = regexp.MustCompile(`^\s*([(#]?\d{1,3}\s*[.):](\s|$)|\d{1,3}\s*$|0\d{1,2}\s)`)
	// bullet begins an item of a list.
	bullet = regexp.MustCompile(`^\s*([-*•·▪◦‣–—✓✔✗✘→➤►▶☑]\x{fe0f}?)\s+`)
	// tag is the sign of a hashtag.
	tag = regexp.MustCompile(`#([\p{L}\p{N}_])`)
)

// Text returns the words of blocks as they are read aloud: one block after the other, with a pause after each block and each item of
// a list. Emoji are left out, links are read as their host, and the number of a list item as a number. The text is empty when there is
// nothing to say.
func Text(blocks ...string) string {
	var out []string
	for _, block := range blocks {
		// A line break may only be there for the layout. It ends a sentence where the next line is an item of a list.
		sentence := ""
		for line := range strings.Lines(block) {
			said, item := readable(line)
			if item {
				out, sentence = appended(out, sentence), ""
			}
			sentence = strings.TrimSpace(sentence + " " + said)
		}
		out = appended(out, sentence)
	}
	return strings.Join(out, " ")
}

// appended adds a sentence that ends with a pause, unless there is nothing in it to say.
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
func readable(line string) (said string, item bool) {
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

// host returns what is read of a link. A word that only looks like one, such as "e.g", is left as it is.
func host(s string) string {
	m := link.FindStringSubmatch(s)
	if !scheme.MatchString(s) && !strings.ContainsAny(s, "/?") {
		return s
	}
	return strings.TrimPrefix(m[1], "www.")
}

// joiner is what joined two emoji that are gone.
var joiner = regexp.MustCompile(`(^|\s)\x{200d}+`)

// spelled returns a text without the signs that nobody says, such as emoji. A sign between words leaves a space.
func spelled(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Variation_Selector, r), r == '\u20e3': // of emoji and of figures on keys
			return -1
		case strings.ContainsRune("•·▪◦‣→➤►▶✓✔✗✘☑", r): // bullets, which readable takes away
			return r
		case unicode.In(r, unicode.So, unicode.Sk, unicode.Co, unicode.Cs) && r != '°', r >= 0x1f3fb && r <= 0x1f3ff:
			return ' '
		}
		return r
	}, s)
	return joiner.ReplaceAllString(s, "$1")
}
