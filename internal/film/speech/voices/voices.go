// SPDX-License-Identifier: Apache-2.0

package voices

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"

	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// Sources of voices.
const (
	SourcePackage = "package"
	SourceService = "service"
)

// Voice is a voice that the field voice.name can name.
type Voice struct {
	Name string
	// Languages that the voice speaks, BCP 47. Empty means every language of its source.
	Languages []string
	// Gender is female or male; empty if unknown.
	Gender string
	// Source is SourcePackage or SourceService.
	Source string
}

// Set is the set of voices of an installation. The zero value is the package's set.
type Set struct {
	// Service reports whether a speech service is used instead of the package.
	Service bool
	// Named are the voices of the service. Empty means that they are unknown, and Check accepts every name.
	Named []Voice
}

// Reasons of a Fault.
const (
	// Unknown is for a name without a voice.
	Unknown = "unknown_voice"
	// OtherLanguage is for a voice that does not speak the language.
	OtherLanguage = "other_language"
	// Unspoken is for a language that no voice speaks.
	Unspoken = "unsupported_language"
)

// Fault is why a voice cannot speak a text.
type Fault struct {
	// Reason is one of the reasons above.
	Reason string
	// Message is a sentence for users.
	Message string
	// Accepted are the names of the voices that speak the language; all names if the language is unknown.
	Accepted []string
}

func (f *Fault) Error() string { return f.Message }

// All returns the voices, the general ones first.
func (s Set) All() []Voice {
	if s.Service {
		return s.Named
	}
	return packaged()
}

// Check returns why the voice of a name cannot speak a language (a BCP 47 tag, empty if unknown); nil if it can. An
// empty name means the voice that suits the language and is always accepted.
func (s Set) Check(name, tag string) *Fault {
	t, err := language.Parse(tag)
	if err != nil {
		t = language.Und
	}
	switch {
	case name == "", s.Service && len(s.Named) == 0:
		return nil
	case s.Service:
		i := slices.IndexFunc(s.Named, func(v Voice) bool { return v.Name == name })
		if i < 0 {
			return s.unknown(name, t)
		}
		return s.speaking(s.Named[i], name, t)
	}
	c, fault := Choose(name, t)
	if fault != nil {
		return fault
	}
	voice, _, _ := strings.Cut(c.Voice, "+")
	i := slices.IndexFunc(packaged(), func(v Voice) bool { return v.Name == voice })
	return s.speaking(packaged()[i], name, t)
}

// speaking returns why a voice, requested by a name, does not speak a language; nil if it does.
func (s Set) speaking(v Voice, name string, t language.Tag) *Fault {
	if v.speaks(t) {
		return nil
	}
	return &Fault{Reason: OtherLanguage, Message: fmt.Sprintf("The voice %q does not speak the language %s.", name, t), Accepted: s.accepted(t)}
}

// CheckText returns why the voice of a name cannot speak a text; nil if it can. The tag's language is used if the text
// can be written in it. Without a tag the language is detected; an ambiguous text counts as one in the voice's
// language.
func (s Set) CheckText(name, tag, text string) *Fault {
	switch {
	case text == "":
	case tag != "":
		tag = LanguageOf(text, tag).String()
	default:
		tag = lang.Detect(text, s.hint(name))
	}
	return s.Check(name, tag)
}

// hint returns the first language of the voice of a name; empty if there is none, or if the voice speaks all.
func (s Set) hint(name string) string {
	if !s.Service {
		name, _, _ = strings.Cut(strings.ToLower(name), "+")
	}
	all := s.All()
	i := slices.IndexFunc(all, func(v Voice) bool { return v.Name == name })
	if i < 0 || len(all[i].Languages) == 0 {
		return ""
	}
	return all[i].Languages[0]
}

