// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	htmlSilent  = regexp.MustCompile(`(?is)<script\b.*?(?:</script\s*>|$)|<style\b.*?(?:</style\s*>|$)|<!--.*?(?:-->|$)|<title\b.*?(?:</title\s*>|$)|<!doctype[^>]*>`)
	htmlHeading = regexp.MustCompile(`(?i)<h[1-6]\b[^>]*>`)
	htmlItem    = regexp.MustCompile(`(?i)<li\b[^>]*>`)
	htmlBlock   = regexp.MustCompile(`(?i)</?(?:p|div|br|hr|ul|ol|h[1-6]|li|tr|table|section|article|header|footer|main|nav|aside|blockquote|pre|form|figure|figcaption|dl|dt|dd|body|html|head|thead|tbody)\b[^>]*>`)
	htmlTag     = regexp.MustCompile(`(?i)</?(?:a|abbr|b|big|button|caption|center|cite|code|col|del|em|font|i|iframe|img|input|ins|kbd|label|link|mark|meta|option|picture|q|s|select|small|source|span|strike|strong|sub|sup|svg|path|td|th|time|u|video|audio)\b[^>]*>`)

	mdImage   = regexp.MustCompile(`!\[([^\]\n]*)\]\([^)\n]*\)`)
	mdLink    = regexp.MustCompile(`\[([^\]\n]+)\]\(([^)\s]*)(?:\s+"[^"]*")?\)`)
	mdRef     = regexp.MustCompile(`\[([^\]\n]+)\]\[[^\]\n]*\]`)
	mdAuto    = regexp.MustCompile(`<((?:https?://|mailto:)[^>\s]+)>`)
	mdStrong  = regexp.MustCompile(`(\*\*\*|\*\*|___|__|~~|==)([^\s*_~=](?:[^\n]*?[^\s])?)(\*\*\*|\*\*|___|__|~~|==)`)
	mdEm      = regexp.MustCompile(`(^|[\s(\["'“])([*_])([^\s*_](?:[^*_\n]*?[^\s*_])?)([*_])`)
	mdCode    = regexp.MustCompile("`+([^`\n]*)`+")
	mdEscape  = regexp.MustCompile(`\\([\\*_{}\[\]()#+.!~-])`)
	mdLeft    = regexp.MustCompile("\\*{2,}|_{2,}|~{2,}|`+|={2,}")
	loneStar  = regexp.MustCompile(`(^|\s)[*_]+|[*_]+(\s|$)`)
	spaces    = regexp.MustCompile(`[ \t\x{00a0}\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}]+`)
	longURL   = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"'（）()「」]+[^\s<>"'（）()「」.,;:!?。，、]`)
	repeatEnd = regexp.MustCompile(`([!?])[!?]+`)

	mdGone   = regexp.MustCompile(`~~[^~\n]+~~`)
	htmlLink = regexp.MustCompile(`(?is)<a\b[^>]*?\bhref=["']([^"']*)["'][^>]*>(.*?)</a\s*>`)
	tracking = regexp.MustCompile(`(?i)(?:utm_\w+|fbclid|gclid|igshid)=[^&#\s]*&?`)
)

// clean returns the text without markup, as plain lines that keep only the list and heading marks at their beginnings.
func clean(text string) string {
	text = norm.NFC.String(strings.ToValidUTF8(text, ""))
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n\n", "\v", "\n", "\f",
		"\n").Replace(text)
	for range 3 { // entities may hide further markup
		before := text
		text = htmlSilent.ReplaceAllString(text, " ")
		text = htmlHeading.ReplaceAllString(text, "\n\n# ")
		text = htmlItem.ReplaceAllString(text, "\n- ")
		text = htmlBlock.ReplaceAllString(text, "\n")
		text = htmlLink.ReplaceAllStringFunc(text, func(s string) string {
			m := htmlLink.FindStringSubmatch(s)
			return named(strings.Join(strings.Fields(htmlTag.ReplaceAllString(m[2], "")), " "), m[1])
		})
		text = htmlTag.ReplaceAllString(text, "")
		text = html.UnescapeString(text)
		if text == before {
			break
		}
	}
	text = mdAuto.ReplaceAllString(text, "$1")
	text = mdImage.ReplaceAllString(text, "")
	text = mdLink.ReplaceAllStringFunc(text, func(s string) string {
		m := mdLink.FindStringSubmatch(s)
		return named(m[1], m[2])
	})
	text = mdRef.ReplaceAllString(text, "$1")
	text = mdGone.ReplaceAllString(text, "")
	text = mdCode.ReplaceAllString(text, "$1")
	for range 2 {
		text = mdStrong.ReplaceAllString(text, "$2")
		text = mdEm.ReplaceAllString(text, "$1$3")
	}
	text = mdEscape.ReplaceAllString(text, "$1")
	text = strings.Map(keepRune, text)
	text = longURL.ReplaceAllStringFunc(text, shortURL)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(spaces.ReplaceAllString(l, " "))
	}
	return strings.Join(lines, "\n")
}

// cleanInline removes the markup inside a line whose list or heading mark has been read.
func cleanInline(line string) string {
	line = mdLeft.ReplaceAllString(line, "")
	line = loneStar.ReplaceAllString(line, "$1$2")
	line = repeatEnd.ReplaceAllString(line, "$1")
	return strings.TrimSpace(spaces.ReplaceAllString(line, " "))
}

// keepRune drops invisible characters and those that change the text direction. The joiners inside emoji and scripts
// are kept.
func keepRune(r rune) rune {
	switch {
	case r == '\n' || r == '\u200d' || r == '\u200c':
		return r
	case r == '\t':
		return ' '
	case r == '\u200b':
		return -1
	case r >= 0xe0020 && r <= 0xe007f: // tags inside flags
		return r
	case unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || unicode.Is(unicode.Co, r) || r == unicode.ReplacementChar:
		return -1
	}
	return r
}

// named returns a link as plain text: its words, followed by its address if the address adds information.
func named(words, link string) string {
	at := shortURL(strings.TrimPrefix(strings.TrimPrefix(link, "mailto:"), "tel:"))
	switch {
	case !strings.Contains(link, "://") && !strings.HasPrefix(link, "mailto:") && !strings.HasPrefix(link, "tel:"):
		return words // a link within the same document
	case !hasWord(words) || strings.HasPrefix(at, shortURL(words)):
		return at
	}
	return words + " (" + at + ")"
}

// shortURL returns an address without its scheme and tracking parameters.
func shortURL(u string) string {
	if i := strings.Index(u, "://"); i >= 0 {
		u = u[i+3:]
	}
	u = strings.TrimRight(tracking.ReplaceAllString(u, ""), "?&")
	if strings.Count(u, "/") == 1 {
		u = strings.TrimRight(u, "/")
	}
	return u
}
