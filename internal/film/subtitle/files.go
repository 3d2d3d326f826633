// SPDX-License-Identifier: Apache-2.0

package subtitle

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// Types and names of the files.
const (
	WebVTTType = "text/vtt; charset=utf-8"
	SRTType    = "application/x-subrip; charset=utf-8"
)

// WebVTT returns the cues as a file for web players. Texts are escaped: no player reads markup or a time in them.
func WebVTT(cues []Cue) []byte {
	var b bytes.Buffer
	b.WriteString("WEBVTT\n")
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	for i, c := range cues {
		fmt.Fprintf(&b, "\n%d\n%s --> %s\n%s\n", i+1, stamp(c.From, '.'), stamp(c.To, '.'), escape.Replace(line(c.Text())))
	}
	return b.Bytes()
}

// SRT returns the cues as a SubRip file. The format cannot escape characters that some players read as markup: they are
// replaced by similar characters.
func SRT(cues []Cue) []byte {
	var b bytes.Buffer
	alike := strings.NewReplacer("<", "‹", ">", "›", "{", "(", "}", ")", "-->", "→")
	for i, c := range cues {
		fmt.Fprintf(&b, "%d\r\n%s --> %s\r\n%s\r\n\r\n", i+1, stamp(c.From, ','), stamp(c.To, ','), alike.Replace(line(c.Text())))
	}
	return b.Bytes()
}

// line returns a text on one line: an empty line would end the cue.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(s), " ")
}

func stamp(ms int64, point rune) string {
	return fmt.Sprintf("%02d:%02d:%02d%c%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, point, ms%1000)
}
