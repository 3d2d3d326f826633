// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit/need"
)

// easel is a Drawer with a store.
type easel struct {
	*Drawer
	t testing.TB
}

func newEasel(t testing.TB) easel {
	t.Helper()
	engine, err := overlay.New()
	if err != nil {
		need.Missing(t, err.Error())
	}
	store, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	return easel{&Drawer{Store: store, Engine: engine, Parallel: 1}, t}
}

func (e easel) drawing(s *v1beta1.Slideshow) Drawing {
	e.t.Helper()
	o := inputs()
	g, err := Images{Store: e.Store}.Gather(e.t.Context(), s, o, designOf(s, o))
	if err != nil {
		e.t.Fatal(err)
	}
	return NewDrawing(s, o, g, designOf(s, o), s.Status.Revision+1)
}

// draw draws a slideshow and records the result in its status, like the controller.
func (e easel) draw(s *v1beta1.Slideshow) {
	e.t.Helper()
	drawn, err := e.Draw(e.t.Context(), e.drawing(s))
	if err != nil {
		e.t.Fatal(err)
	}
	d := designOf(s, inputs())
	s.Status.Slides, s.Status.Normalizations, s.Status.Design = drawn.Slides, drawn.Normalizations, &d
	s.Status.Revision++
	s.Status.VisualHash = deck.VisualHash(s, d)
}

// edited returns a slideshow with an edit applied.
func (e easel) edited(s *v1beta1.Slideshow, edit deck.Edit) *v1beta1.Slideshow {
	e.t.Helper()
	res, err := deck.Apply(s, inputs().Brand, edit)
	if err != nil {
		e.t.Fatal(err)
	}
	out := s.DeepCopy()
	out.Spec = *res.Spec
	return out
}

func (e easel) files() (keys []string) {
	e.t.Helper()
	err := e.Store.Walk(e.t.Context(), "", func(o blob.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	if err != nil {
		e.t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

func (e easel) file(key string) []byte {
	e.t.Helper()
	r, err := e.Store.Get(e.t.Context(), key)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	out, err := io.ReadAll(r)
	if err != nil {
		e.t.Fatal(err)
	}
	return out
}

func TestPreview_EqualsTheDrawing(t *testing.T) {
	e := newEasel(t)
	last := catalog.DesignStyles[len(catalog.DesignStyles)-1].ID
	title, outside := "A title", "Outside"
	for name, edit := range map[string]deck.Edit{
		"text with corrections": {Slides: []deck.SlideEdit{{ID: 2, Overlays: &[]deck.OverlayEdit{
			{Text: &title, Set: v1beta1.TextOverlay{FontSize: 900}}, {Text: &outside, Y: ptr.To(400.0)},
		}}}},
		"an aspect ratio": {AspectRatio: ptr.To("4:5")},
		"a style":         {DesignStyle: &last},
		"a gradient":      {Gradient: v1beta1.Gradient{Enabled: ptr.To(false)}},
		"nothing":         {},
	} {
		t.Run(name, func(t *testing.T) {
			s := show(byHand)
			e := easel{e.Drawer, t}
			e.draw(s)
			next := e.edited(s, edit)
			files := e.files()
			p, err := e.Preview(t.Context(), e.drawing(next), 2)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(files, e.files()); diff != "" {
				t.Errorf("a preview stored files: %s", diff)
			}
			var file bytes.Buffer
			if err := imagery.EncodePNG(&file, p.Image); err != nil {
				t.Fatal(err)
			}
			e.draw(next)
			drawn := deck.Drawn(next, 2)
			if !bytes.Equal(file.Bytes(), e.file(drawn.PictureKey)) {
				t.Error("the image of the preview differs from the stored one")
			}
			if diff := cmp.Diff(drawn.TextOverlays, p.Overlays); diff != "" {
				t.Errorf("overlays: %s", diff)
			}
			if diff := cmp.Diff(changesOf(next.Status.Normalizations, 2), p.Normalizations); diff != "" {
				t.Errorf("normalizations: %s", diff)
			}
			if name == "text with corrections" && len(p.Normalizations) < 2 {
				t.Errorf("got %d normalizations", len(p.Normalizations))
			}
		})
	}
}

func TestPreview_ReturnsTheCurrentSlide(t *testing.T) {
	e := newEasel(t)
	s := show(byHand)
	e.draw(s)
	p, err := e.Current(t.Context(), s, 3)
	if err != nil || p == nil {
		t.Fatalf("got %v, %v", p, err)
	}
	var file bytes.Buffer
	if err := imagery.EncodePNG(&file, p.Image); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file.Bytes(), e.file(s.Status.Slides[2].PictureKey)) {
		t.Error("the image differs from the stored one")
	}
	if err := e.Store.Delete(t.Context(), s.Status.Slides[2].PictureKey); err != nil {
		t.Fatal(err)
	}
	if p, err := e.Current(t.Context(), s, 3); p != nil || err != nil {
		t.Errorf("for a lost file: %v, %v", p, err)
	}
}

func TestPreview_Errors(t *testing.T) {
	e := newEasel(t)
	s := show(byHand)
	e.draw(s)
	if _, err := e.Preview(t.Context(), e.drawing(s), 9); !errors.Is(err, ErrNoSlide) {
		t.Errorf("an unknown slide: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	next := e.edited(s, deck.Edit{Slides: []deck.SlideEdit{{ID: 1, Overlays: &[]deck.OverlayEdit{}}}})
	if _, err := e.Preview(ended, e.drawing(next), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled preview: %v", err)
	}
}
