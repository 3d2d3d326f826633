// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var library = func() *Library {
	l, err := Open("/usr/share/fonts")
	if err != nil {
		panic(err)
	}
	return l
}()

func shape(t testing.TB, family, s string) *Paragraph {
	t.Helper()
	for _, f := range []string{"Inter", "Noto Sans Arabic", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans CJK JP", EmojiFamily} {
		if !library.Has(f) {
			t.Fatalf("The font %q is not installed; see the overlay package for the Debian packages", f)
		}
	}
	return NewShaper(library).Shape(Style{Family: family, Weight: 700}, s)[0]
}

// whole shapes a text on one line.
func whole(p *Paragraph) Line { return p.line(0, len(p.Runes)) }

func TestShape_NoMissingGlyphs(t *testing.T) {
	for _, s := range []string{
		"Plain Latin – “quotes”, naïve, Żółć, İstanbul, Tiếng Việt", "Кириллица и Ελληνικά", "مرحبا بكم ٢٠٢٤، كيف الحال؟", "שלום, מה שלומך? ₪5",
		"नमस्ते क्षत्रिय ज्ञान ₹५००", "สวัสดีครับ ๕๐%", "日本語 한국어 简体 繁體 ㊗️", "→ ✓ ★ ∞ ≈ ½ ™ € … • №", "😀👩🏽‍🚀🏳️‍🌈🇯🇵1️⃣❤️☕️",
	} {
		p := shape(t, "Bebas Neue", s)
		if len(p.Missing) > 0 {
			t.Errorf("%q: no font for %q", s, string(p.Missing))
		}
		for _, g := range whole(p).Glyphs {
			if g.ID == 0 {
				t.Errorf("%q: a glyph for missing letters is at %q", s, p.Runes[g.Cluster])
			}
		}
	}
}

func TestShape_OmitsMissingGlyphs(t *testing.T) {
	p := shape(t, "Inter", "a\U000F1234b")
	if string(p.Missing) != "\U000F1234" {
		t.Errorf("want the private rune named, got %q", string(p.Missing))
	}
	if n := len(whole(p).Glyphs); n != 2 {
		t.Errorf("want two glyphs, got %d", n)
	}
}

// seen returns the first runes of the clusters from left to right, in visual order.
func seen(p *Paragraph) string {
	var b strings.Builder
	for _, g := range whole(p).Glyphs {
		b.WriteRune(p.Runes[g.Cluster])
	}
	return b.String()
}

func TestShape_BidirectionalOrder(t *testing.T) {
	cases := map[string]struct{ why, in, want string }{
		"hebrew":              {"letters run from the right", "אבג", "גבא"},
		"number in hebrew":    {"digits keep their order", "אב 123 גד", "דג 123 בא"},
		"hebrew in english":   {"only the Hebrew part is reversed", "abcdefgh אבג 12 דה xyz", "abcdefgh הד 12 גבא xyz"},
		"english in hebrew":   {"the line begins at the right with Hebrew", "אבגדה iPhone ו", "ו iPhone הדגבא"},
		"full stop in hebrew": {"the full stop ends the line on the left", "אבג.", ".גבא"},
		"brackets":            {"brackets are mirrored with their content", "א (ב) ג", "ג (ב) א"},
		"latin starts, mostly hebrew": {
			"most letters determine the direction", "AB אבגדהוז",
			"זוהדגבא AB",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := shape(t, "Inter", c.in)
			got := seen(p)
			if name == "brackets" { // clusters name the rune, not the mirrored glyph
				got = strings.NewReplacer("(", ")", ")", "(").Replace(got)
			}
			if got != c.want {
				t.Errorf("%s: got %q, want %q", c.why, got, c.want)
			}
		})
	}
}

