// SPDX-License-Identifier: Apache-2.0

package deck_test

import (
	"testing"

	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
)

func TestHashes_ByChange(t *testing.T) {
	for why, c := range map[string]struct {
		change               change
		source, visual, work bool
	}{
		"a title is not part of the slides": {func(s *v1beta1.Slideshow) { s.Spec.Title = ptr.To("x") }, false, false, false},
		"autoRender changes no image":       {func(s *v1beta1.Slideshow) { s.Spec.AutoRender = true }, false, false, false},
		"suspending changes no image":       {func(s *v1beta1.Slideshow) { s.Spec.Suspend = true }, false, false, false},
		"the text depends on the context":   {func(s *v1beta1.Slideshow) { s.Spec.Context = "x" }, true, false, true},
		"the text depends on the count":     {func(s *v1beta1.Slideshow) { s.Spec.SlideCount = 5 }, true, false, true},
		"the text depends on the language":  {func(s *v1beta1.Slideshow) { s.Spec.Language = "fr" }, true, false, true},
		"a gradient is visible":             {func(s *v1beta1.Slideshow) { s.Spec.Gradient = &v1beta1.Gradient{Color: "#fff"} }, false, true, true},
		"a motion of the video is visible":  {func(s *v1beta1.Slideshow) { s.Spec.Film.Motion = "still" }, false, true, true},
		"a pace of the video is visible":    {func(s *v1beta1.Slideshow) { s.Spec.Film.Pace = "fast" }, false, true, true},
		"own texts are visible":             {func(s *v1beta1.Slideshow) { s.Status.Text.Slides[0].Heading = "x" }, false, true, false},
		"own slides are visible":            {byHandSpec, false, true, true},
		"own slides equal to the shown ones change nothing": {func(s *v1beta1.Slideshow) {
			r, err := deck.Apply(s, nil, deck.Edit{Slides: []deck.SlideEdit{{ID: 1, AltText: ptr.To("x")}}})
			if err != nil {
				t.Fatal(err)
			}
			s.Spec = *r.Spec
			s.Spec.Language = ""
		}, false, false, true},
	} {
		s := generated()
		other := s.DeepCopy()
		c.change(other)
		d := *s.Status.Design
		if (deck.SourceHash(other) != deck.SourceHash(s)) != c.source {
			t.Errorf("%s: got source %v", why, !c.source)
		}
		if (deck.VisualHash(other, d) != deck.VisualHash(s, d)) != c.visual {
			t.Errorf("%s: got visual %v", why, !c.visual)
		}
		if (deck.WorkHash(other) != deck.WorkHash(s)) != c.work {
			t.Errorf("%s: got work %v", why, !c.work)
		}
	}
	s := generated()
	fitting := *s.Status.Design
	fitting.Style = "other"
	if deck.VisualHash(s, fitting) == deck.VisualHash(s, *s.Status.Design) {
		t.Error("another style is not visible")
	}
}

// Videos of earlier releases stay current: a spec that names neither durations nor a pace has the hash that they
// recorded.
func TestVisualHash_OfEarlierReleases(t *testing.T) {
	for want, s := range map[string]*v1beta1.Slideshow{"00632745781b26f0c86c9313b1b6d5a5": generated(), "cef7011a41670eff772ad350cdeae5e4": generated(byHand)} {
		if got := deck.VisualHash(s, *s.Status.Design); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func byHandSpec(s *v1beta1.Slideshow) {
	s.Spec.Slides = []v1beta1.SlideSpec{{Heading: "One"}, {Heading: "Two"}, {Heading: "Three"}}
}

func TestOutdated(t *testing.T) {
	edited := func(c change) change { return func(s *v1beta1.Slideshow) { s.Generation++; c(s) } }
	style := func(s *v1beta1.Slideshow) { s.Spec.DesignStyle = "soft_card" }
	title := func(s *v1beta1.Slideshow) { s.Spec.Title = ptr.To("x") }
	failed := func(s *v1beta1.Slideshow) {
		s.Status.Work = &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 1}
		s.Status.WorkedFor = deck.WorkHash(s)
	}
	said := func(what string) change {
		return func(s *v1beta1.Slideshow) {
			s.Annotations = map[string]string{deck.AnnotationOutdated: what}
			s.Spec.Slides, s.Status.Slides, s.Status.VisualHash = nil, nil, ""
		}
	}
	for why, c := range map[string]struct {
		s    *v1beta1.Slideshow
		want bool
	}{
		"the slides match the spec":                             {generated(), false},
		"another style is not rendered yet":                     {generated(edited(style)), true},
		"another title needs no rendering":                      {generated(edited(title)), false},
		"another context is not generated yet":                  {generated(edited(func(s *v1beta1.Slideshow) { s.Spec.Context = "coffee" })), true},
		"no work yet":                                           {&v1beta1.Slideshow{}, false},
		"work in progress is not settled":                       {generated(edited(style), func(s *v1beta1.Slideshow) { s.Status.Work.State = v1beta1.WorkProcessing }), false},
		"another style may fix a failure":                       {generated(failed, edited(style)), true},
		"another title does not fix a failure":                  {generated(failed, edited(title)), false},
		"the newest spec is in progress":                        {generated(edited(style), func(s *v1beta1.Slideshow) { s.Status.WorkedOn = 2 }), false},
		"a partial object gives the result of the complete one": {generated(edited(style), said("true")), true},
		"a partial object gives the result of a current one":    {generated(edited(style), said("false")), false},
		"a slideshow without hashes is not outdated":            {generated(edited(style), func(s *v1beta1.Slideshow) { s.Status.VisualHash = "" }), false},
	} {
		if got := deck.Outdated(c.s); got != c.want {
			t.Errorf("%s: got %v", why, got)
		}
	}
}
