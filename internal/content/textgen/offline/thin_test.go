// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/content/textgen"
)

// oneLine are prompts that only name a topic, with the words of each that are worth a tag.
var oneLine = map[string][]string{
	"5 tips for better sleep": {"sleep"},
	"Better coffee":           {"coffee"},
	"coffee and tea":          {"coffee", "tea"},
	"Tea, Coffee, Water":      {"coffee", "water", "tea"},
	"10 ways to drink more water every day, in winter": {"winter", "water"},
	"Sleep better with the demo":                       {"demo"},
	"5 Tipps für besseren Schlaf":                      {"schlaf"},
	"5 consejos para dormir mejor":                     nil,
	"5 conseils pour mieux dormir":                     nil,
	"5 consigli per dormire meglio":                    nil,
	"5 dicas para dormir melhor":                       nil,
	"5 tips om beter te slapen":                        nil,
	"5 porad na lepszy sen":                            nil,
	"5 советов для хорошего сна":                       {"сна"},
	"5 порад для кращого сну":                          {"сну"},
	"Daha iyi uyku için 5 ipucu":                       {"uyku"},
	"5 نصائح لنوم أفضل":                                {"لنوم"},
	"5 טיפים לשינה טובה יותר":                          {"לשינה"},
	"बेहतर नींद के लिए 5 टिप्स":                        {"नींद"},
	"5 เคล็ดลับเพื่อการนอนหลับที่ดีขึ้น": {"นอน"},
	"よく眠るための5つのコツ":                     nil,
	"改善睡眠的5个技巧":                        {"睡眠"},
	"더 나은 수면을 위한 5가지 팁":                {"수면"},
	"5 tips untuk tidur lebih nyenyak": {"tidur"},
	"5 mẹo để ngủ ngon hơn":            {"ngủ"},
	"5 tips för bättre sömn":           {"sömn"},
	"5 tipů pro lepší spánek":          {"spánek"},
	"5 συμβουλές για καλύτερο ύπνο":    {"ύπνο"},
}

// A prompt of one line becomes one slide. The writer adds no text, and no phrase, single word or sign replaces it.
func TestWrite_OneLinePromptIsOneSlide(t *testing.T) {
	for prompt, tags := range oneLine {
		for _, n := range []int{0, 5, 12} {
			d := write(t, textgen.Request{Context: prompt, SlideCount: n, Brand: textgen.Brand{Name: "demo"}})
			if diff := cmp.Diff([]string{capital(prompt)}, headings(d)); diff != "" {
				t.Errorf("%q, %d slides: got %s", prompt, n, diff)
			}
			if want := (&textgen.Shortfall{Wanted: max(n, textgen.MinSlides), FromText: 1}); !cmp.Equal(want, d.Shortfall) {
				t.Errorf("%q, %d slides: got shortfall %+v, want %+v", prompt, n, d.Shortfall, want)
			}
			if got := strings.TrimRight(d.Caption, ".。।"); got != capital(prompt) {
				t.Errorf("%q: got caption %q", prompt, d.Caption)
			}
			allowed := map[string]bool{}
			for _, w := range tags {
				allowed[w] = true
			}
			for _, w := range d.Tags {
				if !allowed[w] {
					t.Errorf("%q: got the tag %q", prompt, w)
				}
				delete(allowed, w)
			}
			for w := range allowed {
				t.Errorf("%q: got no tag %q in %q", prompt, w, d.Tags)
			}
		}
	}
}

// A text that does not reach the count keeps its call to action, and the shortfall counts the slides with its text.
func TestWrite_ShortfallCountsTheSlidesOfTheText(t *testing.T) {
	for _, c := range []struct {
		r     textgen.Request
		want  []string
		short *textgen.Shortfall
	}{
		{
			textgen.Request{Context: "Cold brew coffee for the summer. We steep it for 18 hours.", SlideCount: 5},
			[]string{"Cold brew coffee for the summer", "We steep it for 18 hours", "Save this for later"},
			&textgen.Shortfall{Wanted: 5, FromText: 2},
		},
		{
			textgen.Request{Context: "Cold brew coffee for the summer. We steep it for 18 hours."},
			[]string{"Cold brew coffee for the summer", "We steep it for 18 hours", "Save this for later"},
			nil,
		},
		{
			textgen.Request{Context: "Cold brew coffee for the summer", Brand: textgen.Brand{CallToAction: "Order at the bar"}, SlideCount: 3},
			[]string{"Cold brew coffee for the summer", "Order at the bar"},
			&textgen.Shortfall{Wanted: 3, FromText: 2},
		},
		{
			textgen.Request{Context: "https://coffee.example/better-beans/sale", SlideCount: 4},
			[]string{"Better beans", "Find out more at coffee.example"},
			&textgen.Shortfall{Wanted: 4, FromText: 2},
		},
	} {
		d := write(t, c.r)
		if diff := cmp.Diff(c.want, headings(d)); diff != "" {
			t.Errorf("%q: got %s", c.r.Context, diff)
		}
		if diff := cmp.Diff(c.short, d.Shortfall); diff != "" {
			t.Errorf("%q: got %s", c.r.Context, diff)
		}
	}
}

func TestWrite_NothingToShow(t *testing.T) {
	for _, text := range []string{"!", "Write a slideshow", "---"} {
		_, err := New().Write(t.Context(), textgen.Request{Context: text, Brand: textgen.Brand{Name: "Demo"}})
		var known *textgen.Error
		if !errors.As(err, &known) || known.Message != nothingToShow || known.Retryable {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
