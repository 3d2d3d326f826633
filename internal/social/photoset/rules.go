// SPDX-License-Identifier: Apache-2.0

package photoset

import (
	"image"
	"math"

	"github.com/reelops/reelops/internal/catalog"
)

// rule is what a platform takes of a picture.
type rule struct {
	// minWidth and maxWidth of a canvas; used where there are ratios.
	minWidth, maxWidth int
	// minRatio and maxRatio are width by height; 0 where every shape is taken.
	minRatio, maxRatio float64
	// short and long bound the sides, pixels both together; 0 where they do not.
	short, long, pixels int
	// bytes of the file.
	bytes int
}

var rules = map[string]rule{
	catalog.Instagram: {minWidth: 320, maxWidth: 1440, minRatio: 4.0 / 5, maxRatio: 1.91, bytes: 8 << 20},
	// 1080p, lying or standing.
	catalog.TikTok: {short: 1080, long: 1920, bytes: 20 << 20},
	// The limit of pixels is reported by many; of bytes none is known, and five million pass everywhere.
	catalog.LinkedIn: {pixels: 36_152_319, bytes: 5_000_000},
}

// shaped says that the platform takes some shapes alone, and the pictures of one set all in the same.
func (r rule) shaped() bool { return r.minRatio > 0 }

// fit is the size of a picture scaled down to what the sides and pixels may be.
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

// canvas is the one size for all pictures of a set: of the first one's shape where that is taken, else of the nearest that is, and as
// large as the largest picture needs, if it may.
func (r rule) canvas(sizes []image.Point) image.Point {
	ratio := math.Min(math.Max(float64(sizes[0].X)/float64(sizes[0].Y), r.minRatio), r.maxRatio)
	width := 0.0
	for _, s := range sizes {
		width = math.Max(width, math.Max(float64(s.X), float64(s.Y)*ratio))
	}
	w := min(max(int(math.Ceil(width-1e-6)), r.minWidth), r.maxWidth)
	// Whole pixels must not leave the range.
	low, high := int(math.Ceil(float64(w)/r.maxRatio-1e-6)), int(math.Floor(float64(w)/r.minRatio+1e-6))
	return image.Pt(w, min(max(int(math.Round(float64(w)/ratio)), low), high))
}

// within is where a picture of a size lies on a canvas: as large as it can be, in the middle.
func within(canvas, size image.Point) image.Rectangle {
	k := math.Min(float64(canvas.X)/float64(size.X), float64(canvas.Y)/float64(size.Y))
	w, h := int(math.Round(float64(size.X)*k)), int(math.Round(float64(size.Y)*k))
	// A pixel's breadth of blur along an edge would look like a mistake.
	if canvas.X-w <= 2 {
		w = canvas.X
	}
	if canvas.Y-h <= 2 {
		h = canvas.Y
	}
	at := image.Pt((canvas.X-w)/2, (canvas.Y-h)/2)
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
}
