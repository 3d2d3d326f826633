// SPDX-License-Identifier: Apache-2.0

package deck

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Edit is a change of a slideshow. Nil fields are left unchanged.
type Edit struct {
	// Title, Caption and Tags replace the texts; an empty string clears them.
	Title, Caption, Tags *string
	// AspectRatio and DesignStyle replace the design. A new style also restyles overlays placed manually.
	AspectRatio, DesignStyle *string
	// Gradient holds the fields to change; an empty Color or Direction is left unchanged.
	Gradient v1beta1.Gradient
	// Pace is the pace of the slides.
	Pace *string
	// Music is the music to play if SetMusic is set; nil for none.
	Music    *v1beta1.MusicSource
	SetMusic bool
	// Voice replaces the voice-over; mode none removes it.
	Voice *v1beta1.VoiceOver
	// Slides are the slides to change, each at most once.
	Slides []SlideEdit
	// Order holds the IDs of the slides to keep, in their new order.
	Order []int64
	// Move holds the IDs of the slides to put first, in their new order. The others follow in their current order.
	Move []int64
	// Add is a slide to add.
	Add *NewSlide
	// Remove is the ID of a slide to remove; 0 removes none.
	Remove int64
	// Retried is set if an earlier write of the same edit may have succeeded. The slide to add may then already exist
	// with its ID, and the slide to remove may be missing.
	Retried bool
}

// SlideEdit is a change of one slide.
type SlideEdit struct {
	// ID is the ID of the slide.
	ID int64
	// Overlays change the text on the slide; see editOverlays. An empty list removes all overlays.
	Overlays *[]OverlayEdit
	// Image replaces the background.
	Image *v1beta1.SlideImage
	// AltText replaces the alternative text; empty for the text on the slide.
	AltText *string
	// DurationSeconds replaces the display time; 0 for the reading time of the text.
	DurationSeconds *float64
}

// Invalid is the error for an invalid part of an edit. Field is its path in the request, such as slides[1].id.
type Invalid struct{ Field, Message string }

func (e *Invalid) Error() string { return e.Field + ": " + e.Message }

// Result is the result of an edit.
type Result struct {
	// Spec is the spec with the edit applied.
	Spec *v1beta1.SlideshowSpec
	// Changed reports whether Spec differs from the current spec. Visual reports whether slides must be rendered.
	Changed, Visual bool
}

// Apply applies an edit to the spec of a slideshow. The first edit of generated slides copies all of them into the
// spec, which from then on holds the full content. A value that is already in effect changes nothing. A retried edit,
// or one that sends back the values read, therefore leaves the spec unchanged. The error is an *Invalid.
func Apply(s *v1beta1.Slideshow, b *v1beta1.Brand, e Edit) (*Result, error) {
	next := s.DeepCopy()
	var written v1beta1.Text
	if s.Status.Text != nil {
		written = *s.Status.Text
	}
	setWords(&next.Spec.Title, e.Title, s.Status.Text != nil, written.Title)
	setWords(&next.Spec.Caption, e.Caption, s.Status.Text != nil, written.Caption)
	tags := next.Spec.TagText()
	setWords(&tags, e.Tags, s.Status.Text != nil, strings.Join(written.Tags, ","))
	next.Spec.SetTagText(tags)

	now := DesignOf(s, OfBrand(b))
	if e.AspectRatio != nil && *e.AspectRatio != now.AspectRatio {
		next.Spec.AspectRatio = *e.AspectRatio
	}
	restyled := e.DesignStyle != nil && *e.DesignStyle != now.Style
	if restyled {
		next.Spec.DesignStyle = *e.DesignStyle
	}
	shade(next, b, DesignOf(next, OfBrand(b)).Style, e.Gradient)

	if e.Pace != nil && catalog.PaceByID(*e.Pace).ID != catalog.PaceByID(s.Spec.Film.Pace).ID {
		next.Spec.Film.Pace = *e.Pace
	}

	if e.SetMusic {
		next.Spec.Music = e.Music
	}

	if e.Voice != nil && inForce(e.Voice) != inForce(s.Spec.Voice) {
		next.Spec.Voice = e.Voice
	}

	deck, changed, err := editSlides(s, e, restyled)
	if err != nil {
		return nil, err
	}
	if changed {
		writeDown(next, deck)
	}
	out := &Result{Spec: &next.Spec}
	if s.Status.Design != nil {
		out.Visual = VisualHash(next, DesignOf(next, v1beta1.Design{})) != VisualHash(s, DesignOf(s, v1beta1.Design{}))
	}
	if out.Visual && len(s.Status.Slides) > 0 {
		// Rendering the video automatically is part of the generation. After an edit, the user requests the video.
		next.Spec.AutoRender = false
	}
	out.Changed = !reflect.DeepEqual(next.Spec, s.Spec)
	return out, nil
}

// setWords sets a metadata text unless the value is already in effect, from the spec or from the writer.
func setWords(field **string, to *string, isWritten bool, written string) {
	switch {
	case to == nil,
		*field != nil && **field == *to,
		*field == nil && isWritten && written == *to:
		return
	}
	*field = to
}

// shade changes the fields of the gradient that differ from the values in effect.
func shade(s *v1beta1.Slideshow, b *v1beta1.Brand, style string, to v1beta1.Gradient) {
	now := GradientOf(s, b, style)
	// A spec with a gradient overrides the brand's gradient, so its values are copied.
	g := gradientSet(s, b).DeepCopy()
	if g == nil {
		g = &v1beta1.Gradient{}
	}
	changed := false
	if to.Enabled != nil && *to.Enabled != now.Enabled {
		g.Enabled, changed = to.Enabled, true
	}
	if to.Color != "" && color(to.Color) != color(now.Color) {
		g.Color, changed = to.Color, true
	}
	if to.Direction != "" && to.Direction != now.Direction {
		g.Direction, changed = to.Direction, true
	}
	if to.Opacity != nil && *to.Opacity != now.Opacity {
		g.Opacity, changed = to.Opacity, true
	}
	if to.Coverage != nil && *to.Coverage != now.Coverage {
		g.Coverage, changed = to.Coverage, true
	}
	if changed {
		s.Spec.Gradient = g
	}
}

