// SPDX-License-Identifier: Apache-2.0

package deck_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
)

// drawnAs returns a rendered overlay with an id and changes.
func drawnAs(id int64, text string, changes ...func(*v1beta1.TextOverlay)) v1beta1.TextOverlay {
	o := shown(text)
	o.ID = id
	for _, c := range changes {
		c(&o)
	}
	return o
}

// twoTexts returns a generated slideshow whose second slide shows two overlays.
func twoTexts(changes ...change) *v1beta1.Slideshow {
	return generated(append([]change{func(s *v1beta1.Slideshow) {
		s.Status.Slides[1].TextOverlays = []v1beta1.TextOverlay{drawnAs(1, "Leaves"), drawnAs(2, "Green ones.")}
	}}, changes...)...)
}

// identifiedTexts returns twoTexts after an edit set the ids 4 and 2 of its overlays.
func identifiedTexts(s *v1beta1.Slideshow) {
	r, err := deck.Apply(s, nil, deck.Edit{Slides: []deck.SlideEdit{{ID: 2, Overlays: whole(v1beta1.TextOverlay{Text: "x"})}}})
	if err != nil {
		panic(err)
	}
	s.Spec = *r.Spec
	list := []v1beta1.TextOverlay{drawnAs(4, "Four"), drawnAs(2, "Two")}
	s.Spec.Slides[1].TextOverlays, s.Status.Slides[1].TextOverlays = &list, list
	s.Status.VisualHash = deck.VisualHash(s, *s.Status.Design)
}

func TestApply_OverlaysById(t *testing.T) {
	red := func(o *v1beta1.TextOverlay) { o.Color = "red" }
	text := ptr.To[string]
	for name, c := range map[string]struct {
		s    *v1beta1.Slideshow
		e    []deck.OverlayEdit
		want []v1beta1.TextOverlay // nil: nothing changes
	}{
		"one property keeps the others, and the other overlay": {
			twoTexts(),
			[]deck.OverlayEdit{{ID: 1, Set: v1beta1.TextOverlay{Color: "red"}}},
			[]v1beta1.TextOverlay{drawnAs(1, "Leaves", red), drawnAs(2, "Green ones.")},
		},
		"another text keeps font, size, alignment and position": {
			twoTexts(), []deck.OverlayEdit{{ID: 2, Text: text("New")}}, []v1beta1.TextOverlay{drawnAs(1, "Leaves"), drawnAs(2, "New")},
		},
		"one coordinate keeps the other": {
			twoTexts(),
			[]deck.OverlayEdit{{ID: 2, Y: ptr.To(70.0)}},
			[]v1beta1.TextOverlay{drawnAs(1, "Leaves"), drawnAs(2, "Green ones.", func(o *v1beta1.TextOverlay) { o.Position = &v1beta1.Position{X: 45, Y: 70} })},
		},
		"one coordinate as a fraction keeps the other": {
			twoTexts(),
			[]deck.OverlayEdit{{ID: 2, Y: ptr.To(0.7)}},
			[]v1beta1.TextOverlay{drawnAs(1, "Leaves"), drawnAs(2, "Green ones.", func(o *v1beta1.TextOverlay) { o.Position = &v1beta1.Position{X: 0.45, Y: 0.7} })},
		},
		"another font uses the nearest of its weights": {
			twoTexts(),
			[]deck.OverlayEdit{{ID: 1, Set: v1beta1.TextOverlay{FontFamily: "Bebas Neue"}}},
			[]v1beta1.TextOverlay{drawnAs(1, "Leaves", func(o *v1beta1.TextOverlay) { o.FontFamily, o.FontWeight = "Bebas Neue", 400 }), drawnAs(2, "Green ones.")},
		},
		"no plate differs from a missing plate": {
			twoTexts(func(s *v1beta1.Slideshow) { s.Status.Slides[1].TextOverlays[0].BackgroundColor = ptr.To("#112233") }),
			[]deck.OverlayEdit{{ID: 1, Set: v1beta1.TextOverlay{BackgroundColor: ptr.To("")}}, {ID: 2, Set: v1beta1.TextOverlay{Color: "red"}}},
			[]v1beta1.TextOverlay{drawnAs(1, "Leaves"), drawnAs(2, "Green ones.", red)},
		},
		"a stroke colour without a stroke is visible": {
			twoTexts(func(s *v1beta1.Slideshow) { s.Status.Slides[1].TextOverlays[0].StrokeWidth = ptr.To(0.0) }),
			[]deck.OverlayEdit{{ID: 1, Set: v1beta1.TextOverlay{StrokeColor: "navy"}}},
			[]v1beta1.TextOverlay{drawnAs(1, "Leaves", func(o *v1beta1.TextOverlay) { o.StrokeColor = "navy" }), drawnAs(2, "Green ones.")},
		},
		"remove deletes an overlay":      {twoTexts(), []deck.OverlayEdit{{ID: 1, Remove: true}}, []v1beta1.TextOverlay{drawnAs(2, "Green ones.")}},
		"the ids of other overlays stay": {generated(identifiedTexts), []deck.OverlayEdit{{ID: 4, Remove: true}}, []v1beta1.TextOverlay{drawnAs(2, "Two")}},
		"removed before":                 {generated(identifiedTexts), []deck.OverlayEdit{{ID: 1, Remove: true}}, nil},
		"an added overlay has its own id": {
			generated(identifiedTexts),
			[]deck.OverlayEdit{{ID: 2, Set: v1beta1.TextOverlay{Color: "red"}}, {Text: text("More"), Set: v1beta1.TextOverlay{FontSize: 30}}},
			[]v1beta1.TextOverlay{drawnAs(4, "Four"), drawnAs(2, "Two", red), {ID: 5, Text: "More", FontSize: 30}},
		},
		"an equal overlay exists": {
			generated(identifiedTexts), []deck.OverlayEdit{{ID: 2, Text: text("Two")}, {Text: text("Four"), Set: v1beta1.TextOverlay{Color: "white"}}}, nil,
		},
		"the shown overlays":           {twoTexts(), *whole(drawnAs(1, "Leaves"), drawnAs(2, "Green ones.")), nil},
		"a part of the shown overlays": {twoTexts(), []deck.OverlayEdit{{ID: 1, Set: v1beta1.TextOverlay{Color: "#fff", FontFamily: "inter"}, X: ptr.To(0.45), Y: ptr.To(0.43)}}, nil},
		"the requested and repaired overlays": {generated(identifiedTexts, func(s *v1beta1.Slideshow) {
			(*s.Spec.Slides[1].TextOverlays)[0].FontSize = 300
			s.Status.Slides[1].TextOverlays = []v1beta1.TextOverlay{drawnAs(4, "Four"), drawnAs(2, "Two")}
		}), []deck.OverlayEdit{{ID: 4, Set: v1beta1.TextOverlay{FontSize: 300}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			edit := deck.Edit{Slides: []deck.SlideEdit{{ID: 2, Overlays: &c.e}}}
			r, err := deck.Apply(c.s, nil, edit)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				if r.Changed {
					t.Errorf("got changed: %s", cmp.Diff(c.s.Spec, *r.Spec))
				}
				return
			}
			if !r.Visual {
				t.Error("no image is rendered for the change")
			}
			same(t, c.want, *r.Spec.Slides[1].TextOverlays)
			after := c.s.DeepCopy()
			after.Spec = *r.Spec
			after.Generation++
			if again, err := deck.Apply(after, nil, edit); err != nil || again.Changed {
				t.Errorf("applied again, the edit changes something: %v, %v", cmp.Diff(r.Spec, again.Spec), err)
			}
		})
	}
}

