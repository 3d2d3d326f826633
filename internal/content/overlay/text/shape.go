// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/segmenter"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// shapeSize is the size used for all shaping, in pixels per em; results are divided by it.
const shapeSize = 2048

// Glyph is one glyph. Lengths are in ems; X grows to the right, Y grows upwards from the baseline.
type Glyph struct {
	Font    *Font
	ID      font.GID
	Cluster int     // index of the first rune of the cluster, in its paragraph
	Advance float64 // to the next glyph
	X, Y    float64 // offset of the outline from the pen

	left, right, top, bottom float64 // ink bounds, from the pen and the baseline
	level                    bidi.Level
}

// Paragraph is a shaped text without hard line breaks.
type Paragraph struct {
	Runes   []rune
	RTL     bool
	Missing []rune // drawable runes that no installed font has; they are omitted

	glyphs [][]Glyph // by first rune of the cluster, in visual order inside it
	width  []float64 // by first rune of the cluster
	breaks []breakKind
}

// Shaper shapes texts. It has caches and is not safe for concurrent use; create one for each worker.
type Shaper struct {
	lib   *Library
	hb    shaping.HarfbuzzShaper
	bidi  bidi.Paragraph
	seg   segmenter.Segmenter
	faces map[*Font]*font.Face
}

// NewShaper returns a shaper for the library's fonts.
func NewShaper(lib *Library) *Shaper {
	return &Shaper{lib: lib, faces: map[*Font]*font.Face{}}
}

// Face returns the shaper's own face of a font, or nil if its file cannot be read.
func (s *Shaper) Face(f *Font) *font.Face {
	if face, ok := s.faces[f]; ok {
		return face
	}
	var face *font.Face
	if ft := f.load(); ft != nil {
		face = font.NewFace(ft)
	}
	s.faces[f] = face
	return face
}

// Shape returns the shaped text, one paragraph for each line. The letters of the whole text determine its direction, so
// that a list of mixed lines keeps one side.
func (s *Shaper) Shape(style Style, text string) []*Paragraph {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ").Replace(text)
	choose := s.lib.chooser(style, []rune(text))
	rtl := RightToLeft(text)
	var out []*Paragraph
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, s.paragraph(choose, []rune(strings.TrimSpace(line)), rtl))
	}
	return out
}

func (s *Shaper) paragraph(choose *chooser, runes []rune, rtl bool) *Paragraph {
	p := &Paragraph{
		Runes: runes, RTL: rtl,
		glyphs: make([][]Glyph, len(runes)), width: make([]float64, len(runes)), breaks: make([]breakKind, len(runes)+1),
	}
	if len(runes) == 0 {
		return p
	}
	levels := s.levels(runes, rtl)
	scripts := resolveScripts(runes)
	s.seg.Init(runes)
	p.breaks = s.findBreaks(runes)
	fonts := s.chooseFonts(choose, p, scripts)
	for start := 0; start < len(runes); {
		end := start + 1
		for end < len(runes) && fonts[end] == fonts[start] && levels[end] == levels[start] && scripts[end] == scripts[start] {
			end++
		}
		if fonts[start] != nil {
			s.run(p, start, end, fonts[start], levels[start], scripts[start])
		}
		start = end
	}
	return p
}

// levels returns the embedding level of every rune. The library determines the direction by the first strong letter, so
// a directional mark is put in front.
func (s *Shaper) levels(runes []rune, rtl bool) []bidi.Level {
	mark, direction := '\u200E', bidi.LeftToRight
	if rtl {
		mark, direction = '\u200F', bidi.RightToLeft
	}
	out := make([]bidi.Level, len(runes)+1)
	runs := s.bidi.Segment(append([]rune{mark}, runes...), direction)
	for i := range runs.NumRuns() {
		run := runs.Run(i)
		for k := run.Start; k < run.End; k++ {
			out[k] = run.Level
		}
	}
	return out[1:]
}

// resolveScripts returns the script of every rune. Runes of no script take that of the rune before, or else after.
func resolveScripts(runes []rune) []language.Script {
	out := make([]language.Script, len(runes))
	last := language.Common
	for i, r := range runes {
		sc := language.LookupScript(r)
		if sc == language.Inherited || sc == language.Common {
			sc = last
		}
		out[i], last = sc, sc
	}
	for i := len(out) - 2; i >= 0; i-- {
		if out[i] == language.Common {
			out[i] = out[i+1]
		}
	}
	return out
}

func (s *Shaper) chooseFonts(choose *chooser, p *Paragraph, scripts []language.Script) []*Font {
	fonts := make([]*Font, len(p.Runes))
	for it := s.seg.GraphemeIterator(); it.Next(); {
		g := it.Grapheme()
		own := language.LookupScript(g.Text[0])
		if own != language.Common && own != language.Inherited {
			own = scripts[g.Offset]
		}
		f := choose.pick(g.Text, own)
		if f == nil {
			p.Missing = append(p.Missing, g.Text...)
		}
		for i := range g.Text {
			fonts[g.Offset+i] = f
		}
	}
	return fonts
}

// lining enables lining figures, as tall as capitals: "5 tips" in old-style figures looks like a letter.
var lining = []shaping.FontFeature{{Tag: ot.MustNewTag("lnum"), Value: 1}}

// run shapes a stretch of one font, level and script, with the whole paragraph as context.
func (s *Shaper) run(p *Paragraph, start, end int, f *Font, level bidi.Level, script language.Script) {
	face := s.Face(f)
	if face == nil {
		return
	}
	direction := di.DirectionLTR
	if level%2 == 1 {
		direction = di.DirectionRTL
	}
	out := s.hb.Shape(shaping.Input{
		Text: p.Runes, RunStart: start, RunEnd: end, Direction: direction, Face: face, Size: fixed.I(shapeSize), Script: script,
		FontFeatures: lining,
	})
	for _, g := range out.Glyphs {
		em := func(v fixed.Int26_6) float64 { return float64(v) / 64 / shapeSize }
		c := g.TextIndex()
		glyph := Glyph{Font: f, ID: g.GlyphID, Cluster: c, Advance: em(g.Advance), X: em(g.XOffset), Y: em(g.YOffset), level: level}
		if isInvisible(p.Runes[c]) && g.RunesCount() == 1 {
			glyph.ID, glyph.Advance = font.EmptyGlyph, 0 // a lone joiner or selector draws nothing
		}
		glyph.left, glyph.right = glyph.X+em(g.XBearing), glyph.X+em(g.XBearing+g.Width)
		glyph.top, glyph.bottom = glyph.Y+em(g.YBearing), glyph.Y+em(g.YBearing+g.Height)
		p.glyphs[c] = append(p.glyphs[c], glyph)
		p.width[c] += glyph.Advance
	}
}

// Library returns the library of the shaper.
func (s *Shaper) Library() *Library { return s.lib }

// Ink returns the bounds of the drawn glyph, in ems from the pen and the baseline, positive upwards.
func (g Glyph) Ink() (left, top, right, bottom float64) {
	return g.left, max(g.top, g.bottom), g.right, min(g.top, g.bottom)
}
