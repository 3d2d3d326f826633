// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"image"
	"image/png"
	"path/filepath"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/film/timeline"
)

// mode is one way of showing the slides.
type mode struct {
	name string
	// zoom is the largest scale of the slides; 1 means that they do not move. Every second slide of an alternating mode
	// zooms out, the others zoom in.
	zoom      float64
	alternate bool
	fade      int  // frames of a cross-fade; 0 means cuts
	captioned bool // with captions and music
	// crf is the constant rate factor of the single ffmpeg command.
	crf string
}

// The modes with drawn plates as texts.
var (
	still = mode{name: "still", zoom: 1, crf: "26"}
	fade  = mode{name: "fade", zoom: 1, fade: 9, captioned: true, crf: "21"}
	zoom  = mode{name: "zoom", zoom: 1.12, fade: 9, crf: "24"}
)

// rates are the constant rate factors of the single ffmpeg command by style, with which its film is at least as similar
// to the reference as the renderer's. For neon_pop, none is.
var rates = map[string]string{
	"bold_center": "20.5", "caption_plate": "24", "poster_caps": "26.5", "editorial_serif": "24",
	"soft_card": "23", "neon_pop": "18", "numbered_slab": "21", "script_note": "25",
}

// styled returns the modes of the design styles, as users get them.
func styled() (all []mode) {
	for _, s := range catalog.DesignStyles {
		all = append(all, mode{name: s.ID, zoom: s.Film.Zoom, alternate: true, fade: timeline.FramesOf(s.Film.Fade), crf: rates[s.ID]})
	}
	return all
}

// scales returns the scale of a slide's background at its beginning and at its end.
func (m mode) scales(slide int) (from, to float64) {
	if m.alternate && slide%2 == 1 {
		return m.zoom, 1
	}
	return 1, m.zoom
}

func photoFile(n int) string { return fmt.Sprintf("photo-%d.jpg", n) }

func captionFile(n, k int) string { return fmt.Sprintf("caption-%d-%d.png", n, k) }

// layerFile is the text layer of a slide.
func (m mode) layerFile(n int) string {
	if m.alternate {
		return fmt.Sprintf("%s-%d.png", m.name, n)
	}
	return fmt.Sprintf("text-%d.png", n)
}

// texts are those of the slides in the design styles.
var texts = [slides]overlay.SlideText{
	{Role: "hook", Heading: "5 morning habits that changed my life"},
	{Role: "point", Heading: "Drink water first", Body: "Before coffee, before your phone: one full glass."},
	{Role: "point", Heading: "Measure what you want to change", Body: "Write it on paper, in a note, anywhere. A bad week stops being a mystery."},
	{Role: "point", Heading: "Open the window", Body: "Ten breaths of cold air wake you up faster than a screen."},
	{Role: "point", Heading: "Leave the phone in the kitchen", Body: "The first hour belongs to you."},
	{Role: "point", Heading: "Walk for ten minutes", Body: "No podcast, no plan. The best ideas arrive on the way back."},
	{Role: "point", Heading: "Decide on one thing", Body: "If only one thing gets done today, which one makes the day good?"},
	{Role: "call_to_action", Heading: "Save this for Monday", Body: "Follow for more"},
}

// drawStyle writes the text layers of a design style.
func drawStyle(dir string, m mode) error {
	engine, err := overlay.New()
	if err != nil {
		return err
	}
	style, _ := catalog.DesignStyleByID(m.name)
	ratio, _ := catalog.AspectRatioByValue("9:16")
	for n, text := range texts {
		text.Index, text.Count = n, slides
		slide, err := engine.Normalise(drawPhoto(n), ratio, overlay.GradientOf(style), engine.Layout(style, ratio, text, "en"), overlay.Generated)
		if err != nil {
			return err
		}
		layer := engine.Draw(ratio, slide.Gradient, slide.Overlays)
		if err := create(filepath.Join(dir, m.layerFile(n)), func(w *bufio.Writer) error { return png.Encode(w, layer) }); err != nil {
			return err
		}
	}
	return nil
}

// inked returns the part of an image that is not transparent, with even coordinates.
func inked(img image.Image) image.Rectangle {
	b := img.Bounds()
	r := image.Rectangle{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if _, _, _, a := img.At(x, y).RGBA(); a > 0 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	even := func(v int) int { return v &^ 1 }
	return image.Rect(even(r.Min.X), even(r.Min.Y), even(r.Max.X+1), even(r.Max.Y+1))
}
