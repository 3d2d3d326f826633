// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/catalog"
)

// MaxFootageFrames is the last frame of a file that footage may show, in frames of the video: the length of the longest
// clip that may be uploaded, at the highest frame rate.
const MaxFootageFrames = int(catalog.MaxClipDuration/time.Second) * MaxFPS

// moving checks the footage of a clip. It reports a background or a motion beside the footage, which only a still image
// has.
func (v *validation) moving(c *Clip, at string) {
	v.footage(c.Footage, at+".footage")
	switch c.Footage.Fit {
	case "", Cover, Contain, FitAuto:
	default:
		v.add(at+".footage.fit", "The fit must be %s, %s or %s, not %q.", Cover, Contain, FitAuto, clip(string(c.Footage.Fit)))
	}
	if c.Background.Input != "" || c.Background.Focus != nil {
		v.add(at+".background", "A clip has either a background or footage.")
	}
	if c.Motion.Kind != "" && c.Motion.Kind != Still {
		v.add(at+".motion.kind", "Footage moves by itself; the motion must be %s, not %q.", Still, clip(string(c.Motion.Kind)))
	}
}

// footage checks the fields that the footage of a clip and an inset have in common.
func (v *validation) footage(f *Footage, at string) {
	v.key(at+".input", f.Input)
	v.contentType(at+".content_type", f.ContentType)
	if f.Frames < 1 || f.Frames > MaxFootageFrames {
		v.add(at+".frames", "Footage lasts 1 to %d frames, not %d.", MaxFootageFrames, f.Frames)
	} else if limit := MaxFootageFrames - f.Frames; f.Start < 0 || f.Start > limit {
		v.add(at+".start", "Footage of %d frames starts 0 to %d frames into its file, not %d.", f.Frames, limit, f.Start)
	}
	v.point(at+".focus", f.Focus)
}

func (v *validation) contentType(at, contentType string) {
	if !slices.Contains(catalog.VideoContentTypes, contentType) {
		v.add(at, "The content type must be one of %s, not %q.", strings.Join(catalog.VideoContentTypes, ", "), clip(contentType))
	}
}

// inset checks an inset, and that it is within the canvas and within the time of its clip.
func (v *validation) inset(t *Timeline, c *Clip, at string) {
	n := c.Inset
	v.footage(&n.Footage, at)
	if n.Fit != "" && n.Fit != Cover {
		v.add(at+".fit", "An inset covers its rectangle; the fit must be %s, not %q.", Cover, clip(string(n.Fit)))
	}
	if n.Sound {
		v.add(at+".sound", "The sound of an inset is not played; add a voice of the same file instead.")
	}
	if n.Width < MinSide || n.Height < MinSide || n.Width%2 != 0 || n.Height%2 != 0 {
		v.add(at, "The sides of an inset must be even numbers of at least %d pixels, not %d by %d.", MinSide, n.Width, n.Height)
	} else {
		v.place(t.Canvas, n, at)
	}
	if n.Shown < 1 || n.Shown > c.Frames {
		v.add(at+".shown", "An inset is shown for 1 to the %d frames of its clip, not %d.", c.Frames, n.Shown)
	}
}

// place checks the position of an inset of a valid size, and its corners.
func (v *validation) place(canvas Canvas, n *Inset, at string) {
	right, low := canvas.Width-n.Width, canvas.Height-n.Height
	if n.X < 0 || n.Y < 0 || n.X > right || n.Y > low || n.X%2 != 0 || n.Y%2 != 0 {
		v.add(at, "The inset must lie inside the canvas at even numbers of pixels, not with %d by %d pixels at %d, %d.", n.Width, n.Height, n.X, n.Y)
	}
	if limit := min(n.Width, n.Height) / 2; n.Radius < 0 || n.Radius > limit {
		v.add(at+".radius", "The radius of the corners must be 0 to %d pixels, half the shorter side, not %d.", limit, n.Radius)
	}
}
