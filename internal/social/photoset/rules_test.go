// SPDX-License-Identifier: Apache-2.0

package photoset

import (
	"image"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
)

func TestFit(t *testing.T) {
	for name, c := range map[string]struct {
		platform   string
		size, want image.Point
	}{
		"linkedin accepts less than 36,152,320 pixels": {catalog.LinkedIn, image.Pt(6100, 6000), image.Pt(6062, 5963)},
		"linkedin accepts long images":                 {catalog.LinkedIn, image.Pt(9000, 1000), image.Pt(9000, 1000)},
		"tiktok accepts 1080p in portrait":             {catalog.TikTok, image.Pt(1440, 1920), image.Pt(1080, 1440)},
		"tiktok accepts 1080p in landscape":            {catalog.TikTok, image.Pt(3840, 2160), image.Pt(1920, 1080)},
		"small images are not enlarged":                {catalog.TikTok, image.Pt(10, 20), image.Pt(10, 20)},
		"an image of one pixel height stays one":       {catalog.TikTok, image.Pt(1, 30000), image.Pt(1, 1920)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rules[c.platform].fit(c.size); got != c.want {
				t.Errorf("%v: got %v, want %v", c.size, got, c.want)
			}
		})
	}
}

// Rounding to whole pixels must not move a canvas out of the range that Instagram accepts.
func TestCanvasStaysInRange(t *testing.T) {
	r := rules[catalog.Instagram]
	for w := 1; w < 2500; w += 7 {
		for h := 1; h < 2500; h += 11 {
			c := r.canvas([]image.Point{{w, h}})
			ratio := float64(c.X) / float64(c.Y)
			if c.X < 320 || c.X > 1440 || ratio < 0.8-1e-9 || ratio > 1.91+1e-9 {
				t.Fatalf("%dx%d: got a canvas of %v", w, h, c)
			}
			if in := within(c, image.Pt(w, h)); !in.In(image.Rectangle{Max: c}) || in.Empty() && min(w, h) > 3 {
				t.Fatalf("%dx%d is placed at %v of %v", w, h, in, c)
			}
		}
	}
}