// Languages returns the languages that the voices list, as tags without regions, sorted.
func (s Set) Languages() []string {
	var out []string
	for _, v := range s.All() {
		for _, l := range v.Languages {
			out = append(out, base(language.Make(l)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Speaks reports whether a language (a BCP 47 tag) can be spoken.
func (s Set) Speaks(tag string) bool {
	t := language.Make(tag)
	if !s.Service {
		_, fault := Choose("", t)
		return fault == nil
	}
	return len(s.Named) == 0 || slices.ContainsFunc(s.Named, func(v Voice) bool { return v.speaks(t) })
}

// accepted returns the names of the voices that speak a language.
func (s Set) accepted(t language.Tag) []string {
	out := []string{}
	for _, v := range s.All() {
		if v.speaks(t) && (s.Service || t == language.Und || s.Speaks(t.String())) {
			out = append(out, v.Name)
		}
	}
	return out
}

func (s Set) unknown(name string, t language.Tag) *Fault {
	return &Fault{Reason: Unknown, Message: fmt.Sprintf("There is no voice %q.", name), Accepted: s.accepted(t)}
}

// speaks reports whether the voice speaks a language, of any region; true if the language is unknown.
func (v Voice) speaks(t language.Tag) bool {
	return t == language.Und || len(v.Languages) == 0 ||
		slices.ContainsFunc(v.Languages, func(l string) bool { return base(language.Make(l)) == base(t) })
}

// packaged returns the voices of the package: female and male, which every language has, then flite's, then espeak-ng's
// by name.
var packaged = sync.OnceValue(func() []Voice {
	out := []Voice{{Name: female, Gender: female, Source: SourcePackage}, {Name: male, Gender: male, Source: SourcePackage}}
	for _, v := range flites {
		v.Languages, v.Source = []string{english}, SourcePackage
		out = append(out, v)
	}
	var espeak []Voice
	for _, name := range byTag {
		espeak = append(espeak, Voice{Name: name, Languages: []string{language.Make(name).String()}, Gender: male, Source: SourcePackage})
	}
	for name, tags := range byName {
		espeak = append(espeak, Voice{Name: name, Languages: tags, Gender: male, Source: SourcePackage})
	}
	slices.SortFunc(espeak, func(a, b Voice) int { return cmp.Compare(a.Name, b.Name) })
	return append(out, espeak...)
})

// Programs of the package.
const (
	Flite  = "flite"
	Espeak = "espeak-ng"
)

// Choice is a voice of the package by its name in the program.
type Choice struct {
	// Program is Flite or Espeak.
	Program string
	// Voice is the voice with its variant, such as de+f3.
	Voice string
}

// named is the form of espeak-ng's names: a voice, and a variant after a plus sign.
var named = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_.:-]*)(?:\+([A-Za-z0-9_-]+))?$`)

// Choose returns the voice of the package for a name (case-insensitive) and a language; without a name the voice that
// suits the language. A named voice of espeak-ng reads any language with its own sounds; flite reads only English.
func Choose(name string, tag language.Tag) (Choice, *Fault) {
	lower := strings.ToLower(name)
	if lower == "" || lower == female || lower == male {
		return usual(lower, tag)
	}
	if slices.ContainsFunc(flites, func(v Voice) bool { return v.Name == lower }) {
		return Choice{Flite, lower}, Set{}.speaking(Voice{Languages: []string{english}}, name, tag)
	}
	m := named.FindStringSubmatch(name)
	if m == nil {
		return Choice{}, Set{}.unknown(name, tag)
	}
	voice := strings.ToLower(m[1])
	i := slices.IndexFunc(packaged(), func(v Voice) bool { return v.Name == voice })
	if i < 2+len(flites) { // an unknown voice, or one without variants
		return Choice{}, Set{}.unknown(name, tag)
	}
	if m[2] != "" {
		j := slices.IndexFunc(variants, func(v string) bool { return strings.EqualFold(v, m[2]) })
		if j < 0 {
			return Choice{}, Set{}.unknown(name, tag)
		}
		voice += "+" + variants[j]
	}
	return Choice{Espeak, voice}, nil
}

// usual returns the voice of a gender, or of any gender, for a language.
func usual(gender string, tag language.Tag) (Choice, *Fault) {
	if tag == language.Und || base(tag) == english {
		if gender == male {
			return Choice{Flite, fliteMale}, nil
		}
		return Choice{Flite, fliteFemale}, nil
	}
	names := preferred(tag)
	if i := slices.IndexFunc(packaged(), func(v Voice) bool { return len(v.Languages) > 0 && v.speaks(tag) }); i >= 0 {
		names = append(names, packaged()[i].Name)
	}
	for _, name := range names {
		if slices.ContainsFunc(packaged(), func(v Voice) bool { return v.Name == name }) {
			if gender == female {
				name += "+" + femaleVariant
			}
			return Choice{Espeak, name}, nil
		}
	}
	return Choice{}, &Fault{Reason: Unspoken, Message: fmt.Sprintf("No voice speaks the language %s.", tag), Accepted: []string{}}
}
