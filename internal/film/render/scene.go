// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/reelops/reelops/internal/film/timeline"
)

// workers returns how many goroutines draw. GOMAXPROCS respects the CPU limit of a container.
func workers() int { return max(runtime.GOMAXPROCS(0), 1) }

// scene draws the shots of a timeline. The inputs of a clip are decoded when they are first needed and dropped after
// the last frame that shows the clip. So a long video needs no more memory than a short one.
type scene struct {
	tl    *timeline.Timeline
	shots []timeline.Shot
	// written are the images that follow each shot; movedQP is the quantization parameter of their residuals.
	written []written
	movedQP int
	paths   map[string]string
	mu      sync.Mutex
	clips   []*preparedClip
	last    []int // for each clip, the index of the last shot that shows it
	films   *projector
	// decoding holds a token for each image that is being decoded and prepared. It bounds memory: a clip has several
	// images.
	decoding chan struct{}
}

// preparedClip is one prepared clip: a finished still, a background to sample or a reel of footage, and the parts above
// it: the inset, the layer, the spots.
type preparedClip struct {
	once  sync.Once
	err   error
	still *frame
	zoom  *zoom
	reel  *reel
	inset *inset
	layer *layer
	spots *timedLayers
	// coverings are those of the layer and the spots.
	coverings coverings
}

// newScene returns a scene that draws shots in their order. paths are the files of the inputs by key. Footage is
// decoded only between begin and end.
func newScene(tl *timeline.Timeline, shots []timeline.Shot, paths map[string]string, o Options) *scene {
	s := &scene{
		tl: tl, shots: shots, paths: paths, clips: make([]*preparedClip, len(tl.Clips)), last: make([]int, len(tl.Clips)),
		films: newProjector(tl, paths, o), decoding: make(chan struct{}, workers()),
	}
	for i := range s.clips {
		s.clips[i] = &preparedClip{}
		if f := tl.Clips[i].Footage; f != nil {
			s.clips[i].reel = s.films.reel(i, *f, tl.Canvas)
		}
		if n := tl.Clips[i].Inset; n != nil {
			s.clips[i].inset = &inset{reel: s.films.reel(i, n.Footage, timeline.Canvas{Width: n.Width, Height: n.Height})}
		}
		if len(tl.Clips[i].Spots) > 0 {
			s.clips[i].spots = newTimedLayers(tl.Clips[i].Spots)
		}
	}
	for i, shot := range shots {
		s.seen(i, shot.A)
		if shot.Mix > 0 {
			s.seen(i, shot.B)
		}
	}
	return s
}

// follow adds the images that are written after each shot.
func (s *scene) follow(all []written, qp int) {
	s.written, s.movedQP = all, qp
	for i := range all {
		if len(all[i].fade) > 0 {
			s.seen(i, all[i].next.A)
		}
	}
}

// seen records that shot i shows a clip.
func (s *scene) seen(i int, v timeline.View) {
	s.last[v.Clip] = max(s.last[v.Clip], i)
	c := s.clips[v.Clip]
	if c.reel != nil {
		c.reel.expect(i)
	}
	if v.Inset > 0 {
		c.inset.reel.expect(i)
	}
	if c.spots != nil {
		c.spots.expect(i, s.tl.Clips[v.Clip].ShownSpots(v))
	}
}

// begin makes footage available until end or until the context ends, which also ends every wait for a frame.
func (s *scene) begin(ctx context.Context) { s.films.begin(ctx) }

// end stops all decoders.
func (s *scene) end() { s.films.end() }

// brush holds the buffers that one drawing goroutine reuses for every frame.
type brush struct {
	zoom  zoomScratch
	mover mover
	other *frame
}

// draw writes shot n into a frame. Every shot that shows footage must be drawn exactly once, because later shots wait
// for it.
func (s *scene) draw(dst *frame, n int, b *brush) error {
	shot := s.shots[n]
	if err := s.view(dst, n, shot.A, b); err != nil || shot.Mix <= 0 {
		return err
	}
	if b.other == nil {
		b.other = newFrame(dst.w, dst.h)
	}
	if err := s.view(b.other, n, shot.B, b); err != nil {
		return err
	}
	mix(dst.pix, dst.pix, b.other.pix, uint32(shot.Mix*256+0.5))
	return nil
}

