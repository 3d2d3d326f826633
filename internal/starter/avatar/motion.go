// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"math"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// pose is the posture of a figure in one frame.
type pose struct {
	// The body: moved sideways in units, leaning in radians, breath in units.
	shift, lean, breath float32
	// The head: moved in units, tilted in radians, turned and nodded by yaw and pitch in units.
	x, y, tilt, yaw, pitch float32
	// The hanging parts: hair in units, earrings in radians.
	swing, dangle float32
	mouth         speech
	gaze          gaze
}

// wave is a slow periodic movement: a sum of sines, each with a whole number of periods in the clip, a phase and a
// weight.
type wave struct {
	turns  [4]float32
	phase  [4]float32
	weight [4]float32
}

// newWave returns a random wave of which each sine has 1 to fast periods in the clip.
func newWave(r *p.Rand, fast int) wave {
	w := wave{}
	sum := float32(0)
	for i := range w.turns {
		w.turns[i] = float32(1 + r.Int(fast))
		w.phase[i] = r.In(0, 2*math.Pi)
		w.weight[i] = r.In(0.5, 1) / (1 + 0.35*w.turns[i])
		sum += w.weight[i]
	}
	for i := range w.weight {
		w.weight[i] /= sum
	}
	return w
}

// at returns the movement, about -1 to 1; t is 0 at the start of the clip and 1 at its end.
func (w wave) at(t float32) float32 {
	v := float32(0)
	for i := range w.turns {
		v += w.weight[i] * p.Sin(2*math.Pi*w.turns[i]*t+w.phase[i])
	}
	return v * 1.35
}

// choreograph returns the poses of all frames of a clip. The first pose continues the last one, so that the clip can
// loop.
func choreograph(lk *look) []pose {
	n, r := lk.frames, p.NewRand(lk.seed+1000)
	out := make([]pose, n)
	words := utter(lk, r.Fork())
	for i := range out {
		out[i].mouth = words.mouth[i]
	}
	glance(out, r.Fork())
	blink(lk, out, r.Fork())
	e := lk.habit.energy
	yaw, tilt, pitch, x, lean, shift := newWave(r, 4), newWave(r, 3), newWave(r, 4), newWave(r, 3), newWave(r, 2), newWave(r, 2)
	breaths := float32(math.Round(float64(n) / FPS / 3.4))
	for i := range out {
		t := float32(i) / float32(n)
		o := &out[i]
		beat, lift := words.beat[i], words.lift[i]
		o.yaw = 15*e*yaw.at(t) + 3.2*o.gaze.x*0.35
		o.tilt = 0.040 * e * tilt.at(t)
		o.pitch = 4*e*pitch.at(t) + 7*e*beat - 2.5*lift
		o.x = 7 * e * x.at(t)
		o.y = 3.4*e*beat - 1.6*lift
		o.lean = 0.006 * e * lean.at(t)
		o.shift = 6 * e * shift.at(t)
		o.breath = 3.2 * (0.5 + 0.5*p.Sin(2*math.Pi*breaths*t))
		o.gaze.brow = 7.5*lift*e + 1.5*beat
		o.gaze.smile = words.mouth[i].smile * 0.8
	}
	hang(out)
	return out
}

// hang lets hair and earrings follow the head like pendulums. It simulates the clip three times and records the third:
// by then the movement is periodic.
func hang(out []pose) {
	n := len(out)
	head := func(i int) float32 {
		o := &out[(i+n)%n]
		return o.x + o.shift + o.yaw*0.5 - o.tilt*260
	}
	swing := func(pull, hz, damp float32, set func(*pose, float32)) {
		pos, vel := float32(0), float32(0)
		w := 2 * math.Pi * hz
		for i := range 3 * n {
			acc := (head(i+1) - 2*head(i) + head(i-1)) * FPS * FPS
			vel += (-pull*acc - float32(w*w)*pos - 2*damp*float32(w)*vel) / FPS
			pos += vel / FPS
			if i >= 2*n {
				set(&out[i-2*n], pos)
			}
		}
	}
	swing(1.1, 1.3, 0.32, func(o *pose, v float32) { o.swing = p.Clamp(v, -26, 26) })
	swing(0.020, 1.9, 0.10, func(o *pose, v float32) { o.dangle = p.Clamp(v, -0.5, 0.5) - o.tilt*0.2 })
}

// blink adds blinks: the eyes close fast and open more slowly, sometimes twice in a row. No blink begins in the first
// second or in the last 16 frames, so that the clip begins and ends with open eyes. No blink covers the frame at a
// third of the clip, which is its preview.
func blink(lk *look, out []pose, r *p.Rand) {
	n := len(out)
	at, twice := 40+r.Int(20), false
	for at < n-16 {
		if at > n/3-11 && at <= n/3 {
			at = n/3 + 2 // the preview shows the frame at a third of the clip
		}
		depth := r.In(0.96, 1)
		down, stay, up := 3, 1+r.Int(2), 5
		for i := range down + stay + up {
			v := depth
			if i < down {
				v = depth * p.Smooth(-0.6, float32(down), float32(i))
			} else if i >= down+stay {
				v = depth * (1 - p.Smooth(-1, float32(up), float32(i-down-stay)))
			}
			if at+i < n {
				out[at+i].gaze.shut = max(out[at+i].gaze.shut, v)
			}
		}
		if r.Float() < 0.14 && !twice {
			at, twice = at+12, true
			continue
		}
		twice = false
		at += int(FPS / lk.habit.blinks * r.In(0.6, 1.5))
	}
}

// glance moves the eyes in jumps with rests between them. The eyes look into the camera most of the time.
func glance(out []pose, r *p.Rand) {
	n := len(out)
	x, y := float32(0), float32(0)
	i := 0
	for i < n {
		stay := 14 + r.Int(30)
		tx, ty := r.In(-1.2, 1.2), r.In(-0.8, 0.8)
		if r.Float() < 0.26 && i > 20 && i < n-60 {
			tx, ty, stay = r.Sign()*r.In(5, 9), r.In(-5, 3), 9+r.Int(10)
		}
		if i+stay >= n-4 || i == 0 {
			tx, ty = 0, 0
		}
		for j := range stay {
			if i+j >= n {
				break
			}
			k := p.Smooth(-0.5, 2.5, float32(j))
			out[i+j].gaze.x, out[i+j].gaze.y = p.Lerp(x, tx, k), p.Lerp(y, ty, k)
		}
		x, y = tx, ty
		i += stay
	}
}
