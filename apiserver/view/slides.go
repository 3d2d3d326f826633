// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/overlay"
)

// SlideshowData holds the fields that only slideshows have.
type SlideshowData struct {
	DesignStyle string      `json:"design_style" doc:"Design style; empty until one is chosen."`
	ImageWorld  *string     `json:"image_world" doc:"The visual theme of the backgrounds; null if none."`
	ImageSource ImageSource `json:"image_source"`
	Context     string      `json:"context" doc:"The text that the slides were written from."`
	Language    string      `json:"language" doc:"BCP 47 tag; empty until known."`
	SlideCount  int         `json:"slide_count" doc:"The same as slide_count of the short."`
	MusicID     *int64      `json:"background_music_id" doc:"The background music; null for none."`
	Pace        string      `json:"pace" doc:"Speed at which slides change in the video."`
	Voice       VoiceOver   `json:"voice"`
	CaptionsURL *string     `json:"captions_url" format:"uri" doc:"URL of the captions of the speech as WebVTT; null without a voice."`
	Gradient
	Slides []Slide `json:"slides" doc:"The slides; empty until they are rendered."`
}

// VoiceOver is the narration of the slides.
type VoiceOver struct {
	Mode    string                 `json:"mode" enum:"speak,none" doc:"Whether the video has a voice-over."`
	Name    *string                `json:"name" doc:"null selects a voice by the language."`
	Warning Nullable[VoiceWarning] `json:"warning" doc:"Why slides with text have no speech; null if all have it."`
}

// VoiceWarning is the reason why slides are silent.
type VoiceWarning struct {
	Code    string `json:"code" enum:"voice_unavailable" doc:"Stable code for programs."`
	Message string `json:"message" doc:"Message for users."`
}

// voiceOver returns the narration of the slides.
func (s *Short) voiceOver() VoiceOver {
	out := VoiceOver{Mode: v1beta1.VoiceOverNone}
	if deck.Spoken(s.Show) {
		out = VoiceOver{Mode: v1beta1.VoiceOverSpeak, Name: nonEmpty(s.Show.Spec.Voice.Name)}
	}
	out.Warning.Value = s.VoiceWarning()
	return out
}

// VoiceWarning returns the reason why slides of the current revision with text are silent; nil if none are.
func (s *Short) VoiceWarning() *VoiceWarning {
	v := deck.VoiceOf(s.Show)
	if v == nil || v.Unspoken == "" || s.redrawing() {
		return nil
	}
	return &VoiceWarning{Code: "voice_unavailable", Message: v.Unspoken + "."}
}

// captionsKey returns the blob key of the current revision's captions; empty for none.
func (s *Short) captionsKey() string {
	v := deck.VoiceOf(s.Show)
	if v == nil || s.redrawing() {
		return ""
	}
	return v.CaptionsKey
}

// ImageSource is the source of images.
type ImageSource struct {
	Type        string `json:"type" doc:"stock, pack or ai."`
	MediaPackID *int64 `json:"media_pack_id" doc:"The media pack, with type pack."`
}

// Gradient is the gradient between an image and its text.
type Gradient struct {
	GradientEnabled   bool    `json:"gradient_enabled" doc:"A gradient between image and text."`
	GradientColor     string  `json:"gradient_color" example:"#000000" doc:"#RRGGBB, or #RRGGBBAA if translucent."`
	GradientOpacity   float64 `json:"gradient_opacity" minimum:"0" maximum:"1" doc:"Opacity from 0 to 1 where the gradient is darkest."`
	GradientDirection string  `json:"gradient_direction" doc:"Where the gradient is darkest."`
	GradientCoverage  float64 `json:"gradient_coverage" minimum:"0" maximum:"1" doc:"Share of the canvas."`
}

// Slide is one slide as laid out.
type Slide struct {
	ID               int64                 `json:"id" doc:"Slide id; it does not change when slides are reordered."`
	Position         int                   `json:"position" doc:"Position of the slide, from 0."`
	ImageURL         string                `json:"image_url" format:"uri" doc:"URL of the background image."`
	RenderedImageURL *string               `json:"rendered_image_url" format:"uri" doc:"URL of the rendered slide; null while an edit is being rendered."`
	TextOverlays     []Overlay             `json:"textOverlays" doc:"Blocks of text, from back to front."`
	AltText          *string               `json:"alt_text" doc:"Text for screen readers."`
	Width            int                   `json:"width" doc:"Width of the rendered slide in pixels."`
	Height           int                   `json:"height" doc:"Height of the rendered slide in pixels."`
	MediaID          *int64                `json:"media_id" doc:"The media item of the background; null if it is none."`
	DurationSeconds  float64               `json:"duration_seconds" doc:"Seconds for which the video shows the slide."`
	Attribution      Nullable[Attribution] `json:"attribution" doc:"Author and source of the background."`
}

