// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/overlay"
)

// EditSlideshow is the body of an edit. Absent members leave the slideshow unchanged.
type EditSlideshow struct {
	Title             Clearable         `json:"title,omitempty" doc:"null or empty for none."`
	Caption           Clearable         `json:"caption,omitempty" doc:"null or empty for none."`
	Tags              *Tags             `json:"tags,omitempty"`
	AspectRatio       *string           `json:"aspect_ratio,omitempty" doc:"All slides are laid out again."`
	DesignStyle       *string           `json:"design_style,omitempty" doc:"Text takes the look of the style; overlays with a chosen position keep it."`
	Pace              *string           `json:"pace,omitempty" doc:"A change makes a video stale."`
	BackgroundMusicID MusicID           `json:"background_music_id,omitempty" doc:"null for none. A change makes a video stale."`
	Voice             *VoiceOverRequest `json:"voice,omitempty" doc:"A change makes a video stale."`
	GradientEnabled   *bool             `json:"gradient_enabled,omitempty" doc:"A gradient between image and text."`
	GradientColor     *string           `json:"gradient_color,omitempty" pattern:"^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$" doc:"#RGB, #RRGGBB or #RRGGBBAA."`
	GradientOpacity   *float64          `json:"gradient_opacity,omitempty" minimum:"0" maximum:"100" doc:"0 to 1; values above 1 are percentages."`
	GradientDirection *string           `json:"gradient_direction,omitempty" enum:"top,bottom,left,right,full,radial" doc:"Where the gradient is darkest."`
	GradientCoverage  *float64          `json:"gradient_coverage,omitempty" minimum:"0" maximum:"1" doc:"Share of the canvas."`
	Slides            []SlideChange     `json:"slides,omitempty" doc:"Slides to change, by id. Other slides stay unchanged."`
	Order             []operation.ID    `json:"order,omitempty" doc:"Ids of slides to move to the front, in their new order. The other slides follow; none is removed."`
	SlideOrder        []operation.ID    `json:"slide_order,omitempty" doc:"Ids of the slides to keep, in their new order; at least 3. The others are removed. Not together with order."`
}

// TransformSchema adds the limits and accepted values of the catalog to the schema.
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
	ID           operation.ID     `json:"id" doc:"Id of the slide."`
	TextOverlays *[]OverlayChange `json:"textOverlays,omitempty" doc:"If any element has an id, overlays with an id are changed, those without one are added, and the others stay. Without any id, the array replaces all text of the slide; an empty array removes it."`
	ImageURL     *string          `json:"image_url,omitempty" format:"uri" maxLength:"2000" doc:"URL of an image for the background: https, at most 10 MB, fetched once and stored. The URL of a background of this slideshow selects that background."`
	MediaID      *operation.ID    `json:"media_id,omitempty" doc:"An image of the brand or of stock, instead of image_url."`
	AltText      *string          `json:"alt_text,omitempty" maxLength:"1000" doc:"Empty: the text of the slide."`
	Duration     SlideDuration    `json:"duration_seconds,omitempty" doc:"Seconds in the video; null: computed from its text and the pace."`
}

// TransformSchema adds the limits of the catalog to the schema.
func (SlideChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	most := catalog.MaxOverlaysPerSlide
	s.Properties["textOverlays"].MaxItems = &most
	return s
}

// OverlayChange is the requested state of a block of text. With an id, absent members keep their values. Without one,
// absent members get the design style's values for the slide's role. Values that the renderer does not support are
// replaced by the nearest supported ones and reported.
type OverlayChange struct {
	ID *operation.ID `json:"id,omitempty" doc:"The overlay to change. If omitted, an overlay is added, unless an equal one exists."`
	// Remove deletes the overlay with the ID.
	Remove *bool `json:"remove,omitempty" doc:"true deletes the overlay with the id, if it exists."`
	OverlayWords
}

