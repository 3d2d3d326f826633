// SPDX-License-Identifier: Apache-2.0

package view

import (
	"time"

	"github.com/reelops/reelops/api/v1beta1"
)

// BrandSummary is a brand in a list.
type BrandSummary struct {
	ID          int64      `json:"id" doc:"The value for brand_id."`
	Name        string     `json:"name" doc:"Display name."`
	Description *string    `json:"description" doc:"Description of the brand."`
	Website     *string    `json:"website" doc:"URL of the website."`
	Language    string     `json:"language" doc:"BCP 47 tag; empty if each text keeps its own language."`
	IsCurrent   bool       `json:"is_current" doc:"Whether it is the key's own brand."`
	CreatedAt   Time       `json:"created_at" doc:"When the brand was created."`
	UpdatedAt   Time       `json:"updated_at" doc:"When it last changed."`
	Stats       BrandStats `json:"stats"`
}

// BrandStats counts the shorts, media and accounts of a brand.
type BrandStats struct {
	TotalShorts             int `json:"total_shorts" doc:"Number of slideshows and videos of any status."`
	TotalProductDemos       int `json:"total_product_demos" doc:"Number of the brand's own media with media type product_demo."`
	TotalHooks              int `json:"total_hooks" doc:"Number of hook-and-demo videos."`
	ConnectedSocialAccounts int `json:"connected_social_accounts" doc:"Number of connected accounts of the brand."`
}

// BrandDetail is one brand in full.
type BrandDetail struct {
	BrandSummary
	Profile            BrandProfile      `json:"profile" doc:"Voice and audience of the brand."`
	SlideshowDefaults  SlideshowDefaults `json:"slideshow_defaults" doc:"Defaults for omitted fields of a new slideshow."`
	PostingDefaults    PostSettings      `json:"posting_defaults" doc:"Platform settings that complete those of a post, field by field, when it is accepted."`
	ConnectedPlatforms []string          `json:"connected_platforms" doc:"Platforms with at least one connected account."`
	ApprovalRequired   bool              `json:"approval_required" doc:"Whether posts wait for approval by a person, or are rejected without it."`
	Timezone           string            `json:"timezone" doc:"IANA name of the time zone." example:"UTC"`
	TimeZone           string            `json:"time_zone" doc:"The same as timezone, under the name that PATCH /brand accepts." example:"UTC"`
	PostingSuspended   bool              `json:"posting_suspended" doc:"Whether posting is suspended: no post starts, and a due post is late."`
}

// BrandProfile describes the brand and its audience, for the writer of texts.
type BrandProfile struct {
	Audience     *string  `json:"audience" doc:"Audience of the brand."`
	Tone         *string  `json:"tone" doc:"Tone of the brand's texts."`
	Niche        *string  `json:"niche" doc:"Market of the brand."`
	Offer        *string  `json:"offer" doc:"Products or services of the brand."`
	ValuePoints  []string `json:"value_points" doc:"Reasons to choose the brand."`
	BannedWords  []string `json:"banned_words" doc:"Words that generated texts do not contain."`
	CallToAction *string  `json:"call_to_action" doc:"Text for the last slide of a slideshow."`
}

// SlideshowDefaults are the defaults of a new slideshow.
type SlideshowDefaults struct {
	SlideCount  int         `json:"slide_count" doc:"0 is automatic."`
	AspectRatio string      `json:"aspect_ratio" example:"9:16" doc:"Aspect ratio of the canvas."`
	DesignStyle *string     `json:"design_style" doc:"null selects the least recently used style."`
	ImageWorld  *string     `json:"image_world" doc:"null selects a theme by the texts."`
	ImageSource ImageSource `json:"image_source"`
	Language    string      `json:"language" doc:"BCP 47 tag; empty if each text keeps its own language."`
	Gradient
	OverlayFontFamily *string `json:"overlay_font_family" doc:"null uses the design style's."`
	PrimaryColor      *string `json:"primary_color" doc:"null uses the design style's colors."`
	BackgroundMusicID *int64  `json:"background_music_id" doc:"null for no music."`
}

// Brand holds the data for the views of a brand.
type Brand struct {
	ID    int64
	Brand *v1beta1.Brand
	// Current reports whether it is the key's own brand.
	Current bool
	Stats   BrandStats
	// Platforms on which the brand has an account, in published order.
	Platforms []string
	// PackID is the id of the media pack for its slideshows' images; 0 for none.
	PackID int64
}

// Summary returns the brand as shown in lists.
func (b *Brand) Summary() BrandSummary {
	spec := &b.Brand.Spec
	return BrandSummary{
		ID: b.ID, Name: b.Brand.Title(), Description: nonEmpty(spec.Description), Website: nonEmpty(spec.Website), Language: spec.Language,
		IsCurrent: b.Current, CreatedAt: Time{v1beta1.CreatedAt(b.Brand).Time}, UpdatedAt: Time{b.updated()}, Stats: b.Stats,
	}
}

// Detail returns the brand in full.
func (b *Brand) Detail() BrandDetail {
	spec := &b.Brand.Spec
	p, d := spec.Profile, spec.SlideshowDefaults
	out := BrandDetail{
		BrandSummary: b.Summary(),
		Profile: BrandProfile{
			Audience: nonEmpty(p.Audience), Tone: nonEmpty(p.Tone), Niche: nonEmpty(p.Niche), Offer: nonEmpty(p.Offer),
			ValuePoints: list(p.ValuePoints), BannedWords: list(p.BannedWords), CallToAction: nonEmpty(p.CallToAction),
		},
		SlideshowDefaults: SlideshowDefaults{
			SlideCount: int(d.SlideCount), AspectRatio: b.ratio(), DesignStyle: nonEmpty(d.DesignStyle), ImageWorld: nonEmpty(d.ImageWorld),
			ImageSource: b.source(), Language: spec.Language, Gradient: gradientOf(d.DesignStyle, d.Gradient),
			OverlayFontFamily: nonEmpty(d.OverlayFontFamily),
		},
		PostingDefaults:    PostSettingsOf(spec.PostingDefaults),
		ConnectedPlatforms: list(b.Platforms),
		ApprovalRequired:   spec.Approval != "" && spec.Approval != "none",
		Timezone:           first(spec.Timezone, "UTC"),
		TimeZone:           first(spec.Timezone, "UTC"),
		PostingSuspended:   spec.PostingSuspended,
	}
	return out
}

func (b *Brand) ratio() string {
	return (&Short{Show: &v1beta1.Slideshow{}, Brand: b.Brand}).ratio().Value
}

func (b *Brand) source() ImageSource {
	out := ImageSource{Type: string((&Short{Show: &v1beta1.Slideshow{}, Brand: b.Brand}).Source().Type)}
	if b.PackID != 0 {
		out.MediaPackID = &b.PackID
	}
	return out
}

// updated returns the time of the latest write to the brand, excluding subresources such as the status.
func (b *Brand) updated() time.Time {
	latest := v1beta1.CreatedAt(b.Brand).Time
	for _, m := range b.Brand.ManagedFields {
		if m.Time != nil && m.Subresource == "" && m.Time.After(latest) {
			latest = m.Time.Time
		}
	}
	return latest
}

func list(in []string) []string {
	if in == nil {
		return []string{}
	}
	return in
}