func TestShape_ArabicLettersJoin(t *testing.T) {
	// A single beh, and the three behs of a word: initial, medial and final form differ from the isolated one.
	alone := whole(shape(t, "Noto Sans Arabic", "ب")).Glyphs
	word := whole(shape(t, "Noto Sans Arabic", "ببب")).Glyphs
	forms := map[uint32]bool{}
	for _, g := range word {
		if len(alone) > 0 && g.ID == alone[0].ID {
			t.Errorf("a letter inside a word has its isolated form")
		}
		forms[uint32(g.ID)] = true
	}
	if len(forms) < 3 {
		t.Errorf("want three different forms, got %d in %d glyphs", len(forms), len(word))
	}
	// lam and alef are one glyph.
	if n := len(whole(shape(t, "Noto Sans Arabic", "لا")).Glyphs); n > 2 {
		t.Errorf("lam-alef: got %d glyphs", n)
	}
}

func TestShape_DevanagariConjuncts(t *testing.T) {
	// ka + virama + ssa is one conjunct; the vowel sign i precedes its consonant though it is written after it.
	if got := whole(shape(t, "Noto Sans Devanagari", "क्ष")); len(got.Glyphs) != 1 {
		t.Errorf("ksha: want one glyph, got %d", len(got.Glyphs))
	}
	k, i := whole(shape(t, "Noto Sans Devanagari", "क")).Glyphs[0].ID, whole(shape(t, "Noto Sans Devanagari", "कि")).Glyphs
	if len(i) != 2 || i[1].ID != k {
		t.Errorf("ki: want the vowel sign before ka, got %v", i)
	}
}

func TestShape_EmojiSequencesAreOneGlyph(t *testing.T) {
	for name, s := range map[string]string{
		"skin tone": "👍🏽", "family": "👨‍👩‍👧", "profession": "👩🏽‍🚀", "flag": "🇯🇵", "rainbow flag": "🏳️‍🌈", "keycap": "5️⃣", "heart": "❤️", "symbol without selector": "✅",
	} {
		var n int
		for _, g := range whole(shape(t, "Inter", s)).Glyphs {
			if g.Font.Family != EmojiFamily {
				t.Errorf("%s: drawn with %s", name, g.Font.Family)
			}
			if g.Advance > 0 {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: want one glyph, got %d", name, n)
		}
	}
	for _, g := range whole(shape(t, "Inter", "5 * # ©")).Glyphs {
		if g.Font.Family == EmojiFamily {
			t.Errorf("plain digits and signs must not become emoji")
		}
	}
}

// broken returns the lines of a text in a column of the given ems.
func broken(t *testing.T, s string, width float64) []string {
	t.Helper()
	p := shape(t, "Inter", s)
	var out []string
	start := 0
	for _, end := range balance(p, p.spots(width, true), width) {
		out = append(out, strings.TrimRightFunc(string(p.Runes[start:end]), unicode.IsSpace))
		start = end
	}
	return out
}

func TestBreak_Lines(t *testing.T) {
	cases := map[string]struct {
		why   string
		in    string
		width float64
		want  []string
	}{
		"even lines": {
			"two lines of similar length, not one full and one short", "one two three four five six", 9.5,
			[]string{"one two three", "four five six"},
		},
		"no lone word": {
			"the last line is not one short word", "the quick brown fox jumps over it", 14,
			[]string{"the quick brown", "fox jumps over it"},
		},
		"non-breaking space": {"the words stay together", "price is 100\u00a0€", 6.0, []string{"price", "is 100\u00a0€"}},
		"kinsoku":            {"no line begins with a closing mark", "これは本です。", 6.2, []string{"これは", "本です。"}},
		"particles":          {"a line ends after a particle", "毎朝の習慣を変える方法", 6.2, []string{"毎朝の習慣を", "変える方法"}},
		"small kana":         {"no line begins with a small letter", "待って", 2.2, []string{"待っ", "て"}},
		"compound particle":  {"a particle of two letters stays whole", "鴨川には、散歩する人しか", 5.2, []string{"鴨川には、", "散歩する", "人しか"}},
		"number and unit":    {"a time stays whole", "Street, 8 am – 6 pm", 8.4, []string{"Street,", "8 am – 6 pm"}},
		"no unit":            {"a word after a number is not always a unit", "2 for 1 until noon", 6, []string{"2 for 1", "until noon"}},
		"Japanese compound":  {"a word of two characters stays whole", "人と白鷺しかいません", 5.2, []string{"人と", "白鷺しか", "いません"}},
		"address":            {"an address stays whole", "Order at lumen.example/desk", 11, []string{"Order at", "lumen.example/desk"}},
		"thai words":         {"Thai has no spaces but has words", "ดื่มน้ำก่อนนอนทุกวัน", 6.5, nil},
		"long word":          {"a word wider than the column is broken", "aaaaaaaaaaaaaaaaaaaa", 6, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := broken(t, c.in, c.width)
			if c.want != nil {
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", c.why, diff)
				}
				return
			}
			if len(got) < 2 || strings.Join(got, "") != c.in {
				t.Errorf("%s: got %q", c.why, got)
			}
			for _, l := range got {
				if w := whole(shape(t, "Inter", l)).Width; w > c.width+0.2 {
					t.Errorf("%s: %q has the width %.1f", c.why, l, w)
				}
			}
		})
	}
}