// OverlayWords holds the members of a block of text.
type OverlayWords struct {
	Text            *string         `json:"text,omitempty" doc:"Line breaks are preserved. Required without an id."`
	FontFamily      string          `json:"fontFamily,omitempty" doc:"One of overlay_fonts of GET /capabilities."`
	FontWeight      *int64          `json:"fontWeight,omitempty" doc:"400 is regular, 700 bold."`
	FontSize        float64         `json:"fontSize,omitempty" doc:"Pixels on a canvas 1080 wide."`
	Color           string          `json:"color,omitempty" doc:"#RGB, #RRGGBB, #RRGGBBAA or a CSS color name."`
	StrokeColor     string          `json:"strokeColor,omitempty" doc:"#RGB, #RRGGBB, #RRGGBBAA or a CSS color name."`
	StrokeWidth     *float64        `json:"strokeWidth,omitempty" doc:"Pixels on a canvas 1080 wide; 0 for none. Default for a new outline: by the font size."`
	BackgroundColor Clearable       `json:"backgroundColor,omitempty" doc:"A box behind the text; null for none. Default: the design style's, if font and colors are as well."`
	Position        *PositionChange `json:"position,omitempty" doc:"Position of the block. Default: the design style's, or below the blocks that have a position."`
	Align           string          `json:"align,omitempty" enum:"left,center,right" doc:"Of lines within the block."`
	MaxWidth        float64         `json:"maxWidth,omitempty" doc:"Percent of the canvas's width."`
	LineHeight      float64         `json:"lineHeight,omitempty" doc:"Multiple of the font size."`
}

// TransformSchema adds the limits of the catalog to the schema.
func (OverlayChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	length(s.Properties["text"], 0, catalog.MaxOverlayCharacters)
	return s
}

// PositionChange is the middle of a block.
type PositionChange struct {
	X *float64 `json:"x,omitempty" doc:"Percent of the width; fractions if x and y are at most 1. Default: as it was, else 50 percent."`
	Y *float64 `json:"y,omitempty" doc:"Percent of the height. Default: as it was, else 50 percent."`
}

// Clearable is a text that null clears.
type Clearable struct{ Value *string }

// UnmarshalJSON decodes a string or null.
func (c *Clearable) UnmarshalJSON(b []byte) error {
	c.Value = new(string)
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		return nil
	}
	return json.Unmarshal(b, c.Value)
}

// SlideDuration is a time in seconds that null clears.
type SlideDuration struct{ Seconds *float64 }

// UnmarshalJSON decodes a number or null.
func (d *SlideDuration) UnmarshalJSON(b []byte) error {
	d.Seconds = new(float64)
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		return nil
	}
	return json.Unmarshal(b, d.Seconds)
}

// Schema returns the schema of the time.
func (SlideDuration) Schema(huma.Registry) *huma.Schema {
	least, most := float64(catalog.MinSlideSeconds), float64(catalog.MaxSlideSeconds)
	return &huma.Schema{
		Type: huma.TypeNumber, Nullable: true, Minimum: &least, Maximum: &most, Extensions: map[string]any{operation.NullCounts: true},
	}
}

// Schema returns the schema of the text.
func (Clearable) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true, Extensions: map[string]any{operation.NullCounts: true}}
}

// Tags is a comma separated list, or an array.
type Tags string

// UnmarshalJSON decodes either form.
func (t *Tags) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '[' {
		return json.Unmarshal(b, (*string)(t))
	}
	var list []string
	err := json.Unmarshal(b, &list)
	*t = Tags(strings.Join(list, ","))
	return err
}

// Schema returns the schema of both forms.
func (Tags) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: fmt.Sprintf("Comma-separated, or an array; at most %d tags of %d characters. Empty for none.", catalog.MaxTags, catalog.MaxTagCharacters),
		AnyOf:       []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}},
	}
}

