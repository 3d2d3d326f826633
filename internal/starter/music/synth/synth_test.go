// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
	"testing"
)

func chance() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// sine fills a loop with a tone.
func sine(n int, hertz, gain, phase float64) *Stereo {
	s := NewStereo(n)
	for i := range s.L {
		v := float32(gain * math.Sin(2*math.Pi*(hertz*float64(i)/Rate+phase)))
		s.L[i], s.R[i] = v, v
	}
	return s
}

// The reference: a tone of 1 kHz at -23 dBFS on both sides is -23 LUFS.
func TestLoudness(t *testing.T) {
	for _, db := range []float64{-40, -23, -16} {
		if got := Loudness(sine(10*Rate, 1000, Gain(db), 0)); math.Abs(got-db) > 0.1 {
			t.Errorf("%g dBFS: got %.2f LUFS", db, got)
		}
	}
	// Silence for half of the time is gated.
	half := sine(10*Rate, 1000, Gain(-20), 0)
	clear(half.L[5*Rate:])
	clear(half.R[5*Rate:])
	if got := Loudness(half); math.Abs(got+20) > 0.5 {
		t.Errorf("half silent: got %.2f LUFS", got)
	}
	if got := Loudness(NewStereo(Rate)); !math.IsInf(got, -1) {
		t.Errorf("silence: got %g", got)
	}
}

// A tone of a quarter of the sample rate may have all its peaks between samples.
func TestTruePeak(t *testing.T) {
	s := sine(Rate, Rate/4, 1, 0.125)
	if got := TruePeak(s); math.Abs(got) > 0.3 {
		t.Errorf("got a peak of %.2f dBTP, its samples at -3", got)
	}
}

func TestLimit(t *testing.T) {
	s := sine(Rate, 440, 0.3, 0)
	for i := 20000; i < 20200; i++ {
		s.L[i] *= 3
	}
	soft := s.L[5000]
	Limit(s, -6)
	if got := TruePeak(s); got > -5.9 {
		t.Errorf("got a peak of %.2f dBTP", got)
	}
	if s.L[5000] != soft {
		t.Error("samples far from a peak changed")
	}
	quiet := sine(Rate, 440, 0.1, 0)
	before := quiet.L[1234]
	Limit(quiet, -6)
	if quiet.L[1234] != before {
		t.Error("a sound without peaks changed")
	}
}

func TestAdd_WrapsAround(t *testing.T) {
	s := NewStereo(4)
	s.Add(mono([]float32{1, 2, 3, 4, 5, 6}), 3, 1, 0)
	for i, want := range []float32{2 + 6, 3, 4, 1 + 5} {
		if math.Abs(float64(s.L[i]-want)) > 1e-5 {
			t.Errorf("sample %d is %g, want %g", i, s.L[i], want)
		}
	}
	left := NewStereo(1)
	left.Add(mono([]float32{1}), -1, 1, -1)
	if left.R[0] > 1e-6 || left.L[0] < 1.4 {
		t.Errorf("on the left: got %g, %g", left.L[0], left.R[0])
	}
}

// Sound that rings at the end of a loop is audible at its start.
func TestEffects_WrapAround(t *testing.T) {
	for name, e := range map[string]Effect{
		"echo": Echo(0.2, 0.4, 1), "room": Room{Size: 0.5, Seconds: 0.5, Dark: 5000}.Wet, "low pass": LowPass(200), "chorus": Chorus(1), "wobble": Wobble(0.5),
	} {
		s := NewStereo(Rate)
		s.L[Rate-10], s.R[Rate-10] = 1, 1
		e(s)
		heard := 0.0
		for i := range Rate / 2 {
			heard += math.Abs(float64(s.L[i])) + math.Abs(float64(s.R[i]))
		}
		if heard < 0.01 {
			t.Errorf("%s: cut off at the seam (%g)", name, heard)
		}
	}
}

// A room loses 60 dB in its reverberation time.
func TestRoom(t *testing.T) {
	s := NewStereo(8 * Rate)
	r := chance()
	for i := range 200 {
		s.L[i], s.R[i] = float32(noise(r)), float32(noise(r))
	}
	Room{Size: 1, Seconds: 2, Dark: 20000}.Wet(s)
	level := func(at float64) float64 {
		sum := 0.0
		for i := samples(at); i < samples(at+0.2); i++ {
			sum += float64(s.L[i]) * float64(s.L[i])
		}
		return 10 * math.Log10(sum)
	}
	if fell := level(0.3) - level(1.3); fell < 22 || fell > 42 {
		t.Errorf("in one second of two the level falls by %.1f dB, want about 30", fell)
	}
}

