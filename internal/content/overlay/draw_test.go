// SPDX-License-Identifier: Apache-2.0

package overlay_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

func TestDraw_InkIsInsideTheMeasuredBox(t *testing.T) {
	e := engine(t)
	for _, family := range catalog.OverlayFonts {
		for _, s := range []string{"Afjgy Qp!\nsecond (line)", "لنوم أفضل، ٣٠", "क्षि पाँच आदतें", "ดีขึ้น ที่นี่", "日本語。", "👩🏽‍🚀 ok"} {
			o := plain()
			o.Text, o.FontFamily, o.StrokeWidth, o.StrokeColor = s, family.Family, 6, "#FF0000"
			for _, align := range catalog.OverlayAlignments {
				o.Align = align
				box := e.Boxes(catalog.AspectRatios[0], []overlay.Overlay{o})[0].Inset(-1)
				o.BackgroundColor = ""
				layer := e.Draw(catalog.AspectRatios[0], overlay.Gradient{}, []overlay.Overlay{o})
				if out := solidOutside(layer, box); !out.Empty() {
					t.Errorf("%s %s %q: ink at %v is outside of the box %v", family.Family, align, s, out, box)
				}
			}
		}
	}
}

// solidOutside returns the number of pixels outside the box that are more than a shadow.
func solidOutside(img *image.NRGBA, box image.Rectangle) image.Rectangle {
	var out image.Rectangle
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			p := img.Pix[img.PixOffset(x, y):]
			if p[3] > 128 && int(p[0])+int(p[1])+int(p[2]) > 60 && !image.Pt(x, y).In(box) {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return out
}

func TestDraw_Colours(t *testing.T) {
	e := engine(t)
	o := plain()
	o.Text, o.FontSize, o.FontWeight = "I", 160, 900
	o.Color, o.StrokeColor, o.StrokeWidth = "#00FF00", "#FF0000", 12
	layer := e.Draw(catalog.AspectRatios[0], overlay.Gradient{}, []overlay.Overlay{o})
	box := e.Boxes(catalog.AspectRatios[0], []overlay.Overlay{o})[0]
	mid := image.Pt((box.Min.X+box.Max.X)/2, (box.Min.Y+box.Max.Y)/2)
	if got := layer.NRGBAAt(mid.X, mid.Y); got != (color.NRGBA{0, 255, 0, 255}) {
		t.Errorf("inside the letter: got %v", got)
	}
	if got := layer.NRGBAAt(box.Min.X+6, mid.Y); got != (color.NRGBA{255, 0, 0, 255}) {
		t.Errorf("in the stroke: got %v", got)
	}
	o.StrokeWidth, o.BackgroundColor = 0, "#0000FF"
	box = e.Boxes(catalog.AspectRatios[0], []overlay.Overlay{o})[0]
	layer = e.Draw(catalog.AspectRatios[0], overlay.Gradient{}, []overlay.Overlay{o})
	if got := layer.NRGBAAt(box.Min.X+10, mid.Y); got != (color.NRGBA{0, 0, 255, 255}) {
		t.Errorf("on the plate: got %v", got)
	}
	if got := layer.NRGBAAt(box.Min.X, box.Min.Y); got.A > 40 {
		t.Errorf("the corner of a plate is round, got %v", got)
	}
	o.BackgroundColor, o.Text, o.StrokeWidth = "", "❤️", 20
	layer = e.Draw(catalog.AspectRatios[0], overlay.Gradient{}, []overlay.Overlay{o})
	box = e.Boxes(catalog.AspectRatios[0], []overlay.Overlay{o})[0]
	got := layer.NRGBAAt((box.Min.X+box.Max.X)/2, (box.Min.Y+box.Max.Y)/2)
	if got.R < 180 || got.G > 110 || got.A != 255 {
		t.Errorf("on the heart: got %v", got)
	}
}

func TestDraw_GradientDirection(t *testing.T) {
	e := engine(t)
	r := catalog.AspectRatios[0]
	at := map[string]image.Point{"top": {540, 0}, "bottom": {540, 1919}, "left": {0, 960}, "right": {1079, 960}, "radial": {540, 960}, "full": {3, 3}}
	for _, d := range catalog.GradientDirections {
		layer := e.Draw(r, overlay.Gradient{Enabled: true, Color: "#102030", Opacity: 0.6, Direction: d, Coverage: 0.5}, nil)
		peak := layer.NRGBAAt(at[d].X, at[d].Y)
		if peak.A < 150 || peak.A > 154 || peak.R != 0x10 {
			t.Errorf("%s: got %v at the darkest side", d, peak)
		}
		if d == "full" {
			continue
		}
		far := image.Pt(r.Width-1-at[d].X, r.Height-1-at[d].Y)
		if d == "radial" {
			far = image.Pt(0, 0)
		}
		if got := layer.NRGBAAt(far.X, far.Y).A; got != 0 {
			t.Errorf("%s: got alpha %d on the other side", d, got)
		}
	}
}

func TestLayout_RightToLeftHeadingsAreOnTheRight(t *testing.T) {
	e := engine(t)
	style, _ := catalog.DesignStyleByID("poster_caps")
	r := catalog.AspectRatios[0]
	for _, o := range e.Layout(style, r, overlay.SlideText{Role: "hook", Heading: "مرحبا بالعالم"}, "ar") {
		box := e.Boxes(r, []overlay.Overlay{o})[0]
		if right := int(float64(r.Width) * (1 - r.SafeZone.Right/100)); box.Max.X < right-8 {
			t.Errorf("the block ends at %d, the safe zone at %d", box.Max.X, right)
		}
		if o.FontFamily != "Noto Sans Arabic" {
			t.Errorf("family %s", o.FontFamily)
		}
	}
}

func TestLayout_GeneratedSlidesNeedNoRepair(t *testing.T) {
	e := engine(t)
	for _, style := range catalog.DesignStyles {
		for _, ratio := range catalog.AspectRatios {
			for _, st := range []overlay.SlideText{
				{Role: "hook", Heading: "Go"},
				{Role: "point", Heading: strings.Repeat("Ninety letters of heading ", 3), Body: strings.Repeat("and a long body beneath ", 7), Index: 3},
				{Role: "point", Heading: "Donaudampfschifffahrtsgesellschaft", Index: 11},
				{Role: "call_to_action", Heading: "احفظ هذا المنشور", Body: "नमस्ते 日本 ไทย 👍🏽"},
			} {
				in := e.Layout(style, ratio, st, "en")
				s, err := e.Normalise(flat(color.Black), ratio, overlay.GradientOf(style), in, overlay.Generated)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range s.Changes {
					if c.Reason != overlay.ReasonLowContrast {
						t.Errorf("%s %s %.20q: %+v", style.ID, ratio.Value, st.Heading, c)
					}
				}
			}
		}
	}
}

func TestFonts_MissingFontNamesItsPackage(t *testing.T) {
	_, err := overlay.New(t.TempDir())
	var missing *overlay.MissingFonts
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "fonts-noto-color-emoji") || !strings.Contains(err.Error(), "fonts-inter") {
		t.Fatalf("got %v", err)
	}
}

