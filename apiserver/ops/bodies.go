// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

// CreateSlideshow is the body of a request to create a slideshow.
type CreateSlideshow struct {
	Context           string              `json:"context,omitempty" doc:"The audience and the content of the slideshow. Required without slides."`
	Slides            []NewSlide          `json:"slides,omitempty" doc:"The slides with your own texts, 1 to 12. No text is generated then, including title, caption and tags."`
	SlideCount        *int64              `json:"slide_count,omitempty" doc:"0 for automatic, otherwise 3 to 12. Default 0. Not together with slides."`
	AspectRatio       *string             `json:"aspect_ratio,omitempty" doc:"Default: the brand's, else 9:16."`
	DesignStyle       *string             `json:"design_style,omitempty" doc:"Default: a style that the brand has not used recently."`
	ImageWorld        *string             `json:"image_world,omitempty" doc:"Default: the brand's, else chosen by the texts."`
	ImageSource       *ImageSourceRequest `json:"image_source,omitempty" doc:"Default: the brand's, else stock."`
	Title             *string             `json:"title,omitempty" nullable:"true" doc:"Default: generated."`
	Caption           *string             `json:"caption,omitempty" nullable:"true" doc:"Default: generated."`
	Tags              *string             `json:"tags,omitempty" nullable:"true" doc:"Comma-separated, at most 30 of 100 characters; empty for none. Default: generated."`
	Language          *string             `json:"language,omitempty" nullable:"true" maxLength:"35" doc:"BCP 47. Default: the brand's, else the context's."`
	Pace              *string             `json:"pace,omitempty" doc:"Speed at which slides change in the video. Default normal."`
	GradientEnabled   *bool               `json:"gradient_enabled,omitempty" doc:"Default: the design style's."`
	GradientColor     *string             `json:"gradient_color,omitempty" pattern:"^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$" doc:"#RGB, #RRGGBB or #RRGGBBAA."`
	GradientOpacity   *float64            `json:"gradient_opacity,omitempty" minimum:"0" maximum:"100" doc:"0 to 1; values above 1 are percentages."`
	GradientDirection *string             `json:"gradient_direction,omitempty" enum:"top,bottom,left,right,full,radial" doc:"Where the gradient is darkest."`
	GradientCoverage  *float64            `json:"gradient_coverage,omitempty" minimum:"0" maximum:"1" doc:"Share of the canvas."`
	BackgroundMusicID MusicID             `json:"background_music_id,omitempty" doc:"Music under the video: the id of a track of GET /background_music. Default: none."`
	Voice             *VoiceOverRequest   `json:"voice,omitempty" doc:"Voice-over of the slides. Default: none."`
	AutoRender        *bool               `json:"auto_render,omitempty" doc:"Render the video as soon as the slides are ready. Default false."`
}

// VoiceOverRequest is the requested narration of the slides.
type VoiceOverRequest struct {
	Mode *string `json:"mode,omitempty" enum:"speak,none" doc:"Default speak."`
	Name *string `json:"name,omitempty" nullable:"true" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9_.:+-]*$" doc:"Default: a voice for the language."`
}

// spec returns the narration as a field of the resource, or nil if v is nil. The default mode is speak.
func (v *VoiceOverRequest) spec() *v1beta1.VoiceOver {
	if v == nil {
		return nil
	}
	out := &v1beta1.VoiceOver{Mode: v1beta1.VoiceOverSpeak}
	if v.Mode != nil {
		out.Mode = *v.Mode
	}
	if v.Name != nil {
		out.Name = *v.Name
	}
	return out
}

// ImageSourceRequest is the requested source of images.
type ImageSourceRequest struct {
	Type        string        `json:"type,omitempty" doc:"pack takes every background from one media pack; ai requires an image model on the installation."`
	MediaPackID *operation.ID `json:"media_pack_id,omitempty" doc:"Required with type pack."`
}

// TransformSchema adds the limits and accepted values of the catalog to the schema. Bodies are validated against the
// schema.
func (CreateSlideshow) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	p := s.Properties
	length(p["context"], 1, catalog.MaxContextCharacters)
	most := catalog.MaxSlides
	p["slides"].MaxItems = &most
	p["context"].Extensions = map[string]any{operation.Trimmed: true}
	length(p["title"], 0, catalog.MaxTitleCharacters)
	length(p["caption"], 0, catalog.MaxCaptionCharacters)
	p["slide_count"].Enum = []any{0}
	for n := catalog.MinSlides; n <= catalog.MaxSlides; n++ {
		p["slide_count"].Enum = append(p["slide_count"].Enum, n)
	}
	for _, r := range catalog.AspectRatios {
		p["aspect_ratio"].Enum = append(p["aspect_ratio"].Enum, r.Value)
	}
	for _, d := range catalog.DesignStyles {
		p["design_style"].Enum = append(p["design_style"].Enum, d.ID)
	}
	for _, w := range catalog.ImageWorlds {
		p["image_world"].Enum = append(p["image_world"].Enum, w.ID)
	}
	paces(p["pace"])
	return s
}

func paces(s *huma.Schema) {
	for _, p := range catalog.Paces {
		s.Enum = append(s.Enum, p.ID)
	}
}

// TransformSchema adds the accepted values of the catalog to the schema.
func (ImageSourceRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, t := range catalog.ImageSources {
		s.Properties["type"].Enum = append(s.Properties["type"].Enum, t)
	}
	return s
}

// RenderSlideshow is the body of a request to render a video.
type RenderSlideshow struct {
	Format *string `json:"format,omitempty" doc:"Default video."`
}

// TransformSchema adds the accepted values of the catalog to the schema.
func (RenderSlideshow) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, f := range catalog.RenderFormats {
		s.Properties["format"].Enum = append(s.Properties["format"].Enum, f)
	}
	return s
}

func length(s *huma.Schema, least, most int) {
	if least > 0 {
		s.MinLength = &least
	}
	s.MaxLength = &most
}

var exampleTime = view.Time{Time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}

var exampleJob = view.Job{
	JobID: 123, Kind: view.JobKind(catalog.JobSlideshow), Status: view.JobStatus(v1beta1.WorkProcessing),
	StatusMessage: "Writing and laying out the slides.", PollAfterSeconds: 15, Progress: 10, Attempt: 1,
	CreatedAt: exampleTime, StartedAt: &exampleTime,
	EstimatedCompletionAt: &view.Time{Time: exampleTime.Add(20 * time.Second)},
}
