// SPDX-License-Identifier: Apache-2.0

package paint

const rampSteps = 1024

// Ramp is a colour gradient over 0 to 1, mixed in OKLab and tabulated once.
type Ramp struct{ at [rampSteps + 1]Color }

// Stop is one colour of a ramp at a position from 0 to 1.
type Stop struct {
	At float32
	C  Color
}

// NewRamp returns a ramp of stops in rising order. Between two stops the curve is eased, which hides the kink between
// straight pieces.
func NewRamp(stops ...Stop) *Ramp {
	r := &Ramp{}
	labs := make([]lab, len(stops))
	for i, s := range stops {
		labs[i] = toLab(s.C)
	}
	k := 0
	for i := range r.at {
		t := float32(i) / rampSteps
		for k+2 < len(stops) && t >= stops[k+1].At {
			k++
		}
		if len(stops) == 1 || t <= stops[k].At {
			r.at[i] = stops[k].C
			continue
		}
		f := Clamp((t-stops[k].At)/(stops[k+1].At-stops[k].At), 0, 1)
		f += 0.5 * (f*f*(3-2*f) - f) // half way between straight and eased
		r.at[i] = fromLab(labs[k].lerp(labs[k+1], f))
	}
	return r
}

// Even returns a ramp with its colours at equal distances.
func Even(colors ...Color) *Ramp {
	stops := make([]Stop, len(colors))
	for i, c := range colors {
		at := float32(0)
		if len(colors) > 1 {
			at = float32(i) / float32(len(colors)-1)
		}
		stops[i] = Stop{at, c}
	}
	return NewRamp(stops...)
}

// At returns the colour at t; outside 0 to 1 it returns the end colours.
func (r *Ramp) At(t float32) Color {
	f := Clamp(t, 0, 1) * rampSteps
	i := int(f)
	if i >= rampSteps {
		return r.at[rampSteps]
	}
	return r.at[i].Lerp(r.at[i+1], f-float32(i))
}