func TestFonts_CatalogFontsHaveTheirWeights(t *testing.T) {
	e := engine(t)
	for _, f := range catalog.OverlayFonts {
		have := e.Weights(f.Family)
		for _, w := range f.Weights {
			found := false
			for _, h := range have {
				found = found || h == w
			}
			if !found {
				t.Errorf("%s: weight %d is in the catalog, installed are %v", f.Family, w, have)
			}
		}
	}
}

func TestDraw_Concurrently(t *testing.T) {
	e := engine(t)
	want := e.Draw(catalog.AspectRatios[1], overlay.DefaultGradient(), []overlay.Overlay{plain()})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got := e.Draw(catalog.AspectRatios[1], overlay.DefaultGradient(), []overlay.Overlay{plain()})
			if string(got.Pix) != string(want.Pix) {
				t.Error("concurrent drawings differ")
			}
		})
	}
	wg.Wait()
}

func TestContactSheet_ShowsEverySlide(t *testing.T) {
	red := flat(color.RGBA{255, 0, 0, 255})
	for n, columns := range map[int]int{1: 1, 3: 3, 5: 3, 7: 4, 12: 4} {
		sheet := overlay.ContactSheet(slicesOfImages(red, n))
		seen := 0
		for y := 24 + 100; y < sheet.Rect.Dy(); y += sheetStep {
			for x := 24 + 100; x < sheet.Rect.Dx(); x += 294 {
				if sheet.RGBAAt(x, y).R > 200 {
					seen++
				}
			}
		}
		if seen != n || sheet.Rect.Dx() != columns*294+24 {
			t.Errorf("%d slides: got %d on a sheet of width %d", n, seen, sheet.Rect.Dx())
		}
	}
}

