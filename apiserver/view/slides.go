// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/deck"
	"github.com/reelops/reelops/internal/overlay"
)

// SlideshowData is what a slideshow has beyond any short.
type SlideshowData struct {
	DesignStyle string      `json:"design_style" doc:"Empty until one is chosen."`
	ImageWorld  *string     `json:"image_world"`
	ImageSource ImageSource `json:"image_source"`
	Context     string      `json:"context"`
	Language    string      `json:"language" doc:"BCP 47; empty until it is known."`
	SlideCount  int         `json:"slide_count"`
	Gradient
	Slides []Slide `json:"slides" doc:"Empty until they are drawn."`
}

// ImageSource says where pictures come from.
type ImageSource struct {
	Type        string `json:"type"`
	MediaPackID *int64 `json:"media_pack_id"`
}

// Gradient is the shade between a picture and its text.
type Gradient struct {
	GradientEnabled   bool    `json:"gradient_enabled"`
	GradientColor     string  `json:"gradient_color" example:"#000000"`
	GradientOpacity   float64 `json:"gradient_opacity" minimum:"0" maximum:"1"`
	GradientDirection string  `json:"gradient_direction" doc:"Where it is darkest."`
	GradientCoverage  float64 `json:"gradient_coverage" minimum:"0" maximum:"1"`
}

// Slide is one slide as it was drawn.
type Slide struct {
	ID               int64                 `json:"id"`
	Position         int                   `json:"position" doc:"From 0."`
	ImageURL         string                `json:"image_url" format:"uri" doc:"The background."`
	RenderedImageURL *string               `json:"rendered_image_url" format:"uri" doc:"The finished slide; null while an edit is being drawn."`
	TextOverlays     []Overlay             `json:"textOverlays"`
	AltText          *string               `json:"alt_text"`
	Width            int                   `json:"width"`
	Height           int                   `json:"height"`
	MediaID          *int64                `json:"media_id"`
	Attribution      Nullable[Attribution] `json:"attribution"`
}

// Overlay is a block of text on a slide.
type Overlay struct {
	ID              int64    `json:"id"`
	Text            string   `json:"text"`
	FontFamily      string   `json:"fontFamily"`
	FontWeight      int32    `json:"fontWeight"`
	FontSize        float64  `json:"fontSize" doc:"Pixels on a canvas 1080 wide."`
	Color           string   `json:"color"`
	StrokeColor     string   `json:"strokeColor"`
	StrokeWidth     float64  `json:"strokeWidth"`
	BackgroundColor *string  `json:"backgroundColor"`
	Position        Position `json:"position"`
	Align           string   `json:"align" enum:"left,center,right"`
	MaxWidth        float64  `json:"maxWidth" doc:"Percent of the canvas's width."`
	LineHeight      float64  `json:"lineHeight"`
}

// Position is the middle of a block in percent of the canvas.
type Position struct {
	X float64 `json:"x" minimum:"0" maximum:"100"`
	Y float64 `json:"y" minimum:"0" maximum:"100"`
}

// Attribution names the maker of a picture.
type Attribution struct {
	Provider  string  `json:"provider"`
	Author    *string `json:"author"`
	AuthorURL *string `json:"author_url"`
	License   *string `json:"license"`
}

func (s *Short) slideshowData() (SlideshowData, error) {
	spec, st, design := &s.Show.Spec, &s.Show.Status, s.design()
	out := SlideshowData{
		DesignStyle: design.Style,
		ImageWorld:  nonEmpty(design.ImageWorld),
		ImageSource: ImageSource{Type: string(design.ImageSource.Type)},
		Context:     spec.Context,
		Language:    first(spec.Language, s.Brand.Spec.Language),
		SlideCount:  s.slideCount(),
		Slides:      make([]Slide, 0, len(st.Slides)),
	}
	if s.PackID != 0 {
		out.ImageSource.MediaPackID = &s.PackID
	}
	if len(spec.Slides) == 0 && st.Text != nil && st.Text.Language != "" {
		out.Language = st.Text.Language
	}
	out.Gradient = gradient(deck.GradientOf(s.Show, s.Brand, design.Style))
	slides := st.Slides
	switch {
	case s.redrawing():
		slides = s.asked()
	case len(spec.Slides) > 0:
		slides = s.said()
	}
	for i := range slides {
		slide, err := s.slide(i, &slides[i])
		if err != nil {
			return out, err
		}
		out.Slides = append(out.Slides, slide)
	}
	return out, nil
}

