// SPDX-License-Identifier: Apache-2.0

package deck_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
)

type change = func(*v1beta1.Slideshow)

// generated returns a slideshow of four slides that were generated and rendered.
func generated(changes ...change) *v1beta1.Slideshow {
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	s.Spec = v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, Context: "tea"}
	s.Status.Text = &v1beta1.Text{
		SourceHash: deck.SourceHash(s), Language: "en", Title: "Tea", Caption: "About tea.", Tags: []string{"tea", "cup"},
		Slides: []v1beta1.SlideText{
			{Role: "hook", Heading: "Tea", AltText: "Tea"},
			{Role: "point", Heading: "Leaves", Body: "Green ones.", AltText: "Leaves"},
			{Role: "point", Heading: "Water", AltText: "Water"},
			{Role: "call_to_action", Heading: "Drink"},
		},
	}
	draw(s)
	for _, c := range changes {
		c(s)
	}
	return s
}

func byHand(s *v1beta1.Slideshow) {
	s.Status.Text, s.Spec.Context = nil, ""
	s.Spec.Slides = []v1beta1.SlideSpec{
		{Heading: "One"},
		{Heading: "Two"},
		{TextOverlays: &[]v1beta1.TextOverlay{{Text: "Three", Color: "#fff", FontSize: 60, Position: &v1beta1.Position{X: .5, Y: .25}}}},
	}
	draw(s)
}

// draw sets the status like the controller: a stock image behind every slide, and all texts.
func draw(s *v1beta1.Slideshow) {
	d := deck.DesignOf(s, v1beta1.Design{AspectRatio: "9:16", Style: "bold_center"})
	s.Status.Design, s.Status.Revision, s.Status.WorkedOn = &d, 1, s.Generation
	s.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}
	s.Status.Slides = nil
	for _, sl := range deck.Slides(s) {
		text := sl.Heading
		if sl.Overlays != nil {
			text = (*sl.Overlays)[0].Text
		}
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{
			ID: sl.ID, AltText: text, Background: v1beta1.SlideBackground{Source: "stock", ID: "stock-" + text},
			TextOverlays: []v1beta1.TextOverlay{shown(text)},
		})
	}
	s.Status.VisualHash = deck.VisualHash(s, d)
}

func shown(text string) v1beta1.TextOverlay {
	return v1beta1.TextOverlay{
		Text: text, FontFamily: "Inter", FontWeight: 900, FontSize: 92, Color: "#FFFFFF", StrokeColor: "#000000", StrokeWidth: ptr.To(6.0),
		BackgroundColor: ptr.To(""), Position: &v1beta1.Position{X: 45, Y: 43}, Align: "center", MaxWidth: 70, LineHeight: 1.1,
	}
}

func overlays(o ...v1beta1.TextOverlay) *[]v1beta1.TextOverlay {
	if o == nil {
		o = []v1beta1.TextOverlay{}
	}
	return &o
}

// whole returns overlays of an edit with all fields set.
func whole(in ...v1beta1.TextOverlay) *[]deck.OverlayEdit {
	out := make([]deck.OverlayEdit, len(in))
	for i, o := range in {
		out[i] = deck.OverlayEdit{ID: o.ID, Text: &o.Text, Set: o}
		if o.Position != nil {
			out[i].X, out[i].Y = &o.Position.X, &o.Position.Y
		}
	}
	return &out
}

func stock(id string) *v1beta1.SlideImage { return &v1beta1.SlideImage{Stock: &id} }