// sheetStep is the distance of two rows of the sheet: the height of a 9:16 slide of 270 and the gap.
const sheetStep = 480 + 24

// TestCompose_DrawsTheWholeLayer compares an image with a layer over it with that of image/draw.
func TestCompose_DrawsTheWholeLayer(t *testing.T) {
	bg := image.NewUniform(color.RGBA{90, 160, 30, 255})
	half := color.NRGBA{200, 20, 255, 128}
	for name, visible := range map[string][]image.Rectangle{
		"nothing":      {},
		"everything":   {image.Rect(0, 0, 40, 30)},
		"one pixel":    {image.Rect(7, 3, 8, 4)},
		"both corners": {image.Rect(0, 0, 1, 1), image.Rect(39, 29, 40, 30)},
		"two in a row": {image.Rect(5, 9, 9, 12), image.Rect(30, 9, 33, 12)},
	} {
		layer := image.NewNRGBA(image.Rect(0, 0, 40, 30))
		for _, r := range visible {
			draw.Draw(layer, r, image.NewUniform(half), image.Point{}, draw.Src)
		}
		for _, part := range []image.Rectangle{layer.Rect, image.Rect(3, 2, 38, 29)} {
			t.Run(fmt.Sprint(name, part), func(t *testing.T) {
				part := layer.SubImage(part).(*image.NRGBA)
				want := image.NewRGBA(image.Rect(0, 0, part.Rect.Dx(), part.Rect.Dy()))
				draw.Draw(want, want.Rect, bg, image.Point{}, draw.Src)
				got := engine(t).Compose(want, part)
				draw.Draw(want, want.Rect, part, part.Rect.Min, draw.Over)
				if !bytes.Equal(got.Pix, want.Pix) {
					t.Error("the pixels differ")
				}
			})
		}
	}
}

func slicesOfImages(img image.Image, n int) []image.Image {
	out := make([]image.Image, n)
	for i := range out {
		out[i] = img
	}
	return out
}

func benchSlide() (catalog.DesignStyle, overlay.SlideText) {
	return catalog.DesignStyles[0], overlay.SlideText{
		Role: "point", Heading: "Drink water first ☕️💧",
		Body: "Before coffee, before your phone. A full glass wakes the body in about ten minutes and costs nothing.", Index: 1, Count: 7,
	}
}

func BenchmarkLayoutNormaliseDraw(b *testing.B) {
	e := engine(b)
	style, st := benchSlide()
	ratio := catalog.AspectRatios[0]
	bg := sand(ratio)
	for b.Loop() {
		s, err := e.Normalise(bg, ratio, overlay.GradientOf(style), e.Layout(style, ratio, st, "en"), overlay.Generated)
		if err != nil {
			b.Fatal(err)
		}
		e.Draw(ratio, s.Gradient, s.Overlays)
	}
}

func BenchmarkNormalise(b *testing.B) {
	e := engine(b)
	style, st := benchSlide()
	ratio := catalog.AspectRatios[0]
	bg := sand(ratio)
	in := e.Layout(style, ratio, st, "en")
	for b.Loop() {
		if _, err := e.Normalise(bg, ratio, overlay.GradientOf(style), in, overlay.Generated); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	e := engine(b)
	style, st := benchSlide()
	ratio := catalog.AspectRatios[0]
	in := e.Layout(style, ratio, st, "en")
	for b.Loop() {
		e.Draw(ratio, overlay.GradientOf(style), in)
	}
}

func BenchmarkContactSheet(b *testing.B) {
	slides := slicesOfImages(image.NewRGBA(image.Rect(0, 0, 1080, 1920)), 5)
	for b.Loop() {
		overlay.ContactSheet(slides)
	}
}

func BenchmarkCompose(b *testing.B) {
	e := engine(b)
	ratio := catalog.AspectRatios[0]
	bg, layer := sand(ratio), e.Draw(ratio, overlay.DefaultGradient(), []overlay.Overlay{plain()})
	for b.Loop() {
		e.Compose(bg, layer)
	}
}
