// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"fmt"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery"
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// BackdropWorld is the prefix of the worlds of backdrops, which the catalog does not list; the design style follows.
const BackdropWorld = "backdrop_"

// BackdropsEach is the number of backdrops of one pattern in a style: the maximum number of slides of a slideshow.
const BackdropsEach = catalog.MaxSlides

// palette holds the colours of a style's backdrops: a ramp from dark to light, and an accent colour.
type palette struct {
	ramp   []uint32
	accent uint32
}

// palettes match the type and shades of each design style of the catalog.
var palettes = map[string]palette{
	"bold_center":     {[]uint32{0x0d1530, 0x1b3a86, 0x3f74e0, 0x8fb8f5}, 0xf7a75a},
	"caption_plate":   {[]uint32{0x6b4a43, 0xb9786a, 0xe0b097, 0xf3e2cf}, 0x6f9488},
	"poster_caps":     {[]uint32{0x08080e, 0x2b151b, 0x7d2e1e, 0xc9652d}, 0xffc24a},
	"editorial_serif": {[]uint32{0x17100a, 0x3a2a1c, 0x7d6043, 0xc0a37c}, 0xe6d3b1},
	"soft_card":       {[]uint32{0x8f86bd, 0xc0b0dd, 0xe8d0e2, 0xfaecdd}, 0xf2ab94},
	"neon_pop":        {[]uint32{0x140429, 0x34107a, 0x7a2be0, 0xb56cf5}, 0xff3fa4},
	"numbered_slab":   {[]uint32{0x0a101d, 0x1b2a47, 0x3d5a8c, 0x86a3cf}, 0xff8a6b},
	"script_note":     {[]uint32{0x2c0a27, 0x651c4a, 0xab4566, 0xe08e86}, 0xffdba6},
}

// patterns render the backdrops in the palette's colours.
var patterns = []struct {
	name, description string
	look              p.Look
	draw              func(c *p.Canvas, r *p.Rand, of palette)
}{
	{"Veil", "Soft light flowing from one colour into the next.", p.Look{Grain: 2, Vignette: 0.16}, veil},
	{"Tide", "Broad bands of colour with curved edges, one above the other.", p.Look{Grain: 1.6, Vignette: 0.12}, tide},
	{"Rings", "Wide rings that spread from one corner.", p.Look{Grain: 1.8, Vignette: 0.14}, rings},
	{"Halftone", "Rows of dots that swell and fade.", p.Look{Grain: 1.4, Vignette: 0.16}, halftone},
}

// Backdrops returns the abstract pictures in the colours of a design style, pattern by pattern, BackdropsEach of each.
// All does not include them: a slideshow shows them if no picture of the library fits. It returns none for a style that
// is not in the catalog.
func Backdrops(style string) []Picture {
	return append([]Picture(nil), backdrops[style]...)
}

// BackdropStyle returns the design style of a backdrop, or "" for any other picture.
func BackdropStyle(b Picture) string {
	style, ok := strings.CutPrefix(b.World, BackdropWorld)
	if !ok {
		return ""
	}
	return style
}

func backdropByID(id string) (Picture, bool) {
	for _, of := range backdrops {
		for _, p := range of {
			if p.ID == id {
				return p, true
			}
		}
	}
	return Picture{}, false
}

var backdrops = func() map[string][]Picture {
	out := map[string][]Picture{}
	for _, s := range catalog.DesignStyles {
		of, ok := palettes[s.ID]
		if !ok {
			continue
		}
		for k, pat := range patterns {
			e := &entry{look: pat.look, draw: func(c *p.Canvas, r *p.Rand) { pat.draw(c, r, of) }}
			for range BackdropsEach {
				n := len(out[s.ID]) + 1
				id := fmt.Sprintf("%s-%s%s-%02d", Provider, BackdropWorld, s.ID, n)
				number := imagery.StableID(Provider, id)
				out[s.ID] = append(out[s.ID], Picture{
					ID: id, Number: number, World: BackdropWorld + s.ID, Seed: uint64(number), entry: e,
					Title: fmt.Sprintf("%s %d", pat.name, n-k*BackdropsEach), Description: pat.description,
					Tags: []string{"abstract", "background", "pattern"},
				})
			}
		}
	}
	return out
}()

// veil lets two parts of the palette flow into one another.
func veil(c *p.Canvas, r *p.Rand, of palette) {
	a, b := p.Hexes(of.ramp...), p.Hexes(of.ramp...)
	b[len(b)-1] = p.Mix(b[len(b)-1], p.Hex(of.accent), 0.8)
	mesh(c, r, p.Even(a...), p.Even(b[1:]...), r.In(0, tau), r.In(0.35, 0.7))
}

