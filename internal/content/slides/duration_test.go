// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"testing"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/overlay"
)

func TestDuration(t *testing.T) {
	said := func(texts ...string) (out []v1beta1.TextOverlay) {
		for _, s := range texts {
			out = append(out, v1beta1.TextOverlay{Text: s})
		}
		return out
	}
	numbered := catalog.DesignStyle{Badge: catalog.BadgeLook{Digits: 2, Look: catalog.TextLook{Color: "#FFF"}}}
	point := &overlay.SlideText{Role: deck.RolePoint, Index: 1}
	for name, c := range map[string]struct {
		style    catalog.DesignStyle
		slide    slideInput
		overlays []v1beta1.TextOverlay
		want     time.Duration
	}{
		"words": {
			catalog.DesignStyle{},
			slideInput{text: point},
			said("Nine words of a slide", "stay for four seconds"), 3900 * time.Millisecond,
		},
		"the style's number does not count": {
			numbered,
			slideInput{text: point},
			said("01", "Nine words of a slide", "stay for four seconds"), 3900 * time.Millisecond,
		},
		"an own number counts": {
			numbered, slideInput{}, said("42", "is the answer to everything"), 3 * time.Second,
		},
		"a configured duration takes precedence": {
			numbered, slideInput{text: point, seconds: 6.5}, said("01", "Go"), 6500 * time.Millisecond,
		},
	} {
		in := Drawing{style: c.style, pace: catalog.PaceByID(""), slides: []slideInput{c.slide}}
		if got := in.duration(0, c.overlays); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestExtendLast(t *testing.T) {
	for name, c := range map[string]struct{ given, want []int64 }{
		"one short slide":  {[]int64{2000}, []int64{3000}},
		"two short slides": {[]int64{1000, 1000}, []int64{1000, 2000}},
		"long enough":      {[]int64{2000, 2000}, []int64{2000, 2000}},
		"none":             {nil, nil},
	} {
		var slides []v1beta1.Slide
		for _, ms := range c.given {
			slides = append(slides, v1beta1.Slide{DurationMilliseconds: ms})
		}
		ExtendLast(slides)
		for i, ms := range c.want {
			if got := slides[i].DurationMilliseconds; got != ms {
				t.Errorf("%s: slide %d has %d ms, want %d", name, i, got, ms)
			}
		}
	}
}
