// SPDX-License-Identifier: Apache-2.0

package subtitle_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/film/subtitle"
)

// labels draws a text and a button.
func labels(t *testing.T, e *overlay.Engine, ratio string, s v1beta1.TextSettings, text, button string, words image.Rectangle) (p []subtitle.Picture, changes map[string]string) {
	t.Helper()
	r, _ := catalog.AspectRatioByValue(ratio)
	p, list, err := subtitle.DrawLabels(e, r, s, []subtitle.Label{{Text: text}, {Text: button, Button: true}}, words)
	if err != nil {
		t.Fatal(err)
	}
	changes = map[string]string{}
	for _, c := range list {
		changes[c.Field] = string(c.Reason)
	}
	return p, changes
}

// safe is the safe zone of a ratio.
func safe(ratio string) image.Rectangle {
	r, _ := catalog.AspectRatioByValue(ratio)
	w, h, z := float64(r.Width)/100, float64(r.Height)/100, r.SafeZone
	return image.Rect(int(z.Left*w), int(z.Top*h), int((100-z.Right)*w)+1, int((100-z.Bottom)*h)+1)
}

// colourAt returns the colour of a point of a label, in fractions of its size.
func colourAt(t *testing.T, p subtitle.Picture, x, y float64) color.NRGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBAModel.Convert(img.At(int(x*float64(p.Width)), int(y*float64(p.Height)))).(color.NRGBA)
}

func TestDrawLabels_KeepToTheSafeZoneAndApart(t *testing.T) {
	const shadow = 12 // which may fall outside
	e := engine(t)
	words := map[string]image.Rectangle{
		"9:16": image.Rect(200, 460, 880, 700), "4:5": image.Rect(200, 300, 880, 520),
	}
	for name, c := range map[string]struct{ text, button string }{
		"English":               {"Import your bank statement", "Try it free"},
		"of the maximum length": {strings.Repeat("a long text ", 16) + "and more", strings.Repeat("call now ", 7)[:60]},
		"one word":              {strings.Repeat("x", 200), strings.Repeat("x", 60)},
		"Arabic":                {"استيراد كشف حسابك في ثوان", "جرّبه مجانًا"},
		"Hebrew, mixed":         {"זה ה-app הכי טוב", "נסו בחינם"},
		"Chinese":               {strings.Repeat("导入您的银行对账单，", 20), "立即免费试用"},
		"lines":                 {"Before\nAfter", "Buy\nnow"},
		"emoji":                 {"🔥 Wow 👩🏽‍🚀", "👉"},
	} {
		for ratio, spoken := range words {
			for _, w := range []image.Rectangle{{}, spoken} {
				p, _ := labels(t, e, ratio, v1beta1.TextSettings{}, c.text, c.button, w)
				zone := safe(ratio)
				for i, l := range p {
					if len(l.PNG) == 0 || !l.Bounds().In(image.Rect(zone.Min.X-shadow, zone.Min.Y, zone.Max.X+shadow, zone.Max.Y)) {
						t.Errorf("%s, %s, words at %v: label %d is at %v, the safe zone is %v", name, ratio, w, i, l.Bounds(), zone)
					}
					if l.Bounds().Overlaps(w) {
						t.Errorf("%s, %s: label %d at %v overlaps the words at %v", name, ratio, i, l.Bounds(), w)
					}
				}
				if p[0].Bounds().Overlaps(p[1].Bounds()) || p[0].Y > p[1].Y {
					t.Errorf("%s, %s: the text is at %v and the button at %v", name, ratio, p[0].Bounds(), p[1].Bounds())
				}
				if p[1].Bounds().Max.Y < zone.Max.Y-2 {
					t.Errorf("%s, %s: the button at %v is not at the end of %v", name, ratio, p[1].Bounds(), zone)
				}
			}
		}
	}
}

func TestDrawLabels_UseTheColoursOfTheSubtitles(t *testing.T) {
	e := engine(t)
	white, yellow, purple := color.NRGBA{255, 255, 255, 255}, color.NRGBA{255, 0xD6, 0x0A, 255}, color.NRGBA{0x7C, 0x3A, 0xED, 255}
	black := color.NRGBA{A: 255} // the outline of letters without a plate
	green := color.NRGBA{0x39, 0xFF, 0x14, 255}
	for why, c := range map[string]struct {
		s            v1beta1.TextSettings
		text, button color.NRGBA
	}{
		"no style":             {v1beta1.TextSettings{}, white, yellow},
		"a plate":              {v1beta1.TextSettings{BackgroundColor: "#7C3AED"}, purple, purple},
		"a colour":             {v1beta1.TextSettings{Color: "#39FF14"}, black, green},
		"an unknown colour":    {v1beta1.TextSettings{Color: "reddish"}, black, yellow},
		"a plate and a colour": {v1beta1.TextSettings{Color: "#39FF14", BackgroundColor: "#7C3AED"}, purple, purple},
	} {
		p, _ := labels(t, e, "9:16", c.s, "IIII", "Try", image.Rectangle{})
		if got := colourAt(t, p[0], 0.5, 0.18); got != c.text {
			t.Errorf("%s: the edge of the text is %v", why, got)
		}
		if got := colourAt(t, p[1], 0.15, 0.45); got != c.button {
			t.Errorf("%s: the edge of the button is %v", why, got)
		}
	}
}

func TestDrawLabels_ReportChangedSettings(t *testing.T) {
	e := engine(t)
	if _, got := labels(t, e, "9:16", v1beta1.TextSettings{}, strings.Repeat("long ", 40), "مرحبا", image.Rectangle{}); len(got) != 0 {
		t.Errorf("without settings: %v changed", got)
	}
	_, got := labels(t, e, "9:16", v1beta1.TextSettings{FontFamily: "Comic Sans", Color: "#808080", BackgroundColor: "#7F7F7F"}, "a \U000E0041\uE000b", "Buy", image.Rectangle{})
	want := map[string]string{"fontFamily": "font_unsupported", "color": "low_contrast", "text": "glyphs_missing"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestDrawLabels_NothingToDraw(t *testing.T) {
	p, _ := labels(t, engine(t), "9:16", v1beta1.TextSettings{}, " \n ", "\uE000", image.Rectangle{})
	for i, l := range p {
		if len(l.PNG) > 0 {
			t.Errorf("label %d is drawn at %v", i, l.Bounds())
		}
	}
}
