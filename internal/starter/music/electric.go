// SPDX-License-Identifier: Apache-2.0

package music

import "github.com/reelops/reelops/internal/starter/music/synth"

// The pieces for electronic instruments.

func lateStudy(s *score) *synth.Stereo {
	s.harmony(`Dm9 G13 Cmaj9 Am9 | Dm9 G13 Em7 Am9 | Fmaj9 Em7 Dm9 G13 | Fmaj9 Em7 Dm9 G7sus4`)
	all, b := span{0, 16}, span{8, 16}
	keys := s.player("electric piano", synth.ElectricPiano, -9, -0.1, 0.25,
		synth.Tremolo(3.1, 0.22), synth.Wobble(0.35), synth.BellCurve(350, 0.8, -3), synth.HighShelf(1200, 4), synth.LowPass(4200), synth.Saturate(1.3))
	keys.loose = 0.01
	keys.chop(all, hand{low: 57, count: 4, rootless: true}, "x---------o-----|x-----o---______", 0.5)
	bass := s.player("bass", synth.FingerBass, 1, 0, 0, synth.LowPass(800))
	bass.bassline(span{0, 8}, 33, 0.75, "R-----__R-5---__")
	bass.bassline(b, 33, 0.78, "R-----__R-__5-8-")
	vibes := s.player("vibraphone", synth.Vibraphone, -9, 0.25, 0.4, synth.Wobble(0.3), synth.LowPass(4200))
	vibes.tune(4, 0.5, `-/2 A5/.5 C6/.5 A5/1? | B4/1 D5/.5 E5/1.5? -/1 | -/2 B5/.5 G5/.5 E5/1? | G5/1 E5/.5 C5/1.5? -/1`)
	vibes.tune(8, 0.55, `A5/.5 G5/.5 E5/1 -/.5 C5/.5? D5/1 | E5/1.5 D5/.5 B4/1 -/1 | F5/.5 E5/.5 D5/1 -/.5 A4/.5? C5/1 | B4/2 -/2 |
		A5/.5 G5/.5 E5/1 -/.5 G5/.5? A5/1 | B5/1 G5/.5 E5/1.5 -/1 | D5/.5 E5/.5 F5/1 A5/1 G5/.5 E5/.5? | D5/2 -/2`)
	guitar := s.player("guitar", synth.NylonGuitar, -14, 0.4, 0.35, synth.Wobble(0.3), synth.LowPass(2600))
	guitar.arpeggio(b, hand{low: 64, count: 3, rootless: true}, 0.5, 3, 0.45, ". . 2 1 . 0 . 1")
	kick := s.drums("kick", synth.SoftKick, 0, 0, 0.02, synth.LowPass(3000))
	kick.beat(all, "x______o__x_____|x______o__x__o__", 0.85)
	s.drums("snare", synth.DustySnare, -4, 0.02, 0.14, synth.LowPass(5200), synth.Saturate(1.6)).beat(all, "____x_______x___|____x__.____x_._", 0.75)
	hat := s.drums("hat", synth.DarkHat, -10, 0.2, 0.06, synth.LowPass(7500))
	hat.loose = 0.006
	hat.beat(all, "o_.xo_.xo_.xo_..|o_.xo_.xo_.oo_x_", 0.5)
	return s.mix(synth.Room{Size: 0.6, Seconds: 1, Dark: 3200, Before: 0.01}, 0.4,
		func(all *synth.Stereo) { synth.Dust(all, 0.35, (&part{score: s, name: "dust"}).random()) },
		synth.LowShelf(120, 1.5), synth.Saturate(0.8))
}

