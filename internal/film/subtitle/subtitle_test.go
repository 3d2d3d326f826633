// SPDX-License-Identifier: Apache-2.0

package subtitle_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/subtitle"
)

// spoken returns the words of a text with 300 ms each, without pauses.
func spoken(text string) []v1beta1.SpokenWord {
	var out []v1beta1.SpokenWord
	for i, w := range speech.Words(text) {
		out = append(out, v1beta1.SpokenWord{Text: w, StartMilliseconds: int64(i) * 300, EndMilliseconds: int64(i)*300 + 280})
	}
	return out
}

func texts(cues []subtitle.Cue) []string {
	var out []string
	for _, c := range cues {
		out = append(out, c.Text())
	}
	return out
}

func TestCues(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"sentences": {
			"Stop scrolling. This tiny gadget saves me two hours every single week, and nobody talks about it!",
			[]string{"Stop scrolling.", "This tiny gadget", "saves me two hours", "every single week,", "and nobody", "talks about it!"},
		},
		"abbreviations": {"Dr. Li knows.", []string{"Dr. Li knows."}},
		"Chinese":       {"今天天气很好。我们走吧。", []string{"今天天气很好。", "我们走吧。"}},
		"one word":      {"Hello", []string{"Hello"}},
		"nothing":       {"", nil},
		"a long word":   {"A " + strings.Repeat("x", 100) + " b", []string{"A", strings.Repeat("x", 100), "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			cues := subtitle.Cues(spoken(c.text))
			if d := cmp.Diff(c.want, texts(cues)); d != "" {
				t.Error(d)
			}
			for i, q := range cues {
				if q.To <= q.From || i > 0 && q.From < cues[i-1].To {
					t.Errorf("cue %d lasts from %d to %d", i, q.From, q.To)
				}
			}
		})
	}
}

