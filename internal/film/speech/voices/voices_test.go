// SPDX-License-Identifier: Apache-2.0

package voices

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/language"
)

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct{ text, named, want string }{
		{"Hello there", "en-GB", "en-GB"},
		{"Hola a todos", "es-419", "es-419"},
		{"Привет", "en", "ru"},
		{"Привіт", "uk", "uk"},
		{"مرحبا", "en", "ar"},
		{"سلام", "fa", "fa"},
		{"今日は天気", "en", "ja"},
		{"今天", "zh-Hant-HK", "zh-Hant-HK"},
		{"会議", "ja", "ja"},
		{"ワオ", "zh", "ja"},
		{"안녕", "", "ko"},
		{"123", "de", "de"},
		{"Hello there, how are you today my friend", "", "en"},
		{"Guten Tag, wie geht es Ihnen heute und was machen wir", "", "de"},
		{"Hello", "no such tag!", "en"},
	} {
		if got := LanguageOf(c.text, c.named); got != language.Make(c.want) {
			t.Errorf("%q, named %q: got %v, want %s", c.text, c.named, got, c.want)
		}
	}
}

func TestChoose_VoiceOfALanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"de": "de", "de-AT": "de", "fr": "fr-fr", "fr-CA": "fr-fr", "fr-CH": "fr-ch", "es": "es", "es-419": "es-419", "pt-BR": "pt-br", "pt": "pt-br", "pt-PT": "pt",
		"zh-Hans": "cmn-latn-pinyin", "zh-Hant-TW": "cmn-latn-pinyin", "zh-Hant-HK": "yue", "no": "nb", "nb": "nb", "he": "he", "hi": "hi", "ar-EG": "ar", "vi": "vi", "ko": "ko",
		"id": "id", "tr": "tr", "uk": "uk", "ja": "ja", "sw": "sw", "tlh": "piqd", "art-x-pyash": "py",
	} {
		if got, fault := Choose("", language.Make(tag)); fault != nil || got != (Choice{Espeak, want}) {
			t.Errorf("%s: got the voice %v, %v, want %s", tag, got, fault, want)
		}
	}
	for _, tag := range []string{"tl", "th", "lo"} {
		if _, fault := Choose("", language.Make(tag)); fault == nil || fault.Reason != Unspoken {
			t.Errorf("%s, which no voice speaks: got %v", tag, fault)
		}
	}
}

func TestChoose_NamedVoice(t *testing.T) {
	for _, c := range []struct {
		name, tag string
		want      Choice
	}{
		{"", "en-US", Choice{Flite, "slt"}},
		{"Male", "en-GB", Choice{Flite, "rms"}},
		{"KAL16", "en", Choice{Flite, "kal16"}},
		{"female", "pt-BR", Choice{Espeak, "pt-br+f3"}},
		{"male", "de", Choice{Espeak, "de"}},
		{"de+f3", "de", Choice{Espeak, "de+f3"}},
		{"DE+ALICIA", "de-CH", Choice{Espeak, "de+Alicia"}},
		{"en-us+f3", "en-US", Choice{Espeak, "en-us+f3"}},
		{"de", "fr", Choice{Espeak, "de"}}, // with an accent
	} {
		if got, fault := Choose(c.name, language.Make(c.tag)); fault != nil || got != c.want {
			t.Errorf("%s for %s: got %v, %v, want %v", c.name, c.tag, got, fault, c.want)
		}
	}
}

