// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"

	"github.com/reelops/reelops/internal/film/render/h264"
	"github.com/reelops/reelops/internal/film/timeline"
)

// The images of a zoom are known displacements of each other, and the images of a cross-fade are known mixtures of such
// displacements. So only few images, the anchors, are drawn as a whole and given to the encoder. The others are written
// as displacements of the anchor before them, or as mixtures with the anchor after them. They have residuals where an
// image that does not move covers the background, or where the zoom shows more of the background than the anchor.
const (
	// maxMoved is how many images follow an anchor. With more, anchors are fewer, but the vectors take more bytes.
	maxMoved = 15
	// movedQP is the quantization parameter of residuals relative to the constant quality.
	movedQP = 2
	// acceptable is the sum of the differences of a macroblock's luma samples up to which it has no residual: 1.5 on
	// average.
	acceptable = 256 * 3 / 2
)

// written are the images that the renderer writes itself after an image of the encoder and its repetitions.
type written struct {
	// moved are displacements of the image.
	moved []timeline.Shot
	// fade are mixtures of its displacements with those of next, the first image of the next segment.
	fade []timeline.Shot
	next timeline.Shot
}

func (w *written) count() int { return len(w.moved) + len(w.fade) }

// movable reports whether a view shows a background and layers only.
func movable(tl *timeline.Timeline, v timeline.View) bool {
	c := &tl.Clips[v.Clip]
	return c.Footage == nil && c.Inset == nil
}

// displaces reports whether a view can be a displacement of another one.
func displaces(tl *timeline.Timeline, anchor, v timeline.View) bool {
	return anchor.Clip == v.Clip && anchor.Spots == v.Spots && movable(tl, v)
}

// movesAfter reports whether an image can be written as a displacement of an anchor.
func movesAfter(tl *timeline.Timeline, anchor, s timeline.Shot) bool {
	return anchor.Mix <= 0 && s.Mix <= 0 && displaces(tl, anchor.A, s.A) && zooms(tl.Clips[s.A.Clip].Motion)
}

func zooms(m timeline.Motion) bool { return m.Kind == timeline.SlowZoom && m.From != m.To }

// fadeAfter returns how many of the images are a cross-fade that can be written between an anchor before them and the
// image after them: 0 if they do not begin with one.
func fadeAfter(tl *timeline.Timeline, anchor timeline.Shot, shots []timeline.Shot) int {
	for n, s := range shots {
		if s.Mix > 0 {
			continue
		}
		if n == 0 || anchor.Mix > 0 {
			return 0
		}
		for _, f := range shots[:n] {
			if !displaces(tl, anchor.A, f.A) || !displaces(tl, s.A, f.B) {
				return 0
			}
		}
		return n
	}
	return 0
}

// mover writes the images after an anchor. One drawing goroutine uses it.
type mover struct {
	picture *h264.Moved
	// clips are the clip of the anchor, and in a cross-fade the next one.
	clips    [2]displaced
	line     []byte
	residual h264.Residual
	// target and prediction are of a mixture.
	target, prediction h264.Block
	next               *frame
}

// write returns the images that follow shot n, which is in f.
func (s *scene) write(n int, f *frame, b *brush) ([][]byte, error) {
	if n >= len(s.written) || s.written[n].count() == 0 {
		return nil, nil
	}
	after, m := &s.written[n], &b.mover
	if m.picture == nil {
		m.picture = h264.NewMoved(f.w, f.h)
	}
	if err := m.clips[0].show(s, s.shots[n].A, f); err != nil {
		return nil, err
	}
	units := m.moves(after.moved, s.movedQP)
	if len(after.fade) == 0 {
		return units, nil
	}
	if m.next == nil {
		m.next = newFrame(f.w, f.h)
	}
	if err := s.view(m.next, n, after.next.A, b); err != nil {
		return nil, err
	}
	if err := m.clips[1].show(s, after.next.A, m.next); err != nil {
		return nil, err
	}
	return append(units, m.fades(after.fade, s.movedQP)...), nil
}

// moves writes displacements of the anchor.
func (m *mover) moves(shots []timeline.Shot, qp int) (units [][]byte) {
	m.clips[0].hold(shots, outgoing, &m.line)
	for _, s := range shots {
		m.picture.Begin(qp)
		m.clips[0].move(s.A.Progress)
		m.macroblocks(m.moved)
		units = append(units, m.picture.End())
	}
	return units
}

