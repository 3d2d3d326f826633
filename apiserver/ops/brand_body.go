// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

// UpdateBrand is the body of a request to change a brand: a JSON merge patch. Absent members stay unchanged.
type UpdateBrand struct {
	Name              Clearable                `json:"name,omitempty" maxLength:"200" doc:"Display name. null: the name of the object."`
	Description       Clearable                `json:"description,omitempty" maxLength:"2000" doc:"Description of the brand."`
	Website           Clearable                `json:"website,omitempty" maxLength:"2000" pattern:"^(https?://.*)?$" doc:"URL of the website."`
	Language          Clearable                `json:"language,omitempty" maxLength:"35" doc:"BCP 47 tag. null: each text keeps its own language."`
	TimeZone          Clearable                `json:"time_zone,omitempty" maxLength:"64" example:"Europe/Paris" doc:"IANA name. null: UTC."`
	Profile           Merge[BrandVoice]        `json:"profile,omitempty" doc:"Voice and audience of the brand."`
	SlideshowDefaults Merge[ContentDefaults]   `json:"slideshow_defaults,omitempty" doc:"Defaults for omitted fields of a new slideshow."`
	PostingDefaults   Merge[view.PostSettings] `json:"posting_defaults,omitempty" doc:"Platform settings that complete those of a post when it is accepted. Accepted posts keep theirs."`
	PostingSuspended  Switch                   `json:"posting_suspended,omitempty" doc:"While true, no post starts. A post that is due meanwhile is late. When posting is resumed, the post is published, or fails if it is more than six hours late. null: false."`
}

// Switch is a boolean that null clears.
type Switch struct{ Value *bool }

// UnmarshalJSON decodes a boolean or null.
func (s *Switch) UnmarshalJSON(b []byte) error {
	on := string(b) == "true"
	s.Value = &on
	return nil
}

// Schema returns the schema of a boolean or null.
func (Switch) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeBoolean, Nullable: true, Extensions: map[string]any{operation.NullCounts: true}}
}

// BrandVoice is the profile of a brand. It has the fields of v1beta1.BrandProfile.
type BrandVoice struct {
	Audience     string   `json:"audience,omitempty" maxLength:"500" doc:"Audience of the brand."`
	Tone         string   `json:"tone,omitempty" maxLength:"200" doc:"Tone of the brand's texts."`
	Niche        string   `json:"niche,omitempty" maxLength:"200" doc:"Market of the brand."`
	Offer        string   `json:"offer,omitempty" maxLength:"500" doc:"Products or services of the brand."`
	ValuePoints  []string `json:"value_points,omitempty" doc:"Reasons to choose the brand: at most 20 of 300 characters."`
	BannedWords  []string `json:"banned_words,omitempty" doc:"Words that generated texts do not contain: at most 100 of 100 characters."`
	CallToAction string   `json:"call_to_action,omitempty" maxLength:"200" doc:"Text for the last slide of a slideshow."`
}

// TransformSchema adds the limits of the lists to the schema.
func (BrandVoice) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for name, l := range map[string]struct{ items, characters int }{"value_points": {20, 300}, "banned_words": {100, 100}} {
		s.Properties[name].MaxItems = &l.items
		length(s.Properties[name].Items, 0, l.characters)
	}
	return s
}

// ContentDefaults are the defaults of a new slideshow.
type ContentDefaults struct {
	SlideCount        int32               `json:"slide_count,omitempty" doc:"0 for automatic, otherwise 3 to 12."`
	AspectRatio       string              `json:"aspect_ratio,omitempty" doc:"Aspect ratio of the canvas. null: 9:16."`
	DesignStyle       string              `json:"design_style,omitempty" doc:"null selects the least recently used style."`
	ImageWorld        string              `json:"image_world,omitempty" doc:"null selects a theme by the texts."`
	ImageSource       *ImageSourceRequest `json:"image_source,omitempty" doc:"Source of the backgrounds. null: stock."`
	GradientEnabled   *bool               `json:"gradient_enabled,omitempty" doc:"null: the design style's, as for the other members of the gradient."`
	GradientColor     string              `json:"gradient_color,omitempty" pattern:"^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$" doc:"#RGB, #RRGGBB or #RRGGBBAA."`
	GradientOpacity   *float64            `json:"gradient_opacity,omitempty" minimum:"0" maximum:"1" doc:"0 to 1."`
	GradientDirection string              `json:"gradient_direction,omitempty" enum:"top,bottom,left,right,full,radial" doc:"Where the gradient is darkest."`
	GradientCoverage  *float64            `json:"gradient_coverage,omitempty" minimum:"0" maximum:"1" doc:"Share of the canvas."`
	OverlayFontFamily string              `json:"overlay_font_family,omitempty" doc:"One of overlay_fonts of GET /capabilities. null: the design style's."`
}

