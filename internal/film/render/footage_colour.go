// SPDX-License-Identifier: Apache-2.0

package render

import "strings"

// light is the transfer curve: how the sample values of an image represent light.
type light int

const (
	// ordinary is the curve of usual screens, under any name in the file.
	ordinary light = iota
	// perceptual is PQ: absolute, up to 10000 candela per square metre.
	perceptual
	// hybrid is HLG: relative to the brightest light of a scene.
	hybrid
)

// gamut is the set of primaries of the sample values.
type gamut int

const (
	// usual is BT.709, or primaries too close to it to matter.
	usual gamut = iota
	// wide is BT.2020.
	wide
	// cinema is P3 with the white point of screens.
	cinema
)

// colour describes the colour encoding of a file.
type colour struct {
	light  light
	gamut  gamut
	matrix string // name of the matrix in the scaler
	full   bool   // full range: no values are reserved below black and above white
	deep   bool   // more than 8 bits
}

// matrices are the scaler's names for the values that ffprobe reports as colour space.
var matrices = map[string]string{
	"bt709": "709", "smpte170m": "170m", "bt470bg": "470bg", "bt2020nc": "2020_ncl", "bt2020c": "2020_cl",
	"fcc": "fcc", "smpte240m": "240m", "ycgco": "ycgco", "gbr": "gbr",
}

// An image without a matrix counts as BT.709 if at least this large, otherwise as BT.601, as in players.
const (
	largeWidth  = 1280
	largeHeight = 720
)

// colours returns the colour encoding that a stream declares, with defaults for missing values.
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

// needsTable reports whether the conversion needs more than another matrix.
func (c colour) needsTable() bool { return c.light != ordinary || c.gamut != usual }

// convert returns the filters that scale an image to a width and a height, each a number or an expression, and convert
// it to BT.709 limited range. A different curve or gamut is converted by a table, from red, green and blue as coded in
// the file to red, green and blue as coded in the video. The scaler gets equal curves and gamuts on both sides, so that
// it leaves them unchanged.
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
