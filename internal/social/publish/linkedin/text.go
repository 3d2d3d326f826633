// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reserved characters of little text. An unescaped one ends the text there, without an error.
const reserved = `|{}@[]()<>#\*_~`

// little writes a text as little text. Hashtags stay what they are, so that they can be clicked; mentions are not made.
func little(text string) string {
	var b strings.Builder
	rs := []rune(text)
	for i, r := range rs {
		if strings.ContainsRune(reserved, r) && !(r == '#' && hashtag(rs, i)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

var (
	// mention shows the name of a person or a page, template the word of a hashtag.
	mention  = regexp.MustCompile(`^@\[((?:[^\]\\]|\\.)*)\]\(urn:li:[^)]+\)`)
	template = regexp.MustCompile(`^\{hashtag\|\\?#\|([^}|]+)\}`)
)

// spoken is little text as people read it.
func spoken(text string) string {
	var b strings.Builder
	for text != "" {
		if m := mention.FindStringSubmatch(text); m != nil {
			b.WriteString(spoken(m[1]))
			text = text[len(m[0]):]
			continue
		}
		if m := template.FindStringSubmatch(text); m != nil {
			b.WriteString("#" + spoken(m[1]))
			text = text[len(m[0]):]
			continue
		}
		if len(text) > 1 && text[0] == '\\' && strings.IndexByte(reserved, text[1]) >= 0 {
			text = text[1:]
		}
		_, n := utf8.DecodeRuneInString(text)
		b.WriteString(text[:n])
		text = text[n:]
	}
	return b.String()
}

// hashtag says whether the # at i begins one: it stands apart from what is before it, and digits may follow, and a letter does.
func hashtag(rs []rune, i int) bool {
	if i > 0 && (inTag(rs[i-1]) || rs[i-1] == '#' || rs[i-1] == '&') {
		return false
	}
	for j := i + 1; j < len(rs) && inTag(rs[j]); j++ {
		if unicode.IsLetter(rs[j]) {
			return true
		}
		if rs[j] == '_' {
			return false
		}
	}
	return false
}

func inTag(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}
