// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"image"
	"image/color"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// bars returns a layer of opaque and half-covered bars whose sides are at multiples of 4 pixels, over a gradient that
// covers the lower half.
func bars(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := h / 2; y < h; y++ {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{A: uint8(200 * (y - h/2) / h)})
		}
	}
	for n := range 6 {
		c := color.NRGBA{250, 230, 20, 255}
		if n%2 == 1 {
			c = color.NRGBA{20, 20, 200, 150}
		}
		for y := 20 + 44*n; y < 44+44*n; y++ {
			for x := 12 + 8*n; x < w-20-4*n; x++ {
				img.SetNRGBA(x, y, c)
			}
		}
	}
	return img
}

// TestMoving_LooksAsDrawn compares every macroblock of a zoom with the drawn image, in both directions and around
// several focal points. An edge that moves with the background, or a background that stays, would differ by far more
// than coding does.
func TestMoving_LooksAsDrawn(t *testing.T) {
	needFFmpeg(t)
	for name, m := range map[string]timeline.Motion{
		"in":             {Kind: timeline.SlowZoom, From: 1, To: 1.2},
		"out":            {Kind: timeline.SlowZoom, From: 1.2, To: 1},
		"in, top left":   {Kind: timeline.SlowZoom, From: 1, To: 1.3, Focus: &timeline.Point{X: 0, Y: 0.1}},
		"out, low right": {Kind: timeline.SlowZoom, From: 1.3, To: 1, Focus: &timeline.Point{X: 1, Y: 0.9}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const w, h, frames = 180, 320, 40
			tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: w, Height: h}, FPS: 30, Clips: []timeline.Clip{{
				Background: timeline.Background{Input: "photo"}, Layer: &timeline.Layer{Input: "bars"}, Frames: frames, Motion: m,
				Spots: []timeline.Spot{{Layer: timeline.Layer{Input: "spot", X: 60, Y: 150}, From: 7, To: 29}},
			}}}
			paths := map[string]string{"photo": writePNG(t, photo(360, 640, 3)), "bars": writePNG(t, bars(w, h)), "spot": writePNG(t, bars(60, 40))}
			if anchors := looksAsDrawn(t, tl, paths); anchors > 6 {
				t.Errorf("%d of %d images are drawn as a whole", anchors, frames)
			}
		})
	}
}

// TestFade_LooksAsDrawn compares every macroblock of cross-fades between zooms and stills with the drawn image.
func TestFade_LooksAsDrawn(t *testing.T) {
	needFFmpeg(t)
	in := timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.2, Focus: &timeline.Point{X: 0.2, Y: 0.7}}
	out := timeline.Motion{Kind: timeline.SlowZoom, From: 1.3, To: 1}
	still := timeline.Motion{Kind: timeline.Still}
	for name, motions := range map[string][]timeline.Motion{
		"in, out": {in, out}, "out, in": {out, in}, "still, in, still": {still, in, still}, "stills": {still, still}, "short": {in, out, in, still},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const w, h, fade = 180, 320, 13
			tl := &timeline.Timeline{Version: 1, Canvas: timeline.Canvas{Width: w, Height: h}, FPS: 30}
			paths := map[string]string{"bars": writePNG(t, bars(w, h)), "spot": writePNG(t, bars(60, 40))}
			for n, m := range motions {
				photoOf, frames := fmt.Sprint("photo", n), 40
				paths[photoOf] = writePNG(t, photo(360, 640, uint32(3+n)))
				if name == "short" { // a single frame between two fades
					frames = fade + 1
				}
				c := timeline.Clip{Background: timeline.Background{Input: photoOf}, Frames: frames, Motion: m}
				if n+1 < len(motions) {
					c.Transition = timeline.Transition{Kind: timeline.Crossfade, Frames: fade}
				}
				if n%2 == 0 {
					c.Layer = &timeline.Layer{Input: "bars"}
				} else {
					c.Spots = []timeline.Spot{{Layer: timeline.Layer{Input: "spot", X: 60, Y: 150}, From: 0, To: frames}}
				}
				tl.Clips = append(tl.Clips, c)
			}
			if anchors := looksAsDrawn(t, tl, paths); anchors > 4*len(motions) {
				t.Errorf("%d of %d images are drawn as a whole", anchors, tl.Frames())
			}
		})
	}
}

