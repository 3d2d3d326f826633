// SPDX-License-Identifier: Apache-2.0

package music

import (
	"math"
	"math/rand/v2"

	"github.com/reelops/reelops/internal/starter/music/synth"
)

// What every piece is brought to.
const (
	targetLUFS  = -16.0
	ceilingDBTP = -3.4 // a film is 2 LU louder: so it can be raised as it is, and still ends under -1
)

// mix plays all parts, puts them into the room and brings the whole to its loudness.
func (s *score) mix(room synth.Room, wet float64, master ...synth.Effect) *synth.Stereo {
	if s.unheard {
		return nil
	}
	sum, send := synth.NewStereo(s.n), synth.NewStereo(s.n)
	for _, p := range s.parts {
		played := p.play()
		for _, e := range p.effects {
			e(played)
		}
		g := synth.Gain(p.gain)
		sum.Mix(played, g)
		if p.send > 0 {
			send.Mix(played, g*p.send)
		}
	}
	room.Wet(send)
	sum.Mix(send, wet)
	synth.HighPass(28)(sum)
	for _, e := range master {
		e(sum)
	}
	return finish(sum)
}

// finish brings a loop to the loudness that all pieces have, and its peaks under the ceiling.
func finish(s *synth.Stereo) *synth.Stereo {
	s.Scale(synth.Gain(targetLUFS - synth.Loudness(s)))
	synth.Compress(-14, 1.8, 0.012, 0.16)(s)
	for range 3 { // limiting takes loudness away
		s.Scale(synth.Gain(targetLUFS - synth.Loudness(s)))
		synth.Limit(s, ceilingDBTP)
	}
	return s
}

// play is all of a part's notes.
func (p *part) play() *synth.Stereo {
	out := synth.NewStereo(p.n)
	r := p.random()
	for _, n := range p.notes {
		at := p.sample(n.beat) + int(p.loose*synth.Rate*gauss(r))
		velocity := min(1, max(0.05, n.velocity*(1+0.06*gauss(r))))
		clip := p.instrument(synth.Hertz(float64(n.pitch)), p.seconds(n.length), velocity, r)
		out.Add(clip, at, 0.5, math.Max(-1, math.Min(1, p.pan+n.pan)))
	}
	return out
}

// gauss is around 0, mostly within 1, never beyond 2: a bell of four even numbers.
func gauss(r *rand.Rand) float64 {
	return (r.Float64() + r.Float64() + r.Float64() + r.Float64() - 2)
}

// strokes are the samples at which a part plays, for others to make room.
func (p *part) strokes() []int {
	var out []int
	for _, n := range p.notes {
		out = append(out, p.sample(n.beat))
	}
	return out
}
