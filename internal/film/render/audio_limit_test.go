// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"
	"testing"
)

// The output of the limiter never exceeds the ceiling, also between samples. A sound below the ceiling passes
// unchanged, with a delay.
func TestLimiter(t *testing.T) {
	const n = sampleRate
	noise := uint32(1)
	for name, wave := range map[string]func(i int) float64{
		"a tone whose peaks lie between samples": func(i int) float64 { return 1.4 * math.Sin(2*math.Pi*float64(i)/4+math.Pi/4) },
		"a click": func(i int) float64 {
			if i == n/2 {
				return 4
			}
			return 0.1 * math.Sin(float64(i)/20)
		},
		"noise": func(int) float64 {
			noise = noise*1664525 + 1013904223
			return 3 * (float64(noise)/math.MaxUint32 - 0.5)
		},
		"a swell": func(i int) float64 { return 2 * float64(i) / n * math.Sin(float64(i)/9) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLimiter(-2)
			var out [n]float64
			for i := range n + limitDelay {
				x := 0.0
				if i < n {
					x = wave(i)
				}
				left, right := l.next(x, -x/2)
				if math.Abs(left+2*right) > 1e-12 {
					t.Fatalf("the channels have different gains: %g and %g", left, right)
				}
				if i >= limitDelay {
					out[i-limitDelay] = left
				}
			}
			for i := reach; i < n-reach; i++ {
				if p := max(math.Abs(out[i]), truePeak(out[i-reach+1:i+reach+1])); p > fromDB(-1.9) {
					t.Fatalf("got a peak of %.2f dB at %d", 20*math.Log10(p), i)
				}
			}
		})
	}
	l := newLimiter(-2)
	in := func(i int) float64 { return 0.7 * math.Sin(float64(i)/11) }
	for i := range n {
		if y, _ := l.next(in(i), 0); i >= limitDelay && y != in(i-limitDelay) {
			t.Fatalf("sample %d became %g", i-limitDelay, y)
		}
	}
}

// The reference of EBU R 128: a stereo tone of 1 kHz at -23 dBFS has -23 LUFS, and quieter tones
// before and after are gated.
func TestMeter(t *testing.T) {
	tone := func(m *meter, seconds int, db float64) {
		for i := range seconds * sampleRate {
			x := fromDB(db) * math.Sin(2*math.Pi*1000*float64(i)/sampleRate)
			m.add(x, x)
		}
	}
	for name, c := range map[string]struct {
		play func(*meter)
		want float64
	}{
		"a tone":         {func(m *meter) { tone(m, 20, -23) }, -23},
		"a quiet tone":   {func(m *meter) { tone(m, 20, -33) }, -33},
		"gated by level": {func(m *meter) { tone(m, 10, -36); tone(m, 60, -23); tone(m, 10, -36) }, -23},
		"gated silence": {func(m *meter) {
			tone(m, 10, -72)
			tone(m, 10, -36)
			tone(m, 60, -23)
			tone(m, 10, -36)
			tone(m, 10, -72)
		}, -23},
		"levels mixed": {func(m *meter) { tone(m, 20, -26); tone(m, 20, -20); tone(m, 20, -26) }, -22.93},
		"silence":      {func(m *meter) { tone(m, 5, -200) }, silent},
		"nothing":      {func(*meter) {}, silent},
	} {
		m := newMeter()
		c.play(m)
		if got := m.integrated(); got != c.want && !(math.Abs(got-c.want) <= 0.1) {
			t.Errorf("%s: got %.2f LUFS, want %.2f", name, got, c.want)
		}
	}
	short := newMeter()
	for i := range sampleRate / 4 {
		x := fromDB(-23) * math.Sin(2*math.Pi*1000*float64(i)/sampleRate)
		short.add(x, x)
	}
	if got := short.integrated(); math.Abs(got+23) > 0.1 {
		t.Errorf("a quarter of a second: got %.2f LUFS", got)
	}
}
