// SPDX-License-Identifier: Apache-2.0

package photoset

import (
	"image"
	"math"

	"github.com/reelops/reelops/internal/catalog"
)

// rule is a platform's limits on an image.
type rule struct {
	// minWidth and maxWidth of a canvas; used only with aspect ratios.
	minWidth, maxWidth int
	// minRatio and maxRatio are width divided by height; 0 when every aspect ratio is accepted.
	minRatio, maxRatio float64
	// short and long are the limits on the sides, pixels that on their product; 0 means no limit.
	short, long, pixels int
	// bytes is the maximum size of the file.
	bytes int
}

var rules = map[string]rule{
	catalog.Instagram: {minWidth: 320, maxWidth: 1440, minRatio: 4.0 / 5, maxRatio: 1.91, bytes: 8 << 20},
	// 1080p, landscape or portrait.
	catalog.TikTok: {short: 1080, long: 1920, bytes: 20 << 20},
	// The pixel limit is reported by many users. No byte limit is known; five million bytes are accepted everywhere.
	catalog.LinkedIn: {pixels: 36_152_319, bytes: 5_000_000},
}

// shaped reports whether the platform limits the aspect ratio, and requires the same one for all images of a set.
func (r rule) shaped() bool { return r.minRatio > 0 }

// fit returns the size of an image, scaled down to the limits on sides and pixels.
func (r rule) fit(size image.Point) image.Point {
	k := 1.0
	if r.short > 0 {
		k = min(k, float64(r.short)/float64(min(size.X, size.Y)), float64(r.long)/float64(max(size.X, size.Y)))
	}
	if r.pixels > 0 {
		k = min(k, math.Sqrt(float64(r.pixels)/float64(size.X)/float64(size.Y)))
	}
	if k == 1 {
		return size
	}
	return image.Pt(max(1, int(float64(size.X)*k)), max(1, int(float64(size.Y)*k)))
}

// canvas returns the common size of all images of a set. It has the aspect ratio of the first image, or the nearest
// accepted one. It is as large as the largest image needs, within the limits.
func (r rule) canvas(sizes []image.Point) image.Point {
	ratio := math.Min(math.Max(float64(sizes[0].X)/float64(sizes[0].Y), r.minRatio), r.maxRatio)
	width := 0.0
	for _, s := range sizes {
		width = math.Max(width, math.Max(float64(s.X), float64(s.Y)*ratio))
	}
	w := min(max(int(math.Ceil(width-1e-6)), r.minWidth), r.maxWidth)
	// Rounding to whole pixels must not leave the accepted range.
	low, high := int(math.Ceil(float64(w)/r.maxRatio-1e-6)), int(math.Floor(float64(w)/r.minRatio+1e-6))
	return image.Pt(w, min(max(int(math.Round(float64(w)/ratio)), low), high))
}

// within returns the largest centered rectangle on a canvas for an image of the given size.
func within(canvas, size image.Point) image.Rectangle {
	k := math.Min(float64(canvas.X)/float64(size.X), float64(canvas.Y)/float64(size.Y))
	w, h := int(math.Round(float64(size.X)*k)), int(math.Round(float64(size.Y)*k))
	// A blurred edge of one pixel would look like a mistake.
	if canvas.X-w <= 2 {
		w = canvas.X
	}
	if canvas.Y-h <= 2 {
		h = canvas.Y
	}
	at := image.Pt((canvas.X-w)/2, (canvas.Y-h)/2)
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
}
