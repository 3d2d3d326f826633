// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
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
	RenderedImageURL *string               `json:"rendered_image_url" format:"uri" doc:"The finished slide."`
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
	spec, st, defaults := &s.Show.Spec, &s.Show.Status, &s.Brand.Spec.SlideshowDefaults
	out := SlideshowData{
		DesignStyle: first(spec.DesignStyle, defaults.DesignStyle),
		ImageWorld:  nonEmpty(first(spec.ImageWorld, defaults.ImageWorld)),
		ImageSource: ImageSource{Type: string(s.Source().Type)},
		Context:     spec.Context,
		Language:    first(spec.Language, s.Brand.Spec.Language),
		SlideCount:  s.slideCount(),
		Slides:      make([]Slide, 0, len(st.Slides)),
	}
	if d := st.Design; d != nil {
		out.DesignStyle, out.ImageWorld = d.Style, nonEmpty(d.ImageWorld)
	}
	if s.PackID != 0 {
		out.ImageSource.MediaPackID = &s.PackID
	}
	if st.Text != nil && st.Text.Language != "" {
		out.Language = st.Text.Language
	}
	out.Gradient = gradientOf(out.DesignStyle, defaults.Gradient, spec.Gradient)
	for i := range st.Slides {
		slide, err := s.slide(i, &st.Slides[i])
		if err != nil {
			return out, err
		}
		out.Slides = append(out.Slides, slide)
	}
	return out, nil
}

// Source of the pictures: the one in force, else the one asked for, else the brand's, else stock.
func (s *Short) Source() v1alpha1.ImageSource {
	out := v1alpha1.ImageSource{}
	switch {
	case s.Show.Status.Design != nil:
		out = s.Show.Status.Design.ImageSource
	case s.Show.Spec.ImageSource != nil:
		out = *s.Show.Spec.ImageSource
	case s.Brand.Spec.SlideshowDefaults.ImageSource != nil:
		out = *s.Brand.Spec.SlideshowDefaults.ImageSource
	}
	if out.Type == "" {
		out.Type = v1alpha1.ImageSourceStock
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
			Color: o.Color, StrokeColor: o.StrokeColor, BackgroundColor: nonEmpty(o.BackgroundColor),
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

// gradientOf lays what was asked for over what the brand and the design style give.
func gradientOf(style string, asked ...*v1alpha1.Gradient) Gradient {
	g := Gradient{GradientEnabled: true, GradientColor: "#000000", GradientOpacity: 0.55, GradientDirection: "bottom", GradientCoverage: 0.5}
	if s, ok := catalog.DesignStyleByID(style); ok {
		l := s.Gradient
		g = Gradient{GradientEnabled: l.Enabled, GradientColor: l.Color, GradientOpacity: l.Opacity, GradientDirection: l.Direction, GradientCoverage: l.Coverage}
	}
	for _, a := range asked {
		if a == nil {
			continue
		}
		if a.Enabled != nil {
			g.GradientEnabled = *a.Enabled
		}
		g.GradientColor = first(a.Color, g.GradientColor)
		g.GradientDirection = first(a.Direction, g.GradientDirection)
		if a.Opacity != nil {
			g.GradientOpacity = *a.Opacity
		}
		if a.Coverage != nil {
			g.GradientCoverage = *a.Coverage
		}
	}
	return g
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
