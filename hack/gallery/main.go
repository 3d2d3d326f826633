// SPDX-License-Identifier: Apache-2.0

// Command gallery draws every design style with several texts on every canvas, on dark, bright and busy backgrounds of
// the starter set. It writes one small JPEG per style. The slides are laid out, normalized and drawn like those of
// slideshows.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/overlay"
)

const (
	tile    = 180 // pixels wide
	gap     = 12
	quality = 78
)

// sample is one slide of the gallery.
type sample struct {
	background string
	language   string
	text       overlay.SlideText
}

var samples = []sample{
	{"starter-mountain_mist-01", "en", overlay.SlideText{Role: "hook", Heading: "5 morning habits that changed my life", Count: 6}},
	{"starter-soft_clouds-02", "en", overlay.SlideText{Role: "point", Heading: "Drink water first 💧", Body: "Before coffee, before your phone: one full glass.", Index: 1, Count: 6}},
	{"starter-botanical-01", "en", overlay.SlideText{
		Role: "point", Heading: "Measure what you want to change before you try to change it", Index: 2, Count: 6,
		Body: "Write it on paper, in a note, anywhere. The act of noticing does half of the work, and a bad week stops being a mystery.",
	}},
	{"starter-city_dusk-01", "ja", overlay.SlideText{Role: "point", Heading: "毎朝コップ一杯の水", Body: "体がゆっくりと目を覚まします。", Index: 3, Count: 6}},
	{"starter-marble_ink-01", "ar", overlay.SlideText{Role: "point", Heading: "خمس نصائح لنوم أفضل", Body: "أطفئ الشاشة قبل 30 دقيقة من النوم.", Index: 4, Count: 6}},
	{"starter-ocean_waves-01", "en", overlay.SlideText{Role: "call_to_action", Heading: "Save this for Monday 🔖", Body: "Follow for more", Index: 5, Count: 6}},
}

func main() {
	out := flag.String("out", "../docs/gallery", "the `folder` to write to; the default is right in the folder hack")
	flag.Parse()
	if err := run(context.Background(), *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) error {
	engine, err := overlay.New()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	grounds := map[string]*image.RGBA{}
	for _, style := range catalog.DesignStyles {
		var rows [][]image.Image
		for _, ratio := range catalog.AspectRatios {
			var row []image.Image
			for _, s := range samples {
				key := s.background + ratio.Value
				if grounds[key] == nil {
					p, ok := starter.ByID(s.background)
					if !ok {
						return fmt.Errorf("there is no background %s", s.background)
					}
					if grounds[key], err = starter.Draw(ctx, p, ratio.Width, ratio.Height); err != nil {
						return err
					}
				}
				slide, err := engine.Normalise(grounds[key], ratio, overlay.GradientOf(style), engine.Layout(style, ratio, s.text, s.language), overlay.Generated)
				if err != nil {
					return err
				}
				for _, c := range slide.Changes {
					fmt.Printf("%s %s %.30q: %s %v -> %v (%s)\n", style.ID, ratio.Value, s.text.Heading, c.Field, c.From, c.To, c.Reason)
				}
				whole := engine.Compose(grounds[key], engine.Draw(ratio, slide.Gradient, slide.Overlays))
				row = append(row, overlay.Thumbnail(whole, tile))
			}
			rows = append(rows, row)
		}
		if err := write(filepath.Join(dir, style.ID+".jpg"), sheet(rows)); err != nil {
			return err
		}
	}
	return nil
}

// sheet arranges rows of images in one image, one row below the other.
func sheet(rows [][]image.Image) image.Image {
	height := gap
	for _, row := range rows {
		height += row[0].Bounds().Dy() + gap
	}
	dst := image.NewRGBA(image.Rect(0, 0, gap+len(samples)*(tile+gap), height))
	draw.Draw(dst, dst.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	y := gap
	for _, row := range rows {
		for i, p := range row {
			draw.Draw(dst, p.Bounds().Add(image.Pt(gap+i*(tile+gap), y)), p, image.Point{}, draw.Src)
		}
		y += row[0].Bounds().Dy() + gap
	}
	return dst
}

func write(path string, p image.Image) error {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: quality}); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