func TestApply(t *testing.T) {
	hello := overlays(v1beta1.TextOverlay{Text: "Hello", Color: "#fff"})
	brand := &v1beta1.Brand{}
	shaded := &v1beta1.Brand{Spec: v1beta1.BrandSpec{SlideshowDefaults: v1beta1.SlideshowDefaults{Gradient: &v1beta1.Gradient{Color: "#123456", Opacity: ptr.To(0.3)}}}}
	slide := func(e deck.SlideEdit) deck.Edit { return deck.Edit{Slides: []deck.SlideEdit{e}} }
	type want struct{ changed, visual bool }
	for name, c := range map[string]struct {
		why   string
		s     *v1beta1.Slideshow
		b     *v1beta1.Brand
		e     deck.Edit
		want  want
		check func(t *testing.T, spec *v1beta1.SlideshowSpec)
	}{
		"nothing":           {"an empty edit changes nothing", generated(), brand, deck.Edit{}, want{}, nil},
		"a title":           {"the title is not part of the slides", generated(), brand, deck.Edit{Title: ptr.To("New")}, want{true, false}, func(t *testing.T, s *v1beta1.SlideshowSpec) { same(t, "New", *s.Title) }},
		"the written title": {"the title is already set", generated(), brand, deck.Edit{Title: ptr.To("Tea"), Tags: ptr.To("tea,cup"), Caption: ptr.To("About tea.")}, want{}, nil},
		"no title":          {"the generated title is removed permanently", generated(), brand, deck.Edit{Title: ptr.To("")}, want{true, false}, func(t *testing.T, s *v1beta1.SlideshowSpec) { same(t, "", *s.Title) }},
		"no title yet":      {"a draft stays without a title", &v1beta1.Slideshow{}, brand, deck.Edit{Title: ptr.To("")}, want{true, false}, nil},
		"the same title":    {"the same title is sent again", generated(func(s *v1beta1.Slideshow) { s.Spec.Title = ptr.To("New") }), brand, deck.Edit{Title: ptr.To("New")}, want{}, nil},
		"a ratio": {"all slides get a new layout", generated(), brand, deck.Edit{AspectRatio: ptr.To("4:5")}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, "4:5", s.AspectRatio)
			same(t, 0, len(s.Slides))
		}},
		"the chosen ratio": {"the chosen ratio is in effect although the spec does not name it", generated(), brand, deck.Edit{AspectRatio: ptr.To("9:16"), DesignStyle: ptr.To("bold_center")}, want{}, nil},
		"a style":          {"the texts stay", generated(), brand, deck.Edit{DesignStyle: ptr.To("soft_card")}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) { same(t, "soft_card", s.DesignStyle) }},
		"a gradient": {"missing fields stay those of the style", generated(), brand, deck.Edit{Gradient: v1beta1.Gradient{Opacity: ptr.To(0.9)}}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, &v1beta1.Gradient{Opacity: ptr.To(0.9)}, s.Gradient)
		}},
		"a gradient of brands": {"missing fields stay those of the brand", generated(), shaded, deck.Edit{Gradient: v1beta1.Gradient{Direction: "top"}}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, &v1beta1.Gradient{Color: "#123456", Opacity: ptr.To(0.3), Direction: "top"}, s.Gradient)
		}},
		"the style's gradient": {"the style's gradient is already in effect, in any notation", generated(), brand, deck.Edit{Gradient: v1beta1.Gradient{
			Enabled: ptr.To(true), Color: "#000", Opacity: ptr.To(0.22), Direction: "full", Coverage: ptr.To(1.0),
		}}, want{}, nil},
		"text on a generated slide": {"the spec gets all slides with their images and texts", generated(), brand, slide(deck.SlideEdit{ID: 2, Overlays: whole(*hello...)}), want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, []v1beta1.SlideSpec{
				{ID: 1, Role: "hook", Heading: "Tea", AltText: "Tea", Image: stock("stock-Tea")},
				{ID: 2, Role: "point", TextOverlays: hello, Image: stock("stock-Leaves")},
				{ID: 3, Role: "point", Heading: "Water", AltText: "Water", Image: stock("stock-Water")},
				{ID: 4, Role: "call_to_action", Heading: "Drink", Image: stock("stock-Drink")},
			}, s.Slides)
			same(t, []string{"Tea", "About tea.", "tea,cup", "en", "tea"}, []string{*s.Title, *s.Caption, *s.Tags, s.Language, s.Context})
		}},
		"no text":          {"an empty list removes the text", generated(), brand, slide(deck.SlideEdit{ID: 1, Overlays: whole()}), want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) { same(t, 0, len(*s.Slides[0].TextOverlays)) }},
		"the drawn text":   {"the rendered text is sent back", generated(), brand, slide(deck.SlideEdit{ID: 1, Overlays: whole(shown("Tea"))}), want{}, nil},
		"the text by hand": {"the same text in another notation", generated(byHand), brand, slide(deck.SlideEdit{ID: 3, Overlays: whole(v1beta1.TextOverlay{Text: "Three", Color: "White", FontSize: 60, Position: &v1beta1.Position{X: 50, Y: 25}})}), want{}, nil},
		"a background": {"the text stays", generated(), brand, slide(deck.SlideEdit{ID: 2, Image: stock("other")}), want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, v1beta1.SlideSpec{ID: 2, Role: "point", Heading: "Leaves", Body: "Green ones.", AltText: "Leaves", Image: stock("other")}, s.Slides[1])
		}},
		"its own background": {"the background is already shown", generated(), brand, slide(deck.SlideEdit{ID: 2, Image: stock("stock-Leaves")}), want{}, nil},
		"an alt text":        {"no image changes", generated(), brand, slide(deck.SlideEdit{ID: 4, AltText: ptr.To("A cup")}), want{true, false}, func(t *testing.T, s *v1beta1.SlideshowSpec) { same(t, "A cup", s.Slides[3].AltText) }},
		"the shown alt text": {"the alt text is already that text", generated(), brand, slide(deck.SlideEdit{ID: 4, AltText: ptr.To("Drink")}), want{}, nil},
		"a kept alt text": {"an own alt text stays", generated(byHand, func(s *v1beta1.Slideshow) { s.Spec.Slides[0].AltText = "A photo" }), brand, slide(deck.SlideEdit{ID: 1, Overlays: whole(*hello...)}), want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, "A photo", s.Slides[0].AltText)
		}},
		"the drawn text after a failure": {"the spec requests another text, which could not be rendered", generated(byHand, func(s *v1beta1.Slideshow) {
			s.Spec.Slides[0] = v1beta1.SlideSpec{TextOverlays: overlays(v1beta1.TextOverlay{Text: "Other"}), Image: stock("broken")}
			s.Status.Work.State = v1beta1.WorkFailed
		}), brand, slide(deck.SlideEdit{ID: 1, Overlays: whole(shown("One")), Image: stock("stock-One")}), want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, "One", (*s.Slides[0].TextOverlays)[0].Text)
			same(t, stock("stock-One"), s.Slides[0].Image)
		}},
		"a pace": {"the durations of the slides change", generated(), brand, deck.Edit{Pace: ptr.To("fast")}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, "fast", s.Film.Pace)
			same(t, 0, len(s.Slides))
		}},
		"the usual pace": {"the pace is in effect although the spec does not name it", generated(), brand, deck.Edit{Pace: ptr.To("normal")}, want{}, nil},
		"a duration": {"one slide is shown longer", generated(), brand, slide(deck.SlideEdit{ID: 2, DurationSeconds: ptr.To(6.5)}), want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, []float64{0, 6.5, 0, 0}, []float64{s.Slides[0].DurationSeconds, s.Slides[1].DurationSeconds, s.Slides[2].DurationSeconds, s.Slides[3].DurationSeconds})
		}},
		"a duration beside one in milliseconds": {"the duration is stored in milliseconds", generated(byHand, func(s *v1beta1.Slideshow) { s.Spec.Slides[0].DurationMilliseconds = 2500 }), brand, slide(deck.SlideEdit{ID: 2, DurationSeconds: ptr.To(6.5)}), want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, []int64{2500, 6500, 0}, []int64{s.Slides[0].DurationMilliseconds, s.Slides[1].DurationMilliseconds, s.Slides[2].DurationMilliseconds})
			same(t, 0.0, s.Slides[1].DurationSeconds)
		}},
		"tags of a spec with hashtags": {"hashtags stay hashtags", generated(func(s *v1beta1.Slideshow) { s.Spec.Hashtags = &[]string{"tea"} }), brand, deck.Edit{Tags: ptr.To("cup,leaf")}, want{true, false}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, []string{"cup", "leaf"}, *s.Hashtags)
		}},
		"no duration": {"the reading time is used", generated(), brand, slide(deck.SlideEdit{ID: 2, DurationSeconds: ptr.To(0.0)}), want{}, nil},
		"an order": {"slides keep ids, roles and images", generated(), brand, deck.Edit{Order: []int64{3, 1, 2, 4}}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, v1beta1.SlideSpec{ID: 3, Role: "point", Heading: "Water", AltText: "Water", Image: stock("stock-Water")}, s.Slides[0])
			same(t, "hook", s.Slides[1].Role)
		}},
		"the same order": {"the order is unchanged", generated(), brand, deck.Edit{Order: []int64{1, 2, 3, 4}}, want{}, nil},
		"one slide less": {"a slide that is not listed is removed", generated(), brand, deck.Edit{Order: []int64{1, 2, 3}}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) { same(t, 3, len(s.Slides)) }},
		"a style over text by hand": {"the overlay gets the look of the style and keeps its position", generated(byHand), brand, deck.Edit{DesignStyle: ptr.To("soft_card")}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, []v1beta1.TextOverlay{{Text: "Three", FontSize: 60, Position: &v1beta1.Position{X: .5, Y: .25}}}, *s.Slides[2].TextOverlays)
		}},
		"a style and text": {"a text in the same edit is not restyled", generated(byHand), brand, deck.Edit{DesignStyle: ptr.To("soft_card"), Slides: []deck.SlideEdit{{ID: 3, Overlays: whole(*hello...)}}}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, hello, s.Slides[2].TextOverlays)
		}},
		"a video with autoRender": {"an open request for a video does not follow an edit", generated(func(s *v1beta1.Slideshow) { s.Spec.AutoRender = true }), brand, deck.Edit{AspectRatio: ptr.To("4:5")}, want{true, true}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, false, s.AutoRender)
		}},
		"a video with autoRender, another title": {"the request for a video stays open", generated(func(s *v1beta1.Slideshow) { s.Spec.AutoRender = true }), brand, deck.Edit{Title: ptr.To("New")}, want{true, false}, func(t *testing.T, s *v1beta1.SlideshowSpec) {
			same(t, true, s.AutoRender)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			before := c.s.DeepCopy()
			r, err := deck.Apply(c.s, c.b, c.e)
			if err != nil {
				t.Fatal(err)
			}
			if got := (want{r.Changed, r.Visual}); got != c.want {
				t.Errorf("%s: got %+v, want %+v", c.why, got, c.want)
			}
			if c.check != nil {
				c.check(t, r.Spec)
			}
			if diff := cmp.Diff(before, c.s); diff != "" {
				t.Errorf("Apply changed its input:\n%s", diff)
			}
			// Applying an edit again changes nothing.
			after := c.s.DeepCopy()
			after.Spec = *r.Spec
			if again, err := deck.Apply(after, c.b, c.e); c.e.Order == nil && (err != nil || again.Changed) {
				t.Errorf("applied again, the edit changes something: %v, %v", cmp.Diff(r.Spec, again.Spec), err)
			}
		})
	}
}

