// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/deck"
)

// EditSlideshow is the body that changes a slideshow. What it leaves out is left alone.
type EditSlideshow struct {
	Title             Clearable      `json:"title,omitempty" doc:"null or empty: none."`
	Caption           Clearable      `json:"caption,omitempty" doc:"null or empty: none."`
	Tags              *Tags          `json:"tags,omitempty"`
	AspectRatio       *string        `json:"aspect_ratio,omitempty" doc:"All slides are laid out for it anew."`
	DesignStyle       *string        `json:"design_style,omitempty" doc:"Text keeps its words and gets the look of the style; what was placed by hand keeps its place."`
	Pace              *string        `json:"pace,omitempty" doc:"Another pace of the slides; a video that was made becomes stale."`
	BackgroundMusicID MusicID        `json:"background_music_id,omitempty" doc:"Other music, or null for none; a video that was made becomes stale."`
	GradientEnabled   *bool          `json:"gradient_enabled,omitempty" doc:"Whether there is a shade between picture and text."`
	GradientColor     *string        `json:"gradient_color,omitempty" pattern:"^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$" doc:"#RGB, #RRGGBB or #RRGGBBAA."`
	GradientOpacity   *float64       `json:"gradient_opacity,omitempty" minimum:"0" maximum:"100" doc:"0 to 1; above 1 it is read as percent."`
	GradientDirection *string        `json:"gradient_direction,omitempty" enum:"top,bottom,left,right,full,radial" doc:"Where it is darkest."`
	GradientCoverage  *float64       `json:"gradient_coverage,omitempty" minimum:"0" maximum:"1" doc:"Share of the canvas it spans."`
	Slides            []SlideChange  `json:"slides,omitempty" doc:"Slides to change, by their id; those that are not named are left alone."`
	SlideOrder        []operation.ID `json:"slide_order,omitempty" doc:"Ids of the slides that stay, in their new order; at least 3. The others are removed."`
}

// TransformSchema puts the limits and accepted values of the catalog into the schema.
func (EditSlideshow) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	p := s.Properties
	length(p["title"], 0, catalog.MaxTitleCharacters)
	length(p["caption"], 0, catalog.MaxCaptionCharacters)
	for _, r := range catalog.AspectRatios {
		p["aspect_ratio"].Enum = append(p["aspect_ratio"].Enum, r.Value)
	}
	for _, d := range catalog.DesignStyles {
		p["design_style"].Enum = append(p["design_style"].Enum, d.ID)
	}
	paces(p["pace"])
	most := catalog.MaxSlides
	p["slides"].MaxItems = &most
	return s
}

// SlideChange changes one slide.
type SlideChange struct {
	ID           operation.ID     `json:"id" doc:"Of the slide."`
	TextOverlays *[]OverlayChange `json:"textOverlays,omitempty" doc:"Replaces all text of the slide; an empty array removes it."`
	ImageURL     *string          `json:"image_url,omitempty" format:"uri" maxLength:"2000" doc:"A picture for the background: https, at most 10 MB. It is fetched once and kept. The address of a background that this slideshow shows stands for that background."`
	MediaID      *operation.ID    `json:"media_id,omitempty" doc:"A picture of the brand or of the stock for the background, instead of image_url."`
	AltText      *string          `json:"alt_text,omitempty" maxLength:"1000" doc:"Empty: the words on the slide."`
	Duration     SlideDuration    `json:"duration_seconds,omitempty" doc:"How long the video shows the slide; null: as its words need at the pace."`
}

// TransformSchema puts the limits of the catalog into the schema.
func (SlideChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	most := catalog.MaxOverlaysPerSlide
	s.Properties["textOverlays"].MaxItems = &most
	return s
}

// OverlayChange is a block of text as it is asked for. What the renderer cannot draw is brought to the nearest that it can
// and reported.
type OverlayChange struct {
	Text            string          `json:"text" doc:"Line breaks are kept."`
	FontFamily      string          `json:"fontFamily,omitempty" doc:"One of the overlay fonts of GET /capabilities. An overlay that says nothing of its font, colours and stroke has the look of the design style; one or two with nothing but text are placed by it too."`
	FontWeight      *int64          `json:"fontWeight,omitempty" doc:"400 is regular, 700 bold. Default: the design style's."`
	FontSize        float64         `json:"fontSize,omitempty" doc:"Pixels on a canvas 1080 wide."`
	Color           string          `json:"color,omitempty" doc:"#RGB, #RRGGBB or #RRGGBBAA."`
	StrokeColor     string          `json:"strokeColor,omitempty" doc:"#RGB, #RRGGBB or #RRGGBBAA."`
	StrokeWidth     *float64        `json:"strokeWidth,omitempty" doc:"Pixels on a canvas 1080 wide; 0 is none. Default: one that suits the size where a strokeColor is given, else none."`
	BackgroundColor *string         `json:"backgroundColor,omitempty" nullable:"true" doc:"Of a plate behind the text; null is none."`
	Position        *PositionChange `json:"position,omitempty" doc:"Default: the middle."`
	Align           string          `json:"align,omitempty" enum:"left,center,right" doc:"Of lines inside the block. Default: the design style's."`
	MaxWidth        float64         `json:"maxWidth,omitempty" doc:"Percent of the canvas's width."`
	LineHeight      float64         `json:"lineHeight,omitempty" doc:"Times the font size."`
}

// TransformSchema puts the limits of the catalog into the schema.
func (OverlayChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	length(s.Properties["text"], 0, catalog.MaxOverlayCharacters)
	return s
}

