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

// Sources of a slide's background, as written in a status.
const (
	SourceStock = "stock"
	SourceMedia = "media"
	SourceAI    = "ai"
)

// Slide is the desired state of one slide.
type Slide struct {
	// ID identifies the slide, independent of its position.
	ID int64
	// Role is the role in the story; one of the Role constants.
	Role string
	// Heading and Body are laid out by the design style if Overlays is nil.
	Heading, Body string
	// Overlays are the overlays placed manually. Nil means none; an empty list means no text at all.
	Overlays *[]v1beta1.TextOverlay
	// Image is the background. Nil leaves the choice to the controller.
	Image *v1beta1.SlideImage
	// AltText is the alternative text; empty for the text on the slide.
	AltText string
	// DurationSeconds is the display time; 0 for the reading time of the text.
	DurationSeconds float64
	// Keywords are used to choose a background.
	Keywords []string
}

// Spec returns the slide as an entry of the spec, without the keywords.
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

// Slides returns the desired slides in order: those of the spec, else those written by the text model. It returns none
// before either exists.
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

// Texts returns the non-empty texts of the desired slides, in order.
func Texts(s *v1beta1.Slideshow) []string {
	var out []string
	for _, sl := range Slides(s) {
		texts := []string{sl.Heading, sl.Body}
		if sl.Overlays != nil {
			texts = nil
			for _, o := range *sl.Overlays {
				texts = append(texts, o.Text)
			}
		}
		for _, t := range texts {
			if t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

// idAt returns the ID of the slide at an index: its own, or else the position counted from 1.
func idAt(own int64, place int) int64 {
	if own != 0 {
		return own
	}
	return int64(place + 1)
}

// roleAt returns the role of a slide without an explicit role.
func roleAt(i, n int) string {
	switch i {
	case 0:
		return RoleHook
	case n - 1:
		return RoleCallToAction
	}
	return RolePoint
}

// Drawn returns the rendered slide with an ID from the status, or nil if there is none.
func Drawn(s *v1beta1.Slideshow, id int64) *v1beta1.Slide {
	for i := range s.Status.Slides {
		if s.Status.Slides[i].ID == id {
			return &s.Status.Slides[i]
		}
	}
	return nil
}

// ImageOf returns a background as a reference for the spec, or nil if a spec cannot name the background.
func ImageOf(b v1beta1.SlideBackground) *v1beta1.SlideImage {
	switch b.Source {
	case SourceStock:
		return &v1beta1.SlideImage{Stock: &b.ID}
	case SourceMedia:
		return &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: b.ID}}
	}
	return nil
}

// picture returns a reference to a slide's background: the one in the slide, else the one chosen for it.
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

// mostAltText is the maximum length of an alternative text in a status, in characters.
const mostAltText = 1000

// AltText returns the explicit alternative text, else the text of the overlays, cut at the maximum length.
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