// fades writes mixtures of displacements of both anchors.
func (m *mover) fades(shots []timeline.Shot, qp int) (units [][]byte) {
	m.clips[0].hold(shots, outgoing, &m.line)
	backwards := slices.Clone(shots)
	slices.Reverse(backwards)
	m.clips[1].hold(backwards, incoming, &m.line)
	for _, s := range shots {
		weight := min(max(int(s.Mix*h264.WeightUnit+0.5), 1), h264.WeightUnit-1)
		m.picture.BeginBlend(qp, weight)
		m.clips[0].move(s.A.Progress)
		m.clips[1].move(s.B.Progress)
		m.macroblocks(func(x, y int) { m.mixed(x, y, weight) })
		units = append(units, m.picture.End())
	}
	return units
}

func outgoing(s timeline.Shot) float64 { return s.A.Progress }
func incoming(s timeline.Shot) float64 { return s.B.Progress }

// macroblocks adds all macroblocks of a picture in their order.
func (m *mover) macroblocks(add func(x, y int)) {
	of := &m.clips[0].anchor
	for y := 0; y < of.Height; y += 16 {
		for x := 0; x < of.Width; x += 16 {
			add(x, y)
		}
	}
}

// moved adds the macroblock at (x, y) of a displacement.
func (m *mover) moved(x, y int) {
	d := &m.clips[0]
	skipped, coded := m.picture.Expected()
	v, good := d.vector(x, y, skipped, coded)
	if good {
		m.picture.Add(v, nil)
		return
	}
	prediction, v, difference := d.closest(x, y, v, &m.line)
	if difference <= acceptable {
		m.picture.Add(v, nil)
		return
	}
	d.chroma(x, y, &d.target, prediction, v, &m.line)
	hide(&d.target, prediction, d.anchor.Width-x, d.anchor.Height-y)
	m.residual.Quantize(&d.target, prediction, m.picture.QP())
	m.picture.Add(v, &m.residual)
}

// mixed adds the macroblock at (x, y) of a mixture in which the second clip has a weight.
func (m *mover) mixed(x, y, weight int) {
	before, after := &m.clips[0], &m.clips[1]
	e0, e1 := m.picture.ExpectedBlend()
	v0, good0 := before.vector(x, y, e0, e0)
	v1, good1 := after.vector(x, y, e1, e1)
	if good0 && good1 {
		m.picture.AddBlend(v0, v1, nil)
		return
	}
	t0, p0, v0 := before.pair(x, y, v0, good0, &m.line)
	t1, p1, v1 := after.pair(x, y, v1, good1, &m.line)
	m.prediction.BlendLuma(p0, p1, weight)
	m.target.BlendLuma(t0, t1, weight)
	if sad(&m.target.Y, &m.prediction.Y) <= acceptable {
		m.picture.AddBlend(v0, v1, nil)
		return
	}
	before.chroma(x, y, t0, p0, v0, &m.line)
	after.chroma(x, y, t1, p1, v1, &m.line)
	m.prediction.BlendChroma(p0, p1, weight)
	m.target.BlendChroma(t0, t1, weight)
	hide(&m.target, &m.prediction, before.anchor.Width-x, before.anchor.Height-y)
	m.residual.Quantize(&m.target, &m.prediction, m.picture.QP())
	m.picture.AddBlend(v0, v1, &m.residual)
}

// sad returns the sum of the absolute differences of two blocks.
func sad(a, b *[256]byte) int {
	sum := 0
	for i, v := range a {
		d := int(v) - int(b[i])
		sum += max(d, -d)
	}
	return sum
}

// hide copies the samples of the prediction that are outside of the displayed picture, which is w by h samples from the
// macroblock on.
func hide(target, prediction *h264.Block, w, h int) {
	if w >= 16 && h >= 16 {
		return
	}
	for i := range target.Y {
		if i&15 >= w || i>>4 >= h {
			target.Y[i] = prediction.Y[i]
		}
	}
	for i := range target.Cb {
		if 2*(i&7) >= w || 2*(i>>3) >= h {
			target.Cb[i], target.Cr[i] = prediction.Cb[i], prediction.Cr[i]
		}
	}
}
