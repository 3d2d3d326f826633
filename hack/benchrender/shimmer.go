// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"image"
	"io"
	"math"
	"os/exec"
	"slices"
)

// Shimmer is measured on two slides, one of each direction of an alternating mode, at trackPoints points of the
// background, in squares of 2*trackRadius+1 pixels.
const (
	trackSlides = 2
	trackPoints = 24
	trackRadius = 16
	trackGrid   = 48
)

// jitterOf measures how far the background moves from one frame to the next compared with the exact motion of the zoom,
// in pixels: on average over points and frames, and at worst. It uses frames outside of cross-fades. Without a side it
// measures the reference, which shows the error of the method itself.
func (r *rounds) jitterOf(m mode, s *side) (q quality, err error) {
	t := film(m)
	shots := t.Shots()
	next, closed, err := r.frames(m, s)
	if err != nil {
		return q, err
	}
	sum, n := 0.0, 0
	var points []image.Point
	var before []float64
	for f := range trackSlides * slideFrames {
		frame, err := next()
		if err != nil {
			return q, err
		}
		slide, at := f/slideFrames, f%slideFrames
		if at == 0 {
			points, before = nil, nil
		}
		if shots[f].Mix > 0 {
			continue
		}
		if points == nil {
			if points, err = r.track(m, slide, frame); err != nil {
				return q, err
			}
		}
		if before != nil {
			grow := m.scaleAt(slide, shots[f].A.Progress) / m.scaleAt(slide, shots[f-1].A.Progress)
			for _, p := range points {
				e := displacement(before, frame, p, grow)
				sum, n, q.worst = sum+e, n+1, max(q.worst, e)
			}
		}
		before = frame
	}
	q.mean = sum / float64(n)
	return q, closed()
}

// frames returns a function that returns one frame after the other, as luma, and one that ends it.
func (r *rounds) frames(m mode, s *side) (next func() ([]float64, error), closed func() error, err error) {
	if s != nil {
		cmd := exec.Command("ffmpeg", "-v", "error", "-i", s.film, "-an", "-frames:v", fmt.Sprint(trackSlides*slideFrames),
			"-vf", "extractplanes=y", "-f", "rawvideo", "-pix_fmt", "gray", "-")
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, nil, err
		}
		in, raw := bufio.NewReaderSize(out, 1<<20), make([]byte, width*height)
		return func() ([]float64, error) {
			if _, err := io.ReadFull(in, raw); err != nil {
				return nil, err
			}
			return levels(raw), nil
		}, cmd.Wait, nil
	}
	t, f := film(m), 0
	shots := t.Shots()
	var photo []float64
	var text []ink
	return func() ([]float64, error) {
		slide := f / slideFrames
		if f%slideFrames == 0 {
			if photo, text, err = brightness(r.dir, slide, m); err != nil {
				return nil, err
			}
		}
		f++
		if shots[f-1].Mix > 0 {
			return nil, nil
		}
		return levels(ideal(photo, text[0], m.scaleAt(slide, shots[f-1].A.Progress))), nil
	}, func() error { return nil }, nil
}

func levels(raw []byte) []float64 {
	out := make([]float64, len(raw))
	for i, v := range raw {
		out[i] = float64(v)
	}
	return out
}

// track returns the points with the most texture, in squares where the text layer is nearly uniform.
func (r *rounds) track(m mode, slide int, frame []float64) ([]image.Point, error) {
	text, err := read(r.dir, m.layerFile(slide))
	if err != nil {
		return nil, err
	}
	type candidate struct {
		at      image.Point
		texture float64
	}
	var all []candidate
	const margin = trackRadius + 16 // a point moves by some pixels
	for y := margin; y < height-margin; y += trackGrid {
		for x := margin; x < width-margin; x += trackGrid {
			low, high := 1.0, 0.0
			for j := y - margin; j < y+margin; j += 2 {
				for i := x - margin; i < x+margin; i += 2 {
					low, high = min(low, text.a[j*width+i]), max(high, text.a[j*width+i])
				}
			}
			if high-low > 0.1 {
				continue
			}
			xx, xy, yy := 0.0, 0.0, 0.0
			around(image.Pt(x, y), func(i, j int) {
				gx, gy := gradient(frame, i, j)
				xx, xy, yy = xx+gx*gx, xy+gx*gy, yy+gy*gy
			})
			all = append(all, candidate{image.Pt(x, y), (xx+yy)/2 - math.Hypot((xx-yy)/2, xy)})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(b.texture, a.texture) })
	if len(all) < trackPoints {
		return nil, fmt.Errorf("only %d points of slide %d show the background", len(all), slide)
	}
	var points []image.Point
	for _, c := range all[:trackPoints] {
		points = append(points, c.at)
	}
	return points, nil
}

func around(p image.Point, do func(x, y int)) {
	for y := p.Y - trackRadius; y <= p.Y+trackRadius; y++ {
		for x := p.X - trackRadius; x <= p.X+trackRadius; x++ {
			do(x, y)
		}
	}
}

// gradient returns the slope of a frame at a pixel.
func gradient(frame []float64, x, y int) (gx, gy float64) {
	at := y*width + x
	return (frame[at+1] - frame[at-1]) / 2, (frame[at+width] - frame[at-width]) / 2
}

// displacement returns how far the square around a point of one frame is from its exact place in the next frame, which
// is grown around the center: the least squares solution of Lucas and Kanade (1981), applied twice.
func displacement(before, after []float64, p image.Point, grow float64) float64 {
	ex, ey := 0.0, 0.0
	for range 2 {
		xx, xy, yy, xt, yt := 0.0, 0.0, 0.0, 0.0, 0.0
		around(p, func(x, y int) {
			gx, gy := gradient(before, x, y)
			tx := (float64(x)+0.5-width/2.0)*grow + width/2.0 - 0.5 + ex
			ty := (float64(y)+0.5-height/2.0)*grow + height/2.0 - 0.5 + ey
			d := cubic(after, tx, ty) - before[y*width+x]
			xx, xy, yy, xt, yt = xx+gx*gx, xy+gx*gy, yy+gy*gy, xt+gx*d, yt+gy*d
		})
		det := xx*yy - xy*xy
		if det == 0 {
			return 0
		}
		ex, ey = ex-(yy*xt-xy*yt)/det, ey-(xx*yt-xy*xt)/det
	}
	return math.Hypot(ex, ey)
}
