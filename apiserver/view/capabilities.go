// SPDX-License-Identifier: Apache-2.0

package view

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech/voices"
)

// Capabilities lists every value that requests may use, taken from the code that enforces the values.
type Capabilities struct {
	Version                string                  `json:"version" doc:"Changes when an accepted value changes, and only then." example:"2026-11-21.4f1c9a2b7d03"`
	DesignStyles           []DesignStyle           `json:"design_styles" doc:"For design_style."`
	ImageWorlds            []ImageWorld            `json:"image_worlds" doc:"For image_world."`
	Paces                  []Pace                  `json:"paces" doc:"For pace."`
	Voices                 []SpeakingVoice         `json:"voices" doc:"For voice.name; empty where a speech service does not say which it has. The package's voices have variants too: de+f3."`
	Languages              []Language              `json:"languages" doc:"For language. Others are accepted as well."`
	SlideSeconds           SlideSeconds            `json:"slide_seconds"`
	OverlayFonts           []OverlayFont           `json:"overlay_fonts" doc:"For fontFamily of an overlay."`
	OverlayLimits          OverlayLimits           `json:"overlay_limits"`
	Gradient               GradientLimits          `json:"gradient"`
	AspectRatios           []AspectRatio           `json:"aspect_ratios" doc:"For aspect_ratio."`
	SlideCount             SlideCountLimits        `json:"slide_count"`
	ShortTypes             []ShortType             `json:"short_types" doc:"What a short can be."`
	ImageSources           []ImageSourceOffer      `json:"image_sources" doc:"For image_source.type."`
	AIImages               AIImages                `json:"ai_images"`
	Video                  VideoLimits             `json:"video"`
	Media                  MediaLimits             `json:"media"`
	Platforms              []string                `json:"platforms" doc:"Where content can be published."`
	PlatformRules          map[string]PlatformRule `json:"platform_rules" doc:"By platform."`
	Scheduling             SchedulingLimits        `json:"scheduling"`
	RenderFormats          []string                `json:"render_formats" doc:"For format of a render."`
	JobPollIntervalSeconds int                     `json:"job_poll_interval_seconds" doc:"The longest wait between polls of a job of slides; poll_after_seconds of a job is the one to use."`
	PollAfterSeconds       PollAfterSeconds        `json:"poll_after_seconds" doc:"The longest wait between polls, by kind of job."`
}

// DesignStyle is a typographic style of slides.
type DesignStyle struct {
	ID                string `json:"id" example:"bold_center" doc:"What requests name."`
	Name              string `json:"name" doc:"For people."`
	Description       string `json:"description" doc:"How it looks."`
	DefaultFontFamily string `json:"default_font_family" doc:"The typeface of its headings."`
}

// Pace determines how long a video shows each slide: start_seconds, and seconds_per_word for each word on the slide.
type Pace struct {
	ID             string  `json:"id" example:"normal" doc:"What requests name."`
	Name           string  `json:"name" doc:"For people."`
	Description    string  `json:"description" doc:"What it suits."`
	StartSeconds   float64 `json:"start_seconds" doc:"Of every slide."`
	SecondsPerWord float64 `json:"seconds_per_word" doc:"A Chinese character counts as 0.9 word, a Japanese syllable as 0.5."`
	Default        bool    `json:"default" doc:"Whether it is used when nothing asks for another."`
}

// SpeakingVoice is a voice for the narration of videos.
type SpeakingVoice struct {
	Name      string   `json:"name" example:"slt" doc:"What requests name."`
	Languages []string `json:"languages" doc:"That it speaks, BCP 47; empty for every language that can be spoken."`
	Gender    *string  `json:"gender" doc:"female or male; null if unknown."`
	Source    string   `json:"source" enum:"package,service" doc:"service: the speech service of this installation. package: the programs that come with it."`
}