// tide lays bands over one another, each with a shadow on the one behind.
func tide(c *p.Canvas, r *p.Rand, of palette) {
	ramp := p.Even(p.Hexes(of.ramp...)...)
	const bands = 6
	dark := ramp.At(0)
	up := r.Sign() > 0
	at := func(i int) float32 {
		t := float32(i) / bands
		if up {
			return 1 - t
		}
		return t
	}
	accent := 1 + r.Int(bands-1)
	c.Shade(func(x, y float32) p.Color { return ramp.At(at(0) + 0.06*(y/c.H-0.5)) })
	for i := 1; i <= bands; i++ {
		n := p.Noise(r.Seed32())
		base := c.H * (float32(i) - 0.35 + 0.25*r.Bell()) / bands
		amp, freq := c.H*r.In(0.03, 0.075), r.In(0.5, 1.1)
		tops := c.Ridge(func(x float32) float32 {
			u := x / (c.U * 1080) * freq
			return base - amp*n.Line(u, 1)
		})
		c.CastUp(tops, 46*c.U, 0.42, dark)
		col := ramp.At(at(i))
		if i == accent {
			col = col.Lerp(p.Hex(of.accent), 0.75)
		}
		c.Fill(tops, func(_, _, depth float32) (p.Color, float32) {
			return col.Scale(1.06 - 0.16*p.Smooth(0, c.H/bands, depth)), 1
		})
	}
}

// rings spread from a point near a corner; every ring is lit from there.
func rings(c *p.Canvas, r *p.Rand, of palette) {
	ramp := p.Even(p.Hexes(of.ramp...)...)
	cx, cy := c.W*0.5*(1+r.Sign()*r.In(0.6, 1.1)), c.H*0.5*(1+r.Sign()*r.In(0.6, 1.0))
	width := c.U * r.In(150, 230)
	accent := 2 + r.Int(3)
	inward := r.Sign() > 0
	far := p.Sqrt(c.W*c.W+c.H*c.H) * 0.85
	c.Shade(func(x, y float32) p.Color {
		d := p.Sqrt((x-cx)*(x-cx) + (y-cy)*(y-cy))
		i := p.Floor(d / width)
		t := p.Clamp(float32(i)*width/far, 0, 1)
		if inward {
			t = 1 - t
		}
		col := ramp.At(t)
		if i == accent {
			col = col.Lerp(p.Hex(of.accent), 0.8)
		}
		in := d/width - float32(i) // 0 at the inner edge, where the ring before casts its shadow
		edge := p.Clamp(in*width, 0, 1)
		return col.Scale((0.97 + 0.08*in) * (1 - 0.3*p.Exp(-in*7)) * (0.9 + 0.1*edge))
	})
}

// halftone sets dots on a soft ground; noise decides their size.
func halftone(c *p.Canvas, r *p.Rand, of palette) {
	ramp := p.Even(p.Hexes(of.ramp...)...)
	n := p.Noise(r.Seed32())
	dx, dy := p.Cos(r.In(0, tau)), p.Sin(r.In(0, tau))
	ground := func(x, y float32) float32 {
		return p.Clamp(0.3+0.26*(dx*(x/c.W-0.5)+dy*(y/c.H-0.5))+0.16*n.FBM(x/c.W*0.8, y/c.W*0.8, 2), 0, 1)
	}
	s := 46 * c.U
	bright := p.Mix(p.Hexes(of.ramp...)[len(of.ramp)-1], p.Hex(of.accent), 0.45)
	c.Shade(func(x, y float32) p.Color {
		row := p.Floor(y / s)
		shift := s / 2 * float32(row&1)
		gx, gy := (float32(p.Floor((x-shift)/s))+0.5)*s+shift, (float32(row)+0.5)*s
		v := (n+7).FBM(gx/c.W*0.9, gy/c.W*0.9, 2) + 0.7*(dx*(gx/c.W-0.5)+dy*(gy/c.H-0.5))
		size := s * 0.46 * p.Smooth(-0.1, 0.75, v)
		d := p.Sqrt((x-gx)*(x-gx) + (y-gy)*(y-gy))
		col := ramp.At(ground(x, y))
		return col.Lerp(bright, 0.62*p.Clamp(size-d+0.5, 0, 1)*p.Smooth(0, 4*c.U, size))
	})
}
