// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reserved holds the reserved characters of little text. An unescaped one ends the text without an error.
const reserved = `|{}@[]()<>#\*_~`

// little returns a text as little text. Hashtags are not escaped, so that they are clickable; mentions are not created.
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
	// mention matches the name of a person or page, template the word of a hashtag.
	mention  = regexp.MustCompile(`^@\[((?:[^\]\\]|\\.)*)\]\(urn:li:[^)]+\)`)
	template = regexp.MustCompile(`^\{hashtag\|\\?#\|([^}|]+)\}`)
)

// spoken returns little text as plain text.
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

// hashtag reports whether the # at i begins a hashtag: it is separate from the preceding text and followed by a letter,
// with only digits in between.
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
