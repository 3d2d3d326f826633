// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"math"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]float64{
		"":                              0,
		"One two three.":                3,
		"It's a state-of-the-art don't": 4,
		"  spaced   out \n lines ":      3,
		"3.5 million — 12,000 users!":   4,
		"🎉🔥 wow 👨‍👩‍👧":                  1,
		"你好世界你":                         4.5,
		"これはペンです":                       3.5,
		"สวัสดี":                        1.6,
		"مرحبا بالعالم":                 2,
		"नमस्ते दुनिया":                 2,
		"iPhone用ケース":                    1 + 0.9 + 3*0.5,
	} {
		if got := wordsIn(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: got %v words, want %v", text, got, want)
		}
	}
}

func TestReadingTime(t *testing.T) {
	nine := "Nine words of a slide stay for four seconds"
	for name, tc := range map[string]struct {
		pace  string
		texts []string
		want  float64 // seconds
	}{
		"no text":                   {"", nil, 2},
		"one word":                  {"normal", []string{"Go"}, 2},
		"three words":               {"normal", []string{"one two three"}, 2.1},
		"nine words":                {"normal", []string{nine}, 3.9},
		"nine words, slowly":        {"slow", []string{nine}, 5.2},
		"nine words, fast":          {"fast", []string{nine}, 2.88},
		"an unknown pace is normal": {"odd", []string{nine}, 3.9},
		"several texts":             {"normal", []string{"Hook line", "a b c d"}, 3},
		"twenty words":              {"normal", []string{strings.Repeat("word ", 20)}, 7.2},
		"much too long":             {"normal", []string{strings.Repeat("word ", 500)}, 12},
		"Japanese":                  {"normal", []string{"毎朝の習慣を変える方法"}, 3.69},
		"Chinese":                   {"normal", []string{"改变人生的七个早晨习惯"}, 4.17},
		"Korean has spaces":         {"normal", []string{"커피를 마시기 전에 물 한 잔"}, 3},
	} {
		got := readingTime(catalog.PaceByID(tc.pace), tc.texts...).Seconds()
		if math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%s: got %v s, want %v", name, got, tc.want)
		}
	}
}