func TestApply_RejectsOverlays(t *testing.T) {
	text := ptr.To("x")
	for name, c := range map[string]struct {
		e     []deck.OverlayEdit
		field string
	}{
		"an unknown id":           {[]deck.OverlayEdit{{ID: 1}, {ID: 3, Text: text}}, "slides[0].textOverlays[1].id"},
		"an id twice":             {[]deck.OverlayEdit{{ID: 1}, {ID: 1, Text: text}}, "slides[0].textOverlays[1].id"},
		"removing without an id":  {[]deck.OverlayEdit{{Remove: true}}, "slides[0].textOverlays[0].id"},
		"adding without a text":   {[]deck.OverlayEdit{{ID: 1}, {Set: v1beta1.TextOverlay{Color: "red"}}}, "slides[0].textOverlays[1].text"},
		"replacing without texts": {[]deck.OverlayEdit{{Set: v1beta1.TextOverlay{Color: "red"}}}, "slides[0].textOverlays[0].text"},
		"more than eight together": {
			[]deck.OverlayEdit{{ID: 1}, {Text: text}, {Text: text}, {Text: text}, {Text: text}, {Text: text}, {Text: text}, {Text: text}}, "slides[0].textOverlays",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := deck.Apply(twoTexts(), nil, deck.Edit{Slides: []deck.SlideEdit{{ID: 2, Overlays: &c.e}}})
			var invalid *deck.Invalid
			if !errors.As(err, &invalid) || invalid.Field != c.field {
				t.Errorf("got %v, want the error %s", err, c.field)
			}
		})
	}
}

func TestApply_OverlaysInAnotherStyle(t *testing.T) {
	r, err := deck.Apply(twoTexts(), nil, deck.Edit{
		DesignStyle: ptr.To("soft_card"), Slides: []deck.SlideEdit{{ID: 2, Overlays: &[]deck.OverlayEdit{{ID: 1, Text: ptr.To("New")}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	place := &v1beta1.Position{X: 45, Y: 43}
	same(t, []v1beta1.TextOverlay{
		{ID: 1, Text: "New", FontSize: 92, Position: place, Align: "center", MaxWidth: 70},
		{ID: 2, Text: "Green ones.", FontSize: 92, Position: place, Align: "center", MaxWidth: 70},
	}, *r.Spec.Slides[1].TextOverlays)
}

func TestIdentified(t *testing.T) {
	for want, given := range map[[3]int64][3]int64{{1, 2, 3}: {0, 0, 0}, {4, 2, 9}: {4, 2, 9}} {
		same(t, want[:], idsOf(deck.Identified(withIDs(given))))
	}
	for _, given := range [][3]int64{{3, 0, 2}, {2, 2, 1}} {
		same(t, []int64{1, 2, 3}, idsOf(deck.Identified(withIDs(given))))
	}
}

func withIDs(ids [3]int64) (out []v1beta1.TextOverlay) {
	for _, id := range ids {
		out = append(out, v1beta1.TextOverlay{ID: id})
	}
	return out
}

func idsOf(in []v1beta1.TextOverlay) (out []int64) {
	for _, o := range in {
		out = append(out, o.ID)
	}
	return out
}
