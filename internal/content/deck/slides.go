// SPDX-License-Identifier: Apache-2.0

package deck

import (
	"strings"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Roles of slides.
const (
	RoleHook         = "hook"
	RolePoint        = "point"
	RoleCallToAction = "call_to_action"
)

// Sources of a slide's background, as a status names them.
const (
	SourceStock = "stock"
	SourceMedia = "media"
	SourceAI    = "ai"
)

// Slide is one slide as it shall be.
type Slide struct {
	// ID by which it is known, whatever its place.
	ID int64
	// Role in the story.
	Role string
	// Heading and Body are laid out by the design style while there are no Overlays.
	Heading, Body string
	// Overlays placed by hand; nil for none, an empty list for no text at all.
	Overlays *[]v1beta1.TextOverlay
	// Image is the background; nil leaves the choice open.
	Image *v1beta1.SlideImage
	// AltText; empty for the words on the slide.
	AltText string
	// DurationSeconds for which it is shown; 0 for the reading time of its words.
	DurationSeconds float64
	// Keywords for choosing a background.
	Keywords []string
}

// Spec returns the slide as a spec has it. Keywords are left out.
func (sl Slide) Spec() v1beta1.SlideSpec {
	out := v1beta1.SlideSpec{
		ID: sl.ID, Role: sl.Role, Heading: sl.Heading, Body: sl.Body, TextOverlays: sl.Overlays, Image: sl.Image, AltText: sl.AltText,
		DurationSeconds: sl.DurationSeconds,
	}
	if sl.Overlays != nil {
		out.Heading, out.Body = "", ""
	}
	return out
}

// Slides are the slides that a slideshow shall have, in order: those of the spec, else those that were written. There are
// none before either.
func Slides(s *v1beta1.Slideshow) []Slide {
	if n := len(s.Spec.Slides); n > 0 {
		out := make([]Slide, n)
		for i, sl := range s.Spec.Slides {
			out[i] = Slide{
				ID: idAt(sl.ID, i), Role: sl.Role, Heading: sl.Heading, Body: sl.Body, Overlays: sl.TextOverlays, Image: sl.Image,
				AltText: sl.AltText, DurationSeconds: sl.Seconds(),
			}
			if sl.Role == "" {
				out[i].Role = roleAt(i, n)
			}
		}
		return out
	}
	if s.Status.Text == nil {
		return nil
	}
	out := make([]Slide, len(s.Status.Text.Slides))
	for i, t := range s.Status.Text.Slides {
		out[i] = Slide{ID: idAt(0, i), Role: t.Role, Heading: t.Heading, Body: t.Body, AltText: t.AltText, Keywords: t.Keywords}
	}
	return out
}

// idAt is the id of the slide at a place: without one of its own, the place counted from 1.
func idAt(own int64, place int) int64 {
	if own != 0 {
		return own
	}
	return int64(place + 1)
}

// roleAt is the role of a slide that is not given any.
func roleAt(i, n int) string {
	switch i {
	case 0:
		return RoleHook
	case n - 1:
		return RoleCallToAction
	}
	return RolePoint
}

// Drawn finds a slide of the status by id; nil when it was not drawn.
func Drawn(s *v1beta1.Slideshow, id int64) *v1beta1.Slide {
	for i := range s.Status.Slides {
		if s.Status.Slides[i].ID == id {
			return &s.Status.Slides[i]
		}
	}
	return nil
}

// ImageOf names a background as a spec does; nil for one that a spec cannot name.
func ImageOf(b v1beta1.SlideBackground) *v1beta1.SlideImage {
	switch b.Source {
	case SourceStock:
		return &v1beta1.SlideImage{Stock: &b.ID}
	case SourceMedia:
		return &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: b.ID}}
	}
	return nil
}

// picture tells which background a slide has: the one that it names, else the one that was chosen for it.
func picture(s *v1beta1.Slideshow, sl Slide) string {
	switch img := sl.Image; {
	case img != nil && img.Stock != nil:
		return SourceStock + ":" + *img.Stock
	case img != nil && img.MediaRef != nil:
		return SourceMedia + ":" + img.MediaRef.Name
	}
	if d := Drawn(s, sl.ID); d != nil {
		return d.Background.Source + ":" + d.Background.ID
	}
	return ""
}

// mostAltText is how much a status can hold, in characters.
const mostAltText = 1000

// AltText is what somebody said that a slide shows, else the words on it.
func AltText(said string, overlays []v1beta1.TextOverlay) string {
	if said != "" {
		return said
	}
	var words []string
	for _, t := range overlays {
		words = append(words, strings.Fields(t.Text)...)
	}
	all := strings.Join(words, " ")
	if r := []rune(all); len(r) > mostAltText {
		return string(r[:mostAltText-1]) + "…"
	}
	return all
}
