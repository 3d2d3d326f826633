// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/reelops/reelops/internal/timeline"
)

// workers is how many goroutines draw. Since Go reads the limits of a container, so does this number.
func workers() int { return max(runtime.GOMAXPROCS(0), 1) }

// scene draws the shots of a timeline. A clip's pictures are decoded when they are first needed and dropped after the last
// frame that shows them, so a long film needs no more memory than a short one.
type scene struct {
	tl    *timeline.Timeline
	paths map[string]string
	mu    sync.Mutex
	clips []*scenery
	last  []int // for each clip, the index of the last shot that shows it
}

// scenery is one prepared clip: a finished still, or a background to be sampled and a layer on top.
type scenery struct {
	once  sync.Once
	err   error
	still *frame
	zoom  *zoom
	layer *layer
}

// newScene prepares to draw shots in their order. paths are the files of the inputs by key.
func newScene(tl *timeline.Timeline, shots []timeline.Shot, paths map[string]string) *scene {
	s := &scene{tl: tl, paths: paths, clips: make([]*scenery, len(tl.Clips)), last: make([]int, len(tl.Clips))}
	for i := range s.clips {
		s.clips[i] = &scenery{}
	}
	for i, shot := range shots {
		s.last[shot.A.Clip] = i
		if shot.Mix > 0 {
			s.last[shot.B.Clip] = i
		}
	}
	return s
}

// brush is what one drawing goroutine reuses from frame to frame.
type brush struct {
	zoom  zoomScratch
	other *frame
}

// draw writes one shot into a frame.
func (s *scene) draw(dst *frame, shot timeline.Shot, b *brush) error {
	if err := s.view(dst, shot.A, b); err != nil || shot.Mix <= 0 {
		return err
	}
	if b.other == nil {
		b.other = newFrame(dst.w, dst.h)
	}
	if err := s.view(b.other, shot.B, b); err != nil {
		return err
	}
	mix(dst.pix, dst.pix, b.other.pix, uint32(shot.Mix*256+0.5))
	return nil
}

func (s *scene) view(dst *frame, v timeline.View, b *brush) error {
	c, err := s.clip(v.Clip)
	if err != nil {
		return err
	}
	if c.still != nil {
		copy(dst.pix, c.still.pix)
		return nil
	}
	c.zoom.draw(dst, v.Progress, &b.zoom)
	c.layer.over(dst)
	return nil
}

// clip gives a prepared clip, preparing it on first use.
func (s *scene) clip(i int) (*scenery, error) {
	s.mu.Lock()
	c := s.clips[i]
	s.mu.Unlock()
	if c == nil {
		return nil, fmt.Errorf("clip %d was asked for after its last frame", i)
	}
	c.once.Do(func() { c.err = s.prepare(c, i) })
	return c, c.err
}

// forget drops the clips whose last shot lies before the given one.
func (s *scene) forget(before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, last := range s.last {
		if last < before {
			s.clips[i] = nil
		}
	}
}

func (s *scene) prepare(c *scenery, i int) error {
	clip := &s.tl.Clips[i]
	w, h := s.tl.Canvas.Width, s.tl.Canvas.Height
	picture, err := decodePicture(s.paths[clip.Background.Input])
	if err != nil {
		return unusable(clip.Background.Input, err)
	}
	if clip.Layer != nil {
		text, err := decodePicture(s.paths[clip.Layer.Input])
		if err != nil {
			return unusable(clip.Layer.Input, err)
		}
		if b := text.Bounds(); clip.Layer.X+b.Dx() > w || clip.Layer.Y+b.Dy() > h {
			return badInput(clip.Layer.Input, nil, "The layer is %d by %d pixels and does not fit the %d by %d canvas at %d, %d.",
				b.Dx(), b.Dy(), w, h, clip.Layer.X, clip.Layer.Y)
		}
		c.layer = newLayer(text, clip.Layer.X, clip.Layer.Y, w, h)
	}
	focus := timeline.Centre
	if clip.Background.Focus != nil {
		focus = *clip.Background.Focus
	}
	b := picture.Bounds()
	part := cover(b.Dx(), b.Dy(), w, h, focus.X, focus.Y)
	src := sourcePlanes(opaque(picture))
	if m := clip.Motion; m.Kind == timeline.SlowZoom && (m.From != m.To) {
		c.zoom = newZoom(src, part, w, h, m)
		return nil
	}
	if m := clip.Motion; m.Kind == timeline.SlowZoom { // a zoom that does not move is a closer view of a still
		part = closer(part, m)
	}
	c.still = fit(src, part, w, h)
	c.layer.over(c.still)
	c.layer = nil
	return nil
}

// closer is the part of a window that a zoom of one scale shows.
func closer(p window, m timeline.Motion) window {
	focus := timeline.Centre
	if m.Focus != nil {
		focus = *m.Focus
	}
	w, h := p.w/m.From, p.h/m.From
	return window{p.x + focus.X*(p.w-w), p.y + focus.Y*(p.h-h), w, h}
}

func unusable(key string, err error) error {
	var p *pictureError
	if errors.As(err, &p) {
		return badInput(key, p.err, "%s", p.sentence)
	}
	return fmt.Errorf("opening input %s: %w", key, err)
}