// Language is a language of texts.
type Language struct {
	Tag         string `json:"tag" example:"en" doc:"BCP 47, without a region."`
	Name        string `json:"name" example:"English" doc:"In English."`
	OfflineText bool   `json:"offline_text" doc:"Whether texts can be written in it without a language model, calls to action included."`
	Speech      bool   `json:"speech" doc:"Whether it can be spoken. Of Japanese the package reads kana only."`
}

// SlideSeconds limits how long a video shows a slide.
type SlideSeconds struct {
	Min        float64 `json:"min" doc:"The least that duration_seconds may be."`
	Max        float64 `json:"max" doc:"The most."`
	ReadingMin float64 `json:"reading_min" doc:"The least that a pace gives."`
	ReadingMax float64 `json:"reading_max" doc:"The most that a pace gives."`
}

// ImageWorld is a visual mood of backgrounds.
type ImageWorld struct {
	ID          string   `json:"id" example:"cozy_interiors" doc:"What requests name."`
	Name        string   `json:"name" doc:"For people."`
	Description string   `json:"description" doc:"What is to be seen."`
	Sources     []string `json:"sources" doc:"The image sources that have pictures of it."`
}

// OverlayFont is a typeface for overlays.
type OverlayFont struct {
	Family  string   `json:"family" example:"Inter" doc:"What overlays name."`
	Weights []int    `json:"weights" doc:"For fontWeight, ascending."`
	Scripts []string `json:"scripts" doc:"What it can write; other text moves to a family that can."`
	Default bool     `json:"default" doc:"Whether it is used when nothing asks for another."`
}

// OverlayLimits limits the overlays of a slide.
type OverlayLimits struct {
	MaxOverlaysPerSlide int            `json:"max_overlays_per_slide" doc:"A slide with more is refused."`
	MaxCharacters       int            `json:"max_characters" doc:"Of one overlay's text."`
	FontSize            FontSizeLimits `json:"font_size"`
	Position            PositionLimits `json:"position"`
	MinContrastRatio    float64        `json:"min_contrast_ratio" doc:"Of text to what is behind it; what has less is repaired."`
}

// FontSizeLimits limits the size of overlay text.
type FontSizeLimits struct {
	Min     float64 `json:"min" doc:"The smallest that may be asked for."`
	Max     float64 `json:"max" doc:"The largest."`
	Default float64 `json:"default" doc:"When none is asked for."`
	FitMin  float64 `json:"fit_min" doc:"How small a long text may be made so that it fits."`
	Unit    string  `json:"unit" doc:"px_at_1080: pixels on a canvas 1080 wide."`
}

// PositionLimits limits and explains the position of an overlay.
type PositionLimits struct {
	Min    float64 `json:"min" doc:"The left or upper edge."`
	Max    float64 `json:"max" doc:"The right or lower edge."`
	Unit   string  `json:"unit" doc:"percent: of the canvas."`
	Anchor string  `json:"anchor" doc:"Which point of the text block the position names."`
}

// GradientLimits limits the gradient between image and text.
type GradientLimits struct {
	Directions []string `json:"directions" doc:"For gradient_direction: where it is darkest."`
	Opacity    Share    `json:"opacity"`
	Coverage   Share    `json:"coverage"`
}

// Share is a range within 0 to 1.
type Share struct {
	Min     float64 `json:"min" doc:"The least."`
	Max     float64 `json:"max" doc:"The most."`
	Default float64 `json:"default" doc:"Where neither a request nor the design style says otherwise."`
}

// AspectRatio is a canvas.
type AspectRatio struct {
	Value    string   `json:"value" example:"9:16" doc:"What requests name."`
	Width    int      `json:"width" doc:"Pixels."`
	Height   int      `json:"height" doc:"Pixels."`
	Default  bool     `json:"default" doc:"Whether it is used when nothing asks for another."`
	SafeZone SafeZone `json:"safe_zone" doc:"Margins that text stays out of, in percent of the width or height."`
}

// SafeZone holds margins in percent.
type SafeZone struct {
	Left   float64 `json:"left" doc:"Percent of the width."`
	Right  float64 `json:"right" doc:"Percent of the width."`
	Top    float64 `json:"top" doc:"Percent of the height."`
	Bottom float64 `json:"bottom" doc:"Percent of the height."`
}

