// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

var _ textgen.HookWriter = Writer{}

// WriteHook returns the text of a video. Without a hook from the caller, it uses the brand's own words: its value
// points, its offer and its description. It states nothing that is not in the profile. The same request always has the
// same draft.
func (Writer) WriteHook(ctx context.Context, r textgen.HookRequest) (textgen.HookDraft, error) {
	if err := ctx.Err(); err != nil {
		return textgen.HookDraft{}, textgen.Fail("Text generation was stopped before it started", true, err)
	}
	if err := r.Validate(); err != nil {
		return textgen.HookDraft{}, err
	}
	v := newVoice(r)
	d := textgen.HookDraft{Language: v.tag, Hook: textgen.Line(r.Hook)}
	if !r.Given() {
		if d.Hook = v.hook(); d.Hook == "" {
			return d, textgen.Fail("The brand's profile has no text from which a hook can be written", false, nil)
		}
	}
	d.Title = shorten(v.tag, tidy(firstSentences(d.Hook, textgen.MaxTitle)), textgen.MaxTitle)
	d.Caption = v.caption(d.Hook)
	d.Tags = tags(v.tag, textgen.Request{Brand: r.Brand}, strings.Join(append([]string{d.Hook}, v.sameLanguage()...), "\n"), v.name, nil)
	d = r.Kept(d)
	if bad := textgen.CheckHook(r, d); len(bad) > 0 {
		return textgen.HookDraft{}, textgen.Fail("No text could be written for this hook", false, fmt.Errorf("%s", strings.Join(bad, "; ")))
	}
	return d, nil
}

// voice is the state of one hook: the cleaned profile and the language.
type voice struct {
	r                              textgen.HookRequest
	tag                            string
	words                          phrases
	name, offer, description, call string
	audience                       string
	points                         []string
	seed                           uint32
}

func newVoice(r textgen.HookRequest) *voice {
	b := r.Brand
	v := &voice{r: r, name: plainLine(b.Name), offer: plainLine(b.Offer), description: plainLine(b.Description), audience: plainLine(b.Audience), call: plainLine(b.CallToAction)}
	for _, p := range b.ValuePoints {
		if p = plainLine(p); hasWord(p) {
			v.points = append(v.points, p)
		}
	}
	text := r.Hook
	if !r.Given() {
		if text = strings.TrimSpace(strings.Join(append([]string{v.offer, v.description}, v.points...), "\n")); text == "" {
			text = v.name
		}
	}
	v.tag = lang.Detect(text, r.Language)
	v.words = phrasesFor(v.tag)
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.Seed))
	v.seed = h.Sum32()
	return v
}

func plainLine(s string) string {
	return tidy(cleanInline(strings.Join(strings.Fields(clean(s)), " ")))
}

// hook returns the best line that breaks no rule, or "" if there is none.
func (v *voice) hook() string {
	var lines []string
	n := len(v.points)
	for i := range n { // the points in turn, starting at the one that the seed selects
		at := (int(v.seed%uint32(n)) + i) % n
		said := v.sentence(v.points[at])
		if next := v.points[(at+1)%n]; n > 1 && runes(said) < 24 && runes(said)+runes(next) < 70 {
			said = join(said, v.sentence(next))
		}
		if v.speaksTo() && (v.seed>>8)%2 == 0 {
			lines = append(lines, v.signed(fmt.Sprintf(forWhom[lang.Base(v.tag)], lowerFirst(v.audience))+": "+lowerFirst(said)))
		}
		lines = append(lines, v.signed(said))
	}
	if hasWord(v.offer) {
		lines = append(lines, v.named(v.offer))
	}
	for _, s := range sentences(v.description) {
		lines = append(lines, v.named(s))
	}
	if v.words.tried != "" && hasWord(v.name) {
		lines = append(lines, join(v.sentence(v.name), v.words.tried)) // the question states no fact
	}
	lines = append(lines, v.sentence(v.name))
	for _, aim := range []int{textgen.AimHook, textgen.MaxHook} {
		for _, l := range lines {
			if hasWord(l) && runes(l) <= aim && v.ok(l) {
				return l
			}
		}
	}
	for _, l := range lines {
		if l = shorten(v.tag, l, textgen.AimHook); hasWord(l) && v.ok(l) {
			return l
		}
	}
	return ""
}

func (v *voice) ok(s string) bool { return textgen.Banned(s, v.r.Brand.BannedWords) == "" }

