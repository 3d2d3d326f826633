// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// saying returns a slideshow with these headings.
func saying(uid string, headings ...string) *v1beta1.Slideshow {
	return show(working, func(s *v1beta1.Slideshow) {
		s.UID = types.UID(uid)
		for i, h := range headings {
			s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{ID: int64(i + 1), Heading: h})
		}
	})
}

// hung returns the images of a drawing, and the styles of those that are backdrops.
func hung(in Drawing) (ids []string, styles []string) {
	for _, sl := range in.slides {
		ids = append(ids, sl.picture.id())
		b, _ := starter.ByID(sl.picture.id())
		styles = append(styles, starter.BackdropStyle(b))
	}
	return ids, styles
}

// drawnAs sets the status of a slideshow to the result of a drawing.
func drawnAs(s *v1beta1.Slideshow, in Drawing, d v1beta1.Design) {
	s.Status.Slides, s.Status.Design = nil, &d
	for _, sl := range in.slides {
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{ID: sl.id, Background: v1beta1.SlideBackground{Source: deck.SourceStock, ID: sl.picture.id()}})
	}
}

var nothingFits = []string{"What is a metaphor?", "Sign the petition", "Democracy needs a vote", "Plumbers hate that", "How elevators stay up"}

func TestBackdrop_ShownWhereNoPictureFits(t *testing.T) {
	patterns := map[string]bool{}
	for n := range 12 {
		s, o := saying(fmt.Sprint("uid-", n), nothingFits...), objects()
		s.Name = fmt.Sprint("tea-", n)
		ids, styles := hung(drawing(s, o, designFor(s, o), 1))
		seen := map[string]bool{}
		for i := range ids {
			if styles[i] != "bold_center" {
				t.Fatalf("slide %q shows %s, want a backdrop of bold_center", nothingFits[i], ids[i])
			}
			if seen[ids[i]] {
				t.Errorf("%s is shown twice", ids[i])
			}
			seen[ids[i]] = true
			p, _ := starter.ByID(ids[i])
			first, _ := starter.ByID(ids[0])
			if p.Description != first.Description {
				t.Errorf("%s and %s are of two patterns", ids[i], ids[0])
			}
			patterns[p.Description] = true
		}
	}
	if len(patterns) < 3 {
		t.Errorf("12 slideshows have %d patterns, want 3 at least", len(patterns))
	}
}

func TestBackdrop_PicturesThatFitComeFirst(t *testing.T) {
	headings := append([]string{"Camping under the stars", "Surf lessons at the ocean"}, nothingFits[0])
	s, o := saying("uid", headings...), objects()
	ids, styles := hung(drawing(s, o, designFor(s, o), 1))
	if styles[0] != "" || styles[1] != "" || styles[2] == "" {
		t.Errorf("the slides show %v, want two pictures and a backdrop", ids)
	}
}

// TestBackdrop_FollowsItsStyle checks that an edit of the text keeps the backdrops, another style has its own
// backdrops, and added slides use the same pattern.
func TestBackdrop_FollowsItsStyle(t *testing.T) {
	s, o := saying("uid", nothingFits...), objects()
	d := designFor(s, o)
	in := drawing(s, o, d, 1)
	before, _ := hung(in)
	drawnAs(s, in, d)
	s.Spec.Slides[0].Heading = "What is a simile?"
	after, _ := hung(drawing(s, o, d, 2))
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("after an edit of the words %v, before %v", after, before)
	}
	s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{ID: 9, Heading: "A sixth one"})
	more, styles := hung(drawing(s, o, d, 2))
	p, _ := starter.ByID(before[0])
	last, _ := starter.ByID(more[5])
	if styles[5] != "bold_center" || last.Description != p.Description {
		t.Errorf("the new slide shows %s beside %s", more[5], before[0])
	}
	d.Style = "soft_card"
	if _, styles := hung(drawing(s, o, d, 2)); styles[0] != "soft_card" || styles[4] != "soft_card" {
		t.Errorf("after a change of the style the backdrops are of %v", styles)
	}
}

func TestBackdrop_NotWhereAWorldIsAskedFor(t *testing.T) {
	s, o := saying("uid", nothingFits...), objects()
	d := designFor(s, o)
	d.ImageWorld = "night_sky"
	ids, _ := hung(drawing(s, o, d, 1))
	for i, id := range ids {
		if p, _ := starter.ByID(id); p.World != "night_sky" {
			t.Errorf("slide %d shows %s", i, id)
		}
	}
}

// TestBackdrop_ConditionSuggestsAProvider checks that the condition reports slides without a fitting image, and
// suggests the providers if none is configured.
func TestBackdrop_ConditionSuggestsAProvider(t *testing.T) {
	s, o := saying("uid", nothingFits...), objects()
	d := designFor(s, o)
	drawnAs(s, drawing(s, o, d, 1), d)
	s.Status.VisualHash, s.Status.Revision = deck.VisualHash(s, d), 1
	said := func() string {
		report(s, o, decision{kind: actionNothing}, result{}, start)
		return meta.FindStatusCondition(s.Status.Conditions, string(v1beta1.ConditionDrawn)).Message
	}
	const with = "5 slides are drawn; no picture fits 5 of them, which show a pattern"
	const without = with + "; configure Pexels, Unsplash or Pixabay for more pictures"
	if got := said(); got != without {
		t.Errorf("without a provider the condition is %q", got)
	}
	o.configured = true
	if got := said(); got != with {
		t.Errorf("with a provider the condition is %q", got)
	}
}
