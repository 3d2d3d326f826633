// SPDX-License-Identifier: Apache-2.0

package spoken

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"github.com/reelops/reelops/internal/textgen/lang"
)

// english is the language that flite speaks.
const english = "en"

// scripts that tell a language by themselves, where the language that was named is not written in them.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
	tag   string
}{
	{"Latn", unicode.Latin, english},
	{"Cyrl", unicode.Cyrillic, "ru"},
	{"Grek", unicode.Greek, "el"},
	{"Arab", unicode.Arabic, "ar"},
	{"Hebr", unicode.Hebrew, "he"},
	{"Deva", unicode.Devanagari, "hi"},
	{"Beng", unicode.Bengali, "bn"},
	{"Guru", unicode.Gurmukhi, "pa"},
	{"Gujr", unicode.Gujarati, "gu"},
	{"Taml", unicode.Tamil, "ta"},
	{"Telu", unicode.Telugu, "te"},
	{"Knda", unicode.Kannada, "kn"},
	{"Mlym", unicode.Malayalam, "ml"},
	{"Sinh", unicode.Sinhala, "si"},
	{"Thai", unicode.Thai, "th"},
	{"Laoo", unicode.Lao, "lo"},
	{"Khmr", unicode.Khmer, "km"},
	{"Mymr", unicode.Myanmar, "my"},
	{"Kore", unicode.Hangul, "ko"},
	{"Jpan", unicode.Hiragana, "ja"},
	{"Jpan", unicode.Katakana, "ja"},
	{"Hans", unicode.Han, "zh"},
	{"Geor", unicode.Georgian, "ka"},
	{"Armn", unicode.Armenian, "hy"},
	{"Ethi", unicode.Ethiopic, "am"},
}

// languageOf is the language to speak a text in: the one that is named when the text can be in it, else what the text's script
// tells.
func languageOf(text, named string) language.Tag {
	counts := map[string]int{}
	best, tag := "", ""
	for _, r := range text {
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				counts[s.name]++
				if counts[s.name] > counts[best] {
					best, tag = s.name, s.tag
				}
				break
			}
		}
	}
	if counts["Jpan"] > 0 && best == "Hans" {
		best, tag = "Jpan", "ja"
	}
	asked, err := language.Parse(named)
	if err == nil && asked != language.Und {
		script, _ := asked.Script()
		if best == "" || writes(script.String(), best) {
			return asked
		}
	} else if found := lang.Detect(text, ""); found != lang.Unknown {
		if t, err := language.Parse(found); err == nil {
			return t
		}
	}
	return language.Make(tag)
}

// writes tells whether a language of the one script can be written in the letters of the other.
func writes(script, letters string) bool {
	switch {
	case script == letters:
		return true
	case script == "Hant" || script == "Jpan":
		return letters == "Hans"
	}
	return false
}

// speaks gives espeak-ng's names for a language, the best first.
func speaks(tag language.Tag) []string {
	base, _ := tag.Base()
	region, _ := tag.Region()
	script, _ := tag.Script()
	b := base.String()
	switch {
	case b == "zh" && (region.String() == "HK" || region.String() == "MO") && script.String() != "Hans":
		return []string{"yue"}
	case b == "zh" || b == "cmn":
		return []string{"cmn-latn-pinyin"} // the other voice reads the tones aloud as figures
	case b == "no":
		b = "nb"
	case b == "en" && region.String() == "US":
		return []string{"en-us", "en"}
	case b == "pt" && region.String() == "BR":
		return []string{"pt-br", "pt"}
	}
	return []string{strings.ToLower(b + "-" + region.String()), b, b + "-" + b}
}

// mute languages are known to espeak-ng by name, but what it says in them cannot be understood.
var mute = []string{"th", "lo", "km"}

// unspeakable tells whether a text in a language is beyond the programs.
func unspeakable(text string, tag language.Tag) bool {
	base, _ := tag.Base()
	if slices.Contains(mute, base.String()) {
		return true
	}
	// Of Chinese characters in Japanese it only says that they are some.
	return base.String() == "ja" && strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
