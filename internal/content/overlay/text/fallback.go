// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"unicode"

	"github.com/go-text/typesetting/language"
)

// standIns lists the families tried for a script: for a sans face, and for a serif face with serif designs first.
var standIns = map[language.Script][2][]string{
	language.Latin:      {{"Inter", "Noto Sans"}, {"Noto Serif", "Noto Sans"}},
	language.Cyrillic:   {{"Inter", "Noto Sans"}, {"Noto Serif", "Noto Sans"}},
	language.Greek:      {{"Inter", "Noto Sans"}, {"Noto Serif", "Noto Sans"}},
	language.Arabic:     {{"Noto Sans Arabic", "Noto Kufi Arabic"}, {"Noto Naskh Arabic", "Noto Sans Arabic"}},
	language.Hebrew:     {{"Noto Sans Hebrew"}, {"Noto Serif Hebrew", "Noto Sans Hebrew"}},
	language.Devanagari: {{"Noto Sans Devanagari"}, {"Noto Serif Devanagari", "Noto Sans Devanagari"}},
	language.Thai:       {{"Noto Sans Thai"}, {"Noto Serif Thai", "Noto Sans Thai"}},
}

// anyScript lists the families for runes that belong to no script: punctuation, arrows, mathematics.
var anyScript = []string{"Inter", "Noto Sans", "Noto Sans Symbols", "Noto Sans Symbols2", "Noto Sans Math"}

// Style is the font style of a text.
type Style struct {
	Family string
	Weight int
	Serif  bool // fallback fonts for missing scripts are serif designs
}

// regional returns the national form of Han characters that fits a text, by the other letters in the text.
func regional(text []rune) string {
	kana, hangul, bopomofo := false, false, false
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana = true
		case unicode.Is(unicode.Hangul, r):
			hangul = true
		case unicode.Is(unicode.Bopomofo, r):
			bopomofo = true
		}
	}
	switch {
	case kana:
		return "JP"
	case hangul:
		return "KR"
	case bopomofo:
		return "TC"
	}
	return "SC"
}

// chooser selects the font of each grapheme cluster of one text.
type chooser struct {
	lib     *Library
	style   Style
	primary *Font
	emoji   *Font
	region  string
	before  *Font // font of the previous cluster
}

func (l *Library) chooser(style Style, text []rune) *chooser {
	return &chooser{lib: l, style: style, primary: l.Font(style.Family, style.Weight), emoji: l.Font(EmojiFamily, 400), region: regional(text)}
}

// pick returns the font for a cluster, or nil if no installed font can draw the cluster. Whitespace takes the font of
// the previous cluster, so that a run in a fallback font is not split at every space.
func (c *chooser) pick(cluster []rune, script language.Script) *Font {
	f := c.find(cluster, script)
	if f != nil && f != c.emoji {
		c.before = f
	}
	return f
}

func (c *chooser) find(cluster []rune, script language.Script) *Font {
	base := cluster[0]
	if isEmoji(cluster) && covers(c.emoji, cluster) {
		return c.emoji
	}
	if unicode.IsSpace(base) || isInvisible(base) {
		if c.before != nil {
			return c.before
		}
		return c.primary
	}
	if covers(c.primary, cluster) {
		return c.primary
	}
	if isPictograph(base) && covers(c.emoji, cluster) {
		return c.emoji
	}
	if c.before != nil && covers(c.before, cluster) {
		return c.before
	}
	for _, family := range c.candidates(script) {
		if f := c.lib.Font(family, c.style.Weight); covers(f, cluster) {
			return f
		}
	}
	return c.lib.lastResort(base, c.style.Weight)
}

func (c *chooser) candidates(script language.Script) []string {
	kind := 0
	if c.style.Serif {
		kind = 1
	}
	switch script {
	case language.Han, language.Hiragana, language.Katakana, language.Hangul, language.Bopomofo:
		sans := []string{"Noto Sans CJK " + c.region, "Noto Sans CJK JP"}
		if c.style.Serif {
			return append([]string{"Noto Serif CJK " + c.region}, sans...)
		}
		return sans
	}
	out := append([]string{}, standIns[script][kind]...)
	if len(out) == 0 && (script == language.Common || script == language.Inherited) {
		out = append(out, anyScript...)
		out = append(out, "Noto Sans CJK "+c.region)
		return out
	}
	return append(out, anyScript...)
}

// covers reports whether the font can draw the visible runes of the cluster.
func covers(f *Font, cluster []rune) bool {
	if f == nil {
		return false
	}
	for _, r := range cluster {
		if !isInvisible(r) && !f.Covers(r) {
			return false
		}
	}
	return true
}

// CoversLetters reports whether the family itself has every letter and mark of the text. Digits, punctuation, symbols
// and emoji do not count, because they have fonts of their own.
func (l *Library) CoversLetters(family string, s string) bool {
	f := l.Font(family, 400)
	if f == nil {
		return false
	}
	for _, r := range s {
		if unicode.IsLetter(r) && !f.Covers(r) {
			return false
		}
	}
	return true
}

// Region returns the national form of Han characters ("JP", "KR", "SC" or "TC") that fits a text: by its language if
// given, or by the other letters in the text.
func Region(s, lang string) string {
	lang = strings.ToLower(lang)
	switch {
	case strings.HasPrefix(lang, "ja"):
		return "JP"
	case strings.HasPrefix(lang, "ko"):
		return "KR"
	case strings.HasPrefix(lang, "zh-hant"), strings.HasPrefix(lang, "zh-tw"), strings.HasPrefix(lang, "zh-hk"):
		return "TC"
	case strings.HasPrefix(lang, "zh"):
		return "SC"
	}
	return regional([]rune(s))
}
