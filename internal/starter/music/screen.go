// SPDX-License-Identifier: Apache-2.0

package music

import "github.com/reelops/reelops/internal/starter/music/synth"

// The pieces in the style of film music: an orchestra, an office, a lake.

func wideHorizon(s *score) *synth.Stereo {
	s.harmony(`Dm Bb F C/E | Dm Bb Gm7 A | Dm Bb F C/E | Gm7 Bb C A`)
	second, b, all := span{4, 8}, span{8, 16}, span{0, 16}
	piano := s.player("piano", synth.Piano(0.55), -7, 0.12, 0.35)
	piano.arpeggio(all, hand{low: 62, count: 3}, 0.5, 2, 0.5, "0 2 1 2 3 2 1 2")
	pulse := s.player("string figure", synth.ShortStrings, -11, -0.3, 0.3)
	pulse.arpeggio(second, hand{low: 50, count: 3}, 0.25, 0.9, 0.5, "0 0 2 0 1 0 2 1")
	pulse.arpeggio(b, hand{low: 50, count: 3}, 0.25, 0.9, 0.68, "0 0 2 0 1 0 2 1")
	chords := s.player("strings", synth.Strings, -13, 0.1, 0.45)
	chords.hold(span{0, 8}, hand{low: 57, count: 4}, 0.45, 0)
	chords.hold(b, hand{low: 57, count: 4}, 0.65, 0)
	low := s.player("low strings", synth.Strings, -9, 0, 0.25, synth.LowPass(900))
	low.bassline(all, 36, 0.65, "R---------------")
	sub := s.player("sub", synth.SubBass, -12, 0, 0)
	sub.bassline(b, 36, 0.6, "R-------------__")
	tune := s.player("violins", synth.Strings, -8, -0.1, 0.5, synth.HighPass(300))
	const theme = `A5/3 G5/1 | F5/2 D5/2 | C5/1 F5/1 A5/2 | G5/3 E5/1 | D5/2 G5/1 A5/1 | Bb5/2 A5/1 F5/1 | G5/2 C6/2 | A5/2 E5/1 C#5/1`
	tune.tune(8, 0.75, theme)
	horn := s.player("horns", synth.Brass, -12, 0.25, 0.45)
	horn.tune(8, 0.65, `A4/3 G4/1 | F4/2 D4/2 | C4/1 F4/1 A4/2 | G4/3 E4/1 | D4/2 G4/1 A4/1 | Bb4/2 A4/1 F4/1 | G4/2 C5/2 | A4/2 E4/1 C#4/1`)
	drum := s.drums("great drums", synth.Taiko, -7, 0, 0.35)
	drum.beat(second, "x_______________|x_______________|x_______________|x_______o___x___", 0.6)
	drum.beat(b, "x_____x_____x___|x_____x___o_x___", 0.85)
	s.drums("low drums", synth.LowTom, -13, -0.3, 0.35).beat(b, "____o_.o____o_.o|____o_.o__o_o_oo", 0.65)
	s.drums("high drums", synth.MidTom, -15, 0.3, 0.35).beat(b, "__.___o___.___o_|__.___o_o_._oo__", 0.55)
	swell := s.drums("cymbal", synth.Swell, -19, 0, 0.4)
	swell.add(note{beat: 28, length: 4, velocity: 0.8})
	swell.add(note{beat: 60, length: 4, velocity: 0.55})
	return s.mix(synth.Room{Size: 1.15, Seconds: 2.6, Dark: 5200, Before: 0.02}, 0.55)
}

