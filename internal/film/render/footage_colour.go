// SPDX-License-Identifier: Apache-2.0

package render

import "strings"

// light says how the numbers of a picture stand for light.
type light int

const (
	// ordinary is the curve of usual screens, whatever name the file gives it.
	ordinary light = iota
	// perceptual is PQ: absolute, up to 10000 candela per square metre.
	perceptual
	// hybrid is HLG: relative to the brightest light of a scene.
	hybrid
)

// gamut says which red, green and blue the numbers are about.
type gamut int

const (
	// usual is BT.709, and what is too near to it to matter.
	usual gamut = iota
	// wide is BT.2020.
	wide
	// cinema is P3 with the white of screens.
	cinema
)

// colour is what the numbers of a file's pictures mean.
type colour struct {
	light  light
	gamut  gamut
	matrix string // in the scaler's words
	full   bool   // all numbers are used, none are kept free below black and above white
	deep   bool   // more than 8 bits
}

// matrices are the scaler's names for what ffprobe calls the colour space.
var matrices = map[string]string{
	"bt709": "709", "smpte170m": "170m", "bt470bg": "470bg", "bt2020nc": "2020_ncl", "bt2020c": "2020_cl",
	"fcc": "fcc", "smpte240m": "240m", "ycgco": "ycgco", "gbr": "gbr",
}

// A picture at least this large is taken as BT.709 when it does not say, a smaller one as BT.601, as players do.
const (
	largeWidth  = 1280
	largeHeight = 720
)

// colours reads what a stream says of its colours and fills in what it does not say.
func (s *stream) colours() colour {
	var c colour
	switch s.Transfer {
	case "smpte2084":
		c.light = perceptual
	case "arib-std-b67":
		c.light = hybrid
	}
	switch {
	case s.Primaries == "bt2020", c.light != ordinary && (s.Primaries == "" || s.Primaries == "unknown"):
		c.gamut = wide
	case s.Primaries == "smpte432", s.Primaries == "smpte431":
		c.gamut = cinema
	}
	rgb := strings.HasPrefix(s.Pixels, "gbr") || strings.HasPrefix(s.Pixels, "rgb") || strings.HasPrefix(s.Pixels, "bgr") ||
		strings.HasPrefix(s.Pixels, "0") || strings.HasPrefix(s.Pixels, "argb") || strings.HasPrefix(s.Pixels, "abgr") || s.Pixels == "pal8"
	c.matrix = matrices[s.Matrix]
	switch {
	case rgb:
		c.matrix = "gbr"
	case c.matrix != "" && c.matrix != "gbr":
	case c.gamut == wide:
		c.matrix = "2020_ncl"
	case s.Width >= largeWidth || s.Height >= largeHeight:
		c.matrix = "709"
	default:
		c.matrix = "170m"
	}
	c.full = rgb || s.Range == "pc" || strings.HasPrefix(s.Pixels, "yuvj")
	for _, bits := range []string{"9", "10", "12", "14", "16"} {
		c.deep = c.deep || strings.HasSuffix(s.Pixels, "p"+bits+"le") || strings.HasSuffix(s.Pixels, "p"+bits+"be")
	}
	return c
}

// needsTable tells whether the pictures need more than another matrix.
func (c colour) needsTable() bool { return c.light != ordinary || c.gamut != usual }

// convert are the filters that scale a picture to a width and a height, each a number or an expression, and bring it to BT.709 limited
// range. A curve or a gamut of
// another kind is translated by a table, from red, green and blue as they are coded to red, green and blue as the film codes
// them; the scaler is told nothing of it, so that it leaves these alone.
func (c colour) convert(width, height, table string) []string {
	const same = ":transferin=709:transfer=709:primariesin=709:primaries=709"
	in := "limited"
	if c.full {
		in = "full"
	}
	dither := ":dither=none"
	if c.deep || table != "" {
		dither = ":dither=ordered"
	}
	size := "zscale=w=" + width + ":h=" + height + ":filter=spline36" +
		":matrixin=" + c.matrix + ":rangein=" + in + same
	const film = ":matrix=709:range=limited:chromal=left"
	if table == "" {
		return []string{size + film + dither, "format=yuv420p"}
	}
	return []string{
		size + ":matrix=gbr:range=full", "format=gbrpf32le",
		"lut3d=file=" + table + ":interp=tetrahedral",
		"zscale=matrixin=gbr:rangein=full" + same + film + dither, "format=yuv420p",
	}
}