// A pause separates cues, and a cue does not stay through a long one.
func TestCues_Pauses(t *testing.T) {
	cues := subtitle.Cues([]v1beta1.SpokenWord{
		{Text: "one", StartMilliseconds: 100, EndMilliseconds: 400},
		{Text: "two", StartMilliseconds: 1050, EndMilliseconds: 1300},
		{Text: "three", StartMilliseconds: 4000, EndMilliseconds: 4300},
	})
	want := [][2]int64{{100, 1050}, {1050, 2000}, {4000, 5000}}
	var got [][2]int64
	for _, c := range cues {
		got = append(got, [2]int64{c.From, c.To})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Words whose times descend or that have no length neither fail nor overlap anything.
func TestCues_InvalidTimes(t *testing.T) {
	cues := subtitle.Cues([]v1beta1.SpokenWord{
		{Text: "a.", StartMilliseconds: 500, EndMilliseconds: 100},
		{Text: " \n ", StartMilliseconds: 9000},
		{Text: "b.", StartMilliseconds: 200, EndMilliseconds: 300},
		{Text: "c\nd.", StartMilliseconds: 700, EndMilliseconds: 700},
	})
	for i, c := range cues {
		if c.To <= c.From || i > 0 && c.From < cues[i-1].To {
			t.Errorf("cue %d lasts from %d to %d", i, c.From, c.To)
		}
	}
}

func TestFormats(t *testing.T) {
	cues := []subtitle.Cue{
		{From: 0, To: 1500, Words: []v1beta1.SpokenWord{{Text: "<b>&amp;"}, {Text: "-->"}}},
		{From: 3_723_004, To: 3_724_000, Words: []v1beta1.SpokenWord{{Text: "two\n\nlines"}, {Text: "{\\an8}"}}},
	}
	vtt := "WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.500\n&lt;b&gt;&amp;amp; --&gt;\n\n2\n01:02:03.004 --> 01:02:04.000\ntwo lines {\\an8}\n"
	if d := cmp.Diff(vtt, string(subtitle.WebVTT(cues))); d != "" {
		t.Error(d)
	}
	srt := "1\r\n00:00:00,000 --> 00:00:01,500\r\n‹b›&amp; →\r\n\r\n2\r\n01:02:03,004 --> 01:02:04,000\r\ntwo lines (\\an8)\r\n\r\n"
	if d := cmp.Diff(srt, string(subtitle.SRT(cues))); d != "" {
		t.Error(d)
	}
	if got := string(subtitle.WebVTT(nil)); got != "WEBVTT\n" {
		t.Errorf("without cues: got %q", got)
	}
}

func engine(t *testing.T) *overlay.Engine {
	t.Helper()
	e, err := overlay.New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func drawSubtitles(t *testing.T, e *overlay.Engine, ratio string, s v1beta1.TextSettings, text string) (*subtitle.Drawn, catalog.AspectRatio) {
	t.Helper()
	r, ok := catalog.AspectRatioByValue(ratio)
	if !ok {
		t.Fatal(ratio)
	}
	d, err := subtitle.Draw(e, r, s, subtitle.Cues(spoken(text)))
	if err != nil {
		t.Fatal(err)
	}
	return d, r
}

func picture(t *testing.T, s subtitle.State) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(s.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != s.Width || b.Dy() != s.Height {
		t.Errorf("an image of %v is described as %d x %d", b, s.Width, s.Height)
	}
	return img
}

// In every script, each word has its state, states do not overlap, and all of them are in the safe zone.
func TestDraw(t *testing.T) {
	e := engine(t)
	for name, c := range map[string]struct {
		text string
		s    v1beta1.TextSettings
	}{
		"English":               {"Stop scrolling. This tiny gadget saves me two hours every single week!", v1beta1.TextSettings{}},
		"Arabic":                {"توقف عن التمرير! هذه الأداة الصغيرة توفر لي ساعتين", v1beta1.TextSettings{}},
		"Hebrew, mixed":         {"זה ה-gadget הכי טוב, באמת!", v1beta1.TextSettings{Align: "right"}},
		"Hindi":                 {"आप यह गलती रोज़ करते हैं। और किसी ने नहीं बताया!", v1beta1.TextSettings{}},
		"Japanese":              {"今日はとてもいい天気です。ラーメンを食べる！🍜", v1beta1.TextSettings{}},
		"Thai":                  {"สวัสดีครับ วันนี้อากาศดีมาก", v1beta1.TextSettings{}},
		"emoji":                 {"🔥 This is wild 👩🏽‍🚀 and <b>nobody</b> noticed ❤️", v1beta1.TextSettings{BackgroundColor: "#FFFFFF"}},
		"a long word":           {"Die Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung ist wahr", v1beta1.TextSettings{}},
		"in the corner":         {"Stop scrolling now please", v1beta1.TextSettings{Position: &v1beta1.Position{X: 100, Y: 100}, FontSize: 150}},
		"a card":                {"Stop scrolling now please", v1beta1.TextSettings{BackgroundColor: "#00000080", FontFamily: "Bebas Neue", Align: "left"}},
		"many marks":            {"e" + strings.Repeat("\u0301", 290) + " x", v1beta1.TextSettings{}},
		"no font has one":       {"a \U000E0041\uE000b \uFDD0c d", v1beta1.TextSettings{}},
		"of the maximum length": {strings.Repeat("x", 300), v1beta1.TextSettings{}},
	} {
		for _, ratio := range []string{"9:16", "4:5"} {
			t.Run(name+" "+ratio, func(t *testing.T) {
				d, r := drawSubtitles(t, e, ratio, c.s, c.text)
				if len(d.States) == 0 || len(d.States) > len(speech.Words(c.text)) {
					t.Fatalf("got %d states for %d words", len(d.States), len(speech.Words(c.text)))
				}
				z := r.SafeZone
				w, h := float64(r.Width)/100, float64(r.Height)/100
				const shadow = 16 // which may fall outside
				zone := image.Rect(int(z.Left*w)-shadow, int(z.Top*h)-shadow, int((100-z.Right)*w)+shadow, int((100-z.Bottom)*h)+shadow)
				for i, s := range d.States {
					if at := image.Rect(s.X, s.Y, s.X+s.Width, s.Y+s.Height); !at.In(zone) {
						t.Errorf("state %d is at %v, the safe zone is %v", i, at, zone)
					}
					if s.To <= s.From || i > 0 && s.From < d.States[i-1].To {
						t.Errorf("state %d is shown from %d to %d", i, s.From, s.To)
					}
					picture(t, s)
				}
			})
		}
	}
}

// Words stay where they appeared; only the newest has the accent.
func TestDraw_WordsAppear(t *testing.T) {
	d, _ := drawSubtitles(t, engine(t), "9:16", v1beta1.TextSettings{}, "one two three")
	if len(d.States) != 3 {
		t.Fatalf("got %d states", len(d.States))
	}
	yellow := func(c color.Color) bool {
		r, g, b, a := c.RGBA()
		return a == 0xffff && r > 0xe000 && g > 0xb000 && b < 0x4000
	}
	white := func(c color.Color) bool { r, g, b, a := c.RGBA(); return a == 0xffff && r&g&b > 0xf000 }
	count := func(s subtitle.State, is func(color.Color) bool) (n, left int) {
		img := picture(t, s)
		left = math.MaxInt
		for y := range s.Height {
			for x := range s.Width {
				if is(img.At(x, y)) {
					n, left = n+1, min(left, s.X+x)
				}
			}
		}
		return n, left
	}
	for i, s := range d.States {
		accent, at := count(s, yellow)
		plain, left := count(s, white)
		if accent < 500 || (i == 0) != (plain < 100) {
			t.Errorf("state %d has %d accented and %d plain pixels", i, accent, plain)
		}
		if i == 1 && left >= at {
			t.Errorf("the previous word begins at %d, right of the spoken one at %d", left, at)
		}
	}
	_, first := count(d.States[0], yellow)
	_, again := count(d.States[1], white)
	if first != again {
		t.Errorf("the first word moved from %d to %d", first, again)
	}
}

// Deviations from the settings are reported; changes of defaults are not.
func TestDraw_ReportsChangedSettings(t *testing.T) {
	e := engine(t)
	fields := func(s v1beta1.TextSettings, text string) map[string]string {
		d, _ := drawSubtitles(t, e, "9:16", s, text)
		out := map[string]string{}
		for _, c := range d.Changes {
			out[c.Field] = string(c.Reason)
		}
		return out
	}
	if got := fields(v1beta1.TextSettings{}, "مرحبا supercalifragilisticexpialidocious"); len(got) != 0 {
		t.Errorf("without settings: %v changed", got)
	}
	got := fields(v1beta1.TextSettings{
		FontFamily: "Comic Sans", FontSize: 400, Color: "#FFFF00", StrokeColor: "#FFFFFF", Position: &v1beta1.Position{X: 100, Y: 98},
	}, "Stop scrolling this tiny gadget")
	want := map[string]string{"fontFamily": "font_unsupported", "fontSize": "text_does_not_fit", "strokeColor": "low_contrast", "position": "outside_safe_zone"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := fields(v1beta1.TextSettings{Color: "#FFFFFF80", BackgroundColor: "#FFFFFF"}, "Stop"); got["color"] != "low_contrast" {
		t.Errorf("white on white: got %v", got)
	}
	if got := fields(v1beta1.TextSettings{Color: "reddish"}, "Stop"); got["color"] != "color_invalid" {
		t.Errorf("an invalid colour: got %v", got)
	}
}

// All cues have the same size and position: jumping words cannot be read.
func TestDraw_OneSizeAndPlace(t *testing.T) {
	d, r := drawSubtitles(t, engine(t), "9:16", v1beta1.TextSettings{FontSize: 120}, "Unbelievably extraordinary. Go. Stop scrolling now please.")
	for i, s := range d.States {
		// The last state of a cue shows the whole cue, around the middle.
		if i+1 < len(d.States) && d.States[i+1].Width > s.Width {
			continue
		}
		if middle := s.X + s.Width/2; i == 1 && max(middle-r.Width/2, r.Width/2-middle) > 12 {
			t.Errorf("state %d is centred at %d", i, middle)
		}
	}
}

func TestDraw_IsDeterministic(t *testing.T) {
	e := engine(t)
	a, _ := drawSubtitles(t, e, "9:16", v1beta1.TextSettings{}, "Stop 🔥 scrolling")
	b, _ := drawSubtitles(t, e, "9:16", v1beta1.TextSettings{}, "Stop 🔥 scrolling")
	if !cmp.Equal(a, b) {
		t.Error("two drawings differ")
	}
}

func TestFrames(t *testing.T) {
	if from, to := (subtitle.State{From: 34, To: 1000}).Frames(30); from != 1 || to != 30 {
		t.Errorf("got %d to %d", from, to)
	}
}
