// SPDX-License-Identifier: Apache-2.0

package deck_test

import (
	"errors"
	"testing"

	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
)

func slideIDs(spec *v1beta1.SlideshowSpec) (out []int64) {
	for _, sl := range spec.Slides {
		out = append(out, sl.ID)
	}
	return out
}

// after returns the slideshow with an edit applied.
func after(t *testing.T, s *v1beta1.Slideshow, e deck.Edit) *v1beta1.Slideshow {
	t.Helper()
	r, err := deck.Apply(s, nil, e)
	if err != nil {
		t.Fatal(err)
	}
	out := s.DeepCopy()
	out.Spec = *r.Spec
	return out
}

func TestApply_Arranges(t *testing.T) {
	tip := deck.Slide{Heading: "Tip", Body: "Rinse the pot."}
	for name, c := range map[string]struct {
		e    deck.Edit
		want []int64
	}{
		"a slide at the end":                  {deck.Edit{Add: &deck.NewSlide{Slide: tip}}, []int64{1, 2, 3, 4, 5}},
		"a slide at the start":                {deck.Edit{Add: &deck.NewSlide{At: ptr.To(0), Slide: tip}}, []int64{5, 1, 2, 3, 4}},
		"a copy":                              {deck.Edit{Add: &deck.NewSlide{CopyOf: 2}}, []int64{1, 2, 5, 3, 4}},
		"a copy at a position":                {deck.Edit{Add: &deck.NewSlide{CopyOf: 2, At: ptr.To(4)}}, []int64{1, 2, 3, 4, 5}},
		"a reserved id":                       {deck.Edit{Add: &deck.NewSlide{Slide: deck.Slide{ID: 9, Heading: "Tip"}}}, []int64{1, 2, 3, 4, 9}},
		"an id in use":                        {deck.Edit{Add: &deck.NewSlide{Slide: deck.Slide{ID: 2, Heading: "Tip"}}, Retried: true}, []int64{1, 2, 3, 4, 5}},
		"one slide removed":                   {deck.Edit{Remove: 2}, []int64{1, 3, 4}},
		"one slide moved to front":            {deck.Edit{Move: []int64{3}}, []int64{3, 1, 2, 4}},
		"another order of all slides":         {deck.Edit{Move: []int64{4, 3, 2, 1}}, []int64{4, 3, 2, 1}},
		"the last slide with an earlier edit": {deck.Edit{Remove: 4}, []int64{1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := deck.Apply(generated(), nil, c.e)
			if err != nil {
				t.Fatal(err)
			}
			same(t, c.want, slideIDs(r.Spec))
			if !r.Changed || !r.Visual {
				t.Errorf("got %+v", r)
			}
		})
	}
	s := after(t, generated(), deck.Edit{Add: &deck.NewSlide{CopyOf: 2}})
	same(t, v1beta1.SlideSpec{ID: 5, Role: "point", Heading: "Leaves", Body: "Green ones.", AltText: "Leaves", Image: stock("stock-Leaves")}, s.Spec.Slides[2])
	s = after(t, generated(), deck.Edit{Add: &deck.NewSlide{Slide: tip}})
	same(t, v1beta1.SlideSpec{ID: 5, Role: "point", Heading: "Tip", Body: "Rinse the pot."}, s.Spec.Slides[4])
	if r, err := deck.Apply(generated(), nil, deck.Edit{Move: []int64{1, 2}}); err != nil || r.Changed {
		t.Errorf("the current order changes something: %v", err)
	}
}

func TestNextID_SkipsIDsOfRemovedSlides(t *testing.T) {
	s := after(t, generated(), deck.Edit{Remove: 4})
	s.Status.Slides = s.Status.Slides[:3]
	if id := deck.NextID(s); id != 5 {
		t.Errorf("got %d", id)
	}
}

func TestApply_RetriedArrangements(t *testing.T) {
	add := deck.Edit{Add: &deck.NewSlide{At: ptr.To(1), Slide: deck.Slide{ID: 5, Heading: "Tip"}}, Retried: true}
	if r, err := deck.Apply(after(t, generated(), add), nil, add); err != nil || r.Changed {
		t.Errorf("adding an existing slide again: got %v", err)
	}
	gone := deck.Edit{Remove: 2, Retried: true}
	if r, err := deck.Apply(after(t, generated(), gone), nil, gone); err != nil || r.Changed {
		t.Errorf("removing a missing slide again: got %v", err)
	}
}

func TestApply_RejectsArrangements(t *testing.T) {
	full := generated()
	for len(deck.Slides(full)) < catalog.MaxSlides {
		full = after(t, full, deck.Edit{Add: &deck.NewSlide{CopyOf: 1}})
	}
	single := generated()
	for _, id := range []int64{1, 2, 3} {
		single = after(t, single, deck.Edit{Remove: id})
	}
	for name, c := range map[string]struct {
		s     *v1beta1.Slideshow
		e     deck.Edit
		field string
	}{
		"a thirteenth slide":                    {full, deck.Edit{Add: &deck.NewSlide{Slide: deck.Slide{Heading: "x"}}}, "slides"},
		"a slide of a slideshow without slides": {&v1beta1.Slideshow{}, deck.Edit{Add: &deck.NewSlide{Slide: deck.Slide{Heading: "x"}}}, "slides"},
		"a copy of a missing slide":             {generated(), deck.Edit{Add: &deck.NewSlide{CopyOf: 9}}, "copy_of"},
		"a position beyond the end":             {generated(), deck.Edit{Add: &deck.NewSlide{At: ptr.To(5), Slide: deck.Slide{Heading: "x"}}}, "position"},
		"the last slide":                        {single, deck.Edit{Remove: 4}, "slides"},
		"moving a missing slide":                {generated(), deck.Edit{Move: []int64{9}}, "order"},
		"moving a slide twice":                  {generated(), deck.Edit{Move: []int64{2, 2}}, "order"},
		"two orders":                            {generated(), deck.Edit{Move: []int64{2}, Order: []int64{1, 2, 3, 4}}, "order"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := deck.Apply(c.s, nil, c.e)
			var invalid *deck.Invalid
			if !errors.As(err, &invalid) || invalid.Field != c.field {
				t.Errorf("got %v, want the error %s", err, c.field)
			}
		})
	}
	if _, err := deck.Apply(generated(), nil, deck.Edit{Remove: 9}); !errors.Is(err, deck.ErrNoSlide) {
		t.Errorf("got %v", err)
	}
}
