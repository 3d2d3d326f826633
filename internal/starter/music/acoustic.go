// SPDX-License-Identifier: Apache-2.0

package music

import "github.com/reelops/reelops/internal/starter/music/synth"

// The pieces for acoustic instruments.

func morningLight(s *score) *synth.Stereo {
	s.harmony(`D A/C# Bm7 Gmaj7 | D A/C# Em7 A7sus4 | Bm7 G D/F# A | Bm7 G Em7 A`)
	all, opening, second, b := span{0, 16}, span{0, 4}, span{4, 8}, span{8, 16}
	picked := s.player("picked guitar", synth.SteelGuitar, -4, -0.38, 0.2, synth.HighPass(90))
	picked.arpeggio(span{0, 8}, hand{low: 52, count: 4}, 0.5, 3, 0.6, "b 1 2 3 2 3 1 2")
	picked.arpeggio(b, hand{low: 52, count: 4}, 0.5, 3, 0.66, "b 2 1 3 2 4 2 3")
	strummed := s.player("strummed guitar", synth.SteelGuitar, -11, 0.42, 0.2, synth.HighPass(160))
	strummed.loose = 0.008
	strummed.chop(second, hand{low: 57, count: 3}, "x-------________", 0.5)
	strummed.chop(b, hand{low: 57, count: 3}, "x---o-x-__o-x-o-", 0.55)
	bass := s.player("bass", synth.FingerBass, -1, 0, 0.02, synth.LowPass(900))
	bass.bassline(opening, 36, 0.6, "R-------------__")
	bass.bassline(second, 36, 0.7, "R-----R-5-----__")
	bass.bassline(b, 36, 0.8, "R---__R-5---8---")
	tune := s.player("glockenspiel", synth.Glockenspiel, -13, 0.15, 0.5)
	tune.tune(4, 0.6, `F#5/1.5 E5/.5 D5/1 A4/1 | C#5/1 E5/1 -/1 A5/1 | G5/1.5 F#5/.5 E5/1 B4/1 | D5/2 E5/1 -/1`)
	flute := s.player("flute", synth.Flute, -13, 0.08, 0.42, synth.HighShelf(4000, -3))
	flute.tune(8, 0.7, `F#5/1.5 G5/.5 F#5/1 D5/1 | B4/1.5 D5/.5 G5/2 | F#5/1.5 E5/.5 D5/1 A5/1 | E5/3 -/1 |
		F#5/1.5 G5/.5 A5/1 B5/1 | G5/1.5 F#5/.5 D5/2 | E5/1 F#5/.5 G5/1.5 E5/1 | A5/2 E5/1 -/1`)
	pad := s.player("strings", synth.Strings, -22, 0, 0.5)
	pad.hold(b, hand{low: 62, count: 3}, 0.5, 0)
	s.drums("kick", synth.SoftKick, -6, 0, 0.02).beat(second, "x_______x_______", 0.6)
	s.drums("kick b", synth.SoftKick, -5, 0, 0.02).beat(b, "x_____o_x_______", 0.75)
	s.drums("shaker", synth.Shaker, -20, 0.3, 0.1).beat(span{4, 16}, "o_._x_._o_._x_..", 0.6)
	s.drums("snap", synth.Snap, -17, -0.2, 0.25).beat(b, "____x_______x___", 0.7)
	_ = all
	return s.mix(synth.Room{Size: 0.8, Seconds: 1.5, Dark: 5200, Before: 0.012}, 0.5, synth.HighShelf(7000, -2))
}

