// SPDX-License-Identifier: Apache-2.0

package speech_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/film/speech"
)

func TestWords(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"words":                 {"Stop scrolling. Now!", []string{"Stop", "scrolling.", "Now!"}},
		"marks and spaces":      {"  “Well-known”,  isn’t it?\n\tYes (really). ", []string{"“Well-known”,", "isn’t", "it?", "Yes", "(really)."}},
		"a dash with spaces":    {"one — two – three", []string{"one —", "two –", "three"}},
		"a dash without spaces": {"time—money…love", []string{"time—", "money…", "love"}},
		"emoji":                 {"🔥 Hot 👩🏽‍🚀 deal ❤️", []string{"🔥 Hot 👩🏽‍🚀", "deal ❤️"}},
		"no words":              {" 🔥 ... ?! ", nil},
		"empty":                 {"", nil},
		"figures":               {"3,000 people, 50% off, $20", []string{"3,000", "people,", "50%", "off,", "$20"}},
		"Chinese":               {"今天，很好。OK吗？", []string{"今天，", "很好。", "OK吗？"}},
		"Chinese quotes":        {"他说「你好」！", []string{"他说", "「你好」！"}},
		"Japanese":              {"今日はとてもいい天気です。ラーメンを食べる！", []string{"今日は", "とても", "いい", "天気です。", "ラーメンを", "食べる！"}},
		"Korean":                {"오늘 날씨가 좋아요.", []string{"오늘", "날씨가", "좋아요."}},
		"Thai":                  {"สวัสดีครับ วันนี้", []string{"สวัสดี", "ครับ", "วันนี้"}},
		"Arabic":                {"مرحبا، كيف حالك؟", []string{"مرحبا،", "كيف", "حالك؟"}},
		"Hindi":                 {"नमस्ते दोस्तों।", []string{"नमस्ते", "दोस्तों।"}},
		"many marks":            {"e" + strings.Repeat("\u0301", 290) + "x", []string{"e" + strings.Repeat("\u0301", 290) + "x"}},
		"a long word":           {"Donaudampfschifffahrtsgesellschaft", []string{"Donaudampfschifffahrtsgesellschaft"}},
		"no-break spaces":       {"10\u00a0% de\u202fplus", []string{"10 %", "de", "plus"}},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			if name == "no-break spaces" {
				want = []string{"10\u00a0%", "de", "plus"}
			}
			if d := cmp.Diff(want, speech.Words(c.text)); d != "" {
				t.Error(d)
			}
		})
	}
}

// FuzzWords checks that the words appear in the text in order, and contain every speakable character.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"Stop. Now!", "今日はいい天気です", "สวัสดีครับ", "a\u0301\u200d🔥b", "「a」b—c", "\xff\xfe x", "ကျွန်တော် ကောင်းပါတယ်"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rest := strings.ToValidUTF8(string([]rune(s)), "\ufffd")
		for _, w := range speech.Words(s) {
			at := strings.Index(rest, w)
			if at < 0 {
				t.Fatalf("%q is not in the rest of %q", w, s)
			}
			if strings.ContainsFunc(rest[:at], func(r rune) bool { return !unicode.IsSpace(r) && r != '\u200b' && r != '\ufeff' }) {
				t.Fatalf("%q is between words of %q", rest[:at], s)
			}
			if !strings.ContainsFunc(w, speech.Sayable) {
				t.Fatalf("%q of %q cannot be spoken", w, s)
			}
			rest = rest[at+len(w):]
		}
		if strings.ContainsFunc(rest, speech.Sayable) {
			t.Fatalf("%q remains of %q", rest, s)
		}
	})
}
