// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"image/draw"
)

// layer is an image with transparency, prepared for blending over frames: only its bounding box, and of each row only
// the part that has drawn pixels.
type layer struct{ planes [3]layerPlane }

// layerPlane holds one plane of the box. For every sample, out = (add + keep*below) >> 8; add carries the layer's
// colour times its coverage in 8.8 fixed point with the rounding included, keep is 256 minus the coverage.
type layerPlane struct {
	x, y, w, h int
	add, keep  []uint16
	spans      []span
}

type span struct{ from, to int }

// newLayer prepares an image whose top left corner is at (x, y) of a canvas of w by h pixels. It returns nil for a
// layer without a drawn pixel.
func newLayer(img image.Image, x, y, w, h int) *layer {
	b := img.Bounds()
	place := image.Rect(x, y, x+b.Dx(), y+b.Dy()).Intersect(image.Rect(0, 0, w, h))
	px := image.NewRGBA(place)
	bands(place.Dy(), func(y0, y1 int) {
		part := px.SubImage(image.Rect(place.Min.X, place.Min.Y+y0, place.Max.X, place.Min.Y+y1)).(*image.RGBA)
		draw.Draw(part, part.Rect, img, b.Min.Add(part.Rect.Min).Sub(image.Pt(x, y)), draw.Src)
	})
	box := inked(px)
	if box.Empty() {
		return nil
	}
	// A chroma sample covers a pair of pixels and extends one pixel to the left.
	box.Min.X, box.Min.Y = box.Min.X&^1, box.Min.Y&^1
	box.Max.X, box.Max.Y = min((box.Max.X+2)&^1, w), min((box.Max.Y+1)&^1, h)
	l := &layer{}
	l.planes[0] = newLayerPlane(box, 1)
	l.planes[1] = newLayerPlane(box, 2)
	l.planes[2] = newLayerPlane(box, 2)
	bands(l.planes[1].h, func(r0, r1 int) { l.fill(px, box, r0, r1) })
	for i := range l.planes {
		l.planes[i].measure()
	}
	return l
}

func newLayerPlane(box image.Rectangle, sub int) layerPlane {
	p := layerPlane{x: box.Min.X / sub, y: box.Min.Y / sub, w: box.Dx() / sub, h: box.Dy() / sub}
	p.add, p.keep = make([]uint16, p.w*p.h), make([]uint16, p.w*p.h)
	return p
}

// inked returns the smallest box around all pixels that are not fully transparent.
func inked(img *image.RGBA) image.Rectangle {
	var box image.Rectangle
	w := img.Rect.Dx()
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride : y*img.Stride+4*w]
		from, to := 0, w
		for from < w && row[4*from+3] == 0 {
			from++
		}
		if from == w {
			continue
		}
		for row[4*to-1] == 0 {
			to--
		}
		box = box.Union(image.Rect(from, y, to, y+1))
	}
	return box.Add(img.Rect.Min)
}

// fill computes the rows r0 to r1 of the chroma planes and the two rows of luma that belong to each.
func (l *layer) fill(px *image.RGBA, box image.Rectangle, r0, r1 int) {
	at := func(x, y int) (r, g, b, a int32) { // premultiplied; transparent outside
		if !(image.Point{X: x, Y: y}).In(px.Rect) {
			return 0, 0, 0, 0
		}
		s := px.Pix[px.PixOffset(x, y):]
		return int32(s[0]), int32(s[1]), int32(s[2]), int32(s[3])
	}
	py, pb, pr := &l.planes[0], &l.planes[1], &l.planes[2]
	for r := r0; r < r1; r++ {
		for dy := range 2 {
			row := (2*r + dy) * py.w
			for c := range py.w {
				red, green, blue, a := at(box.Min.X+c, box.Min.Y+2*r+dy)
				// Offset 16 is scaled by the pixel's coverage; the rest of the division by 255 is in the coefficients.
				v := (yR*red+yG*green+yB*blue)>>8 + 16*a*256/255
				py.add[row+c], py.keep[row+c] = blend(v, a*256, 255)
			}
		}
		for c := range pb.w {
			// Weights 1 2 1 across centre the sample on the even pixel; the two rows have equal weight.
			var red, green, blue, a int32
			for dy := range 2 {
				for dx, weight := range [3]int32{1, 2, 1} {
					r1, g1, b1, a1 := at(box.Min.X+2*c+dx-1, box.Min.Y+2*r+dy)
					red, green, blue, a = red+weight*r1, green+weight*g1, blue+weight*b1, a+weight*a1
				}
			}
			i := r*pb.w + c
			offset := 128 * a * 256 / (255 * 8)
			pb.add[i], pb.keep[i] = blend((cbR*red+cbG*green+cbB*blue)>>11+offset, a*256, 255*8)
			pr.add[i], pr.keep[i] = blend((crR*red+crG*green+crB*blue)>>11+offset, a*256, 255*8)
		}
	}
}

// blend packs a sample: value in 8.8 fixed point, coverage as covered/full. The sum of both parts never exceeds 255.
func blend(value, covered, full int32) (add, keep uint16) {
	k := 256 - (covered+full/2)/full
	return uint16(min(max(value+128, 0), 0xffff-255*k)), uint16(k)
}

func (p *layerPlane) measure() {
	p.spans = make([]span, p.h)
	for y := range p.spans {
		keep := p.keep[y*p.w : (y+1)*p.w]
		from, to := 0, p.w
		for from < to && keep[from] == 256 {
			from++
		}
		for to > from && keep[to-1] == 256 {
			to--
		}
		p.spans[y] = span{from, to}
	}
}

// over blends the layer into a frame.
func (l *layer) over(f *frame) {
	if l == nil {
		return
	}
	for i, dst := range f.planes() {
		l.planes[i].over(dst.pix, dst.w, dst.h, 0, 0)
	}
}

// over blends the layer into w by h samples from (x, y) on.
func (p *layerPlane) over(dst []byte, w, h, x, y int) {
	for r := max(y, p.y); r < min(y+h, p.y+p.h); r++ {
		s := p.spans[r-p.y]
		from, to := max(x, p.x+s.from), min(x+w, p.x+s.to)
		if from >= to {
			continue
		}
		row := dst[(r-y)*w+from-x : (r-y)*w+to-x]
		at := (r-p.y)*p.w + from - p.x
		add, keep := p.add[at:at+len(row)], p.keep[at:at+len(row)]
		for i, below := range row {
			row[i] = byte((uint32(add[i]) + uint32(keep[i])*uint32(below)) >> 8)
		}
	}
}
