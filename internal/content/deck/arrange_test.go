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

// after is the slideshow with an edit written.
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
		"a slide at the end":        {deck.Edit{Add: &deck.NewSlide{Slide: tip}}, []int64{1, 2, 3, 4, 5}},
		"a slide in front":          {deck.Edit{Add: &deck.NewSlide{At: ptr.To(0), Slide: tip}}, []int64{5, 1, 2, 3, 4}},
		"a copy":                    {deck.Edit{Add: &deck.NewSlide{CopyOf: 2}}, []int64{1, 2, 5, 3, 4}},
		"a copy at a place":         {deck.Edit{Add: &deck.NewSlide{CopyOf: 2, At: ptr.To(4)}}, []int64{1, 2, 3, 4, 5}},
		"a reserved id":             {deck.Edit{Add: &deck.NewSlide{Slide: deck.Slide{ID: 9, Heading: "Tip"}}}, []int64{1, 2, 3, 4, 9}},
		"an id that is taken":       {deck.Edit{Add: &deck.NewSlide{Slide: deck.Slide{ID: 2, Heading: "Tip"}}, Retried: true}, []int64{1, 2, 3, 4, 5}},
		"a slide less":              {deck.Edit{Remove: 2}, []int64{1, 3, 4}},
		"one slide moved to front":  {deck.Edit{Move: []int64{3}}, []int64{3, 1, 2, 4}},
		"all in another order":      {deck.Edit{Move: []int64{4, 3, 2, 1}}, []int64{4, 3, 2, 1}},
		"the last with an old edit": {deck.Edit{Remove: 4}, []int64{1, 2, 3}},
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
		t.Errorf("the order that is there changes something: %v", err)
	}
}

func TestNextID_IsNotThatOfARemovedSlideThatWasWritten(t *testing.T) {
	s := after(t, generated(), deck.Edit{Remove: 4})
	s.Status.Slides = s.Status.Slides[:3]
	if id := deck.NextID(s); id != 5 {
		t.Errorf("got %d", id)
	}
}

func TestApply_RetriedArrangements(t *testing.T) {
	add := deck.Edit{Add: &deck.NewSlide{At: ptr.To(1), Slide: deck.Slide{ID: 5, Heading: "Tip"}}, Retried: true}
	if r, err := deck.Apply(after(t, generated(), add), nil, add); err != nil || r.Changed {
		t.Errorf("a slide that arrived is added again: %v", err)
	}
	gone := deck.Edit{Remove: 2, Retried: true}
	if r, err := deck.Apply(after(t, generated(), gone), nil, gone); err != nil || r.Changed {
		t.Errorf("a slide that is gone cannot be removed again: %v", err)
	}
}

func TestApply_ArrangementsRefused(t *testing.T) {
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
		"a thirteenth":          {full, deck.Edit{Add: &deck.NewSlide{Slide: deck.Slide{Heading: "x"}}}, "slides"},
		"to one without slides": {&v1beta1.Slideshow{}, deck.Edit{Add: &deck.NewSlide{Slide: deck.Slide{Heading: "x"}}}, "slides"},
		"a copy of none":        {generated(), deck.Edit{Add: &deck.NewSlide{CopyOf: 9}}, "copy_of"},
		"beyond the end":        {generated(), deck.Edit{Add: &deck.NewSlide{At: ptr.To(5), Slide: deck.Slide{Heading: "x"}}}, "position"},
		"the last slide":        {single, deck.Edit{Remove: 4}, "slides"},
		"moving none":           {generated(), deck.Edit{Move: []int64{9}}, "order"},
		"moving one twice":      {generated(), deck.Edit{Move: []int64{2, 2}}, "order"},
		"two orders":            {generated(), deck.Edit{Move: []int64{2}, Order: []int64{1, 2, 3, 4}}, "order"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := deck.Apply(c.s, nil, c.e)
			var invalid *deck.Invalid
			if !errors.As(err, &invalid) || invalid.Field != c.field {
				t.Errorf("%v, want a refusal of %s", err, c.field)
			}
		})
	}
	if _, err := deck.Apply(generated(), nil, deck.Edit{Remove: 9}); !errors.Is(err, deck.ErrNoSlide) {
		t.Errorf("got %v", err)
	}
}
