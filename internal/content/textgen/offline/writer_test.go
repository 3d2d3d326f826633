// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/conformance"
)

func TestConformance(t *testing.T) { conformance.Run(t, New()) }

func write(t *testing.T, r textgen.Request) textgen.Draft {
	t.Helper()
	d, err := New().Write(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func headings(d textgen.Draft) []string {
	var out []string
	for _, s := range d.Slides {
		out = append(out, s.Heading)
	}
	return out
}

// Every word on a slide is in the context or in the phrase table. No word is invented or truncated.
func TestWrite_UsesOnlyWordsOfTheText(t *testing.T) {
	for name, text := range conformance.Corpus() {
		for _, n := range []int{0, 3, 7, 12} {
			d := write(t, textgen.Request{Context: text, SlideCount: n})
			source := strings.Join(append(Phrases(d.Language), text, clean(text)), " ")
			known := map[string]bool{}
			for _, w := range wordsOf(strings.ToLower(source)) {
				known[w] = true
			}
			for _, s := range d.Slides {
				for _, w := range wordsOf(strings.ToLower(s.Heading + " " + s.Body)) {
					if !textgen.Spaced(firstRune(w)) {
						if !strings.Contains(strings.ToLower(source), w) {
							t.Errorf("%s, %d: %q is not in the text", name, n, w)
						}
						continue
					}
					if !known[w] && !known[w+"."] && number(w) == 0 && name != "url" {
						t.Errorf("%s, %d: the word %q of %q is not in the text", name, n, w, s.Heading)
					}
				}
			}
		}
	}
}

func TestWrite_IsDeterministic(t *testing.T) {
	for name, text := range conformance.Corpus() {
		a, _ := json.Marshal(write(t, textgen.Request{Context: text}))
		for range 3 {
			if b, _ := json.Marshal(write(t, textgen.Request{Context: text})); string(a) != string(b) {
				t.Errorf("%s: two drafts of one text differ", name)
			}
		}
	}
}

func TestWrite_Contexts(t *testing.T) {
	cases := map[string]struct {
		r    textgen.Request
		want []string
		why  string
	}{
		"an instruction is followed, not printed": {
			textgen.Request{Context: conformance.Corpus()["brief"]},
			[]string{"Quick weeknight dinners for busy parents", "Our meal kits take 15 minutes, cost under $6 a plate and come with no plastic", "Why planning on Sunday saves three hours a week", "Order the first box at freshbox.example.com"},
			"topic, audience, points and call to action become slides; tone and bans do not",
		},
		"labels of a brief": {
			textgen.Request{Context: conformance.Corpus()["brieflabels"]},
			[]string{"How to start running after 40 for people who have not run for years", "See a doctor first", "Buy real running shoes", "Alternate walking and running", "Rest two days a week", "Save this plan and start on Monday"},
			"audience and tone do not become slides",
		},
		"a list keeps its order and its count": {
			textgen.Request{Context: "3 ways to save water\n- Fix the tap\n- Shower for four minutes\n- Collect rain for the plants"},
			[]string{"3 ways to save water", "Fix the tap", "Shower for four minutes", "Collect rain for the plants", "Save this for later"},
			"the headline is first, a neutral call to action is last",
		},
		"fewer slides than tips": {
			textgen.Request{Context: "6 ways to save water\n- Fix the tap\n- Shower for four minutes\n- Collect rain for the plants\n- Fill the washing machine\n- Turn the tap off while brushing\n- Buy a small dishwasher", SlideCount: 5},
			[]string{"6 ways to save water", "Fix the tap\nShower for four minutes", "Collect rain for the plants\nFill the washing machine", "Turn the tap off while brushing\nBuy a small dishwasher", "Save this for later"},
			"no point is left out: equal points share a slide",
		},
		"too many steps": {
			textgen.Request{Context: "How to pot a fern\n1. Soak the roots\n2. Fill the pot by half\n3. Set the fern in the middle\n4. Press the soil gently", SlideCount: 4},
			[]string{"How to pot a fern", "1. Soak the roots\n2. Fill the pot by half", "3. Set the fern in the middle\n4. Press the soil gently", "Save this for later"},
			"equal steps share a slide and keep their numbers",
		},
		"the brand's call wins": {
			textgen.Request{Context: "Our rye bread rests for a night. It stays fresh for five days. Order at bread.example before noon.", Brand: textgen.Brand{CallToAction: "Visit us on Mill Street"}},
			nil, "the call to action of the brand replaces that of the text",
		},
		"slide by slide": {
			textgen.Request{Context: "Slide 1: Stop scrolling, start stretching\nSlide 2: Neck rolls\nSlide 3: Shoulder circles\nSlide 4: CTA: Save this for your next break"},
			[]string{"Stop scrolling, start stretching", "Neck rolls", "Shoulder circles", "Save this for your next break"},
			"the text of each slide is given",
		},
		"digits of another script": {
			textgen.Request{Context: "ما هي فوائد المشي؟\n١. يحسن المزاج\n٢. يقوي القلب\n٣. يساعد على النوم"},
			[]string{"ما هي فوائد المشي؟", "١. يحسن المزاج", "٢. يقوي القلب", "٣. يساعد على النوم", "احفظها للعودة إليها لاحقا"},
			"a list is a list in every script",
		},
		"a noun is no call": {
			textgen.Request{Context: "The new lane opens in March. The vote was close. Shop owners worry about parking."},
			[]string{"The new lane opens in March", "The vote was close", "Shop owners worry about parking", "Save this for later"},
			"\"shop\" in \"shop owners\" is not an imperative",
		},
		"a wrapped first line is no headline": {
			textgen.Request{Context: "Our bakery opens at six, and by seven the\nfirst trays are empty. We bake rye and spelt.\nCinnamon rolls are gone by nine."},
			[]string{"Our bakery opens at six, and by seven the first trays are empty", "We bake rye and spelt", "Cinnamon rolls are gone by nine", "Save this for later"},
			"a line that continues on the next line is not a separate line",
		},
		"a headline with a colon": {
			textgen.Request{Context: "Moving to Lisbon: what everybody asks\n\nDo I need a visa? EU citizens do not.\nIs it safe? Yes, but watch your phone.\nWhen should I come? October."},
			[]string{"Moving to Lisbon: what everybody asks", "Do I need a visa?", "Is it safe?", "When should I come?", "Save this for later"},
			"the first line, followed by a blank line, is the headline in any form",
		},
		"a headline right above the lines": {
			textgen.Request{Context: "Moving to Lisbon\nRents are high. Look south of the river.\nThe sea is cold. Bring a wetsuit.\nTrams are full. Walk."},
			[]string{"Moving to Lisbon", "Rents are high", "The sea is cold", "Trams are full", "Save this for later"},
			"no blank line is needed",
		},
		"lines are paragraphs": {
			textgen.Request{Context: sourdough},
			[]string{"How to keep a sourdough starter alive", "Feed it once a week", "Do not throw the rest away", "Going on holiday?", "Save this for the next time you bake"},
			"the sentences of a line stay on one slide",
		},
		"emoji lines with a headline and a call": {
			textgen.Request{Context: "🎉 Our café turns 5 today ☕️\n🥐 Croissants: 2 for 1 until noon\n🇫🇷 + 🇹🇷 recipes, one oven\n👉 Bring a friend! 🙌"},
			[]string{"🎉 Our café turns 5 today ☕️", "🥐 Croissants: 2 for 1 until noon", "🇫🇷 + 🇹🇷 recipes, one oven", "👉 Bring a friend! 🙌"},
			"the first line is the headline, the hand marks the call to action",
		},
		"an Arabic call with vowel signs": {
			textgen.Request{Context: "القهوة العربية طقس من طقوس الضيافة. تُطحن الحبوب مع الهيل. يهز الضيف فنجانه مرتين. جرّب إعدادها في بيتك."},
			[]string{"القهوة العربية طقس من طقوس الضيافة", "تُطحن الحبوب مع الهيل", "يهز الضيف فنجانه مرتين", "جرّب إعدادها في بيتك"},
			"vowel signs are optional",
		},
		"a list without a headline": {
			textgen.Request{Context: "- Wake up at six\n- Drink a glass of water\n- Walk to work\n- Leave the phone at home"},
			[]string{"4 things to know", "Wake up at six", "Drink a glass of water", "Walk to work", "Leave the phone at home", "Save this for later"},
			"the count is the headline when the text has none",
		},
	}
	for name, c := range cases {
		d := write(t, c.r)
		got := headings(d)
		switch name {
		case "the brand's call wins":
			if got[len(got)-1] != "Visit us on Mill Street" {
				t.Errorf("%s: got %q (%s)", name, got[len(got)-1], c.why)
			}
		default:
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (%s): (-want +got)\n%s", name, c.why, diff)
			}
		}
	}
}

const sourdough = `How to keep a sourdough starter alive.

Feed it once a week. Fifty grams of flour and fifty grams of water are enough for a starter that lives in the fridge.
Do not throw the rest away. Fry it in a hot pan with olive oil and salt: five minutes, and you have a flatbread.
Going on holiday? Spread a spoonful on paper and let it dry. The flakes keep for a year.

Save this for the next time you bake.`

// A heading and its body come from one paragraph, a question has its answer below, and no heading ends at a comma or
// colon.
func TestWrite_SlidesAreCoherent(t *testing.T) {
	d := write(t, textgen.Request{Context: sourdough})
	want := map[string]string{
		"Feed it once a week":        "Fifty grams of flour and fifty grams of water are enough for a starter that lives in the fridge",
		"Do not throw the rest away": "Fry it in a hot pan with olive oil and salt: five minutes, and you have a flatbread",
		"Going on holiday?":          "Spread a spoonful on paper and let it dry. The flakes keep for a year.",
	}
	for _, s := range d.Slides[1 : len(d.Slides)-1] {
		if want[s.Heading] != s.Body {
			t.Errorf("got %q under %q", s.Heading, s.Body)
		}
	}
	for name, text := range conformance.Corpus() {
		for _, s := range write(t, textgen.Request{Context: text}).Slides {
			if strings.ContainsRune(",:;，：、،", lastRune(s.Heading)) {
				t.Errorf("%s: the heading %q is incomplete", name, s.Heading)
			}
		}
	}
}

func TestThemes_OfRepeatedTopics(t *testing.T) {
	got := themes("en", "We walked along the coast. The beach was empty, the ocean loud. "+strings.Repeat("Then we went on and on until the evening came. ", 8)+"We had tea once.")
	if diff := cmp.Diff([]string{"sea"}, got); diff != "" {
		t.Error(diff)
	}
}

// The words of a topic are matched with their inflections only, not with other words of the same prefix.
func TestTopics_MatchWholeWords(t *testing.T) {
	for text, want := range map[string]string{
		"de: Der Hund schläft":              "dog",
		"de: Hundert Meter":                 "",
		"de: Meine Kaffeemühle":             "coffee",
		"es: La marca blanca":               "",
		"es: El mar y las playas":           "sea beach",
		"fr: Adopter un chat":               "cat",
		"nl: Zij kamt haar jas":             "",
		"tr: Yeni tarife başlıyor":          "",
		"tr: Kedinin maması":                "cat",
		"pl: Dwa lata później":              "",
		"ko: 커피를 마신다":                       "coffee",
		"ko: 강의 안내":                         "",
		"ja: 日本の木曜日":                        "",
		"ja: 猫を飼う":                          "cat",
		"en: Every category costs the same": "",
	} {
		tag, text, _ := strings.Cut(text, ": ")
		if got := strings.Join(english(tag, text), " "); got != want {
			t.Errorf("%s: %q has the topics %q, want %q", tag, text, got, want)
		}
	}
}

// A topic that a text mentions once is not a theme of its other slides, unless its title mentions it.
func TestThemes_IncludeTheTitle(t *testing.T) {
	body := "Two rooms with a balcony to the west.\nPets are allowed. Bicycle cellar."
	if got := themes("en", "Bright rooms\n"+body); len(got) > 0 {
		t.Errorf("got themes %q, want none", got)
	}
	if got := themes("en", "Bicycle cellar for rent\n"+body); !slices.Equal(got, []string{"bicycle"}) {
		t.Errorf("got themes %q, want bicycle", got)
	}
}

func TestWrite_ShortContextUsesTheBrand(t *testing.T) {
	d := write(t, textgen.Request{Context: "Cold brew coffee", SlideCount: 5, Brand: textgen.Brand{ValuePoints: []string{"Steeped for 18 hours", "No sugar added", "Delivered by bike"}}})
	want := []string{"Cold brew coffee", "Steeped for 18 hours", "No sugar added", "Delivered by bike", "Save this for later"}
	if diff := cmp.Diff(want, headings(d)); diff != "" {
		t.Error(diff)
	}
}

func TestKeywords_AreEnglish(t *testing.T) {
	for name, want := range map[string]string{"arabic": "coffee", "thai": "sea", "japanese": "water", "russian": "bread", "chinese": "tea", "hindi": "sport", "korean": "food"} {
		d := write(t, textgen.Request{Context: conformance.Corpus()[name]})
		found := false
		for _, s := range d.Slides {
			for _, k := range s.Keywords {
				found = found || k == want
			}
		}
		if !found {
			t.Errorf("%s: no slide has the keyword %q", name, want)
		}
	}
}

func TestSentences(t *testing.T) {
	cases := map[string]struct {
		in   string
		want []string
	}{
		"abbreviations":   {"Dr. Lee sleeps 7.5 hours. E.g. on weekends.", []string{"Dr. Lee sleeps 7.5 hours.", "E.g. on weekends."}},
		"address":         {"See bread.example.com for more. We ship daily.", []string{"See bread.example.com for more.", "We ship daily."}},
		"emoji":           {"So good! 🔥🔥 Try it now", []string{"So good! 🔥🔥", "Try it now"}},
		"Chinese":         {"今天去湖边。明天呢？", []string{"今天去湖边。", "明天呢？"}},
		"Hindi":           {"पानी पिएं। फिर चलें।", []string{"पानी पिएं।", "फिर चलें।"}},
		"Arabic question": {"هل جربت؟ نعم.", []string{"هل جربت؟", "نعم."}},
		"brackets":        {"Bring shoes (size 40. No less.) and chalk. Go.", []string{"Bring shoes (size 40. No less.) and chalk.", "Go."}},
	}
	for name, c := range cases {
		if diff := cmp.Diff(c.want, sentences(c.in)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestHeadOf_KeepsWords(t *testing.T) {
	text := "The little bakery behind the station opens at six and sells warm rye bread to everybody who is on the way to work"
	for limit := 20; limit < 110; limit++ {
		head, rest := headOf("en", text, limit)
		if runes(head) > limit {
			t.Fatalf("limit %d: %q is too long", limit, head)
		}
		for _, w := range strings.Fields(head + " " + rest) {
			if !strings.Contains(" "+strings.ToLower(text)+" ", " "+strings.ToLower(strings.Trim(w, ",."))+" ") {
				t.Errorf("limit %d: %q is not a word of the text", limit, w)
			}
		}
	}
}

func FuzzWrite(f *testing.F) {
	for _, text := range conformance.Corpus() {
		f.Add(text, uint8(0))
		f.Add(text, uint8(12))
	}
	for _, text := range []string{"!", "…", "🔥", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦", strings.Repeat("a", 5000), strings.Repeat("漢", 5000), "a\x00b", "((((", "- \n- \n-", "# ", "1. 2. 3.", "{}[]", "| a | b |\n|---|---|", "<b", "https://", "&amp;amp;", strings.Repeat("ก", 300), "\u202eabc", strings.Repeat("🏽", 40), "\"", "“a”", strings.Repeat("“a ", 1000), strings.Repeat("a. ", 1600), strings.Repeat("x: y\n", 900)} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(12))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		r := textgen.Request{Context: text, SlideCount: int(n) % 13}
		if r.Validate() != nil {
			t.Skip()
		}
		var known *textgen.Error
		if _, err := New().Write(context.Background(), r); err != nil && (!errors.As(err, &known) || known.Message != nothingToShow) {
			t.Fatalf("%q: got %v", text, err)
		}
	})
}