// Overlay is a block of text on a slide.
type Overlay struct {
	ID              int64    `json:"id" doc:"Id of the overlay, for edits."`
	Text            string   `json:"text" doc:"Text of the block, with line breaks."`
	FontFamily      string   `json:"fontFamily" doc:"Font family of the text."`
	FontWeight      int32    `json:"fontWeight" doc:"400 is regular, 700 bold."`
	FontSize        float64  `json:"fontSize" doc:"Pixels on a canvas 1080 wide."`
	Color           string   `json:"color" doc:"Text color: #RRGGBB, or #RRGGBBAA if translucent."`
	StrokeColor     string   `json:"strokeColor" doc:"Color of the outline."`
	StrokeWidth     float64  `json:"strokeWidth" doc:"Outline width in pixels on a canvas 1080 wide; 0 for none."`
	BackgroundColor *string  `json:"backgroundColor" doc:"A box behind the text; null for none."`
	Position        Position `json:"position"`
	Align           string   `json:"align" enum:"left,center,right" doc:"Of lines within the block."`
	MaxWidth        float64  `json:"maxWidth" doc:"Percent of the canvas's width."`
	LineHeight      float64  `json:"lineHeight" doc:"Multiple of the font size."`
}

// Position is the middle of a block in percent of the canvas.
type Position struct {
	X float64 `json:"x" minimum:"0" maximum:"100" doc:"Percent of the width."`
	Y float64 `json:"y" minimum:"0" maximum:"100" doc:"Percent of the height."`
}

// Attribution names the author of an image.
type Attribution struct {
	Provider  string  `json:"provider" doc:"The provider of the image."`
	Author    *string `json:"author" doc:"The author's name."`
	AuthorURL *string `json:"author_url" doc:"The author's page."`
	License   *string `json:"license" doc:"The license of the image."`
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
		Pace:        catalog.PaceByID(spec.Film.Pace).ID,
		Voice:       s.voiceOver(),
		Slides:      make([]Slide, 0, len(st.Slides)),
	}
	var err error
	if out.CaptionsURL, err = s.address(s.captionsKey()); err != nil {
		return out, err
	}
	if s.PackID != 0 {
		out.ImageSource.MediaPackID = &s.PackID
	}
	if s.MusicID != 0 {
		out.MusicID = &s.MusicID
	}
	if len(spec.Slides) == 0 && st.Text != nil && st.Text.Language != "" {
		out.Language = st.Text.Language
	}
	out.Gradient = gradient(deck.GradientOf(s.Show, s.Brand, design.Style))
	slides := st.Slides
	switch {
	case s.redrawing():
		slides = s.requested()
	case len(spec.Slides) > 0:
		slides = s.withAltTexts()
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

// Source returns the image source: the requested one, or else the one in force, the brand's, or stock.
func (s *Short) Source() v1beta1.ImageSource { return s.design().ImageSource }

// withAltTexts returns the slides as laid out, with the alt texts of the spec, which need no new layout.
func (s *Short) withAltTexts() []v1beta1.Slide {
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

// requested returns the slides as an edit requested them before their layout: the requested texts on the existing images.
// Slides that were never laid out are omitted.
func (s *Short) requested() []v1beta1.Slide {
	var out []v1beta1.Slide
	for _, want := range deck.Slides(s.Show) {
		d := deck.Drawn(s.Show, want.ID)
		if d == nil {
			continue
		}
		slide := *d
		if want.Overlays != nil {
			slide.TextOverlays = deck.Asked(*want.Overlays)
		}
		if want.DurationSeconds > 0 {
			slide.DurationMilliseconds = int64(want.DurationSeconds * 1000)
		}
		slide.PictureKey, slide.AltText = "", deck.AltText(want.AltText, slide.TextOverlays)
		out = append(out, slide)
	}
	return out
}

func (s *Short) slide(position int, in *v1beta1.Slide) (Slide, error) {
	ratio := s.ratio()
	out := Slide{
		ID: in.ID, Position: position, AltText: nonEmpty(in.AltText), Width: ratio.Width, Height: ratio.Height,
		TextOverlays: Overlays(in.TextOverlays), DurationSeconds: float64(in.DurationMilliseconds) / 1000,
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
	return out, nil
}

// Overlays returns the blocks of text of a slide, from back to front.
func Overlays(in []v1beta1.TextOverlay) []Overlay {
	out := make([]Overlay, 0, len(in))
	for _, o := range deck.Identified(in) {
		ov := Overlay{
			ID: o.ID, Text: o.Text, FontFamily: o.FontFamily, FontWeight: o.FontWeight, FontSize: o.FontSize,
			Color: colour(o.Color), StrokeColor: colour(o.StrokeColor),
			Align: first(o.Align, "center"), MaxWidth: o.MaxWidth, LineHeight: o.LineHeight,
		}
		if o.BackgroundColor != nil {
			ov.BackgroundColor = nonEmpty(colour(*o.BackgroundColor))
		}
		if o.StrokeWidth != nil {
			ov.StrokeWidth = *o.StrokeWidth
		}
		if o.Position != nil {
			ov.Position = Position{X: o.Position.X, Y: o.Position.Y}
		}
		out = append(out, ov)
	}
	return out
}

// gradientOf returns a design style's gradient with the given settings applied.
func gradientOf(style string, set *v1beta1.Gradient) Gradient {
	return gradient(deck.Shade(style, set))
}

func gradient(g catalog.GradientLook) Gradient {
	return Gradient{
		GradientEnabled: g.Enabled, GradientColor: colour(g.Color), GradientOpacity: g.Opacity,
		GradientDirection: g.Direction, GradientCoverage: g.Coverage,
	}
}

// colour returns a color as #RRGGBB, with two more digits if it is not opaque. A value that is not a color is returned
// unchanged.
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
