// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// invisible are tags whose content is not text.
var invisible = map[string]bool{"script": true, "style": true, "template": true, "head": true}

// inline are tags that do not separate words.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "cite": true, "code": true, "em": true, "font": true, "i": true,
	"mark": true, "q": true, "s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "u": true,
	"wbr": true,
}

// plain returns a text or a piece of HTML as plain text in one line, at most limit characters long.
func plain(text string, limit int) string {
	var out strings.Builder
	hidden := ""
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return line(out.String(), limit)
		case html.TextToken:
			if hidden == "" {
				out.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw, _ := z.TagName()
			tag := string(raw)
			switch {
			case hidden == "" && kind == html.StartTagToken && invisible[tag]:
				hidden = tag
			case hidden == tag && kind == html.EndTagToken:
				hidden = ""
			}
			if !inline[tag] {
				out.WriteByte(' ')
			}
		}
	}
}

// line returns a text with single spaces and without characters that are invisible or change the direction of others.
func line(text string, limit int) string {
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	text = strings.Join(strings.FieldsFunc(text, blank), " ")
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c' { // emoji and some scripts need the joiners
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	n := 0
	for i := range text {
		if n++; n > limit {
			return strings.TrimSpace(text[:i])
		}
	}
	return strings.TrimSpace(text)
}
