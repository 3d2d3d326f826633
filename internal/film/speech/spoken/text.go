// SPDX-License-Identifier: Apache-2.0

package spoken

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many combining marks are kept after a letter; more are abuse, and slow the programs down.
const maxMarks = 4

// pauses replaces characters by the ones that sound alike.
var pauses = strings.NewReplacer(
	"—", ", ", "–", "-", "…", ". ", "‘", "'", "’", "'", "“", "", "”", "", "«", "", "»", "", "„", "", "\u00a0", " ", "\u202f", " ",
	"\r\n", "\n", "&", " & ",
)

// plain returns the speakable part of a text: letters, digits, punctuation. Characters that the programs would read as
// markup or as phonemes are left out, as are emoji.
func plain(text string) string {
	marks := 0
	s := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			if marks++; marks > maxMarks {
				return -1
			}
			return r
		}
		marks = 0
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		case strings.ContainsRune(".,;:!?'%$€£¥&@+=°-/。、！？，：；۔؟،।॥·¿¡", r):
			return r
		case r == '\u200c' || r == '\u200d':
			return r // they change letters of some scripts
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return ' '
	}, pauses.Replace(norm.NFC.String(strings.ToValidUTF8(text, ""))))
	return strings.Join(strings.Fields(s), " ")
}

// american replaces symbols by English words and letters: flite supports only the letters of English.
var american = strings.NewReplacer("€", " euros ", "£", " pounds ", "¥", " yen ", "°", " degrees ", "@", " at ", "&", " and ", "=", " equals ", "+", " plus ",
	"æ", "ae", "Æ", "Ae", "œ", "oe", "ø", "o", "Ø", "O", "ß", "ss", "ł", "l", "đ", "d", "¿", "", "¡", "")

// ascii returns a text in the letters of English.
func ascii(text string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.M, r):
			return -1
		case r < 0x80:
			return r
		}
		return ' '
	}, norm.NFKD.String(american.Replace(text)))
	return strings.Join(strings.Fields(s), " ")
}
