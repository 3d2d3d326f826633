// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"bytes"
	"image"
	"image/png"
	"math"

	"github.com/go-text/typesetting/font"
	"golang.org/x/image/draw"

	"github.com/reelops/reelops/internal/content/overlay/paint"
	"github.com/reelops/reelops/internal/content/overlay/text"
)

type emojiKey struct {
	glyph font.GID
	w, h  int
}

type emojiPicture struct{ img *image.NRGBA }

// drawEmoji draws the colour emoji of a block, each scaled from the bitmap in the font.
func (w *worker) drawEmoji(dst *image.NRGBA, b *block) {
	for _, l := range b.lines {
		pen := l.x
		for _, g := range l.Glyphs {
			if g.Font.Family == text.EmojiFamily && g.ID != font.EmptyGlyph && b.draws(g) {
				left, top, right, bottom := g.Ink()
				x0, y0 := pen+left*b.size, l.baseline-top*b.size
				x1, y1 := pen+right*b.size, l.baseline-bottom*b.size
				at := image.Pt(int(math.Round(x0)), int(math.Round(y0)))
				if p := w.emojiAt(g, int(math.Round(x1-x0)), int(math.Round(y1-y0))); p != nil {
					paint.Picture(dst, p, at)
				}
			}
			pen += g.Advance * b.size
		}
	}
}

func (w *worker) emojiAt(g text.Glyph, width, height int) *image.NRGBA {
	if width < 1 || height < 1 || width > 1024 || height > 1024 {
		return nil
	}
	key := emojiKey{g.ID, width, height}
	if p, ok := w.emoji[key]; ok {
		return p.img
	}
	if len(w.emoji) > 128 {
		clear(w.emoji)
	}
	p := &emojiPicture{}
	w.emoji[key] = p
	face := w.shaper.Face(g.Font)
	if face == nil {
		return nil
	}
	bitmap, ok := face.GlyphDataBitmap(g.ID)
	if !ok || bitmap.Format != font.PNG {
		return nil
	}
	src, err := png.Decode(bytes.NewReader(bitmap.Data))
	if err != nil {
		return nil
	}
	scaled := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.CatmullRom.Scale(scaled, scaled.Rect, src, src.Bounds(), draw.Src, nil)
	p.img = image.NewNRGBA(scaled.Rect)
	draw.Draw(p.img, p.img.Rect, scaled, image.Point{}, draw.Src)
	return p.img
}