func TestApply_Errors(t *testing.T) {
	for name, c := range map[string]struct {
		s     *v1beta1.Slideshow
		e     deck.Edit
		field string
	}{
		"an unknown slide":                      {generated(), deck.Edit{Slides: []deck.SlideEdit{{ID: 1}, {ID: 5}}}, "slides[1].id"},
		"a slide twice":                         {generated(), deck.Edit{Slides: []deck.SlideEdit{{ID: 1}, {ID: 1}}}, "slides[1].id"},
		"a slide of a slideshow without slides": {&v1beta1.Slideshow{}, deck.Edit{Slides: []deck.SlideEdit{{ID: 1}}}, "slides[0].id"},
		"two slides":                            {generated(), deck.Edit{Order: []int64{1, 2}}, "slide_order"},
		"no slides":                             {generated(), deck.Edit{Order: []int64{}}, "slide_order"},
		"an unknown position":                   {generated(), deck.Edit{Order: []int64{1, 2, 9}}, "slide_order"},
		"a position twice":                      {generated(), deck.Edit{Order: []int64{1, 2, 2}}, "slide_order"},
		"a missing slide":                       {generated(func(s *v1beta1.Slideshow) { s.Spec.Slides = []v1beta1.SlideSpec{{ID: 4}, {ID: 2}, {ID: 7}} }), deck.Edit{Slides: []deck.SlideEdit{{ID: 1}}}, "slides[0].id"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := deck.Apply(c.s, nil, c.e)
			var invalid *deck.Invalid
			if !errors.As(err, &invalid) || invalid.Field != c.field {
				t.Errorf("got %v, want the error %s", err, c.field)
			}
		})
	}
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
