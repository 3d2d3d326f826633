// SPDX-License-Identifier: Apache-2.0

package render

// frame is one planar YUV 4:2:0 image, BT.709 limited range. The three planes follow each other in pix, without
// padding: ffmpeg's yuv420p layout.
type frame struct {
	w, h int
	pix  []byte
}

func newFrame(w, h int) *frame {
	return &frame{w: w, h: h, pix: make([]byte, w*h*3/2)}
}

// plane is one of the planes of a frame: luma at full, chroma at half resolution.
type plane struct {
	w, h int
	pix  []byte
}

func (p plane) row(y int) []byte { return p.pix[y*p.w : (y+1)*p.w : (y+1)*p.w] }

// planes returns Y, Cb and Cr.
func (f *frame) planes() [3]plane {
	n, cw, ch := f.w*f.h, f.w/2, f.h/2
	return [3]plane{
		{f.w, f.h, f.pix[:n]},
		{cw, ch, f.pix[n : n+cw*ch]},
		{cw, ch, f.pix[n+cw*ch:]},
	}
}

// BT.709 limited range as 16-bit fixed point. Each row sums to the value for white (0 for chroma), so that greys stay
// exactly grey.
const (
	yR, yG, yB    = 11966, 40254, 4064   // 219/255 * (0.2126, 0.7152, 0.0722) * 65536
	cbR, cbG, cbB = -6596, -22188, 28784 // 224/255 / 1.8556 * (B - Y)
	crR, crG, crB = 28784, -26145, -2639 // 224/255 / 1.5748 * (R - Y)
	half          = 1 << 15
)

// yuv converts one opaque pixel.
func yuv(r, g, b int32) (y, cb, cr byte) {
	return byte((yR*r + yG*g + yB*b + 16<<16 + half) >> 16),
		byte((cbR*r + cbG*g + cbB*b + 128<<16 + half) >> 16),
		byte((crR*r + crG*g + crB*b + 128<<16 + half) >> 16)
}

// lanes holds four 16-bit numbers in one word: the even bytes of eight samples, or the odd ones.
const lanes = 0x00ff00ff00ff00ff

// mix writes a*(256-w)+b*w for whole rows or planes of equal length, w in 0..256. Eight samples are computed at a time,
// four in each of two words: every product fits its 16-bit lane, because the weights sum to 256.
func mix(dst, a, b []byte, w uint32) {
	switch w {
	case 0:
		copy(dst, a)
		return
	case 256:
		copy(dst, b)
		return
	}
	const round = 0x0080008000800080
	wb := uint64(w)
	wa := 256 - wb
	n := len(dst) &^ 7
	a, b = a[:len(dst)], b[:len(dst)]
	for i := 0; i < n; i += 8 {
		x, y := load64(a[i:]), load64(b[i:])
		even := ((x&lanes)*wa + (y&lanes)*wb + round) >> 8 & lanes
		odd := ((x>>8&lanes)*wa + (y>>8&lanes)*wb + round) & (lanes << 8)
		store64(dst[i:], even|odd)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = byte((uint32(a[i])*(256-w) + uint32(b[i])*w + 128) >> 8)
	}
}
