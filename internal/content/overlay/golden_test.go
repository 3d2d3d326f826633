// SPDX-License-Identifier: Apache-2.0

package overlay_test

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// TestGoldenLines compares slides whose lines are easily broken in wrong places with small images of them.
func TestGoldenLines(t *testing.T) {
	const (
		width     = 216 // pixels
		tolerance = 2.0 // mean difference of a channel: the same lines with another build of a font
	)
	e := engine(t)
	for name, c := range map[string]struct {
		language string
		text     overlay.SlideText
	}{
		"en-units": {"en", overlay.SlideText{
			Role: "point", Index: 1,
			Heading: "Steam the milk for 2-3 min",
			Body:    "Keep the heat medium-low, and stop at 65 °C.",
		}},
		"en-names":     {"en", overlay.SlideText{Role: "point", Index: 1, Heading: "“The best app I ever had.”", Body: "- Priya N."}},
		"en-compounds": {"en", overlay.SlideText{Role: "hook", Heading: "GDPR-compliant storage for state-of-the-art teams"}},
		"de": {"de", overlay.SlideText{
			Role: "point", Index: 1,
			Heading: "DSGVO-konform bis zum 5. März",
			Body:    "Spare 30 % in 2-3 Tagen – ganz ohne Aufwand.",
		}},
		"fr": {"fr", overlay.SlideText{Role: "hook", Heading: "Prêt pour la suite ? « Oui ! »"}},
		"ja": {"ja", overlay.SlideText{Role: "hook", Heading: "忙しい人のための朝活"}},
		"ja-body": {"ja", overlay.SlideText{
			Role: "point", Index: 1,
			Heading: "毎朝の習慣を変える5つの方法",
			Body:    "あとで見返せるように保存してください。",
		}},
		"zh": {"zh", overlay.SlideText{
			Role: "point", Index: 1,
			Heading: "改变人生的七个早晨习惯",
			Body:    "每天早上喝一杯水，身体更健康。",
		}},
		"ko": {"ko", overlay.SlideText{
			Role: "point", Index: 1,
			Heading: "아침을 바꾸는 습관 5가지",
			Body:    "커피를 마시기 전에 물 한 잔을 먼저 마셔 보세요.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			ratio, style := catalog.AspectRatios[0], catalog.DesignStyles[0]
			bg := night(ratio)
			in := e.Layout(style, ratio, c.text, c.language)
			s, err := e.Normalise(bg, ratio, overlay.GradientOf(style), in, overlay.Generated)
			if err != nil {
				t.Fatal(err)
			}
			got := overlay.Thumbnail(e.Compose(bg, e.Draw(ratio, s.Gradient, s.Overlays)), width)
			file := filepath.Join("testdata", "lines", name+".png")
			if *update {
				var b bytes.Buffer
				if err := png.Encode(&b, got); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			doc, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(doc))
			if err != nil {
				t.Fatal(err)
			}
			if d := difference(got, want); d > tolerance {
				t.Errorf("%s: got difference %.1f, want at most %.1f; update with -update", file, d, tolerance)
			}
		})
	}
}

// difference returns the mean difference of two images in a channel, 0 to 255; 255 if their sizes differ.
func difference(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 255
	}
	sum, n := 0.0, 0.0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			for _, d := range []int{int(ar>>8) - int(br>>8), int(ag>>8) - int(bg>>8), int(ab>>8) - int(bb>>8)} {
				sum += float64(max(d, -d))
				n++
			}
		}
	}
	return sum / n
}
