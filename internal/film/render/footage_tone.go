// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"io"
	"math"
)

const (
	// tableSide is the number of steps of a colour table along red, green and blue.
	tableSide = 41
	// paper is the brightness of a white page in HDR images, in candela per square metre.
	paper = 203.0
	// peak is the brightness that becomes the video's white, in candela per square metre; brighter light becomes white
	// too. It is the peak of the screens on which such images are mastered.
	peak = 1000.0
	// knee is the light, as a share of paper white, up to which nothing changes. Faces and most of a scene are below
	// it.
	knee = 0.5
	// screenGamma is the gamma of the screens on which a video is displayed.
	screenGamma = 2.2
)

type rgb [3]float64

// writeTable writes the table of a colour in the cube format: red changes fastest.
func (c colour) writeTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "LUT_3D_SIZE %d\n", tableSide); err != nil {
		return err
	}
	at := func(i int) float64 { return float64(i) / (tableSide - 1) }
	for b := range tableSide {
		for g := range tableSide {
			for r := range tableSide {
				v := c.translate(rgb{at(r), at(g), at(b)})
				if _, err := fmt.Fprintf(w, "%.6f %.6f %.6f\n", v[0], v[1], v[2]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// translate converts red, green and blue from the file's encoding to the video's, both 0 to 1.
func (c colour) translate(v rgb) rgb {
	v = c.gamut.narrow(c.shown(v))
	for i := range v {
		v[i] = math.Pow(v[i], 1/screenGamma)
	}
	return v
}

// shown returns the light of a coded value, tone-mapped to an ordinary screen: 1 is its white.
func (c colour) shown(v rgb) rgb {
	switch c.light {
	case perceptual:
		for i := range v {
			v[i] = pq(v[i]) / paper
		}
	case hybrid:
		for i := range v {
			v[i] = sceneLight(v[i])
		}
		// A screen of this peak displays a scene with darker midtones, by the brightness of each spot and not of each
		// colour.
		y := 0.2627*v[0] + 0.6780*v[1] + 0.0593*v[2]
		gain := math.Pow(max(y, 1e-9), 0.2) * peak / paper
		for i := range v {
			v[i] *= gain
		}
	default:
		for i := range v {
			v[i] = math.Pow(v[i], screenGamma)
		}
		return v
	}
	return compress(v)
}

// pq returns the light of a PQ value in candela per square metre (SMPTE ST 2084).
func pq(v float64) float64 {
	const (
		m1, m2     = 2610.0 / 16384, 2523.0 / 4096 * 128
		c1, c2, c3 = 3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32
	)
	p := math.Pow(v, 1/m2)
	return 10000 * math.Pow(max(p-c1, 0)/(c2-c3*p), 1/m1)
}

// sceneLight returns the light of an HLG value as a share of the brightest (ARIB STD-B67).
func sceneLight(v float64) float64 {
	const a, b, c = 0.17883277, 0.28466892, 0.55991073
	if v <= 0.5 {
		return v * v / 3
	}
	return (math.Exp((v-c)/a) + b) / 12
}

// roll compresses light above the knee so that the peak becomes 1. The curve is monotonic and smooth at the knee.
func roll(x float64) float64 {
	if x <= knee {
		return x
	}
	const top = (peak/paper - knee) / (1 - knee)
	t := min((x-knee)/(1-knee), top)
	return knee + (1-knee)*t*(1+t/(top*top))/(1+t)
}

// compress compresses bright light. Compressing each channel by itself desaturates bright colours; compressing all
// channels by the brightest keeps a lamp as saturated as a painted wall. The result is a blend of the two, which looks
// natural.
func compress(v rgb) rgb {
	top := max(v[0], v[1], v[2])
	if top <= knee {
		return v
	}
	const pale = 0.35
	scale := roll(top) / top
	for i := range v {
		v[i] = (1-pale)*v[i]*scale + pale*roll(v[i])
	}
	return v
}

// narrow converts light of a gamut to BT.709. A colour outside of BT.709 is desaturated at the same brightness until it
// fits.
func (g gamut) narrow(v rgb) rgb {
	var m [3]rgb
	switch g {
	case wide:
		m = [3]rgb{{1.6604910, -0.5876411, -0.0728499}, {-0.1245505, 1.1328999, -0.0083494}, {-0.0181508, -0.1005789, 1.1187297}}
	case cinema:
		m = [3]rgb{{1.2249402, -0.2249402, 0}, {-0.0420570, 1.0420570, 0}, {-0.0196376, -0.0786361, 1.0982736}}
	default:
		m = [3]rgb{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	}
	var out rgb
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	y := min(max(0.2126*out[0]+0.7152*out[1]+0.0722*out[2], 0), 1)
	keep := 1.0
	for _, c := range out {
		switch {
		case c > 1 && c > y:
			keep = min(keep, (1-y)/(c-y))
		case c < 0 && c < y:
			keep = min(keep, y/(y-c))
		}
	}
	for i := range out {
		out[i] = min(max(y+keep*(out[i]-y), 0), 1)
	}
	return out
}