func TestCheck_Package(t *testing.T) {
	for _, c := range []struct{ name, tag, reason string }{
		{"", "th", ""},
		{"slt", "en-GB", ""},
		{"slt", "", ""},
		{"de+f3", "de-AT", ""},
		{"pt", "pt-BR", ""},
		{"yue", "zh", ""},
		{"nb", "no", ""},
		{"female", "uk", ""},
		{"slt", "de", OtherLanguage},
		{"de+f3", "fr", OtherLanguage},
		{"female", "th", Unspoken},
		{"alloy", "en", Unknown},
		{"de+nobody", "de", Unknown},
		{"slt+f3", "en", Unknown},
		{"th", "th", Unknown},
		{"en+klatt:x", "", Unknown},
	} {
		fault := Set{}.Check(c.name, c.tag)
		switch {
		case c.reason == "" && fault != nil, c.reason != "" && (fault == nil || fault.Reason != c.reason):
			t.Errorf("%q in %q: got %v, want %q", c.name, c.tag, fault, c.reason)
		case fault != nil && c.tag == "th" && len(fault.Accepted) != 0:
			t.Errorf("%q in %q: got the speakers %v", c.name, c.tag, fault.Accepted)
		}
		if fault == nil {
			continue
		}
		for _, name := range fault.Accepted {
			if again := (Set{}).Check(name, c.tag); again != nil {
				t.Errorf("%s is accepted for %q: %v", name, c.tag, again)
			}
		}
	}
	if got := (Set{}).Check("alloy", "de").Accepted; !slices.Equal(got, []string{"female", "male", "de"}) {
		t.Errorf("German: got the voice %v", got)
	}
}

// A text of ambiguous language counts as one in the voice's language, so the caller need not name the language.
func TestCheckText(t *testing.T) {
	for _, c := range []struct{ name, tag, text, reason string }{
		{"fr-fr", "", "Serum anti rides", ""},
		{"fr-ch+f3", "", "", ""},
		{"de", "", "Hello there, how are you today my friend", OtherLanguage},
		{"ru", "en", "Привет, друзья", ""},
		{"slt", "en", "Привет, друзья", OtherLanguage},
		{"slt", "", "123", ""},
	} {
		fault := Set{}.CheckText(c.name, c.tag, c.text)
		if got := reason(fault); got != c.reason {
			t.Errorf("%s for %q (%s): got %q, want %q", c.name, c.text, c.tag, got, c.reason)
		}
	}
}

func reason(f *Fault) string {
	if f == nil {
		return ""
	}
	return f.Reason
}

func TestCheck_Service(t *testing.T) {
	unknown := Set{Service: true}
	if fault := unknown.Check("anything", "en"); fault != nil {
		t.Errorf("the service has unknown languages: %v", fault)
	}
	s := Set{Service: true, Named: []Voice{{Name: "alloy"}, {Name: "jf_alpha", Languages: []string{"ja"}}}}
	for _, c := range []struct{ name, tag, reason string }{
		{"alloy", "th", ""}, {"jf_alpha", "ja-JP", ""}, {"jf_alpha", "", ""}, {"jf_alpha", "en", OtherLanguage}, {"slt", "en", Unknown}, {"Alloy", "en", Unknown},
	} {
		if got := reason(s.Check(c.name, c.tag)); got != c.reason {
			t.Errorf("%s in %s: got %q, want %q", c.name, c.tag, got, c.reason)
		}
	}
	if got := s.Check("slt", "en").Accepted; !slices.Equal(got, []string{"alloy"}) {
		t.Errorf("English: got the voice %v", got)
	}
}

func TestVoices_AreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range (Set{}).All() {
		if seen[v.Name] || v.Name != strings.ToLower(v.Name) || v.Source != SourcePackage {
			t.Errorf("got %+v", v)
		}
		seen[v.Name] = true
		for _, tag := range v.Languages {
			if parsed, err := language.Parse(tag); err != nil || parsed.String() != tag {
				t.Errorf("%s with %q: got %v, %v", v.Name, tag, parsed, err)
			}
		}
	}
}

func TestParse(t *testing.T) {
	got, err := Parse(" alloy, nova/female,af_heart/female/en-us/en-GB,")
	want := []Voice{
		{Name: "alloy", Source: SourceService},
		{Name: "nova", Gender: "female", Source: SourceService},
		{Name: "af_heart", Gender: "female", Languages: []string{"en-US", "en-GB"}, Source: SourceService},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	for _, list := range []string{"a b", "nova,nova", "nova/neuter!", "/female", "nova/"} {
		if got, err := Parse(list); err == nil {
			t.Errorf("%q: got %v", list, got)
		}
	}
}