// Source of the pictures: the one asked for, else the one in force, else the brand's, else stock.
func (s *Short) Source() v1alpha1.ImageSource { return s.design().ImageSource }

// said are the slides as they were drawn, showing what the spec says that they show: that needs no drawing.
func (s *Short) said() []v1alpha1.Slide {
	out := slices.Clone(s.Show.Status.Slides)
	for _, want := range deck.Slides(s.Show) {
		for i := range out {
			if out[i].ID == want.ID {
				out[i].AltText = deck.AltText(want.AltText, out[i].TextOverlays)
			}
		}
	}
	return out
}

// asked are the slides as an edit wants them and nobody has drawn them: the text that was asked for on the pictures that
// are there. Slides that were never drawn are left out.
func (s *Short) asked() []v1alpha1.Slide {
	var out []v1alpha1.Slide
	for _, want := range deck.Slides(s.Show) {
		d := deck.Drawn(s.Show, want.ID)
		if d == nil {
			continue
		}
		slide := *d
		if want.Overlays != nil {
			slide.TextOverlays = *want.Overlays
		}
		slide.PictureKey, slide.AltText = "", deck.AltText(want.AltText, slide.TextOverlays)
		out = append(out, slide)
	}
	return out
}

func (s *Short) slide(position int, in *v1alpha1.Slide) (Slide, error) {
	ratio := s.ratio()
	out := Slide{
		ID: in.ID, Position: position, AltText: nonEmpty(in.AltText), Width: ratio.Width, Height: ratio.Height,
		TextOverlays: make([]Overlay, 0, len(in.TextOverlays)),
	}
	var err error
	if out.ImageURL, err = s.url(in.Background.BlobKey); err != nil {
		return out, err
	}
	rendered, err := s.url(in.PictureKey)
	if err != nil {
		return out, err
	}
	out.RenderedImageURL = nonEmpty(rendered)
	if in.Background.MediaID != 0 {
		out.MediaID = &in.Background.MediaID
	}
	if a := in.Background.Attribution; a != nil {
		out.Attribution.Value = &Attribution{Provider: a.Provider, Author: nonEmpty(a.Author), AuthorURL: nonEmpty(a.AuthorURL), License: nonEmpty(a.License)}
	}
	for i, o := range in.TextOverlays {
		ov := Overlay{
			ID: int64(i) + 1, Text: o.Text, FontFamily: o.FontFamily, FontWeight: o.FontWeight, FontSize: o.FontSize,
			Color: colour(o.Color), StrokeColor: colour(o.StrokeColor), BackgroundColor: nonEmpty(colour(o.BackgroundColor)),
			Align: first(o.Align, "center"), MaxWidth: o.MaxWidth, LineHeight: o.LineHeight,
		}
		if o.StrokeWidth != nil {
			ov.StrokeWidth = *o.StrokeWidth
		}
		if o.Position != nil {
			ov.Position = Position{X: o.Position.X, Y: o.Position.Y}
		}
		out.TextOverlays = append(out.TextOverlays, ov)
	}
	return out, nil
}

// gradientOf is a design style's shade with what is set over it.
func gradientOf(style string, set *v1alpha1.Gradient) Gradient {
	return gradient(deck.Shade(style, set))
}

func gradient(g catalog.GradientLook) Gradient {
	return Gradient{
		GradientEnabled: g.Enabled, GradientColor: colour(g.Color), GradientOpacity: g.Opacity,
		GradientDirection: g.Direction, GradientCoverage: g.Coverage,
	}
}

// colour is #RRGGBB, with two more digits when it is not opaque; what is no colour stays as it is.
func colour(s string) string {
	if c, ok := overlay.ParseColor(s); ok {
		return overlay.FormatColor(c)
	}
	return s
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
