// SPDX-License-Identifier: Apache-2.0

package paint

// Field is a smooth scalar over the canvas, stored at a fraction of its size. Fog, blurred shadows and soft folds need
// few samples, and noise is the most expensive part of a scene.
type Field struct {
	w, h int
	div  float32
	x, y float32 // canvas position of its corner
	v    []float32
}

// Field returns f (in canvas pixels) computed at every div-th pixel, on all processors.
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

// At returns the field interpolated between its samples; outside it returns the edge value.
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

// Blur blurs the field by about radius canvas pixels (three box passes, close to a Gaussian) and returns it.
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