func clearSteps(s *score) *synth.Stereo {
	s.harmony(`C G/B Am7 Fmaj7 | C G/B Am7 F,G | Fadd9 G Am7 C/E | Fadd9 G C Gsus4`)
	a, second, b, all := span{0, 8}, span{4, 8}, span{8, 16}, span{0, 16}
	muted := s.player("muted guitar", synth.MutedGuitar, -7, -0.4, 0.15, synth.Echo(0.4018, 0.28, 0.3), synth.HighPass(140))
	muted.arpeggio(all, hand{low: 60, count: 3}, 0.5, 1, 0.62, "0 2 1 2 0 2 1 2")
	answer := s.player("muted guitar b", synth.MutedGuitar, -10, 0.45, 0.15, synth.HighPass(140))
	answer.arpeggio(b, hand{low: 67, count: 3}, 0.5, 1, 0.55, "2 . 1 0 . 2 . 1")
	piano := s.player("piano", synth.Piano(0.7), -8, 0.15, 0.25)
	piano.hold(a, hand{low: 60, count: 4}, 0.5, 0.01)
	piano.chop(b, hand{low: 60, count: 4}, "x-----x-----x---", 0.55)
	pad := s.player("pad", synth.WarmPad, -17, 0, 0.4)
	pad.hold(all, hand{low: 55, count: 4}, 0.5, 0)
	bass := s.player("bass", synth.FingerBass, -1, 0, 0, synth.LowPass(1100))
	bass.bassline(span{2, 4}, 33, 0.6, "R---------------")
	bass.bassline(second, 33, 0.7, "R-R-R-R-R-R-R-R-")
	bass.bassline(b, 33, 0.78, "R-R-R-R-R-R-5-5-")
	bell := s.player("bells", synth.Glockenspiel, -14, 0.2, 0.45)
	bell.tune(4, 0.55, `G4/.5 C5/.5 E5/1 D5/1 C5/1 | B4/1 D5/2 -/1 | A4/.5 C5/.5 E5/1 G5/1 E5/1 | F5/1 C5/1 D5/1 -/1`)
	tune := s.player("tune", synth.SoftLead, -14, 0.05, 0.35, synth.Echo(0.4018, 0.3, 0.25))
	tune.tune(8, 0.66, `A5/1.5 G5/.5 F5/1 C5/1 | B4/.5 D5/.5 G5/1 -/1 G5/1 | E5/1.5 D5/.5 C5/1 E5/1 | G5/3 -/1 |
		A5/1.5 G5/.5 F5/1 A5/1 | B5/1 A5/.5 G5/1.5 D5/1 | E5/1.5 G5/.5 C6/2 | D5/2 C5/1 -/1`)
	kick := s.drums("kick", synth.SoftKick, -4, 0, 0.02)
	kick.beat(second, "x___x___x___x___", 0.65)
	kick.beat(b, "x___x___x___x___", 0.8)
	s.drums("clap", synth.Clap, -13, 0, 0.25).beat(b, "____x_______x___", 0.7)
	s.drums("hat", synth.ClosedHat, -21, 0.25, 0.05).beat(b, "__x_.___x_._x_..", 0.55)
	s.drums("shaker", synth.Shaker, -17, -0.25, 0.08).beat(span{4, 16}, "o_._x_._o_._x_._", 0.55)
	return s.mix(synth.Room{Size: 0.8, Seconds: 1.5, Dark: 6000, Before: 0.012}, 0.45, synth.HighShelf(8000, 1.5))
}

func stillWater(s *score) *synth.Stereo {
	s.harmony(`Fmaj9 Fmaj9 C/E C/E | Dm9 Dm9 Am7 Am7 | Fmaj7#11 Fmaj7#11 G69 G69`)
	all := span{0, 12}
	pad := s.player("glass", synth.GlassPad, -8, 0, 0.5, synth.Chorus(0.6), synth.Sweep(900, 5200, 2))
	pad.hold(all, hand{low: 57, count: 4}, 0.55, 0)
	warm := s.player("warm", synth.WarmPad, -11, 0, 0.35, synth.LowPass(900))
	warm.hold(all, hand{low: 48, count: 2}, 0.5, 0)
	sub := s.player("sub", synth.SubBass, -12, 0, 0)
	sub.bassline(all, 36, 0.5, "R--------------- --------------__")
	harp := s.player("harp", synth.Harp, -10, -0.25, 0.5, synth.Echo(0.75, 0.35, 0.3))
	harp.loose = 0.014
	harp.arpeggio(span{2, 4}, hand{low: 62, count: 4}, 0.5, 6, 0.4, ". . 0 1 2 3 . .")
	harp.arpeggio(span{4, 12}, hand{low: 62, count: 4}, 0.5, 6, 0.45, ". 0 2 1 3 . 4 . . . 3 . 2 . . .")
	bell := s.player("bells", synth.Bell, -16, 0.3, 0.7, synth.Echo(1, 0.4, 0.4))
	bell.tune(0, 0.4, `-/2 C6/2 | -/1 A5/3 | -/2 G5/1.5 E5/.5? | -/4 | F5/2 -/1 E5/1? | -/2 A5/2 | -/1 C6/1.5 G5/1.5? | -/4 |
		-/1 B5/3 | A5/2 E5/2? | -/2 D6/2 | B5/1.5 A5/2.5?`)
	bowl := s.player("bowl", synth.Bowl, -16, -0.4, 0.6)
	bowl.tune(0, 0.5, `C5/4 | -/4 | -/4 | -/4 | A4/4 | -/4 | -/4 | -/4 | E5/4 | -/4 | -/4 | -/4`)
	return s.mix(synth.Room{Size: 1.3, Seconds: 4.2, Dark: 4500, Before: 0.03}, 0.75, synth.LowShelf(150, 1))
}
