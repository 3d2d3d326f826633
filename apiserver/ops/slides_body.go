// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
)

// NewSlide is a slide as a caller writes it: a heading with a body, laid out by the design style, or text overlays, or
// an image alone.
type NewSlide struct {
	Role         string        `json:"role,omitempty" enum:"hook,point,call_to_action" doc:"Default: hook for the first slide, call to action for the last, point for one that is added."`
	Heading      string        `json:"heading,omitempty" doc:"The heading of the slide."`
	Body         string        `json:"body,omitempty" doc:"The body text below the heading."`
	TextOverlays *[]NewOverlay `json:"textOverlays,omitempty" doc:"Blocks of text instead of heading and body; an empty array for no text. Omitted members of an overlay take the values of the design style."`
	MediaID      *operation.ID `json:"media_id,omitempty" doc:"An image of the brand or of stock. Default: an image that matches the text."`
	AltText      string        `json:"alt_text,omitempty" maxLength:"1000" doc:"Default: the text of the slide."`
	Duration     SlideDuration `json:"duration_seconds,omitempty" doc:"Seconds in the video. Default: the reading time of its text at the pace."`
}

// AddSlide is the body of a request to add a slide.
type AddSlide struct {
	NewSlide
	ImageURL *string       `json:"image_url,omitempty" format:"uri" maxLength:"2000" doc:"URL of an image for the background, instead of media_id: https, at most 10 MB. The file is fetched once and stored."`
	CopyOf   *operation.ID `json:"copy_of,omitempty" doc:"The id of a slide to copy, instead of all other members but position."`
	Position *int64        `json:"position,omitempty" minimum:"0" doc:"Position of the slide, from 0. Default: the end, or for a copy the position after the original."`
}

// NewOverlay is a block of text of a new slide.
type NewOverlay struct{ OverlayWords }

// TransformSchema adds the limits of the catalog to the schema.
func (NewOverlay) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	length(s.Properties["text"], 0, catalog.MaxOverlayCharacters)
	s.Required = append(s.Required, "text")
	return s
}

// TransformSchema adds the limits of the catalog to the schema. It also applies to AddSlide.
func (NewSlide) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	p, most := s.Properties, catalog.MaxOverlaysPerSlide
	p["textOverlays"].MaxItems = &most
	for _, name := range []string{"heading", "body"} {
		length(p[name], 0, catalog.MaxOverlayCharacters)
		p[name].Extensions = map[string]any{operation.Trimmed: true}
	}
	return s
}

// slideField returns the prefix of the member names of a slide in a body.
func slideField(i int) string { return fmt.Sprintf("slides[%d].", i) }

// slide returns the slide in the form of the Kubernetes API, except for its image. pictured reports whether it has one.
// field is the prefix of its member names in errors.
func (n *NewSlide) slide(pictured bool, field string) (deck.Slide, error) {
	out := deck.Slide{Role: n.Role, Heading: n.Heading, Body: n.Body, AltText: n.AltText}
	if n.Duration.Seconds != nil {
		out.DurationSeconds = *n.Duration.Seconds
	}
	switch {
	case n.TextOverlays != nil && n.Heading+n.Body != "":
		return out, problem.Field(field+"textOverlays", "Set heading and body, or textOverlays, not both.")
	case n.Heading == "" && n.Body != "":
		return out, problem.Field(field+"heading", field+"heading is required with a body.")
	case n.Heading == "" && n.TextOverlays == nil && !pictured:
		return out, problem.Field(field+"heading", "A slide needs a heading, textOverlays or an image.")
	case n.TextOverlays == nil:
		return out, nil
	}
	changes := make([]OverlayChange, len(*n.TextOverlays))
	for i, o := range *n.TextOverlays {
		changes[i].OverlayWords = o.OverlayWords
	}
	edits, err := overlayEdits(&changes, field+"textOverlays")
	if err != nil {
		return out, err
	}
	overlays := make([]v1beta1.TextOverlay, len(*edits))
	for i, e := range *edits {
		overlays[i] = e.Overlay()
	}
	out.Overlays = &overlays
	return out, nil
}

// slide returns the slide to add, except for its image.
func (a *AddSlide) slide() (*deck.NewSlide, error) {
	out := &deck.NewSlide{}
	if a.Position != nil {
		at := int(min(*a.Position, catalog.MaxSlides+1))
		out.At = &at
	}
	if a.CopyOf == nil {
		var err error
		out.Slide, err = a.NewSlide.slide(a.MediaID != nil || a.ImageURL != nil, "")
		return out, err
	}
	out.CopyOf = int64(*a.CopyOf)
	text := cmp.Or(strings.TrimSpace(a.Role+a.Heading+a.Body+a.AltText) != "", a.TextOverlays != nil)
	if text || a.MediaID != nil || a.ImageURL != nil || a.Duration.Seconds != nil {
		return nil, problem.Field("copy_of", "With a copy, only position may be set: change the new slide afterwards.")
	}
	return out, nil
}

// slidesOf returns the slides of a body in the form of the Kubernetes API.
func slidesOf(in []NewSlide, images []*v1beta1.SlideImage) ([]v1beta1.SlideSpec, error) {
	var out []v1beta1.SlideSpec
	for i := range in {
		sl, err := in[i].slide(images[i] != nil, slideField(i))
		if err != nil {
			return nil, err
		}
		sl.Image = images[i]
		out = append(out, sl.Spec())
	}
	return out, nil
}