// SlideCountLimits limits the length of a slideshow.
type SlideCountLimits struct {
	Min     int `json:"min" doc:"The fewest."`
	Max     int `json:"max" doc:"The most."`
	Auto    int `json:"auto" doc:"The value that leaves the number to the service."`
	Default int `json:"default" doc:"When none is asked for."`
}

// ImageSourceOffer is a source of images.
type ImageSourceOffer struct {
	Type            string `json:"type" doc:"What requests name."`
	Available       bool   `json:"available" doc:"Whether this installation is set up for it."`
	CreditsPerImage int    `json:"credits_per_image" doc:"On plans that show credits."`
}

// AIImages reports whether a model can generate images now, and what they cost.
type AIImages struct {
	Available           bool   `json:"available" doc:"Whether this installation is set up for it."`
	Affordable          bool   `json:"affordable" doc:"Available, and there are credits for one slideshow of the estimated length. Always so on plans without credits."`
	CreditsPerImage     int    `json:"credits_per_image" doc:"On plans that show credits."`
	EstimatedCredits    int    `json:"estimated_credits" doc:"Of one slideshow of the estimated length."`
	EstimatedSlideCount int    `json:"estimated_slide_count" doc:"The brand's usual length, else 7."`
	CurrentCredits      *int64 `json:"current_credits,omitempty" doc:"Only on plans that show credits."`
}

// VideoLimits limits a video of an avatar clip and product demos.
type VideoLimits struct {
	LoopCount             Count    `json:"loop_count" doc:"How often the sequence of demos is played."`
	MaxProductDemos       int      `json:"max_product_demos" doc:"By id, and as many by URL."`
	MaxDemos              int      `json:"max_demos" doc:"By id, by URL and in clips together."`
	ClipFits              []string `json:"clip_fits" doc:"For clips[].fit."`
	AvatarLayouts         []string `json:"avatar_layouts" doc:"For avatar_layout."`
	TextAlign             []string `json:"text_align" doc:"For text_settings.align."`
	MaxHookCharacters     int      `json:"max_hook_characters" doc:"Of hook_text."`
	MinClipSeconds        float64  `json:"min_clip_seconds" doc:"The shortest clip that can be used."`
	MaxProductDemoSeconds int      `json:"max_product_demo_seconds" doc:"For how long a demo is shown at a time; a longer one is cut."`
	MaxSeconds            int      `json:"max_seconds" doc:"Of the whole video."`
}

// Count is a range of whole numbers.
type Count struct {
	Min     int `json:"min" doc:"The least."`
	Max     int `json:"max" doc:"The most."`
	Default int `json:"default" doc:"When none is asked for."`
}

// MediaLimits limits the files that users upload.
type MediaLimits struct {
	ImageMaxBytes int64    `json:"image_max_bytes" doc:"Of one picture."`
	VideoMaxBytes int64    `json:"video_max_bytes" doc:"Of one clip."`
	ContentTypes  []string `json:"content_types" doc:"Of files."`
	MediaTypes    []string `json:"media_types" doc:"What a file can be for."`
}

// PlatformRule describes the posts that a platform accepts.
type PlatformRule struct {
	TitleMax        int      `json:"title_max" doc:"0: posts have no title there, and one that is sent is ignored. TikTok has titles on photo sets only."`
	CaptionMax      int      `json:"caption_max" doc:"Of a video's caption, in caption_unit."`
	PostingModes    []string `json:"posting_modes" doc:"direct publishes at once; draft leaves it where a person can change it."`
	TitleUnit       string   `json:"title_unit" enum:"utf16,characters,bytes" doc:"In which titles are measured."`
	CaptionUnit     string   `json:"caption_unit" enum:"utf16,characters,bytes" doc:"In which captions are measured, hashtags included."`
	MediaKinds      []string `json:"media_kinds" doc:"What a post can consist of."`
	PhotoCaptionMax int      `json:"photo_caption_max" doc:"0 where photo sets are not accepted."`
	MaxPhotos       int      `json:"max_photos" doc:"0 where photo sets are not accepted."`
	MaxVideoSeconds int      `json:"max_video_seconds" doc:"Length of a video."`
	MaxVideoBytes   int64    `json:"max_video_bytes" doc:"Size of a video."`
	Configured      bool     `json:"configured" doc:"Whether this installation is set up for the platform."`

	Settings     []PlatformSetting `json:"settings" doc:"What an author may choose for one post in platform_customizations, below the platform's name."`
	Cover        CoverRule         `json:"cover" doc:"How a cover can be chosen."`
	FirstComment FirstCommentRule  `json:"first_comment" doc:"Of a first comment."`
}