// view writes one clip as shown in shot n.
func (s *scene) view(dst *frame, n int, v timeline.View, b *brush) error {
	c, err := s.clip(v.Clip)
	if err != nil {
		return err
	}
	switch {
	case c.reel != nil:
		if err := c.reel.show(n, v.Frame, func(f *frame) { copy(dst.pix, f.pix) }); err != nil {
			return err
		}
	case c.still != nil:
		copy(dst.pix, c.still.pix)
	default:
		c.zoom.draw(dst, v.Progress, &b.zoom)
	}
	if v.Inset > 0 {
		if err := c.inset.over(dst, n, v.Inset-1); err != nil {
			return err
		}
	}
	c.layer.over(dst)
	for _, k := range s.tl.Clips[v.Clip].ShownSpots(v) {
		l, err := c.spots.layer(k, s.layer)
		if err != nil {
			return err
		}
		l.over(dst)
	}
	return nil
}

// clip returns a prepared clip. It prepares the clip on first use.
func (s *scene) clip(i int) (*preparedClip, error) {
	s.mu.Lock()
	c := s.clips[i]
	s.mu.Unlock()
	if c == nil {
		return nil, fmt.Errorf("clip %d was asked for after its last frame", i)
	}
	c.once.Do(func() { c.err = s.prepare(c, i) })
	return c, c.err
}

// forget drops the inputs that no shot from the given one on shows.
func (s *scene) forget(before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.clips {
		switch {
		case c == nil:
		case s.last[i] < before:
			s.clips[i] = nil
			s.films.finish(i)
		case c.spots != nil:
			c.spots.forget(before)
		}
	}
}

// prepare reads the layer and the background of a clip at the same time.
func (s *scene) prepare(c *preparedClip, i int) error {
	clip := &s.tl.Clips[i]
	var layered errgroup.Group
	if clip.Layer != nil {
		layered.Go(func() (err error) {
			c.layer, err = s.layer(clip.Layer)
			return err
		})
	}
	if clip.Inset != nil {
		c.inset.prepare(clip.Inset, s.tl.Canvas)
	}
	var err error
	if c.reel == nil {
		err = s.background(c, clip)
	}
	if layerErr := layered.Wait(); layerErr != nil {
		return layerErr
	}
	if c.still != nil && c.inset == nil { // an inset is drawn between the background and the layer
		c.layer.over(c.still)
		c.layer = nil
	}
	return err
}

// background reads and prepares the image behind the other parts of a clip.
func (s *scene) background(c *preparedClip, clip *timeline.Clip) error {
	s.decoding <- struct{}{}
	defer func() { <-s.decoding }()
	w, h := s.tl.Canvas.Width, s.tl.Canvas.Height
	picture, err := decodePicture(s.paths[clip.Background.Input])
	if err != nil {
		return unusable(clip.Background.Input, err)
	}
	focus := timeline.Centre
	if clip.Background.Focus != nil {
		focus = *clip.Background.Focus
	}
	b := picture.Bounds()
	part := cover(b.Dx(), b.Dy(), w, h, focus.X, focus.Y)
	src := sourcePlanes(picture)
	m := clip.Motion
	if m.Kind == timeline.SlowZoom && m.From != m.To {
		c.zoom = newZoom(src, part, w, h, m)
		return nil
	}
	if m.Kind == timeline.SlowZoom { // a zoom without a change of scale is a closer view of a still
		part = closer(part, m)
	}
	c.still = fit(src, part, w, h)
	return nil
}

// layer reads and prepares an image that is drawn over others.
func (s *scene) layer(l *timeline.Layer) (*layer, error) {
	s.decoding <- struct{}{}
	defer func() { <-s.decoding }()
	w, h := s.tl.Canvas.Width, s.tl.Canvas.Height
	picture, err := decodePicture(s.paths[l.Input])
	if err != nil {
		return nil, unusable(l.Input, err)
	}
	if b := picture.Bounds(); l.X+b.Dx() > w || l.Y+b.Dy() > h {
		return nil, badInput(l.Input, nil, "The layer is %d by %d pixels and does not fit the %d by %d canvas at %d, %d.",
			b.Dx(), b.Dy(), w, h, l.X, l.Y)
	}
	return newLayer(picture, l.X, l.Y, w, h), nil
}

// closer returns the part of a window that a zoom at a fixed scale shows.
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