func (v *voice) sentence(s string) string { return endWith(v.tag, capital(s)) }

// signed returns a line that ends with the brand's name.
func (v *voice) signed(s string) string {
	if !hasWord(v.name) || mentions(s, v.name) {
		return s
	}
	form := thatIs[lang.Base(v.tag)]
	if form == "" {
		return join(s, v.sentence(v.name))
	}
	return join(s, fmt.Sprintf(form, v.name))
}

// named returns a line that begins with the brand's name.
func (v *voice) named(s string) string {
	if !hasWord(v.name) || mentions(s, v.name) {
		return v.sentence(s)
	}
	return v.name + ": " + endWith(v.tag, s)
}

func mentions(s, name string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(name))
}

// speaksTo reports whether the audience can be addressed with a few plain words.
func (v *voice) speaksTo() bool {
	return forWhom[lang.Base(v.tag)] != "" && hasWord(v.audience) && len(strings.Fields(v.audience)) <= 4 && runes(v.audience) <= 40 &&
		!strings.ContainsFunc(v.audience, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsPunct(r) && r != '-' && r != '\'' })
}

func lowerFirst(s string) string {
	first, rest, _ := strings.Cut(s, " ")
	if letters := []rune(first); len(letters) > 1 && unicode.IsUpper(letters[0]) && strings.ToLower(string(letters[1:])) == string(letters[1:]) {
		first = strings.ToLower(first)
	}
	return strings.TrimSpace(first + " " + rest)
}

// caption returns the hook, the offer and the call to action.
func (v *voice) caption(hook string) string {
	out := endWith(v.tag, hook)
	for _, s := range []string{v.offer, firstOf(sentences(v.description))} {
		if hasWord(s) && v.speaks(s) && v.ok(s) && !mentions(out, strings.TrimRight(s, ".!")) && runes(out)+runes(s) < captionAim {
			out = join(out, v.sentence(s))
			break
		}
	}
	end := v.words.save
	if hasWord(v.call) && v.speaks(v.call) && v.ok(v.call) {
		end = v.call
	}
	if end != "" && v.ok(end) && runes(out)+runes(end)+2 <= textgen.MaxCaption {
		out = join(out, v.sentence(end))
	}
	return out
}

// speaks reports whether a text of the profile is in the language of the hook, or in an unknown one.
func (v *voice) speaks(s string) bool {
	found := lang.Base(lang.Detect(s, v.tag))
	return found == "" || found == lang.Base(v.tag)
}

// sameLanguage returns the texts of the profile from which tags may be taken.
func (v *voice) sameLanguage() []string {
	var out []string
	for _, s := range append([]string{v.offer, v.description}, v.points...) {
		if v.speaks(s) {
			out = append(out, s)
		}
	}
	return out
}

func firstOf(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// firstSentences returns as many whole sentences as fit, at least one.
func firstSentences(s string, limit int) string {
	out := ""
	for _, t := range sentences(s) {
		next := join(out, t)
		if out != "" && runes(next) > limit {
			break
		}
		out = next
	}
	if t, ok := strings.CutSuffix(out, "."); ok && !strings.HasSuffix(t, ".") {
		return t // a title has no full stop
	}
	return out
}

// thatIs are phrases that introduce a name after its description.
var thatIs = map[string]string{
	"en": "That's %s.", "es": "Eso es %s.", "fr": "C'est %s.", "de": "Das ist %s.", "it": "Questo è %s.", "pt": "Isso é %s.",
	"nl": "Dat is %s.", "sv": "Det är %s.", "da": "Det er %s.", "nb": "Det er %s.", "fi": "Se on %s.", "pl": "To jest %s.", "cs": "To je %s.",
	"ro": "Asta e %s.", "ru": "Это %s.", "uk": "Це %s.", "bg": "Това е %s.", "id": "Itulah %s.", "vi": "Đó là %s.", "hi": "यही है %s।",
	"ja": "それが%sです。", "ko": "바로 %s입니다.", "zh": "这就是%s。", "he": "זה %s.", "el": "Αυτό είναι το %s.",
}

// forWhom are phrases that address an audience, in languages where the audience's words need no inflection after them.
var forWhom = map[string]string{"en": "For %s", "es": "Para %s", "fr": "Pour %s", "it": "Per %s", "pt": "Para %s", "nl": "Voor %s", "sv": "För %s", "da": "For %s", "nb": "For %s"}
