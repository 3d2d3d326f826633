// SPDX-License-Identifier: Apache-2.0

package render

import "math"

const (
	// meterHop is the number of samples in a tenth of a second. Loudness is measured over windows of four hops.
	meterHop    = sampleRate / 10
	meterWindow = 4
	// gateLUFS is the level below which a window is silence. relativeGateLU is the level, relative to the mean, below
	// which a window is a pause.
	gateLUFS       = -70.0
	relativeGateLU = -10.0
)

// silent is the loudness of a sound without an audible part.
var silent = math.Inf(-1)

// biquad is a second-order filter.
type biquad struct {
	b0, b1, b2, a1, a2 float64
	z1, z2             float64
}

func (f *biquad) next(x float64) float64 {
	y := f.b0*x + f.z1
	f.z1 = f.b1*x - f.a1*y + f.z2
	f.z2 = f.b2*x - f.a2*y
	return y
}

// shelf and highPass are the K-weighting filters of BS.1770, at 48 kHz.
var (
	shelf    = biquad{b0: 1.53512485958697, b1: -2.69169618940638, b2: 1.19839281085285, a1: -1.69065929318241, a2: 0.73248077421585}
	highPass = biquad{b0: 1, b1: -2, b2: 1, a1: -1.99004745483398, a2: 0.99007225036621}
)

// meter measures the loudness of a stereo sound as defined by EBU R 128.
type meter struct {
	filters [2][2]biquad
	sum     float64
	n       int
	hops    []float64 // mean squares
}

func newMeter() *meter {
	m := &meter{}
	for c := range m.filters {
		m.filters[c] = [2]biquad{shelf, highPass}
	}
	return m
}

func (m *meter) add(l, r float64) {
	a := m.filters[0][1].next(m.filters[0][0].next(l))
	b := m.filters[1][1].next(m.filters[1][0].next(r))
	m.sum += a*a + b*b
	if m.n++; m.n == meterHop {
		m.hops = append(m.hops, m.sum/meterHop)
		m.sum, m.n = 0, 0
	}
}

// integrated returns the loudness of all added samples, in LUFS; silent if nothing is audible. A sound shorter than one
// window is measured as a whole.
func (m *meter) integrated() float64 {
	var windows []float64
	for i := 0; i+meterWindow <= len(m.hops); i++ {
		sum := 0.0
		for _, h := range m.hops[i : i+meterWindow] {
			sum += h
		}
		windows = append(windows, sum/meterWindow)
	}
	if len(windows) == 0 {
		sum, n := m.sum, m.n
		for _, h := range m.hops {
			sum, n = sum+h*meterHop, n+meterHop
		}
		if n == 0 {
			return silent
		}
		windows = []float64{sum / float64(n)}
	}
	mean, ok := above(windows, gateLUFS)
	if !ok {
		return silent
	}
	mean, _ = above(windows, max(gateLUFS, lufs(mean)+relativeGateLU))
	return lufs(mean)
}

// above returns the mean of the windows that are louder than a gate, and whether there are any.
func above(windows []float64, gate float64) (float64, bool) {
	sum, n := 0.0, 0
	for _, w := range windows {
		if lufs(w) > gate {
			sum, n = sum+w, n+1
		}
	}
	return sum / float64(max(n, 1)), n > 0
}

func lufs(meanSquare float64) float64 { return -0.691 + 10*math.Log10(meanSquare) }

func fromDB(db float64) float64 { return math.Pow(10, db/20) }

const (
	// reach is how many samples on each side are used to interpolate a value between two samples.
	reach = 8
	// between is the oversampling factor: how many values are checked per sample.
	between = 4
)

// bridges are the interpolation weights for each position between two samples: a sinc with a Kaiser window.
var bridges = func() (w [between - 1][2 * reach]float64) {
	const beta = 7.0
	bessel := func(x float64) float64 {
		sum, term := 1.0, 1.0
		for k := 1.0; k < 30; k++ {
			term *= (x / (2 * k)) * (x / (2 * k))
			sum += term
		}
		return sum
	}
	for k := range w {
		at := float64(k+1) / between
		for i := range w[k] {
			d := float64(i-reach+1) - at
			edge := d / reach
			w[k][i] = math.Sin(math.Pi*d) / (math.Pi * d) * bessel(beta*math.Sqrt(max(0, 1-edge*edge))) / bessel(beta)
		}
	}
	return w
}()

// truePeak returns the highest level between the two samples in the middle of 2*reach samples.
func truePeak(x []float64) float64 {
	peak := 0.0
	for k := range bridges {
		v := 0.0
		for i, w := range bridges[k] {
			v += w * x[i]
		}
		peak = max(peak, math.Abs(v))
	}
	return peak
}