// PositionChange is the middle of a block.
type PositionChange struct {
	X *float64 `json:"x,omitempty" doc:"Percent of the canvas's width; when x and y are both at most 1 they are fractions. Default 50 percent."`
	Y *float64 `json:"y,omitempty" doc:"Percent of the canvas's height. Default 50 percent."`
}

// Clearable is a text that null clears.
type Clearable struct{ Value *string }

// UnmarshalJSON reads a string or null.
func (c *Clearable) UnmarshalJSON(b []byte) error {
	c.Value = new(string)
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		return nil
	}
	return json.Unmarshal(b, c.Value)
}

// SlideDuration is a time in seconds that null clears.
type SlideDuration struct{ Seconds *float64 }

// UnmarshalJSON reads a number or null.
func (d *SlideDuration) UnmarshalJSON(b []byte) error {
	d.Seconds = new(float64)
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		return nil
	}
	return json.Unmarshal(b, d.Seconds)
}

// Schema describes the time.
func (SlideDuration) Schema(huma.Registry) *huma.Schema {
	least, most := float64(catalog.MinSlideSeconds), float64(catalog.MaxSlideSeconds)
	return &huma.Schema{
		Type: huma.TypeNumber, Nullable: true, Minimum: &least, Maximum: &most, Extensions: map[string]any{operation.NullCounts: true},
	}
}

// Schema describes the text.
func (Clearable) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true, Extensions: map[string]any{operation.NullCounts: true}}
}

// Tags are a comma separated list, or an array.
type Tags string

// UnmarshalJSON reads either form.
func (t *Tags) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '[' {
		return json.Unmarshal(b, (*string)(t))
	}
	var list []string
	err := json.Unmarshal(b, &list)
	*t = Tags(strings.Join(list, ","))
	return err
}

// Schema describes both forms.
func (Tags) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: fmt.Sprintf("Comma separated, or an array; at most %d tags of %d characters. Empty for none.", catalog.MaxTags, catalog.MaxTagCharacters),
		AnyOf:       []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}},
	}
}

// edit is what the body asks for, but for new backgrounds.
func (b *EditSlideshow) edit() (deck.Edit, error) {
	out := deck.Edit{Title: b.Title.Value, Caption: b.Caption.Value, AspectRatio: b.AspectRatio, DesignStyle: b.DesignStyle, Pace: b.Pace}
	var err error
	if out.Tags, err = tagsOf((*string)(b.Tags)); err != nil {
		return out, err
	}
	shade := CreateSlideshow{
		GradientEnabled: b.GradientEnabled, GradientColor: b.GradientColor, GradientOpacity: b.GradientOpacity,
		GradientDirection: b.GradientDirection, GradientCoverage: b.GradientCoverage,
	}
	if g := shade.gradient(); g != nil {
		out.Gradient = *g
	}
	for _, c := range b.Slides {
		change := deck.SlideEdit{ID: int64(c.ID), AltText: c.AltText, DurationSeconds: c.Duration.Seconds}
		if c.TextOverlays != nil {
			overlays := make([]v1alpha1.TextOverlay, len(*c.TextOverlays))
			for i := range overlays {
				overlays[i] = (*c.TextOverlays)[i].overlay()
			}
			change.Overlays = &overlays
		}
		out.Slides = append(out.Slides, change)
	}
	if b.SlideOrder != nil {
		out.Order = make([]int64, len(b.SlideOrder))
		for i, id := range b.SlideOrder {
			out.Order[i] = int64(id)
		}
	}
	return out, nil
}

// overlay keeps what is asked for, as far as a resource can hold it.
func (o *OverlayChange) overlay() v1alpha1.TextOverlay {
	out := v1alpha1.TextOverlay{
		Text: o.Text, FontFamily: word(o.FontFamily), FontSize: number(o.FontSize), Color: word(o.Color), StrokeColor: word(o.StrokeColor),
		Align: o.Align, MaxWidth: number(o.MaxWidth), LineHeight: number(o.LineHeight), Position: o.Position.point(),
	}
	if o.FontWeight != nil {
		out.FontWeight = int32(number(float64(*o.FontWeight)))
	}
	if o.StrokeWidth != nil {
		width := number(*o.StrokeWidth)
		out.StrokeWidth = &width
	}
	if o.BackgroundColor != nil {
		out.BackgroundColor = word(*o.BackgroundColor)
	}
	return out
}

// point is where the position lies; a number that is left out is the middle, in the unit of the other.
func (p *PositionChange) point() *v1alpha1.Position {
	if p == nil || (p.X == nil && p.Y == nil) {
		return nil
	}
	middle := 50.0
	if given := first(p.X, p.Y); given != nil && *given >= 0 && *given <= 1 {
		middle = 0.5
	}
	return &v1alpha1.Position{X: number(*first(p.X, &middle)), Y: number(*first(p.Y, &middle))}
}

func first(of ...*float64) *float64 {
	for _, f := range of {
		if f != nil {
			return f
		}
	}
	return nil
}

// number keeps within what a resource holds; far beyond it, all numbers mean the same.
func number(f float64) float64 {
	return min(max(f, -v1alpha1.MaxOverlayNumber), v1alpha1.MaxOverlayNumber)
}

// word cuts a name that is longer than any there is.
func word(s string) string {
	if r := []rune(s); len(r) > v1alpha1.MaxOverlayWord {
		return string(r[:v1alpha1.MaxOverlayWord])
	}
	return s
}