func quietRoom(s *score) *synth.Stereo {
	s.harmony(`Ebadd9 Bb/D Cm7 Abmaj7 | Eb/G Abmaj7 Fm7 Bb7sus4 | Cm7 Gm7 Abmaj7 Bb`)
	left := s.player("left hand", synth.Piano(0.45), -6, -0.2, 0.35)
	left.loose = 0.009
	left.arpeggio(span{0, 4}, hand{low: 55, count: 4}, 0.5, 5, 0.36, "b 0 2 1 3 1 2 1")
	left.arpeggio(span{4, 12}, hand{low: 55, count: 4}, 0.5, 5, 0.4, "b 0 1 2 3 2 1 2")
	right := s.player("right hand", synth.Piano(0.7), -3, 0.15, 0.4)
	right.loose = 0.01
	right.tune(0, 0.58, `G5/3 F5/.5? Eb5/.5 | D5/2 F5/2 | Eb5/3 G5/1? | C5/2 Eb5/1? -/1 |
		Bb5/2.5 Ab5/.5? G5/1 | Ab5/1.5 G5/.5? Eb5/2 | F5/1.5 G5/.5? Ab5/1 C5/1 | F5/2 Eb5/1? -/1 |
		G5/2 Bb5/1 C6/1 | Bb5/1.5 G5/.5? D5/2 | Eb5/1.5 C5/.5? Ab5/1 G5/1 | F5/2 D5/1? -/1`)
	bass := s.player("low strings", synth.Strings, -21, 0, 0.4, synth.LowPass(700))
	bass.bassline(span{4, 12}, 36, 0.5, "R---------------")
	high := s.player("high strings", synth.Strings, -23, 0, 0.6, synth.LowPass(3500))
	high.hold(span{4, 12}, hand{low: 63, count: 3}, 0.45, 0)
	return s.mix(synth.Room{Size: 1, Seconds: 2.4, Dark: 4200, Before: 0.018}, 0.55, synth.BellCurve(330, 0.8, -2.5), synth.HighShelf(3500, 3))
}

func paperPlanes(s *score) *synth.Stereo {
	s.harmony(`G G/B C D | G Em7 Am7 D7 | C G/B Am7 G | C D7 G D7`)
	a, b := span{0, 8}, span{8, 16}
	uke := s.player("ukulele", synth.Ukulele, -9, -0.35, 0.15, synth.HighPass(180))
	uke.chop(span{0, 16}, hand{low: 62, count: 4}, "x-__x-o-__o-x-o-", 0.6)
	bass := s.player("pizzicato bass", synth.UprightBass, 0, 0.05, 0.08)
	bass.bassline(span{0, 15}, 36, 0.75, "R---____5---____")
	bass.bassline(span{15, 16}, 36, 0.75, "R---6---5---+---")
	tune := s.player("marimba", synth.Marimba, -9, 0.25, 0.22)
	tune.tune(0, 0.7, `G5/.5 B5/.5 D6/1! B5/.5 G5/.5? -/1 | D5/.5 G5/.5 B5/1! A5/.5 G5/.5? -/1 | E5/.5 G5/.5 C6/1! B5/.5 A5/.5? -/1 | F#5/.5 A5/.5 D6/1! -/2 |
		G5/.5 B5/.5 D6/1! B5/.5 G5/.5? -/1 | E5/.5 G5/.5 B5/1! G5/.5 E5/.5? -/1 | C6/.5 B5/.5 A5/.5 G5/.5 A5/.5 E5/.5? -/1 | D5/.5 F#5/.5 A5/.5 C6/.5! -/2`)
	off := s.player("marimba b", synth.Marimba, -12, 0.3, 0.2)
	off.arpeggio(b, hand{low: 67, count: 3}, 0.5, 1, 0.5, ". 0 . 2 . 1 . 2")
	whistle := s.player("whistle", synth.Whistle, -14, 0, 0.35)
	whistle.tune(8, 0.7, `E5/1 G5/.5 E5/.5 C6/2 | B5/1 A5/.5 G5/.5 D5/2 | C5/.5 D5/.5 E5/.5 G5/.5 A5/1 E5/1 | G5/2 -/2 |
		E5/1 G5/.5 E5/.5 C6/1.5 D6/.5 | A5/1 F#5/.5 A5/.5 D6/1 C6/1 | B5/1 G5/.5 A5/.5 B5/1 D5/1 | A5/1 F#5/1 D5/1 -/1`)
	pizz := s.player("pizzicato", synth.Pizzicato, -9, -0.15, 0.25)
	pizz.arpeggio(span{4, 8}, hand{low: 67, count: 3}, 1, 0.6, 0.55, ". 2 . 1")
	s.drums("kick", synth.SoftKick, -5, 0, 0.02).beat(span{0, 16}, "x_______x_______", 0.65)
	s.drums("snap", synth.Snap, -15, 0.2, 0.2).beat(a, "____x_______x___", 0.7)
	s.drums("clap", synth.Clap, -18, 0.1, 0.2).beat(b, "____x_______x___", 0.65)
	s.drums("shaker", synth.Shaker, -22, -0.3, 0.1).beat(b, "x_o_x_o_x_o_x_o_", 0.55)
	s.drums("rim", synth.Rim, -18, 0.4, 0.2).beat(span{4, 8}, "______x_______x.", 0.6)
	return s.mix(synth.Room{Size: 0.6, Seconds: 1, Dark: 6000, Before: 0.008}, 0.45, synth.HighShelf(6000, -2), synth.BellCurve(2700, 0.8, -4))
}

