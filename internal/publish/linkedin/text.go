// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"strings"
	"unicode"
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

// hashtag says whether the # at i begins one: it stands apart from what is before it, and a letter follows.
func hashtag(rs []rune, i int) bool {
	apart := i == 0 || !(unicode.IsLetter(rs[i-1]) || unicode.IsDigit(rs[i-1]) || rs[i-1] == '#' || rs[i-1] == '_' || rs[i-1] == '&')
	return apart && i+1 < len(rs) && (unicode.IsLetter(rs[i+1]) || unicode.IsDigit(rs[i+1]))
}