// TransformSchema adds the accepted values of the catalog to the schema.
func (ContentDefaults) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	shared := huma.SchemaFromType(r, typeOfCreate)
	for _, name := range []string{"slide_count", "aspect_ratio", "design_style", "image_world"} {
		s.Properties[name].Enum = shared.Properties[name].Enum
	}
	for _, f := range catalog.OverlayFonts {
		s.Properties["overlay_font_family"].Enum = append(s.Properties["overlay_font_family"].Enum, f.Family)
	}
	return s
}

// defaultsOf returns the defaults of a brand in the form of a request. pack is the id of the pack of its image source.
func defaultsOf(d *v1beta1.SlideshowDefaults, pack int64) ContentDefaults {
	out := ContentDefaults{
		SlideCount: d.SlideCount, AspectRatio: d.AspectRatio, DesignStyle: d.DesignStyle, ImageWorld: d.ImageWorld, OverlayFontFamily: d.OverlayFontFamily,
	}
	if i := d.ImageSource; i != nil {
		out.ImageSource = &ImageSourceRequest{Type: string(i.Type)}
		if id := operation.ID(pack); id != 0 {
			out.ImageSource.MediaPackID = &id
		}
	}
	if g := d.Gradient; g != nil {
		out.GradientEnabled, out.GradientColor, out.GradientOpacity = g.Enabled, g.Color, g.Opacity
		out.GradientDirection, out.GradientCoverage = g.Direction, g.Coverage
	}
	return out
}

// spec returns the defaults in the form of the kind, without the image source.
func (d *ContentDefaults) spec() v1beta1.SlideshowDefaults {
	out := v1beta1.SlideshowDefaults{
		SlideCount: d.SlideCount, AspectRatio: d.AspectRatio, DesignStyle: d.DesignStyle, ImageWorld: d.ImageWorld, OverlayFontFamily: d.OverlayFontFamily,
	}
	g := v1beta1.Gradient{
		Enabled: d.GradientEnabled, Color: d.GradientColor, Opacity: d.GradientOpacity, Direction: d.GradientDirection, Coverage: d.GradientCoverage,
	}
	if g != (v1beta1.Gradient{}) {
		out.Gradient = &g
	}
	return out
}

// plain applies the members of the body that need no look-up to a spec.
func (b *UpdateBrand) plain(spec *v1beta1.BrandSpec) error {
	for from, to := range map[*string]*string{
		b.Name.Value: &spec.DisplayName, b.Description.Value: &spec.Description, b.Website.Value: &spec.Website,
	} {
		if from != nil {
			*to = strings.TrimSpace(*from)
		}
	}
	if tag := b.Language.Value; tag != nil {
		if *tag == "" {
			tag = nil
		}
		var err error
		if spec.Language, err = languageOf(tag); err != nil {
			return err
		}
	}
	if zone := b.TimeZone.Value; zone != nil {
		// Local is the zone of the process, which differs between installations.
		if _, err := time.LoadLocation(*zone); err != nil || *zone == "Local" {
			return problem.Field("time_zone", fmt.Sprintf("There is no time zone %q; use an IANA name such as Europe/Paris.", *zone))
		}
		spec.Timezone = *zone
	}
	if on := b.PostingSuspended.Value; on != nil {
		spec.PostingSuspended = *on
	}
	voice, err := b.Profile.apply(BrandVoice(spec.Profile))
	if err != nil {
		return err
	}
	spec.Profile = v1beta1.BrandProfile(voice)
	settings, err := b.PostingDefaults.apply(view.PostSettingsOf(spec.PostingDefaults))
	if err != nil || !b.PostingDefaults.given {
		return err
	}
	if err := checkDefaults(&settings); err != nil {
		return err
	}
	spec.PostingDefaults = nil
	if s := settings.Spec(); s != (v1beta1.PostSettings{}) {
		spec.PostingDefaults = &s
	}
	return nil
}

// checkDefaults checks the rules of posting defaults that hold for every account. Those of an account are checked when
// a post is accepted.
func checkDefaults(s *view.PostSettings) error {
	if s.Cover != nil && s.Cover.Chosen() != 1 {
		return problem.Field("posting_defaults.cover", "cover must have one of slide, offset_ms and media_id.")
	}
	if t := s.TikTok; t != nil && t.Commercial != nil && t.Commercial.BrandedContent && slices.Contains([]view.TikTokPrivacy{"SELF_ONLY"}, t.PrivacyLevel) {
		return problem.Field("posting_defaults.tiktok.commercial.branded_content", "Branded content cannot be private: choose another privacy_level.")
	}
	return nil
}
