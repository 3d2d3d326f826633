// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"image"
	"math"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/filmwords"
	"github.com/reelops/reelops/internal/film/timeline"
)

// Geometry of an avatar that is shown picture in picture.
const (
	// insetShape is the ratio of its height to its width: portrait format.
	insetShape = 4.0 / 3
	// insetRadius is the radius of its corners as a share of its width.
	insetRadius = 0.11
	// insetGap is the minimum distance to texts, in pixels on a canvas 1080 pixels wide.
	insetGap = 24.0
)

// insetShares are the allowed widths as shares of the canvas width. The first one that fits is used.
var insetShares = []float64{0.34, 0.28, 0.22}

// shownBefore returns the areas of the canvas in which texts start to be shown before end, in milliseconds.
func shownBefore(words *filmwords.Document, end int64) []image.Rectangle {
	var out []image.Rectangle
	if words == nil {
		return nil
	}
	for _, w := range words.Spots {
		if w.FromMilliseconds < end {
			out = append(out, image.Rect(w.X, w.Y, w.X+w.Width, w.Y+w.Height))
		}
	}
	return out
}

// insetBox returns the area of the avatar. It is in the safe zone of the ratio and clear of the texts, at the left or
// right edge, as large and as low as possible. If no width fits, it has the smallest width and is in the lower left
// corner.
func insetBox(ratio catalog.AspectRatio, texts []image.Rectangle) image.Rectangle {
	w, h, zone := float64(ratio.Width), float64(ratio.Height), ratio.SafeZone
	safe := image.Rect(
		evenUp(w*zone.Left/100), evenUp(h*zone.Top/100), even(w*(100-zone.Right)/100), even(h*(100-zone.Bottom)/100),
	)
	gap := even(insetGap * w / catalog.OverlayCanvasWidth)
	var box image.Rectangle
	for _, share := range insetShares {
		size := image.Pt(even(share*w), even(share*w*insetShape))
		left, leftFree := lowest(safe, safe.Min.X, size, texts, gap)
		right, rightFree := lowest(safe, safe.Max.X-size.X, size, texts, gap)
		switch {
		case leftFree && (!rightFree || left.Min.Y >= right.Min.Y):
			return left
		case rightFree:
			return right
		}
		box = image.Rectangle{Min: image.Pt(safe.Min.X, safe.Max.Y-size.Y), Max: image.Pt(safe.Min.X+size.X, safe.Max.Y)}
	}
	return box
}

// lowest returns the lowest area of a size at a column of the safe zone that is clear of the texts; false when there is
// none.
func lowest(safe image.Rectangle, x int, size image.Point, texts []image.Rectangle, gap int) (image.Rectangle, bool) {
	box := image.Rectangle{Max: size}.Add(image.Pt(x, safe.Max.Y-size.Y))
	for moved := true; moved; {
		moved = false
		for _, t := range texts {
			if t = t.Inset(-gap); !t.Empty() && t.Overlaps(box) {
				box = box.Add(image.Pt(0, even(float64(t.Min.Y))-box.Max.Y))
				moved = true
			}
		}
	}
	return box, box.Min.Y >= safe.Min.Y
}

// even and evenUp round to an even number of pixels, because colour is stored at half resolution.
func even(n float64) int   { return int(math.Floor(n/2)) * 2 }
func evenUp(n float64) int { return int(math.Ceil(n/2)) * 2 }

// insetOf returns the avatar inset in its area. Shown covers the whole time of the avatar; the method show splits it
// into clips.
func insetOf(c *v1beta1.VideoClip, footage timeline.Footage, box image.Rectangle) *timeline.Inset {
	return &timeline.Inset{
		Footage: footage, X: box.Min.X, Y: box.Min.Y, Width: box.Dx(), Height: box.Dy(),
		Radius: int(insetRadius * float64(box.Dx())), Shown: frames(millis(c.DurationMilliseconds)),
	}
}

// show puts the avatar over the clips from the beginning of the film. The avatar's own sound becomes a voice of the
// film, so that the cuts of the clips below do not interrupt it.
func (f *film) show(avatar timeline.Inset) {
	if avatar.Sound {
		f.Timeline.Audio.Voices = append(f.Timeline.Audio.Voices, timeline.Voice{Input: avatar.Input, ContentType: avatar.ContentType})
		avatar.Sound = false
	}
	left, at := avatar.Shown, 0 // at is the position in the footage at which the next clip continues
	for i := range f.Timeline.Clips {
		clip, inset := &f.Timeline.Clips[i], avatar
		if short := frames(holdAtMost); i > 0 && (left <= short || !avatar.Loop && avatar.Frames-at <= short) {
			return // end the avatar at this cut: in the next clip it would only flash, or freeze
		}
		inset.Shown = min(left, clip.Frames)
		if avatar.Loop {
			// Footage that would restart in the middle of the clip restarts at the beginning of the clip instead, where
			// a cut is anyway.
			if at+inset.Shown > avatar.Frames {
				at = 0
			}
			inset.Loop = inset.Shown > avatar.Frames
		}
		inset.Start, inset.Frames = avatar.Start+at, avatar.Frames-at
		clip.Inset = &inset
		left -= inset.Shown
		if at += inset.Shown; avatar.Loop {
			at %= avatar.Frames
		}
	}
}
