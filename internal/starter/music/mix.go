// SPDX-License-Identifier: Apache-2.0

package music

import (
	"math"
	"math/rand/v2"

	"github.com/reelops/reelops/internal/starter/music/synth"
)

// targetLUFS and ceilingDBTP are the loudness and the maximum true peak of every piece.
const (
	targetLUFS  = -16.0
	ceilingDBTP = -3.4 // a video is 2 LU louder: the piece can be raised by that, and its peaks remain under -1
)

// mix renders all parts, adds the room reverb and sets the loudness. It returns nil if the score is unheard.
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

// finish sets the loudness of a loop to targetLUFS and keeps its peaks under ceilingDBTP.
func finish(s *synth.Stereo) *synth.Stereo {
	s.Scale(synth.Gain(targetLUFS - synth.Loudness(s)))
	synth.Compress(-14, 1.8, 0.012, 0.16)(s)
	for range 3 { // limiting reduces the loudness
		s.Scale(synth.Gain(targetLUFS - synth.Loudness(s)))
		synth.Limit(s, ceilingDBTP)
	}
	return s
}

// play returns the sound of all notes of a part.
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

// gauss returns a random number around 0, mostly within 1 and never beyond 2: the sum of four uniform numbers.
func gauss(r *rand.Rand) float64 {
	return (r.Float64() + r.Float64() + r.Float64() + r.Float64() - 2)
}

// strokes returns the samples at which a part plays, so that other parts can be ducked.
func (p *part) strokes() []int {
	var out []int
	for _, n := range p.notes {
		out = append(out, p.sample(n.beat))
	}
	return out
}
