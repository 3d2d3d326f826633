// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// CreateVideo is the body of a request to create a video.
type CreateVideo struct {
	HookText            *string              `json:"hook_text,omitempty" nullable:"true" doc:"Spoken text. Default: generated from the brand's profile."`
	AvatarMediaID       *operation.ID        `json:"avatar_media_id,omitempty" doc:"An avatar_video. Either this or avatar_url is required; this takes precedence."`
	AvatarURL           *string              `json:"avatar_url,omitempty" nullable:"true" format:"uri" maxLength:"2000" doc:"The URL of the avatar: https, at most 200 MB. The file is fetched once and stored."`
	ProductDemoMediaIDs []operation.ID       `json:"product_demo_media_ids,omitempty" doc:"Clips of the brand, its account or stock that follow the avatar, in order. Default none."`
	ProductDemoURLs     []string             `json:"product_demo_urls,omitempty" doc:"URLs of clips after those: https, at most 200 MB each. Default none."`
	Clips               []ClipRequest        `json:"clips,omitempty" doc:"Clips after those, with fit, trim and texts; at most 10 demos in total. Default none."`
	AvatarLayout        *string              `json:"avatar_layout,omitempty" doc:"picture_in_picture shows the demos from the beginning, and the avatar in a corner. Default full_screen."`
	BackgroundMusicID   MusicID              `json:"background_music_id,omitempty" doc:"A track of GET /background_music, quieter during speech. Default: none."`
	LoopCount           *int64               `json:"loop_count,omitempty" doc:"Number of times the demos are played. Default 1."`
	Title               *string              `json:"title,omitempty" nullable:"true" doc:"Default: generated."`
	Caption             *string              `json:"caption,omitempty" nullable:"true" doc:"Default: generated."`
	Tags                *string              `json:"tags,omitempty" nullable:"true" doc:"Comma-separated, at most 30 of 100 characters; empty for none. Default: generated."`
	TextSettings        *TextSettingsRequest `json:"text_settings,omitempty"`
	Voice               *VoiceRequest        `json:"voice,omitempty"`
	AspectRatio         *string              `json:"aspect_ratio,omitempty" doc:"Default 9:16."`
	Language            *string              `json:"language,omitempty" nullable:"true" maxLength:"35" doc:"BCP 47. Default: the hook's, else the brand's."`
}

// TransformSchema adds the limits and accepted values of the catalog to the schema.
func (CreateVideo) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	p := s.Properties
	length(p["hook_text"], 0, catalog.MaxHookCharacters)
	p["hook_text"].Extensions = map[string]any{operation.Trimmed: true}
	length(p["title"], 0, catalog.MaxTitleCharacters)
	length(p["caption"], 0, catalog.MaxCaptionCharacters)
	most, longest := catalog.MaxProductDemos, 2000
	p["product_demo_media_ids"].MaxItems, p["product_demo_urls"].MaxItems = &most, &most
	all := catalog.MaxDemos
	p["clips"].MaxItems = &all
	for _, l := range catalog.AvatarLayouts {
		p["avatar_layout"].Enum = append(p["avatar_layout"].Enum, l)
	}
	url := p["product_demo_urls"].Items
	url.Format, url.MaxLength = "uri", &longest
	p["avatar_url"].Extensions = map[string]any{operation.Trimmed: true}
	between(p["loop_count"], catalog.MinLoops, catalog.MaxLoops)
	for _, r := range catalog.AspectRatios {
		p["aspect_ratio"].Enum = append(p["aspect_ratio"].Enum, r.Value)
	}
	return s
}

func between(s *huma.Schema, least, most float64) { s.Minimum, s.Maximum = &least, &most }

// TextSettingsRequest is the requested look of the spoken words. Unsupported values are replaced by the nearest
// supported ones, which the short reports.
type TextSettingsRequest struct {
	Position        *TextPosition `json:"position,omitempty"`
	Align           *string       `json:"align,omitempty" doc:"Of lines within the block. Default center."`
	FontFamily      *string       `json:"font_family,omitempty" nullable:"true" doc:"One of overlay_fonts of GET /capabilities."`
	FontSize        *float64      `json:"font_size,omitempty" nullable:"true" doc:"Pixels on a canvas 1080 wide."`
	Color           *string       `json:"color,omitempty" nullable:"true" doc:"#RGB, #RRGGBB or #RRGGBBAA."`
	StrokeColor     *string       `json:"stroke_color,omitempty" nullable:"true" doc:"In a format of color."`
	BackgroundColor *string       `json:"background_color,omitempty" nullable:"true" doc:"Color of a box behind the text. Default none."`
}