// looksAsDrawn renders a video, compares every block of 8x8 samples with the drawn image, and returns how many images
// the encoder gets.
func looksAsDrawn(t *testing.T, tl *timeline.Timeline, paths map[string]string) (anchors int) {
	t.Helper()
	w, h := tl.Canvas.Width, tl.Canvas.Height
	out := filepath.Join(t.TempDir(), "film.mp4")
	if _, err := Film(t.Context(), tl, paths, out, Options{CRF: 16}); err != nil {
		t.Fatal(err)
	}
	raw, err := exec.Command("ffmpeg", "-v", "error", "-i", out, "-an", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-").Output()
	if err != nil || len(raw) != tl.Frames()*w*h*3/2 {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	worst := 0.0
	err = newScene(tl, tl.Shots(), paths, Options{}).drawAll(t.Context(), func(n int, f *frame, _ [][]byte) error {
		got := raw[n*len(f.pix) : (n+1)*len(f.pix)]
		for y := 0; y+8 <= h; y += 8 {
			for x := 0; x+8 <= w; x += 8 {
				sum := 0
				for i := range 64 {
					at := (y+i>>3)*w + x + i&7
					d := int(got[at]) - int(f.pix[at])
					sum += max(d, -d)
				}
				mean := float64(sum) / 64
				worst = max(worst, mean)
				if mean > 8 {
					return fmt.Errorf("frame %d, the block at %d, %d differs by %.1f on average", n, x, y, mean)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("the worst block differs by %.1f", worst)
	for _, s := range cut(tl, tl.Shots()) {
		anchors += len(s.shots)
	}
	return anchors
}

// TestCovering describes a plate and checks which macroblocks may show a displaced background.
func TestCovering(t *testing.T) {
	t.Parallel()
	plate := func(r image.Rectangle, a uint8) *layer {
		img := image.NewNRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = a
		}
		return newLayer(img, r.Min.X, r.Min.Y, 128, 128)
	}
	for name, tc := range map[string]struct {
		layer         *layer
		x, y, around  int
		opaque, rough bool
	}{
		"no layer":                      {nil, 32, 32, 1, false, false},
		"inside an opaque plate":        {plate(image.Rect(16, 16, 96, 96), 255), 32, 32, 0, true, false},
		"its corner":                    {plate(image.Rect(16, 16, 96, 96), 255), 16, 16, 0, true, false},
		"inside a half-covered one":     {plate(image.Rect(16, 16, 96, 96), 128), 32, 32, 0, false, false},
		"above, touching":               {plate(image.Rect(16, 16, 96, 96), 255), 32, 0, 0, false, true},
		"to the left, touching":         {plate(image.Rect(16, 16, 96, 96), 255), 0, 32, 0, false, true},
		"below, with the taps":          {plate(image.Rect(16, 16, 96, 96), 255), 32, 96, 1, false, true},
		"to the right, with the taps":   {plate(image.Rect(16, 16, 96, 96), 255), 96, 32, 1, false, true},
		"further below":                 {plate(image.Rect(16, 16, 96, 96), 255), 32, 104, 1, false, false},
		"a plate in the middle":         {plate(image.Rect(36, 36, 44, 44), 255), 32, 32, 0, false, true},
		"the whole picture, half":       {plate(image.Rect(0, 0, 128, 128), 128), 112, 112, 1, false, false},
		"the last rows of the picture":  {plate(image.Rect(0, 120, 128, 128), 255), 0, 112, 0, false, true},
		"in an opaque plate, displaced": {plate(image.Rect(16, 16, 96, 96), 255), 27, 30, 1, false, false},
	} {
		c := newCovering([]*layer{nil, tc.layer}, 128, 128)
		if tc.x%16 == 0 && tc.y%16 == 0 {
			if got := c.opaque(tc.x, tc.y); got != tc.opaque {
				t.Errorf("%s: opaque is %v", name, got)
			}
		}
		if got := c.rough(tc.x, tc.y, tc.around); got != tc.rough {
			t.Errorf("%s: rough is %v", name, got)
		}
	}
}
