// SPDX-License-Identifier: Apache-2.0

package deck

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// ErrNoSlide is the error of Apply when the slide to remove does not exist.
var ErrNoSlide = errors.New("the slideshow has no such slide")

// NewSlide is a slide to add.
type NewSlide struct {
	// At is its index, from 0. Nil means the end, or after the slide that it copies.
	At *int
	// CopyOf is the ID of the slide to copy; 0 for none.
	CopyOf int64
	// Slide is the desired slide. Only the ID is used if CopyOf is set. An ID that is 0 or taken is replaced by NextID.
	Slide Slide
}

// NextID returns an ID for a new slide: one more than the highest ID in the spec, the written text and the status.
func NextID(s *v1beta1.Slideshow) int64 {
	last := int64(0)
	if s.Status.Text != nil {
		last = int64(len(s.Status.Text.Slides))
	}
	for _, sl := range Slides(s) {
		last = max(last, sl.ID)
	}
	for i := range s.Status.Slides {
		last = max(last, s.Status.Slides[i].ID)
	}
	return last + 1
}

// arrange returns the slides with one added or removed, or in another order, and reports whether the list changed.
func arrange(s *v1beta1.Slideshow, deck []Slide, e Edit) ([]Slide, bool, error) {
	switch {
	case e.Add != nil:
		return add(s, deck, e.Add, e.Retried)
	case e.Remove != 0:
		return remove(deck, e.Remove, e.Retried)
	case e.Move != nil && e.Order != nil:
		return nil, false, &Invalid{"order", "Give order or slide_order, not both."}
	case e.Move != nil:
		return reorder(deck, e.Move, "order", true)
	case e.Order != nil:
		if least := min(catalog.MinSlides, len(deck)); len(e.Order) < least { // a slideshow generated from a short context has fewer
			return nil, false, &Invalid{"slide_order", fmt.Sprintf("A slideshow must keep at least %d slides.", least)}
		}
		return reorder(deck, e.Order, "slide_order", false)
	}
	return deck, false, nil
}

// placeOf returns the index of a slide, or -1 if there is none.
func placeOf(deck []Slide, id int64) int {
	return slices.IndexFunc(deck, func(sl Slide) bool { return sl.ID == id })
}

// reorder returns the slides in the order of the given IDs. Slides that are not named are appended if keep is set, and
// dropped otherwise.
func reorder(deck []Slide, order []int64, field string, keep bool) ([]Slide, bool, error) {
	out := make([]Slide, 0, len(deck))
	for _, id := range order {
		at := placeOf(deck, id)
		if at < 0 {
			return nil, false, &Invalid{field, fmt.Sprintf("The slideshow has no slide %d.", id)}
		}
		if placeOf(out, id) >= 0 {
			return nil, false, &Invalid{field, fmt.Sprintf("Slide %d is named twice.", id)}
		}
		out = append(out, deck[at])
	}
	for _, sl := range deck {
		if keep && placeOf(out, sl.ID) < 0 {
			out = append(out, sl)
		}
	}
	return out, !slices.EqualFunc(out, deck, func(a, b Slide) bool { return a.ID == b.ID }), nil
}

func add(s *v1beta1.Slideshow, deck []Slide, n *NewSlide, retried bool) ([]Slide, bool, error) {
	sl, at := n.Slide, len(deck)
	if n.CopyOf != 0 {
		from := placeOf(deck, n.CopyOf)
		if from < 0 {
			return nil, false, &Invalid{"copy_of", fmt.Sprintf("The slideshow has no slide %d.", n.CopyOf)}
		}
		sl, at = deck[from], from+1
		sl.ID, sl.Keywords = n.Slide.ID, nil
		if d := Drawn(s, n.CopyOf); d != nil && sl.Image == nil {
			sl.Image = ImageOf(d.Background)
		}
	}
	sl.Role = first(sl.Role, RolePoint)
	if there := placeOf(deck, sl.ID); there >= 0 {
		if retried && reflect.DeepEqual(deck[there], sl) {
			return deck, false, nil
		}
		sl.ID = 0
	}
	if sl.ID == 0 {
		sl.ID = NextID(s)
	}
	switch {
	case len(deck) == 0:
		return nil, false, &Invalid{"slides", "The slideshow has no slides yet."}
	case len(deck) >= catalog.MaxSlides:
		return nil, false, &Invalid{"slides", fmt.Sprintf("A slideshow can have at most %d slides.", catalog.MaxSlides)}
	case n.At != nil && (*n.At < 0 || *n.At > len(deck)):
		return nil, false, &Invalid{"position", fmt.Sprintf("position must be from 0 to %d, which is the end.", len(deck))}
	case n.At != nil:
		at = *n.At
	}
	return slices.Insert(slices.Clone(deck), at, sl), true, nil
}

func remove(deck []Slide, id int64, retried bool) ([]Slide, bool, error) {
	at := placeOf(deck, id)
	switch {
	case at < 0 && retried:
		return deck, false, nil
	case at < 0:
		return nil, false, ErrNoSlide
	case len(deck) == 1:
		return nil, false, &Invalid{"slides", "A slideshow must keep at least one slide."}
	}
	return slices.Delete(slices.Clone(deck), at, at+1), true, nil
}
