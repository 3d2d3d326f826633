// SPDX-License-Identifier: Apache-2.0

package paint

// Field is a smooth number over the canvas, kept at a fraction of its size: fog,
// blurred shadows and soft folds need few samples, and noise is the dearest thing
// in a scene.
type Field struct {
	w, h int
	div  float32
	x, y float32 // canvas place of its corner
	v    []float32
}

// Field computes f (in canvas pixels) at every div-th pixel, on all processors.
func (c *Canvas) Field(div int, f func(x, y float32) float32) *Field {
	d := float32(div)
	fl := &Field{w: c.w/div + 3, h: c.h/div + 3, div: d}
	fl.v = make([]float32, fl.w*fl.h)
	c.bands(0, fl.h, func(y int) {
		for x := range fl.w {
			fl.v[y*fl.w+x] = f((float32(x)-0.5)*d, (float32(y)-0.5)*d)
		}
	})
	return fl
}

// At reads the field between its samples; outside it the edge value goes on.
func (f *Field) At(x, y float32) float32 {
	x = Clamp((x-f.x)/f.div+0.5, 0, float32(f.w-1)-0.001)
	y = Clamp((y-f.y)/f.div+0.5, 0, float32(f.h-1)-0.001)
	ix, iy := int(x), int(y)
	fx, fy := x-float32(ix), y-float32(iy)
	p := f.v[iy*f.w+ix:]
	q := f.v[iy*f.w+ix+f.w:]
	top := p[0] + (p[1]-p[0])*fx
	low := q[0] + (q[1]-q[0])*fx
	return top + (low-top)*fy
}

// Blur softens the field by about radius canvas pixels (three box passes, close
// to a Gaussian) and returns it.
func (f *Field) Blur(radius float32) *Field {
	r := int(radius/f.div/1.7 + 0.5)
	if r < 1 {
		return f
	}
	tmp := make([]float32, len(f.v))
	for range 3 {
		for y := range f.h {
			boxBlur(tmp[y*f.w:], f.v[y*f.w:], f.w, 1, r)
		}
		for x := range f.w {
			boxBlur(f.v[x:], tmp[x:], f.h, f.w, r)
		}
	}
	return f
}

func boxBlur(dst, src []float32, n, stride, r int) {
	at := func(i int) float32 { return src[min(max(i, 0), n-1)*stride] }
	sum := float32(0)
	for i := -r; i <= r; i++ {
		sum += at(i)
	}
	k := 1 / float32(2*r+1)
	for i := range n {
		dst[i*stride] = sum * k
		sum += at(i+r+1) - at(i-r)
	}
}