func sundayCoffee(s *score) *synth.Stereo {
	s.harmony(`Fmaj9 Fmaj9 Gm9 C13 | Fmaj9 Dm9 Gm9 C13 | Bbmaj9 Bbm6 Am7 Dm9 | Gm9 C13 Fmaj9 C7sus4`)
	const clave = "x-----x-----x-------x-----x-----"
	a, b, all := span{0, 8}, span{8, 16}, span{0, 16}
	guitar := s.player("nylon guitar", synth.NylonGuitar, -5, -0.3, 0.16, synth.HighPass(110))
	guitar.loose = 0.006
	guitar.chop(all, hand{low: 55, count: 4, rootless: true}, clave, 0.62)
	bass := s.player("upright bass", synth.UprightBass, 0, 0, 0.04, synth.LowPass(1400))
	bass.bassline(all, 33, 0.72, "R-----R-5-----5-")
	vibes := s.player("vibraphone", synth.Vibraphone, -13, 0.3, 0.3, synth.Tremolo(5.2, 0.16))
	vibes.tune(0, 0.6, `A5/1.5 G5/1.5 C5/1 | E5/2 -/2 | Bb5/1.5 A5/1.5 F5/1 | E5/2.5 -/1.5 |
		A5/1.5 G5/1.5 E5/1 | F5/2 -/2 | D5/1 F5/1 A5/1 Bb5/1 | A5/2 -/2`)
	flute := s.player("flute", synth.Flute, -14, 0.12, 0.35)
	flute.tune(8, 0.66, `D5/1.5 F5/1.5 A5/1 | G5/1.5 F5/1.5 Db5/1 | C5/1.5 E5/1.5 G5/1 | F5/2.5 E5/.5? -/1 |
		D5/1.5 F5/1.5 Bb5/1 | A5/1.5 G5/1.5 E5/1 | C5/1 E5/1 A5/2 | G5/2 -/2`)
	keys := s.player("electric piano", synth.ElectricPiano, -14, 0.35, 0.25, synth.Tremolo(4.2, 0.2))
	keys.chop(b, hand{low: 60, count: 3, rootless: true}, "______x---______x-----__x-______", 0.5)
	s.drums("rim", synth.Rim, -20, 0.22, 0.2).beat(all, clave, 0.6)
	s.drums("brush", synth.Brush, -18, -0.12, 0.12).beat(a, "o_._x_._o_._x_._", 0.5)
	s.drums("brush b", synth.Brush, -17, -0.12, 0.12).beat(b, "o_._x_.oo_._x_..", 0.55)
	s.drums("shaker", synth.Shaker, -22, 0.35, 0.1).beat(b, "x_o_x_o_x_o_x_o_", 0.5)
	s.drums("kick", synth.SoftKick, -7, 0, 0.02).beat(all, "x_____o_x_____o_", 0.5)
	return s.mix(synth.Room{Size: 0.65, Seconds: 1.1, Dark: 5000, Before: 0.01}, 0.45, synth.HighShelf(6000, -1.5))
}