// PlatformSetting is a setting that an author may choose for one post on a platform.
type PlatformSetting struct {
	Name      string   `json:"name" example:"privacy_level" doc:"Below the platform's name, with dots between levels."`
	ValueType string   `json:"value_type" enum:"enum,boolean,integer,text" doc:"Of its value."`
	Values    []string `json:"values" doc:"That an enum accepts; empty for other types."`
	Max       int      `json:"max" doc:"Of an integer; 0 for no bound."`
	Default   *string  `json:"default" doc:"When neither the post nor the brand chooses; null where the platform or the account decides."`
}

// CoverRule describes the covers that a platform accepts.
type CoverRule struct {
	Offset   bool  `json:"offset" doc:"Whether a moment of a video can be chosen (offset_ms, slide)."`
	Image    bool  `json:"image" doc:"Whether an image can be chosen for a video (media_id, slide)."`
	Photo    bool  `json:"photo" doc:"Whether a photo of a photo set can be chosen (slide). Where it cannot, the first photo is the cover."`
	MaxBytes int64 `json:"max_bytes" doc:"Of an image as JPEG: larger ones are scaled down. 0 where no image is accepted."`
}

// FirstCommentRule limits a first comment.
type FirstCommentRule struct {
	Max  int    `json:"max" doc:"Length; 0 where the platform has no API for comments."`
	Unit string `json:"unit" enum:"utf16,characters,bytes" doc:"In which it is measured."`
}

// SchedulingLimits limits the time of a post.
type SchedulingLimits struct {
	MinLeadSeconds int `json:"min_lead_seconds" doc:"How far ahead a post must at least be scheduled."`
	MaxAheadDays   int `json:"max_ahead_days" doc:"How far ahead it may be scheduled."`
}

// PollAfterSeconds is how long to wait between polls of a job.
type PollAfterSeconds struct {
	SlideshowGeneration int `json:"slideshow_generation" doc:"Seconds."`
	Render              int `json:"render" doc:"Seconds."`
	VideoGeneration     int `json:"video_generation" doc:"Seconds."`
}

// TransformSchema adds each platform as a property, so that generated clients have a member for each.
func (c Capabilities) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	rules := s.Properties["platform_rules"]
	rules.Properties = map[string]*huma.Schema{}
	for _, p := range catalog.Platforms() {
		rules.Properties[p] = rules.AdditionalProperties.(*huma.Schema)
	}
	rules.Required = catalog.Platforms()
	return s
}

// Purse holds what determines whether an account can afford generated images.
type Purse struct {
	// Credits left, or nil on plans without credits.
	Credits *int64
	// SlideCount of the brand's usual slideshow; 0 means automatic.
	SlideCount int
}

func aiImages(offer catalog.AIImages, p Purse) AIImages {
	slides := catalog.AISlides(0, p.SlideCount)
	out := AIImages{
		Available: offer.Available, CreditsPerImage: int(offer.CreditsPerImage), CurrentCredits: p.Credits,
		EstimatedSlideCount: slides, EstimatedCredits: int(offer.Cost(slides)),
	}
	out.Affordable = offer.Available && (p.Credits == nil || *p.Credits >= int64(out.EstimatedCredits))
	return out
}