// Every instrument plays the requested note: the sound repeats after one period.
func TestInstruments_AreInTune(t *testing.T) {
	for name, c := range map[string]struct {
		play   Instrument
		hertz  []float64
		within float64 // cents
	}{
		"steel guitar":   {SteelGuitar, []float64{98, 220, 440}, 8},
		"bass":           {FingerBass, []float64{41.2, 98}, 8},
		"harp":           {Harp, []float64{261.6, 783.99}, 8},
		"piano":          {Piano(0.5), []float64{110, 440}, 8},
		"electric piano": {ElectricPiano, []float64{220, 523.25}, 8},
		"marimba":        {Marimba, []float64{392, 784}, 8},
		"flute":          {Flute, []float64{523.25, 880}, 20},
		"lead":           {Lead, []float64{440}, 20},
		"synth bass":     {SynthBass, []float64{55}, 12},
		"pad":            {WarmPad, []float64{220}, 20},
	} {
		for _, f := range c.hertz {
			s := c.play(f, 1.2, 0.7, chance())
			got := pitch(s.L[samples(0.25):], f)
			if cents := 1200 * math.Log2(got/f); math.Abs(cents) > c.within {
				t.Errorf("%s at %g Hz: got %.2f Hz, %.1f cents off", name, f, got, cents)
			}
		}
	}
}

// pitch returns the frequency near the wanted one at which a sound repeats best, over twenty periods.
func pitch(x []float32, near float64) float64 {
	const periods = 20
	best, found := -1.0, near
	window := samples(0.25)
	for cents := -60.0; cents <= 60; cents++ {
		f := near * math.Exp2(cents/1200)
		lag := Rate / f * math.Min(periods, math.Floor(0.4*f))
		k := int(lag)
		frac := lag - float64(k)
		var xy, xx, yy float64
		for i := range window {
			a, b := float64(x[i]), float64(x[i+k])*(1-frac)+float64(x[i+k+1])*frac
			xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
		}
		if alike := xy / math.Sqrt(xx*yy+1e-12); alike > best {
			best, found = alike, f
		}
	}
	return found
}

// A note neither starts nor ends with a step.
func TestNotes_StartAndEndSmoothly(t *testing.T) {
	for name, play := range map[string]Instrument{
		"steel guitar": SteelGuitar, "piano": Piano(0.5), "electric piano": ElectricPiano, "marimba": Marimba, "bell": Bell, "bowl": Bowl,
		"pad": WarmPad, "strings": Strings, "flute": Flute, "whistle": Whistle, "lead": Lead, "soft lead": SoftLead, "pluck": SynthPluck,
		"bass": SynthBass, "sub": SubBass, "kick": SoftKick, "snare": TightSnare, "clap": Clap, "hat": ClosedHat, "open hat": OpenHat,
		"shaker": Shaker, "snap": Snap, "brush": Brush, "rim": Rim, "tom": Taiko, "crash": Crash, "swell": Swell,
	} {
		s := play(220, 0.5, 0.8, chance())
		top := float32(0)
		for i := range s.L {
			for _, v := range []float32{s.L[i], s.R[i]} {
				if math.IsNaN(float64(v)) || v > 8 || v < -8 {
					t.Fatalf("%s: sample %d is %g", name, i, v)
				}
				top = max(top, v, -v)
			}
		}
		if top < 0.02 {
			t.Errorf("%s is silent: %g", name, top)
		}
		last := s.L[len(s.L)-1]
		if float64(max(last, -last)) > 0.01*float64(top) {
			t.Errorf("%s is truncated at %g of %g", name, last, top)
		}
	}
}

func TestDuck(t *testing.T) {
	s := NewStereo(Rate)
	for i := range s.L {
		s.L[i], s.R[i] = 1, 1
	}
	Duck([]int{0, Rate / 2}, 0.6, 0.2)(s)
	if got := s.L[Rate/2]; math.Abs(float64(got)-0.4) > 0.01 {
		t.Errorf("at the stroke: got %g", got)
	}
	if got := s.L[Rate/2+samples(0.25)]; got != 1 {
		t.Errorf("after the stroke: got %g", got)
	}
	for i := 1; i < Rate; i++ {
		if d := s.L[i] - s.L[i-1]; d > 0.01 || d < -0.01 {
			t.Fatalf("clicks at %d: %g", i, d)
		}
	}
}