// edit returns the requested edit, except for new backgrounds.
func (b *EditSlideshow) edit() (deck.Edit, error) {
	out := deck.Edit{Title: b.Title.Value, Caption: b.Caption.Value, AspectRatio: b.AspectRatio, DesignStyle: b.DesignStyle, Pace: b.Pace, Voice: b.Voice.spec()}
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
	for i, c := range b.Slides {
		change := deck.SlideEdit{ID: int64(c.ID), AltText: c.AltText, DurationSeconds: c.Duration.Seconds}
		if change.Overlays, err = overlayEdits(c.TextOverlays, fmt.Sprintf("slides[%d].textOverlays", i)); err != nil {
			return out, err
		}
		out.Slides = append(out.Slides, change)
	}
	out.Move, out.Order = numbers(b.Order), numbers(b.SlideOrder)
	return out, nil
}

// numbers returns ids as integers; nil for nil.
func numbers(in []operation.ID) []int64 {
	if in == nil {
		return nil
	}
	out := make([]int64, len(in))
	for i, id := range in {
		out[i] = int64(id)
	}
	return out
}

// overlayEdits returns the changes of a slide's overlays, within the limits of the Kubernetes API; nil for none. It
// reports all unknown fonts at once.
func overlayEdits(in *[]OverlayChange, field string) (*[]deck.OverlayEdit, error) {
	if in == nil {
		return nil, nil //nolint:nilnil // absent
	}
	out := make([]deck.OverlayEdit, len(*in))
	var refused *problem.Problem
	for i, o := range *in {
		if p := unknownFont(o.FontFamily, fmt.Sprintf("%s[%d].fontFamily", field, i)); p != nil && refused == nil {
			refused = p
		} else if p != nil {
			refused.Also = append(refused.Also, p)
		}
		out[i] = o.OverlayWords.edit()
		if o.ID != nil {
			out[i].ID = int64(*o.ID)
		}
		out[i].Remove = o.Remove != nil && *o.Remove
	}
	if refused != nil {
		return nil, refused
	}
	return &out, nil
}

// unknownFont returns a problem if the name is not an overlay font; nil for a known font and for an empty name.
func unknownFont(name, field string) *problem.Problem {
	if _, ok := overlay.Family(name); ok || name == "" {
		return nil
	}
	fonts := make([]string, len(catalog.OverlayFonts))
	for i, f := range catalog.OverlayFonts {
		fonts[i] = f.Family
	}
	return problem.NotAllowed(field, fonts, field+" must be one of the overlay fonts in details.allowed.")
}

// edit returns the members that are set, within the limits of the Kubernetes API.
func (o *OverlayWords) edit() deck.OverlayEdit {
	out := deck.OverlayEdit{Text: o.Text, Set: v1beta1.TextOverlay{
		FontFamily: word(o.FontFamily), FontSize: number(o.FontSize), Color: word(o.Color), StrokeColor: word(o.StrokeColor),
		Align: o.Align, MaxWidth: number(o.MaxWidth), LineHeight: number(o.LineHeight),
	}}
	if o.FontWeight != nil {
		out.Set.FontWeight = int32(number(float64(*o.FontWeight)))
	}
	if o.StrokeWidth != nil {
		width := number(*o.StrokeWidth)
		out.Set.StrokeWidth = &width
	}
	if o.BackgroundColor.Value != nil {
		plate := word(*o.BackgroundColor.Value)
		out.Set.BackgroundColor = &plate
	}
	if p := o.Position; p != nil {
		out.X, out.Y = bounded(p.X), bounded(p.Y)
	}
	return out
}

func bounded(f *float64) *float64 {
	if f == nil {
		return nil
	}
	n := number(*f)
	return &n
}

func first(of ...*float64) *float64 {
	for _, f := range of {
		if f != nil {
			return f
		}
	}
	return nil
}

// number limits a number to the range of the Kubernetes API. Numbers far beyond the range all have the same effect.
func number(f float64) float64 {
	return min(max(f, -v1beta1.MaxOverlayNumber), v1beta1.MaxOverlayNumber)
}

// word cuts a name to the maximum length in the Kubernetes API, which exceeds every known name.
func word(s string) string {
	if r := []rune(s); len(r) > v1beta1.MaxOverlayWord {
		return string(r[:v1beta1.MaxOverlayWord])
	}
	return s
}