// CapabilitiesOf returns the catalog combined with the state of the installation and the account. An error means a bug
// in the catalog.
func CapabilitiesOf(offer catalog.AIImages, p Purse, known voices.Set) (*Capabilities, error) {
	c := &Capabilities{
		OverlayLimits: OverlayLimits{
			MaxOverlaysPerSlide: catalog.MaxOverlaysPerSlide, MaxCharacters: catalog.MaxOverlayCharacters,
			FontSize: FontSizeLimits{
				Min: catalog.OverlayFontSizeMin, Max: catalog.OverlayFontSizeMax, Default: catalog.OverlayFontSizeUsual,
				FitMin: catalog.OverlayFontSizeFitMin, Unit: catalog.OverlayFontSizeUnit,
			},
			Position: PositionLimits{
				Min: catalog.OverlayPositionMin, Max: catalog.OverlayPositionMax, Unit: catalog.OverlayPositionUnit, Anchor: catalog.OverlayPositionAnchor,
			},
			MinContrastRatio: catalog.MinContrastRatio,
		},
		Gradient: GradientLimits{
			Directions: catalog.GradientDirections,
			Opacity:    Share{Min: 0, Max: 1, Default: catalog.GradientOpacityDefault},
			Coverage:   Share{Min: 0, Max: 1, Default: catalog.GradientCoverageDefault},
		},
		SlideSeconds: SlideSeconds{
			Min: catalog.MinSlideSeconds, Max: catalog.MaxSlideSeconds,
			ReadingMin: catalog.MinSlideTime.Seconds(), ReadingMax: catalog.MaxReadingTime.Seconds(),
		},
		SlideCount: SlideCountLimits{Min: catalog.MinSlides, Max: catalog.MaxSlides},
		AIImages:   aiImages(offer, p),
		Video: VideoLimits{
			LoopCount:       Count{Min: catalog.MinLoops, Max: catalog.MaxLoops, Default: catalog.UsualLoops},
			MaxProductDemos: catalog.MaxProductDemos, MaxDemos: catalog.MaxDemos,
			ClipFits: catalog.ClipFits, AvatarLayouts: catalog.AvatarLayouts, TextAlign: catalog.OverlayAlignments,
			MaxHookCharacters: catalog.MaxHookCharacters, MinClipSeconds: catalog.MinFilmClip.Seconds(),
			MaxProductDemoSeconds: int(catalog.MaxDemoDuration / time.Second), MaxSeconds: int(catalog.MaxVideoDuration / time.Second),
		},
		Media: MediaLimits{
			ImageMaxBytes: catalog.MaxImageBytes, VideoMaxBytes: catalog.MaxVideoBytes,
			ContentTypes: slices.Concat(catalog.ImageContentTypes, catalog.VideoContentTypes), MediaTypes: catalog.MediaTypes,
		},
		Platforms: catalog.Platforms(), PlatformRules: map[string]PlatformRule{},
		Scheduling: SchedulingLimits{
			MinLeadSeconds: int(catalog.MinScheduleLead / time.Second), MaxAheadDays: int(catalog.MaxScheduleAhead / (24 * time.Hour)),
		},
		RenderFormats: catalog.RenderFormats, JobPollIntervalSeconds: pollSeconds(catalog.JobSlideshow),
		PollAfterSeconds: PollAfterSeconds{
			SlideshowGeneration: pollSeconds(catalog.JobSlideshow), Render: pollSeconds(catalog.JobRender), VideoGeneration: pollSeconds(catalog.JobVideo),
		},
	}
	c.lists(offer)
	c.speech(known)
	var err error
	c.Version, err = c.version(catalog.Revised)
	return c, err
}

