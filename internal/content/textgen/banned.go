// SPDX-License-Identifier: Apache-2.0

package textgen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Banned returns the first of the words that occurs in the text, or "" if none does. The comparison ignores case and
// matches whole words only ("art" is not in "start"). In scripts without spaces, a word matches anywhere.
func Banned(text string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	folded := " " + Fold(text) + " "
	for _, w := range words {
		key := Fold(w)
		if key == "" {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(key); !Spaced(r) {
			if strings.Contains(folded, key) {
				return w
			}
			continue
		}
		if strings.Contains(folded, " "+key+" ") {
			return w
		}
	}
	return ""
}

// FindBanned returns the first of the request's banned words in the text that the writer generated, or "" if there is
// none. Texts from the caller are not checked.
func FindBanned(r Request, d Draft) string {
	texts := []string{}
	for _, s := range d.Slides {
		texts = append(texts, s.Heading, s.Body, s.AltText)
	}
	if r.Title == "" {
		texts = append(texts, d.Title)
	}
	if r.Caption == "" {
		texts = append(texts, d.Caption)
	}
	if r.WantsTags() {
		texts = append(texts, d.Tags...)
	}
	for _, t := range texts {
		if w := Banned(t, r.Brand.BannedWords); w != "" {
			return w
		}
	}
	return ""
}

// Spaced reports whether the script of a character puts spaces between words.
func Spaced(r rune) bool {
	return !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