func TestBreak_ThaiSyllables(t *testing.T) {
	for _, s := range []string{"ดื่มน้ำก่อนนอนทุกวัน", "เคล็ดลับการนอนหลับให้ดีขึ้น", "โทรศัพท์มือถือ", "ก๋วยเตี๋ยวเรือ", "กรุงเทพมหานคร"} {
		runes := []rune(s)
		for _, at := range thaiWords(runes) {
			if !thaiBorder(runes, at) {
				t.Errorf("%s: cut before %q", s, string(runes[at:]))
			}
		}
	}
	runes := []rune("ดื่มน้ำก่อนนอน")
	var got []string
	start := 0
	for _, at := range append(sorted(thaiWords(runes)), len(runes)) {
		got = append(got, string(runes[start:at]))
		start = at
	}
	if diff := cmp.Diff([]string{"ดื่ม", "น้ำ", "ก่อน", "นอน"}, got); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func sorted(v []int) []int {
	for i := range v {
		for k := i; k > 0 && v[k] < v[k-1]; k-- {
			v[k], v[k-1] = v[k-1], v[k]
		}
	}
	return v
}

func TestShape_MeasuresAreStable(t *testing.T) {
	// Advances are properties of the font files: a change moves the text of every stored slide.
	for _, c := range []struct {
		family, in string
		want       float64 // ems
	}{{"Inter", "Hello", 2.52}, {"Bebas Neue", "HELLO", 1.83}, {"Noto Sans CJK JP", "日本語", 3}} {
		if got := whole(shape(t, c.family, c.in)).Width; got < c.want-0.1 || got > c.want+0.1 {
			t.Errorf("%s %q: got %.3f ems, want about %.2f", c.family, c.in, got, c.want)
		}
	}
}

func FuzzShapeAndBreak(f *testing.F) {
	for _, s := range []string{"a", "ab\ncd", "مرحبا 12 abc", "👩🏽‍🚀🇯🇵", "क्षि", "ก็", "\u202eabc\u202c", "e\u0301\u0301", "a\u200d", "1️⃣ x", "字字字字"} {
		f.Add(s, 4.0)
	}
	f.Fuzz(func(t *testing.T, s string, width float64) {
		if len(s) > 400 || !(width > 0.5 && width < 50) {
			t.Skip()
		}
		for _, p := range NewShaper(library).Shape(Style{Family: "Inter", Weight: 400}, s) {
			n := 0
			lines, _ := p.Break(width, true)
			for _, l := range lines {
				n += len(l.Glyphs)
				if l.Width < -0.01 {
					t.Errorf("a line of negative width in %q", s)
				}
			}
			all := len(whole(p).Glyphs)
			if n > all {
				t.Errorf("%q: got %d glyphs on lines, %d in total", s, n, all)
			}
		}
	})
}