func (c *Capabilities) lists(ai catalog.AIImages) {
	for _, s := range catalog.DesignStyles {
		c.DesignStyles = append(c.DesignStyles, DesignStyle{ID: s.ID, Name: s.Name, Description: s.Description, DefaultFontFamily: s.DefaultFontFamily})
	}
	for _, w := range catalog.ImageWorlds {
		c.ImageWorlds = append(c.ImageWorlds, ImageWorld(w))
	}
	for _, p := range catalog.Paces {
		c.Paces = append(c.Paces, Pace{
			ID: p.ID, Name: p.Name, Description: p.Description,
			StartSeconds: p.Start.Seconds(), SecondsPerWord: p.Word.Seconds(), Default: p.Default,
		})
	}
	for _, f := range catalog.OverlayFonts {
		c.OverlayFonts = append(c.OverlayFonts, OverlayFont{Family: f.Family, Weights: f.Weights, Scripts: f.Scripts, Default: f.Default})
	}
	for _, r := range catalog.AspectRatios {
		c.AspectRatios = append(c.AspectRatios, AspectRatio{Value: r.Value, Width: r.Width, Height: r.Height, Default: r.Default, SafeZone: SafeZone(r.SafeZone)})
	}
	for _, t := range catalog.ShortTypes {
		c.ShortTypes = append(c.ShortTypes, ShortType(t))
	}
	for _, t := range catalog.ImageSources {
		offer := ImageSourceOffer{Type: t, Available: true}
		if t == string(v1beta1.ImageSourceAI) {
			offer.Available, offer.CreditsPerImage = ai.Available, int(ai.CreditsPerImage)
		}
		c.ImageSources = append(c.ImageSources, offer)
	}
	for _, r := range catalog.PlatformRules {
		c.PlatformRules[r.Platform] = PlatformRuleOf(r, false)
	}
}

// PlatformRuleOf returns the view of a platform's rule.
func PlatformRuleOf(r catalog.PlatformRule, configured bool) PlatformRule {
	settings := make([]PlatformSetting, len(r.Settings))
	for i, s := range r.Settings {
		settings[i] = PlatformSetting{Name: s.Name, ValueType: s.Type, Values: list(s.Values), Max: s.Max, Default: nonEmpty(s.Default)}
	}
	return PlatformRule{
		TitleMax: r.TitleMax, CaptionMax: r.CaptionMax, PostingModes: r.PostingModes, TitleUnit: r.TitleUnit, CaptionUnit: r.CaptionUnit,
		MediaKinds: r.MediaKinds, PhotoCaptionMax: r.PhotoCaptionMax, MaxPhotos: r.MaxPhotos, MaxVideoSeconds: r.MaxVideoSeconds,
		MaxVideoBytes: r.MaxVideoBytes, Configured: configured, Settings: settings, Cover: CoverRule(r.Cover),
		FirstComment: FirstCommentRule{Max: r.CommentMax, Unit: r.CommentUnit},
	}
}

// SetUp sets which platforms the installation is configured for.
func (c *Capabilities) SetUp(configured func(platform string) bool) {
	for name, r := range c.PlatformRules {
		r.Configured = configured(name)
		c.PlatformRules[name] = r
	}
}

// version returns the version of the accepted values: the day of their revision and a digest. It excludes prices,
// credits, configured platforms and available image sources, so that the version changes only with accepted values. The
// installation's voices and languages are accepted values, so replicas with equal voices have equal versions.
func (c Capabilities) version(revised string) (string, error) {
	c.Version, c.AIImages = "", AIImages{}
	c.ImageSources = slices.Clone(c.ImageSources)
	for i := range c.ImageSources {
		c.ImageSources[i].Available, c.ImageSources[i].CreditsPerImage = false, 0
	}
	rules := make(map[string]PlatformRule, len(c.PlatformRules))
	for name, r := range c.PlatformRules {
		r.Configured = false
		rules[name] = r
	}
	c.PlatformRules = rules
	// Struct fields are encoded in order and maps are sorted by key, so equal values give equal bytes.
	doc, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("writing the catalog: %w", err)
	}
	sum := sha256.Sum256(doc)
	return revised + "." + hex.EncodeToString(sum[:6]), nil
}

// Tag returns a digest of the whole payload, for an ETag.
func (c *Capabilities) Tag() (string, error) {
	doc, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("writing the capabilities: %w", err)
	}
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:16]), nil
}

func pollSeconds(kind string) int { return int(catalog.PollAfter(kind) / time.Second) }