func fullSpeed(s *score) *synth.Stereo {
	s.harmony(`Am F C G | Am F C G | F G Am Em | F G Am E7 | Am F C G | Am F C E7`)
	a, b, c, all := span{0, 8}, span{8, 16}, span{16, 24}, span{0, 24}
	kick := s.drums("kick", synth.PunchKick, -4, 0, 0)
	kick.beat(a, "x___x___x___x___", 0.9)
	kick.beat(span{8, 15}, "x___x___x___x___", 0.9)
	kick.beat(span{15, 16}, "x___x___x_x_xxxx", 0.8)
	kick.beat(c, "x___x___x___x___", 0.95)
	room := synth.Duck(kick.strokes(), 0.62, 0.3)
	bass := s.player("bass", synth.SynthBass, -6, 0, 0, synth.Duck(kick.strokes(), 0.45, 0.14))
	bass.bassline(a, 33, 0.75, "__R-__R-__R-__R-")
	bass.bassline(b, 33, 0.8, "__R-__R8__R-__RR")
	bass.bassline(c, 33, 0.85, "__R-__R8__R-__R5")
	chords := s.player("super saw", synth.SuperSaw, -12, 0, 0.25, room, synth.HighPass(180))
	chords.chop(a, hand{low: 57, count: 3}, "x-----x-----x---", 0.55)
	chords.hold(b, hand{low: 57, count: 3}, 0.6, 0)
	chords.chop(c, hand{low: 60, count: 3}, "x-----x-----x-x-", 0.7)
	pluck := s.player("figure", synth.SynthPluck, -11, 0.15, 0.2, synth.Echo(0.3571, 0.35, 0.3), room, synth.HighPass(250), synth.Sweep(1800, 9000, 3))
	pluck.arpeggio(span{4, 24}, hand{low: 69, count: 3}, 0.25, 0.9, 0.55, "0 1 2 3 2 1 0 2 1 3 2 1 0 2 3 1")
	lead := s.player("lead", synth.Lead, -10, 0, 0.3, synth.Echo(0.3571, 0.3, 0.25), synth.Duck(kick.strokes(), 0.25, 0.2))
	lead.tune(8, 0.66, `A5/.75 A5/.75 G5/.5 F5/1 C5/1 | B4/.75 D5/.75 G5/.5 F5/.5 E5/.5 D5/1 | E5/.75 E5/.75 D5/.5 C5/1 E5/1 | G5/1.5 E5/.5 B4/1 -/1 |
		A5/.75 A5/.75 G5/.5 F5/1 A5/1 | B5/.75 B5/.75 A5/.5 G5/1 D5/1 | C6/1.5 B5/.5 A5/1 E5/1 | G#5/2 E5/1 -/1`)
	lead.tune(16, 0.72, `E5/.75 E5/.75 D5/.5 C5/1 E5/1 | A5/1.5 G5/.5 F5/1 C5/1 | G5/.75 G5/.75 E5/.5 C5/1 G5/1 | D5/1.5 B4/.5 D5/2 |
		E5/.75 E5/.75 D5/.5 C5/1 E5/1 | A5/1.5 C6/.5 A5/1 F5/1 | G5/.75 E5/.75 G5/.5 C6/2 | B5/2 G#5/1 -/1`)
	s.drums("clap", synth.Clap, -9, 0, 0.2).beat(span{4, 24}, "____x_______x___", 0.8)
	s.drums("snare", synth.TightSnare, -15, 0, 0.15).beat(c, "____x_______x__.", 0.7)
	hat := s.drums("hat", synth.ClosedHat, -16, 0.2, 0.03)
	hat.beat(a, "__x___x___x___x_", 0.65)
	hat.beat(b, "o_x.o_x.o_x.o_x.", 0.6)
	hat.beat(c, "o.xoo.xoo.xoo.xo", 0.62)
	s.drums("open hat", synth.OpenHat, -19, -0.2, 0.05).beat(span{8, 24}, "__x___x___x___x_", 0.6)
	crash := s.drums("crash", synth.Crash, -16, 0.1, 0.3)
	crash.add(note{beat: 32, length: 1, velocity: 0.7})
	crash.add(note{beat: 64, length: 1, velocity: 0.8})
	swell := s.drums("rise", synth.Swell, -20, 0, 0.3)
	swell.add(note{beat: 28, length: 4, velocity: 0.7})
	swell.add(note{beat: 60, length: 4, velocity: 0.8})
	_ = all
	return s.mix(synth.Room{Size: 0.8, Seconds: 1.3, Dark: 7000, Before: 0.01}, 0.4)
}

