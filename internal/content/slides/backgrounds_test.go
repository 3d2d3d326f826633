// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"bytes"
	"fmt"
	"image"
	"sync"
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/overlay"
)

func TestBackgrounds_KeepTheMostRecentlyUsed(t *testing.T) {
	one := func() image.Image { return image.NewRGBA(image.Rect(0, 0, 5, 5)) } // 100 bytes
	b := NewBackgrounds(250)
	b.put("a", one())
	b.put("b", one())
	if b.get("a") == nil {
		t.Fatal("a is missing")
	}
	b.put("c", one())
	if b.get("b") != nil || b.get("a") == nil || b.get("c") == nil {
		t.Errorf("got %v, want a and c: b was used longest ago", b.byKey)
	}
	b.put("large", image.NewRGBA(image.Rect(0, 0, 100, 1)))
	b.put("strange", image.NewUniform(image.Black.C))
	first := b.get("a")
	b.put("a", one())
	if b.get("large") != nil || b.get("strange") != nil || b.get("a") != first || b.bytes != 200 || b.recent.Len() != 2 {
		t.Errorf("got %v with %d bytes", b.byKey, b.bytes)
	}
	var none *Backgrounds
	none.put("a", first)
	if none.get("a") != nil {
		t.Error("a nil cache keeps images")
	}
}

func TestBackgrounds_AreBoundedUnderConcurrentUse(t *testing.T) {
	b := NewBackgrounds(1000)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 200 {
				key := fmt.Sprint((i + n) % 20)
				if b.get(key) == nil {
					b.put(key, image.NewGray(image.Rect(0, 0, 100, 1)))
				}
			}
		})
	}
	all.Wait()
	if b.bytes != 100*b.recent.Len() || b.bytes > 1000 || len(b.byKey) != b.recent.Len() {
		t.Errorf("%d bytes, %d entries, %d keys", b.bytes, b.recent.Len(), len(b.byKey))
	}
}

// TestPreview_WithKeptBackground draws the same edit from the store and from the cache.
func TestPreview_WithKeptBackground(t *testing.T) {
	e := newEasel(t)
	s := show(byHand)
	e.draw(s)
	text := "Another title"
	next := e.edited(s, deck.Edit{Slides: []deck.SlideEdit{{ID: 2, Overlays: &[]deck.OverlayEdit{{Text: &text}}}}})
	draw := func() []byte {
		p, err := e.Preview(t.Context(), e.drawing(next), 2)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := imagery.EncodePNG(&out, p.Image); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	want := draw()
	e.Backgrounds = NewBackgrounds(64 << 20)
	draw()
	if len(e.Backgrounds.byKey) != 1 {
		t.Fatalf("the cache has %d backgrounds", len(e.Backgrounds.byKey))
	}
	if !bytes.Equal(draw(), want) {
		t.Error("a preview with a kept background differs")
	}
}

// BenchmarkPreview draws the preview of a change of text, and encodes it: at full size with the background from the
// store, the same with the background in the cache, and at the size of the editor.
func BenchmarkPreview(b *testing.B) {
	e, next := benchEasel(b)
	for _, c := range []struct {
		name  string
		keeps *Backgrounds
		width int
	}{
		{"full, background from the store", nil, 0},
		{"full, background in the cache", NewBackgrounds(64 << 20), 0},
		{"540 pixels, background in the cache", NewBackgrounds(64 << 20), 540},
	} {
		b.Run(c.name, func(b *testing.B) {
			e.Backgrounds = c.keeps
			var file bytes.Buffer
			for b.Loop() {
				file.Reset()
				p, err := e.Preview(b.Context(), next, 2)
				if err != nil {
					b.Fatal(err)
				}
				if c.width > 0 {
					p.Image = overlay.Thumbnail(p.Image, c.width)
				}
				if err := imagery.EncodePNG(&file, p.Image); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(file.Len()), "bytes")
		})
	}
}

func benchEasel(b *testing.B) (*Drawer, Drawing) {
	b.Helper()
	e := newEasel(b)
	s := show(byHand)
	e.draw(s)
	text := "Another title"
	return e.Drawer, e.drawing(e.edited(s, deck.Edit{Slides: []deck.SlideEdit{
		{ID: 2, Overlays: &[]deck.OverlayEdit{{Text: &text, Set: v1beta1.TextOverlay{FontSize: 80}}}},
	}}))
}