// TransformSchema adds the accepted values of the catalog to the schema.
func (TextSettingsRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, a := range catalog.OverlayAlignments {
		s.Properties["align"].Enum = append(s.Properties["align"].Enum, a)
	}
	return s
}

// TextPosition is the middle of the spoken words.
type TextPosition struct {
	X *float64 `json:"x,omitempty" doc:"Percent of the width; fractions if x and y are at most 1. Default 50 percent."`
	Y *float64 `json:"y,omitempty" doc:"Percent of the height. Default 30 percent."`
}

// VoiceRequest is the requested voice.
type VoiceRequest struct {
	Mode *string `json:"mode,omitempty" enum:"auto,speak,none" doc:"auto synthesizes the hook unless the avatar's clip has sound; speak always does, in place of that sound; none never does. Default auto."`
	Name *string `json:"name,omitempty" nullable:"true" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9_.:+-]*$" doc:"One of voices of GET /capabilities that supports the language. Default: a voice for the language."`
}

// spec returns the requested spec, except for clips and music.
func (b *CreateVideo) spec(brand string) (*v1beta1.VideoSpec, error) {
	out := &v1beta1.VideoSpec{
		BrandRef: v1beta1.LocalRef{Name: brand}, Title: b.Title, Caption: b.Caption, LoopCount: catalog.UsualLoops, TextSettings: b.TextSettings.settings(),
		Voice: v1beta1.VoiceSpec{Mode: "auto"}, AspectRatio: catalog.DefaultAspectRatio().Value,
	}
	if b.HookText != nil && *b.HookText != "" {
		out.HookText = b.HookText
	}
	if b.LoopCount != nil {
		out.LoopCount = int32(*b.LoopCount)
	}
	if b.AspectRatio != nil {
		out.AspectRatio = *b.AspectRatio
	}
	if v := b.Voice; v != nil {
		if v.Mode != nil {
			out.Voice.Mode = *v.Mode
		}
		if v.Name != nil {
			out.Voice.Name = *v.Name
		}
	}
	var faults refusals
	if b.AvatarLayout != nil {
		out.AvatarLayout = *b.AvatarLayout
	}
	if out.AvatarLayout == v1beta1.AvatarPictureInPicture && b.demos() == 0 {
		faults = append(faults, problem.Field("avatar_layout", "picture_in_picture needs a product demo to show the avatar over."))
	}
	var err error
	out.Language, err = languageOf(b.Language)
	if err := faults.add(err); err != nil {
		return nil, err
	}
	out.Tags, err = tagsOf(b.Tags)
	if err := faults.add(err); err != nil {
		return nil, err
	}
	if p := problem.All(faults); p != nil {
		return out, p
	}
	return out, nil
}

// settings returns the requested settings, within the limits of the Kubernetes API.
func (t *TextSettingsRequest) settings() v1beta1.TextSettings {
	if t == nil {
		return v1beta1.TextSettings{}
	}
	out := v1beta1.TextSettings{Position: t.Position.point()}
	if t.Align != nil {
		out.Align = *t.Align
	}
	if t.FontSize != nil {
		out.FontSize = number(*t.FontSize)
	}
	for from, to := range map[*string]*string{
		t.FontFamily: &out.FontFamily, t.Color: &out.Color, t.StrokeColor: &out.StrokeColor, t.BackgroundColor: &out.BackgroundColor,
	} {
		if from != nil {
			*to = word(strings.TrimSpace(*from))
		}
	}
	return out
}

// point returns the position. An absent coordinate has its default, in the unit of the other one.
func (p *TextPosition) point() *v1beta1.Position {
	if p == nil || p.X == nil && p.Y == nil {
		return nil
	}
	x, y := catalog.SpokenTextX, catalog.SpokenTextY
	if given := first(p.X, p.Y); *given >= 0 && *given <= 1 {
		x, y = x/100, y/100
	}
	return &v1beta1.Position{X: number(*first(p.X, &x)), Y: number(*first(p.Y, &y))}
}
