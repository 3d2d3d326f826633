// SPDX-License-Identifier: Apache-2.0

package deck_test

import (
	"testing"

	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
)

func TestHashes(t *testing.T) {
	for why, c := range map[string]struct {
		change               change
		source, visual, work bool
	}{
		"a title is written beside the slides": {func(s *v1beta1.Slideshow) { s.Spec.Title = ptr.To("x") }, false, false, false},
		"autoRender changes nothing shown":     {func(s *v1beta1.Slideshow) { s.Spec.AutoRender = true }, false, false, false},
		"suspending changes nothing shown":     {func(s *v1beta1.Slideshow) { s.Spec.Suspend = true }, false, false, false},
		"the text follows from the context":    {func(s *v1beta1.Slideshow) { s.Spec.Context = "x" }, true, false, true},
		"the text follows from the count":      {func(s *v1beta1.Slideshow) { s.Spec.SlideCount = 5 }, true, false, true},
		"the text follows from the language":   {func(s *v1beta1.Slideshow) { s.Spec.Language = "fr" }, true, false, true},
		"a gradient is seen":                   {func(s *v1beta1.Slideshow) { s.Spec.Gradient = &v1beta1.Gradient{Color: "#fff"} }, false, true, true},
		"a film moves otherwise":               {func(s *v1beta1.Slideshow) { s.Spec.Film.Motion = "still" }, false, true, true},
		"a film has another pace":              {func(s *v1beta1.Slideshow) { s.Spec.Film.Pace = "fast" }, false, true, true},
		"written words are seen":               {func(s *v1beta1.Slideshow) { s.Status.Text.Slides[0].Heading = "x" }, false, true, false},
		"slides by hand are seen":              {byHandSpec, false, true, true},
		"slides that are written down are those that were shown": {func(s *v1beta1.Slideshow) {
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
			t.Errorf("%s: source %v", why, !c.source)
		}
		if (deck.VisualHash(other, d) != deck.VisualHash(s, d)) != c.visual {
			t.Errorf("%s: visual %v", why, !c.visual)
		}
		if (deck.WorkHash(other) != deck.WorkHash(s)) != c.work {
			t.Errorf("%s: work %v", why, !c.work)
		}
	}
	s := generated()
	fitting := *s.Status.Design
	fitting.Style = "other"
	if deck.VisualHash(s, fitting) == deck.VisualHash(s, *s.Status.Design) {
		t.Error("another style is not seen")
	}
}

// Videos of earlier releases stay current: a spec that names neither durations nor a pace has the hash that they recorded.
func TestVisualHash_OfEarlierReleases(t *testing.T) {
	for want, s := range map[string]*v1beta1.Slideshow{"00632745781b26f0c86c9313b1b6d5a5": generated(), "cef7011a41670eff772ad350cdeae5e4": generated(byHand)} {
		if got := deck.VisualHash(s, *s.Status.Design); got != want {
			t.Errorf("%s, want %s", got, want)
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
		"what is drawn is what is asked for":               {generated(), false},
		"another style is not drawn yet":                   {generated(edited(style)), true},
		"another title needs no drawing":                   {generated(edited(title)), false},
		"another context is not written yet":               {generated(edited(func(s *v1beta1.Slideshow) { s.Spec.Context = "coffee" })), true},
		"nothing was made yet":                             {&v1beta1.Slideshow{}, false},
		"work that is going on is not settled":             {generated(edited(style), func(s *v1beta1.Slideshow) { s.Status.Work.State = v1beta1.WorkProcessing }), false},
		"another style may help what failed":               {generated(failed, edited(style)), true},
		"another title does not help what failed":          {generated(failed, edited(title)), false},
		"the newest spec was taken up":                     {generated(edited(style), func(s *v1beta1.Slideshow) { s.Status.WorkedOn = 2 }), false},
		"a part of an object tells what the whole one is":  {generated(edited(style), said("true")), true},
		"a part of an object tells that nothing is amiss":  {generated(edited(style), said("false")), false},
		"of what nobody knows how it was drawn nothing is": {generated(edited(style), func(s *v1beta1.Slideshow) { s.Status.VisualHash = "" }), false},
	} {
		if got := deck.Outdated(c.s); got != c.want {
			t.Errorf("%s: got %v", why, got)
		}
	}
}
