// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reserved characters of the little text format.
const reserved = `|{}@[]()<>#\*_~`

var (
	// mention matches a mention of a member or page, template a hashtag template. The name or word is the first group.
	mention  = regexp.MustCompile(`^@\[((?:[^\]\\]|\\.)*)\]\(urn:li:[a-zA-Z]+:[^)]+\)`)
	escaped  = regexp.MustCompile(`\\(.)`)
	template = regexp.MustCompile(`^\{hashtag\|\\#\|([^}|]+)\}`)
)

// visible returns the text that readers see. It ends at the first unescaped reserved character, except in mentions and
// hashtags.
func visible(text string) string {
	var b strings.Builder
	for rest := text; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		next, after := utf8.DecodeRuneInString(rest[n:])
		if m := mention.FindStringSubmatch(rest); m != nil {
			b.WriteString(escaped.ReplaceAllString(m[1], "$1"))
			rest = rest[len(m[0]):]
			continue
		}
		if m := template.FindStringSubmatch(rest); m != nil {
			b.WriteString("#" + m[1])
			rest = rest[len(m[0]):]
			continue
		}
		switch {
		case r == '\\' && strings.ContainsRune(reserved, next) && after > 0:
			b.WriteString(string(next))
			rest = rest[n+after:]
			continue
		case r == '#' && (unicode.IsLetter(next) || unicode.IsDigit(next)):
		case strings.ContainsRune(reserved, r):
			return b.String()
		}
		b.WriteString(string(r))
		rest = rest[n:]
	}
	return b.String()
}
