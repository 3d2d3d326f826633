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

// Edit is a change of a slideshow. What is nil is left alone.
type Edit struct {
	// Title, Caption and Tags; empty clears.
	Title, Caption, Tags *string
	// AspectRatio and DesignStyle. Another style restyles text that was placed by hand as well.
	AspectRatio, DesignStyle *string
	// Gradient holds the fields to change; an empty Color or Direction is left alone.
	Gradient v1beta1.Gradient
	// Pace at which slides follow one another.
	Pace *string
	// Music to play from now on, where SetMusic says so; nil for none.
	Music    *v1beta1.MusicSource
	SetMusic bool
	// Voice is the voice-over from now on; mode none ends it.
	Voice *v1beta1.VoiceOver
	// Slides to change, each once.
	Slides []SlideEdit
	// Order holds the ids of the slides that stay, in their new order.
	Order []int64
	// Move holds the ids of the slides that come first, in their new order. The others follow as they are.
	Move []int64
	// Add is a slide to add.
	Add *NewSlide
	// Remove is the id of a slide to remove; 0 removes none.
	Remove int64
	// Retried is set once an earlier write of the same edit may have arrived: the slide to add may be there with the id that it
	// was to have, and the one to remove may be gone.
	Retried bool
}

// SlideEdit changes one slide.
type SlideEdit struct {
	// ID of the slide.
	ID int64
	// Overlays change the text on it; see editOverlays. An empty list removes all.
	Overlays *[]OverlayEdit
	// Image replaces its background.
	Image *v1beta1.SlideImage
	// AltText; empty for the words on the slide.
	AltText *string
	// DurationSeconds for which it is shown; 0 for the reading time of its words.
	DurationSeconds *float64
}

// Invalid refuses a part of an edit. Field is its wire path, such as slides[1].id.
type Invalid struct{ Field, Message string }

func (e *Invalid) Error() string { return e.Field + ": " + e.Message }

// Result of an edit.
type Result struct {
	// Spec with the edit in it.
	Spec *v1beta1.SlideshowSpec
	// Changed says that Spec is another than before, Visual that slides have to be drawn for it.
	Changed, Visual bool
}

// Apply works an edit into the spec of a slideshow. The first edit of generated slides writes all of them into the spec as
// they were made, so that the spec says from then on what is shown. A value that is shown already changes nothing: an edit
// that is sent again, or that sends back what was read, leaves the spec as it is. The error is an *Invalid.
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
		// A film by itself belongs to making the slideshow. Whoever edits it says when the film is wanted.
		next.Spec.AutoRender = false
	}
	out.Changed = !reflect.DeepEqual(next.Spec, s.Spec)
	return out, nil
}

// setWords sets a text beside the slides unless it is what is shown already: by the spec, or by the writer.
func setWords(field **string, to *string, isWritten bool, written string) {
	switch {
	case to == nil,
		*field != nil && **field == *to,
		*field == nil && isWritten && written == *to:
		return
	}
	*field = to
}

// shade changes the fields of the gradient that are to be other than they are.
func shade(s *v1beta1.Slideshow, b *v1beta1.Brand, style string, to v1beta1.Gradient) {
	now := GradientOf(s, b, style)
	// A brand's gradient counts only while the spec has none, so what it says is taken over.
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

// editSlides returns the slides with the edit in them, and reports whether it changed any.
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

// editSlide changes one slide and reports whether that makes it another. The field of an error is relative to the slide.
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
			sl.AltText = "" // it describes words that are gone
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

// showsDuration reports whether the time is the reading time that is in force because the slide has none of its own.
func showsDuration(s *v1beta1.Slideshow, sl *Slide, want float64) bool {
	d := Drawn(s, sl.ID)
	return sl.DurationSeconds == 0 && d != nil && float64(d.DurationMilliseconds)/1000 == want
}

// showsAltText says that the text is the one that is shown because the slide has none of its own.
func showsAltText(s *v1beta1.Slideshow, sl *Slide, want string) bool {
	d := Drawn(s, sl.ID)
	return sl.AltText == "" && d != nil && d.AltText == want
}

// writtenAltText is what the writer said that a slide shows.
func writtenAltText(s *v1beta1.Slideshow, id int64) string {
	if t := s.Status.Text; t != nil && id <= int64(len(t.Slides)) {
		return t.Slides[id-1].AltText
	}
	return ""
}

// writeDown puts slides into the spec, with all that was chosen or written for them, so that the spec alone would give
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

// writeWords takes a text into the spec unless it has one, or there is no room for it: then the status goes on showing it.
func writeWords(field **string, text string, most int) {
	if *field == nil && utf8.RuneCountInString(text) <= most {
		*field = &text
	}
}