// editSlides returns the slides with the edit applied, and reports whether any slide changed.
func editSlides(s *v1beta1.Slideshow, e Edit, restyled bool) (out []Slide, changed bool, err error) {
	deck := Slides(s)
	place := make(map[int64]int, len(deck))
	for i, sl := range deck {
		place[sl.ID] = i
	}
	for i := range deck {
		if !restyled || deck[i].Overlays == nil {
			continue
		}
		plain := unstyled(*deck[i].Overlays)
		if !reflect.DeepEqual(plain, *deck[i].Overlays) {
			deck[i].Overlays, changed = &plain, true
		}
	}
	named := map[int64]bool{}
	for i, se := range e.Slides {
		at, ok := place[se.ID]
		switch field := fmt.Sprintf("slides[%d].id", i); {
		case !ok:
			return nil, false, &Invalid{field, fmt.Sprintf("The slideshow has no slide %d.", se.ID)}
		case named[se.ID]:
			return nil, false, &Invalid{field, fmt.Sprintf("Slide %d is named twice.", se.ID)}
		}
		named[se.ID] = true
		one, err := editSlide(s, &deck[at], se, restyled)
		if err != nil {
			err.Field = fmt.Sprintf("slides[%d].%s", i, err.Field)
			return nil, false, err
		}
		changed = one || changed
	}
	deck, other, err := arrange(s, deck, e)
	return deck, changed || other, err
}

// editSlide changes one slide and reports whether the slide changed. The field of an error is relative to the slide.
func editSlide(s *v1beta1.Slideshow, sl *Slide, e SlideEdit, restyled bool) (changed bool, err *Invalid) {
	if e.Overlays != nil {
		var overlays []v1beta1.TextOverlay
		if overlays, changed, err = editOverlays(s, sl, *e.Overlays, restyled); err != nil {
			return false, err
		}
		if changed {
			sl.Overlays = &overlays
		}
		if changed && e.AltText == nil && sl.AltText == writtenAltText(s, sl.ID) {
			sl.AltText = "" // it describes the replaced text
		}
	}
	if e.Image != nil && picture(s, Slide{Image: e.Image}) != picture(s, *sl) {
		sl.Image, changed = e.Image, true
	}
	if e.AltText != nil && *e.AltText != sl.AltText && !showsAltText(s, sl, *e.AltText) {
		sl.AltText, changed = *e.AltText, true
	}
	if e.DurationSeconds != nil && *e.DurationSeconds != sl.DurationSeconds && !showsDuration(s, sl, *e.DurationSeconds) {
		sl.DurationSeconds, changed = *e.DurationSeconds, true
	}
	return changed, nil
}

// showsDuration reports whether a duration equals the reading time in effect for a slide without a duration of its own.
func showsDuration(s *v1beta1.Slideshow, sl *Slide, want float64) bool {
	d := Drawn(s, sl.ID)
	return sl.DurationSeconds == 0 && d != nil && float64(d.DurationMilliseconds)/1000 == want
}

// showsAltText reports whether a text equals the alternative text in effect for a slide without one of its own.
func showsAltText(s *v1beta1.Slideshow, sl *Slide, want string) bool {
	d := Drawn(s, sl.ID)
	return sl.AltText == "" && d != nil && d.AltText == want
}

// writtenAltText returns the alternative text that the writer gave a slide.
func writtenAltText(s *v1beta1.Slideshow, id int64) string {
	if t := s.Status.Text; t != nil && id <= int64(len(t.Slides)) {
		return t.Slides[id-1].AltText
	}
	return ""
}

// writeDown copies the slides into the spec, with everything chosen or written for them. The spec alone then describes
// the same slideshow.
func writeDown(s *v1beta1.Slideshow, deck []Slide) {
	generated := len(s.Spec.Slides) == 0
	milliseconds := slices.ContainsFunc(s.Spec.Slides, func(sl v1beta1.SlideSpec) bool { return sl.DurationMilliseconds != 0 })
	s.Spec.Slides = make([]v1beta1.SlideSpec, len(deck))
	for i, sl := range deck {
		to := &s.Spec.Slides[i]
		*to = sl.Spec()
		if milliseconds {
			to.UseMilliseconds()
		}
		if d := Drawn(s, sl.ID); d != nil && to.Image == nil {
			to.Image = ImageOf(d.Background)
		}
	}
	t := s.Status.Text
	if !generated || t == nil {
		return
	}
	s.Spec.Language = first(s.Spec.Language, t.Language)
	writeWords(&s.Spec.Title, t.Title, catalog.MaxTitleCharacters)
	writeWords(&s.Spec.Caption, t.Caption, catalog.MaxCaptionCharacters)
	tags := s.Spec.TagText()
	writeWords(&tags, strings.Join(t.Tags, ","), catalog.MaxTags*(catalog.MaxTagCharacters+2))
	s.Spec.SetTagText(tags)
}

// writeWords copies a text into the spec unless the spec has one or the text is longer than most characters. The status
// still shows a text that is too long.
func writeWords(field **string, text string, most int) {
	if *field == nil && utf8.RuneCountInString(text) <= most {
		*field = &text
	}
}
