// SPDX-License-Identifier: Apache-2.0

package voices

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// english is the language of flite.
const english = "en"

// scripts are the scripts that indicate a language when the named language is not written in them.
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

// LanguageOf returns the language to speak a text in: the named one (BCP 47) if the text can be written in it, else the
// one that the text's words or script indicate.
func LanguageOf(text, named string) language.Tag {
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
	wanted, err := language.Parse(named)
	if err == nil && wanted != language.Und {
		script, _ := wanted.Script()
		if best == "" || writes(script.String(), best) {
			return wanted
		}
	} else if found := lang.Detect(text, ""); found != lang.Unknown {
		if t, err := language.Parse(found); err == nil {
			return t
		}
	}
	return language.Make(tag)
}

// writes reports whether a language of one script can be written in the letters of the other.
func writes(script, letters string) bool {
	switch {
	case script == letters:
		return true
	case script == "Hant" || script == "Jpan":
		return letters == "Hans"
	}
	return false
}

// preferred returns the names that espeak-ng may have for a language, the best first.
func preferred(tag language.Tag) []string {
	region, _ := tag.Region()
	script, _ := tag.Script()
	b := base(tag)
	switch {
	case b == "zh" && (region.String() == "HK" || region.String() == "MO") && script.String() != "Hans":
		return []string{"yue"}
	case b == "zh":
		return []string{"cmn-latn-pinyin"} // the other voice reads the tones aloud as digits
	}
	return []string{strings.ToLower(b + "-" + region.String()), b, b + "-" + b}
}

// mute languages are known to espeak-ng by name, but its speech in them is unintelligible.
var mute = []string{"th", "lo", "km"}

// Readable reports whether the package can read a text in a language aloud. Of Japanese it reads only kana: espeak-ng
// reads each Chinese character as the phrase "Chinese character".
func Readable(text string, tag language.Tag) bool {
	b := base(tag)
	return !slices.Contains(mute, b) && (b != "ja" || !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }))
}

// base returns the language of a tag without region and script; Norwegian is nb and Mandarin zh. Artificial languages
// without a code of their own keep their whole tag.
func base(tag language.Tag) string {
	b, _ := tag.Base()
	switch b.String() {
	case "no":
		return "nb"
	case "cmn":
		return "zh"
	case "art": // the group of all artificial languages
		return tag.String()
	}
	return b.String()
}