func nightDrive(s *score) *synth.Stereo {
	s.harmony(`Em Em Cmaj7 D | Em Em C B7 | C D Em G | Am C B7sus4 B7`)
	a, b, all := span{0, 8}, span{8, 16}, span{0, 16}
	kick := s.drums("kick", synth.DeepKick, -5, 0, 0.02)
	kick.beat(span{0, 15}, "x_______x_x_____|x_______x_____o_", 0.85)
	kick.beat(span{15, 16}, "x_______x_x_x_x_", 0.8)
	bass := s.player("bass", synth.SynthBass, -6, 0, 0, synth.Duck(kick.strokes(), 0.35, 0.16), synth.LowPass(2600))
	bass.bassline(a, 28, 0.68, "R_RRR_RRR_RRR_R8")
	bass.bassline(b, 28, 0.74, "R_RRR_8RR_RRR_R8")
	pad := s.player("pad", synth.WarmPad, -12, 0, 0.4, synth.Chorus(0.8), synth.Sweep(700, 3600, 2))
	pad.hold(all, hand{low: 55, count: 4}, 0.55, 0)
	figure := s.player("figure", synth.SynthPluck, -13, 0.3, 0.3, synth.Echo(0.45, 0.42, 0.4), synth.LowPass(4200))
	figure.arpeggio(span{2, 8}, hand{low: 64, count: 3}, 0.25, 0.9, 0.5, "0 . 2 . 1 . 3 2 . 1 . 2 0 . 1 .")
	figure.arpeggio(b, hand{low: 64, count: 3}, 0.25, 0.9, 0.52, "0 2 1 3 2 1 3 2 0 2 1 3 2 3 1 2")
	lead := s.player("lead", synth.SoftLead, -10, -0.05, 0.45, synth.Echo(0.45, 0.35, 0.3), synth.Chorus(0.4))
	lead.tune(4, 0.5, `-/2 B5/1 G5/1? | F#5/2 E5/2 | -/2 G5/1 E5/1? | F#5/2 D#5/1 -/1`)
	lead.tune(8, 0.68, `G5/3 E5/1 | F#5/2 A5/2 | B5/3 G5/1 | D5/3 -/1 | E5/1.5 G5/.5 A5/2 | G5/2 E5/2 | F#5/2 E5/2 | D#5/2 F#5/1 -/1`)
	s.drums("snare", synth.BigSnare, -6, 0, 0.4).beat(span{2, 16}, "____x_______x___", 0.8)
	s.drums("hat", synth.ClosedHat, -14, -0.2, 0.05).beat(span{2, 16}, "x_o_x_o_x_o_x_oo", 0.55)
	tom := s.drums("toms", synth.LowTom, -11, -0.2, 0.35)
	tom.beat(span{7, 8}, "________x_x_x_xx", 0.7)
	tom.beat(span{15, 16}, "________x__x__x_", 0.7)
	return s.mix(synth.Room{Size: 1, Seconds: 1.9, Dark: 4800, Before: 0.015}, 0.5, synth.LowShelf(90, 1))
}

func brightSide(s *score) *synth.Stereo {
	s.harmony(`E C#m7 A B | E C#m7 F#m7 B7sus4 | A B G#m7 C#m7 | A B E B`)
	a, b, all := span{0, 8}, span{8, 16}, span{0, 16}
	kick := s.drums("kick", synth.PunchKick, -4, 0, 0)
	kick.beat(all, "x___x___x___x___", 0.8)
	bass := s.player("bass", synth.FingerBass, 0, 0, 0, synth.LowPass(1800), synth.Duck(kick.strokes(), 0.2, 0.1))
	bass.bassline(a, 28, 0.78, "R-_R__8-R-_R__5-|R-_R__8-R_8_5-<-")
	bass.bassline(b, 28, 0.8, "R-8-R-8-R-8-R-8-|R-8-R-8-R-85R-<-")
	chop := s.player("muted guitar", synth.MutedGuitar, -9, -0.45, 0.1, synth.HighPass(250))
	chop.loose = 0.004
	chop.chop(all, hand{low: 64, count: 3}, "__.o__o.__.o_o._", 0.62)
	keys := s.player("electric piano", synth.ElectricPiano, -12, 0.3, 0.18, synth.Tremolo(4.5, 0.15), synth.HighShelf(3000, 2))
	keys.chop(a, hand{low: 59, count: 4}, "x-----__o---____|x-----__o--__x--", 0.6)
	keys.chop(b, hand{low: 59, count: 4}, "__x-__x-__x-__x-", 0.58)
	stab := s.player("brass", synth.Stab, -14, 0.1, 0.25, synth.HighPass(200))
	stab.chop(b, hand{low: 64, count: 3}, "x-____x-________|______x-__x-x-__", 0.65)
	bell := s.player("bells", synth.Glockenspiel, -14, 0.35, 0.35)
	bell.tune(4, 0.55, `B5/.5 G#5/.5 E5/1 -/2 | G#5/.5 E5/.5 B5/1 -/2 | A5/.5 F#5/.5 C#5/1 E5/1 A5/1 | B5/1 A5/1 F#5/1 -/1`)
	tune := s.player("whistle", synth.Whistle, -10, 0, 0.3, synth.Echo(0.4167, 0.25, 0.2))
	tune.tune(8, 0.68, `E5/.5 C#5/.5 E5/1 A5/1 G#5/.5 F#5/.5 | D#5/.5 F#5/.5 B5/1.5 A5/.5 F#5/1 | G#5/1 F#5/.5 D#5/.5 B4/1 D#5/1 | E5/2 G#5/1 -/1 |
		E5/.5 C#5/.5 E5/1 A5/1 B5/.5 C#6/.5 | B5/1.5 A5/.5 F#5/1 D#5/1 | E5/1 G#5/1 B5/1 G#5/1 | F#5/2 D#5/1 -/1`)
	s.drums("clap", synth.Clap, -10, 0.05, 0.18).beat(all, "____x_______x___", 0.75)
	s.drums("snare", synth.TightSnare, -14, 0, 0.12).beat(all, "____x_______x__.|____x__.____x_.o", 0.7)
	s.drums("hat", synth.ClosedHat, -19, 0.2, 0.03).beat(all, "o.x.o.x.o.x.o.x.", 0.55)
	s.drums("open hat", synth.OpenHat, -20, 0.2, 0.05).beat(b, "__x___x___x___x_", 0.6)
	s.drums("shaker", synth.Shaker, -18, -0.3, 0.05).beat(b, "oxo.oxo.oxo.oxo.", 0.5)
	return s.mix(synth.Room{Size: 0.65, Seconds: 1, Dark: 6500, Before: 0.01}, 0.4, synth.HighShelf(8000, 1))
}

