// SPDX-License-Identifier: Apache-2.0

package overlay_test

import (
	"errors"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

func flat(c color.Color) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, 108, 192))
	for i := range 108 * 192 {
		img.Set(i%108, i/108, c)
	}
	return img
}

var noShade = overlay.Gradient{Color: "#000000", Direction: "bottom", Opacity: 0.5, Coverage: 0.5}

// plain is an overlay that needs no repair on black.
func plain() overlay.Overlay {
	return overlay.Overlay{
		Text: "Hello there", FontFamily: "Inter", FontWeight: 700, FontSize: 64, Color: "#FFFFFF", StrokeColor: "#000000",
		Position: overlay.Position{X: 45, Y: 40}, Align: "center", MaxWidth: 60, LineHeight: 1.2,
	}
}

func normalise(t testing.TB, bg image.Image, g overlay.Gradient, in ...overlay.Overlay) overlay.Slide {
	t.Helper()
	s, err := engine(t).Normalise(bg, catalog.AspectRatios[0], g, in, overlay.Submitted)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNormalise_ReportsEveryRepair(t *testing.T) {
	type change struct {
		field  string
		reason overlay.Reason
	}
	cases := map[string]struct {
		why  string
		bg   color.Color
		edit func(*overlay.Overlay)
		want []change
	}{
		"nothing":       {"a valid overlay is unchanged", color.Black, func(*overlay.Overlay) {}, nil},
		"short colour":  {"the same colour in another notation is no change", color.Black, func(o *overlay.Overlay) { o.Color = "#fff" }, nil},
		"colour name":   {"the same colour by its name is no change", color.Black, func(o *overlay.Overlay) { o.Color = "white" }, nil},
		"alpha one":     {"full alpha is the same colour", color.Black, func(o *overlay.Overlay) { o.Color = "#FFFFFFFF" }, nil},
		"fractions":     {"fractions are another notation of percent", color.Black, func(o *overlay.Overlay) { o.Position = overlay.Position{X: .45, Y: .4} }, nil},
		"defaults":      {"defaults may be omitted", color.Black, func(o *overlay.Overlay) { *o = overlay.Overlay{Text: "Hi", Position: o.Position} }, nil},
		"colour word":   {"not every word is a colour", color.Black, func(o *overlay.Overlay) { o.Color = "reddish" }, []change{}},
		"stroke colour": {"five digits are no colour", color.Black, func(o *overlay.Overlay) { o.StrokeColor = "#12345" }, []change{{"strokeColor", overlay.ReasonColorInvalid}}},
		"too small":     {"below the minimum size", color.Black, func(o *overlay.Overlay) { o.FontSize = 10 }, []change{{"fontSize", overlay.ReasonSizeOutOfRange}}},
		"too large": {
			"above the maximum size", color.Black, func(o *overlay.Overlay) { o.FontSize, o.Text = 400, "Hi" },
			[]change{{"fontSize", overlay.ReasonSizeOutOfRange}},
		},
		"does not fit": {
			"a long text at the maximum size cannot fit", color.Black,
			func(o *overlay.Overlay) { o.FontSize, o.Text = 160, strings.Repeat("Reading well matters. ", 20) },
			[]change{{"fontSize", overlay.ReasonTextDoesNotFit}, {"position", overlay.ReasonOutsideSafeZone}},
		},
		"outside": {
			"the apps' buttons cover the right edge", color.Black, func(o *overlay.Overlay) { o.Position.X = 95 },
			[]change{{"position", overlay.ReasonOutsideSafeZone}},
		},
		"beyond": {
			"positions above 100 are clamped first", color.Black, func(o *overlay.Overlay) { o.Position = overlay.Position{X: 4000, Y: -20} },
			[]change{{"position", overlay.ReasonOutsideSafeZone}},
		},
		"unknown font": {
			"the family does not exist", color.Black, func(o *overlay.Overlay) { o.FontFamily = "Comic Sans MS" },
			[]change{{"fontFamily", overlay.ReasonFontUnsupported}},
		},
		"font lacks letters": {
			"Bebas Neue has no Arabic letters", color.Black,
			func(o *overlay.Overlay) { o.FontFamily, o.FontWeight, o.Text = "Bebas Neue", 400, "مرحبا" },
			[]change{{"fontFamily", overlay.ReasonFontUnsupported}},
		},
		"odd weight": {
			"Inter has no weight of 950", color.Black, func(o *overlay.Overlay) { o.FontWeight = 950 },
			[]change{{"fontWeight", overlay.ReasonFontUnsupported}},
		},
		"no glyph": {
			"no font has a rune of the private use area", color.Black, func(o *overlay.Overlay) { o.Text = "Hi \U000F0000there" },
			[]change{{"text", overlay.ReasonGlyphsMissing}},
		},
		"white on white": {
			"an outline of the letters comes first", color.White, func(*overlay.Overlay) {},
			[]change{{"strokeWidth", overlay.ReasonLowContrast}},
		},
		"black on black": {
			"dark letters get a bright outline", color.Black, func(o *overlay.Overlay) { o.Color = "#000000" },
			[]change{{"strokeColor", overlay.ReasonLowContrast}, {"strokeWidth", overlay.ReasonLowContrast}},
		},
		"plate": {
			"on a solid plate the letters change", color.Black, func(o *overlay.Overlay) { o.BackgroundColor = "#EEEEEE" },
			[]change{{"color", overlay.ReasonLowContrast}},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := plain()
			c.edit(&o)
			s := normalise(t, flat(c.bg), noShade, o)
			var got []change
			for _, ch := range s.Changes {
				got = append(got, change{ch.Field, ch.Reason})
			}
			if name == "colour word" {
				// The replacement colour happens to be readable on black.
				if len(got) != 1 || got[0] != (change{"color", overlay.ReasonColorInvalid}) || s.Changes[0].From != "reddish" {
					t.Fatalf("%s: got %+v", c.why, s.Changes)
				}
				return
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(change{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
		})
	}
}

func TestNormalise_RejectsOnlyWhatCannotBeRepaired(t *testing.T) {
	e := engine(t)
	ratio := catalog.AspectRatios[0]
	long := plain()
	long.Text = strings.Repeat("é", catalog.MaxOverlayCharacters+1)
	full := plain()
	full.Text = strings.Repeat("é", catalog.MaxOverlayCharacters)
	cases := map[string]struct {
		in     []overlay.Overlay
		origin overlay.Origin
		field  string // code of the error, empty for none
	}{
		"501 characters":          {[]overlay.Overlay{plain(), long}, overlay.Submitted, "textOverlays[1].text"},
		"501 generated":           {[]overlay.Overlay{long}, overlay.Generated, "textOverlays[0].text"},
		"500 two-byte characters": {[]overlay.Overlay{full}, overlay.Submitted, ""},
		"nine submitted":          {slicesOf(plain(), 9), overlay.Submitted, "textOverlays"},
		"nine generated":          {slicesOf(plain(), 9), overlay.Generated, ""},
		"invalid UTF-8":           {[]overlay.Overlay{{Text: "a\xff"}}, overlay.Submitted, "textOverlays[0].text"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := e.Normalise(flat(color.Black), ratio, noShade, c.in, c.origin)
			var refused *overlay.Invalid
			if c.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				if len(c.in) == 9 && (len(s.Overlays) != 8 || s.Changes[len(s.Changes)-1].Reason != overlay.ReasonTooManyOverlays) {
					t.Fatalf("the ninth should be dropped and reported, got %d overlays and %+v", len(s.Overlays), s.Changes)
				}
				return
			}
			if !errors.As(err, &refused) || refused.Field != c.field {
				t.Fatalf("want the error %s, got %v", c.field, err)
			}
		})
	}
}

func slicesOf(o overlay.Overlay, n int) []overlay.Overlay {
	out := make([]overlay.Overlay, n)
	for i := range out {
		out[i] = o
	}
	return out
}

func TestNormalise_SeparatesOverlappingBlocks(t *testing.T) {
	a, b, c := plain(), plain(), plain()
	a.Text, b.Text, c.Text = "First line here", "Second line here", "Third line here"
	b.Position.Y, c.Position.Y = 41, 42
	e := engine(t)
	ratio := catalog.AspectRatios[0]
	s := normalise(t, flat(color.Black), noShade, a, b, c)
	boxes := e.Boxes(ratio, s.Overlays)
	for i := 1; i < len(boxes); i++ {
		if boxes[i].Min.Y < boxes[i-1].Max.Y {
			t.Errorf("block %d begins at %d, above the end of the previous one (%d)", i, boxes[i].Min.Y, boxes[i-1].Max.Y)
		}
	}
	if len(s.Changes) == 0 || s.Changes[0].Reason != overlay.ReasonOverlap {
		t.Errorf("want the moves reported as overlap, got %+v", s.Changes)
	}
}

func TestNormalise_TruncatesAtAWord(t *testing.T) {
	o := plain()
	o.Text = strings.Repeat("many\nlines\n", 45)
	s := normalise(t, flat(color.Black), noShade, o)
	got := s.Overlays[0]
	if got.FontSize != catalog.OverlayFontSizeFitMin || !strings.HasSuffix(got.Text, "…") {
		t.Fatalf("want size %v and an ellipsis, got %v and %q", catalog.OverlayFontSizeFitMin, got.FontSize, got.Text)
	}
	last := strings.TrimSuffix(got.Text[strings.LastIndexByte(got.Text, '\n')+1:], "…")
	if last != "many" && last != "lines" {
		t.Errorf("cut inside a word: %q", last)
	}
}

// random returns an overlay with arbitrary valid and invalid values.
func random(r *rand.Rand) overlay.Overlay {
	texts := []string{
		"Hello", "5 things nobody tells you about sourdough", "مرحبا بالعالم 2024", "שלום 123 עולם", "नमस्ते दुनिया", "สวัสดีชาวโลกทุกคน", "日本語のテキスト、です。",
		"👩🏽‍🚀 to the 🌕", "", " \n ", "https://example.com/a/very/long/path/that/never/ends/and/goes/on?with=query&and=more", "a\u200bb\u202ec",
		strings.Repeat("word ", 90), strings.Repeat("x", 480), strings.Repeat("字", 300), "line\nline\n\nline", "e\u0301 \U000F0001 ﷽",
	}
	colors := []string{"", "#fff", "#000", "#808080", "#ff000080", "nope", "#7777", "#12345678"}
	sizes := []float64{0, -4, 10, 18, 24, 40.5, 64, 100, 160, 900}
	pick := func(v []string) string { return v[r.IntN(len(v))] }
	return overlay.Overlay{
		Text: pick(texts), FontFamily: pick([]string{"", "Inter", "Bebas Neue", "Papyrus", "Noto Sans Thai"}), FontWeight: r.IntN(1200) - 100,
		FontSize: sizes[r.IntN(len(sizes))], Color: pick(colors), StrokeColor: pick(colors), StrokeWidth: float64(r.IntN(40) - 5),
		BackgroundColor: pick(append(colors, "", "", "")), Position: overlay.Position{X: float64(r.IntN(130) - 10), Y: r.Float64() * 110},
		Align: pick([]string{"", "left", "right", "center", "justify"}), MaxWidth: float64(r.IntN(120)), LineHeight: r.Float64() * 3,
	}
}

func TestNormalise_IsIdempotent(t *testing.T) {
	e := engine(t)
	rounds := 120
	if testing.Short() {
		rounds = 20
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		ratio := catalog.AspectRatios[r.IntN(2)]
		bg := []image.Image{flat(color.White), flat(color.Black), flat(color.Gray{120}), stripes()}[r.IntN(4)]
		g := overlay.Gradient{
			Enabled: r.IntN(2) == 0, Color: "#000", Opacity: r.Float64() * 3, Coverage: r.Float64() * 1.5,
			Direction: append([]string{"", "up"}, catalog.GradientDirections...)[r.IntN(8)],
		}
		var in []overlay.Overlay
		for range 1 + r.IntN(5) {
			in = append(in, random(r))
		}
		once, err := e.Normalise(bg, ratio, g, in, overlay.Submitted)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := e.Normalise(bg, ratio, once.Gradient, once.Overlays, overlay.Submitted)
		if err != nil {
			t.Fatal(err)
		}
		if len(twice.Changes) > 0 {
			t.Errorf("seed %d: the second run changed %+v", seed, twice.Changes)
		}
		if diff := cmp.Diff(once.Overlays, twice.Overlays); diff != "" {
			t.Errorf("seed %d (-once +twice):\n%s", seed, diff)
		}
		safe := safeRect(ratio)
		for i, b := range e.Boxes(ratio, once.Overlays) {
			if !b.Empty() && !b.In(safe) {
				t.Errorf("seed %d: block %d at %v is outside of %v", seed, i, b, safe)
			}
		}
	}
}

// safeRect returns the safe zone, a pixel larger for rounding.
func safeRect(r catalog.AspectRatio) image.Rectangle {
	w, h := float64(r.Width), float64(r.Height)
	z := r.SafeZone
	return image.Rect(int(w*z.Left/100), int(h*z.Top/100), int(w*(100-z.Right)/100), int(h*(100-z.Bottom)/100)).Inset(-2)
}

func stripes() image.Image {
	img := image.NewGray(image.Rect(0, 0, 270, 480))
	for i := range img.Pix {
		if i%270/9%2 == 0 {
			img.Pix[i] = 255
		}
	}
	return img
}