func deepFocus(s *score) *synth.Stereo {
	s.harmony(`Dm9 Dm9 Am9 Am9 | Fmaj9 Fmaj9 G69 G69`)
	b, all := span{8, 16}, span{0, 16}
	kick := s.drums("kick", synth.DeepKick, -6, 0, 0)
	kick.beat(all, "x___x___x___x___", 0.75)
	room := synth.Duck(kick.strokes(), 0.5, 0.32)
	sub := s.player("sub", synth.SubBass, -7, 0, 0, synth.Duck(kick.strokes(), 0.6, 0.2))
	sub.bassline(all, 33, 0.7, "__R-_R__R-__R-8_|__R-_R__R-__5-7_")
	pad := s.player("pad", synth.WarmPad, -11, 0, 0.4, room, synth.Chorus(0.6), synth.Sweep(800, 4200, 2))
	pad.hold(all, hand{low: 57, count: 4, rootless: true}, 0.55, 0)
	figure := s.player("figure", synth.SynthPluck, -6, -0.2, 0.25, synth.Echo(0.3814, 0.45, 0.4), synth.Sweep(900, 8000, 1))
	figure.arpeggio(all, hand{low: 62, count: 4, rootless: true}, 0.25, 0.9, 0.55, "0 . . 1 . . 2 . 3 . . 2 . 1 . .")
	keys := s.player("kalimba", synth.Kalimba, -7, 0.3, 0.4, synth.Echo(0.3814, 0.4, 0.35))
	keys.tune(4, 0.5, `-/2 C6/.75 A5/.75 E5/.5? | -/4 | -/2 B5/.75 G5/.75 E5/.5? | -/4`)
	keys.tune(8, 0.6, `A5/.75 E5/.75 F5/.5? -/2 | -/4 | C6/.75 G5/.75 B5/.5? -/2 | -/2 E5/1 G5/1? |
		A5/.75 E5/.75 C5/.5? -/2 | -/2 G5/1 E5/1? | D5/.75 E5/.75 B5/.5? -/2 | A5/2 -/2`)
	stab := s.player("stab", synth.Stab, -14, 0.15, 0.4, synth.Echo(0.2542, 0.4, 0.35), synth.LowPass(3000))
	stab.chop(b, hand{low: 57, count: 3, rootless: true}, "___x__________o_|________________", 0.55)
	s.drums("clap", synth.Clap, -9, 0, 0.3).beat(span{4, 16}, "____x_______x___", 0.6)
	s.drums("hat", synth.DarkHat, -8, 0.15, 0.05).beat(span{2, 16}, "__x___x___x___x.", 0.6)
	s.drums("ticks", synth.ClosedHat, -14, -0.35, 0.1).beat(b, "o.oo.oo.o.oo.oo.", 0.5)
	s.drums("rim", synth.Rim, -11, 0.4, 0.35, synth.Echo(0.3814, 0.4, 0.3)).beat(all, "_______x________|__________x_____", 0.6)
	return s.mix(synth.Room{Size: 0.9, Seconds: 1.7, Dark: 6000, Before: 0.015}, 0.45, synth.HighShelf(3000, 2))
}
