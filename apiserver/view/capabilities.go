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
	DesignStyles           []DesignStyle           `json:"design_styles" doc:"Values for design_style."`
	ImageWorlds            []ImageWorld            `json:"image_worlds" doc:"Values for image_world."`
	Paces                  []Pace                  `json:"paces" doc:"Values for pace."`
	Voices                 []SpeakingVoice         `json:"voices" doc:"Values for voice.name; empty if the speech service does not list its voices. Voices of the package have variants as well, such as de+f3."`
	Languages              []Language              `json:"languages" doc:"Values for language. Other languages are accepted as well."`
	SlideSeconds           SlideSeconds            `json:"slide_seconds"`
	OverlayFonts           []OverlayFont           `json:"overlay_fonts" doc:"Values for fontFamily of an overlay."`
	OverlayLimits          OverlayLimits           `json:"overlay_limits"`
	Gradient               GradientLimits          `json:"gradient"`
	AspectRatios           []AspectRatio           `json:"aspect_ratios" doc:"Values for aspect_ratio."`
	SlideCount             SlideCountLimits        `json:"slide_count"`
	ShortTypes             []ShortType             `json:"short_types" doc:"Types of shorts."`
	ImageSources           []ImageSourceOffer      `json:"image_sources" doc:"Values for image_source.type."`
	AIImages               AIImages                `json:"ai_images"`
	Video                  VideoLimits             `json:"video"`
	Media                  MediaLimits             `json:"media"`
	Platforms              []string                `json:"platforms" doc:"Platforms that content can be published to."`
	PlatformRules          map[string]PlatformRule `json:"platform_rules" doc:"Rules by platform."`
	Scheduling             SchedulingLimits        `json:"scheduling"`
	RenderFormats          []string                `json:"render_formats" doc:"Values for format of a render."`
	JobPollIntervalSeconds int                     `json:"job_poll_interval_seconds" doc:"Maximum of poll_after_seconds for jobs that create slides, in seconds. Use poll_after_seconds of the job itself."`
	PollAfterSeconds       PollAfterSeconds        `json:"poll_after_seconds" doc:"Maximum of poll_after_seconds, by kind of job."`
}

// DesignStyle is a typographic style of slides.
type DesignStyle struct {
	ID                string `json:"id" example:"bold_center" doc:"The value for requests."`
	Name              string `json:"name" doc:"Display name."`
	Description       string `json:"description" doc:"The look of the style."`
	DefaultFontFamily string `json:"default_font_family" doc:"The font family of its headings."`
}

// Pace determines how long a video shows each slide: start_seconds, and seconds_per_word for each word on the slide.
type Pace struct {
	ID             string  `json:"id" example:"normal" doc:"The value for requests."`
	Name           string  `json:"name" doc:"Display name."`
	Description    string  `json:"description" doc:"Recommended use."`
	StartSeconds   float64 `json:"start_seconds" doc:"Seconds added to the reading time of every slide."`
	SecondsPerWord float64 `json:"seconds_per_word" doc:"Reading time of a word in seconds. A Chinese character counts as 0.9 words, a Japanese syllable as 0.5."`
	Default        bool    `json:"default" doc:"Whether it is the default."`
}

// SpeakingVoice is a voice for the narration of videos.
type SpeakingVoice struct {
	Name      string   `json:"name" example:"slt" doc:"The value for requests."`
	Languages []string `json:"languages" doc:"BCP 47 tags of its languages; empty for all languages with speech."`
	Gender    *string  `json:"gender" doc:"female or male; null if unknown."`
	Source    string   `json:"source" enum:"package,service" doc:"service: the speech service of this installation. package: the speech programs that come with the installation."`
}

// Language is a language of texts.
type Language struct {
	Tag         string `json:"tag" example:"en" doc:"BCP 47 tag without a region."`
	Name        string `json:"name" example:"English" doc:"English name of the language."`
	OfflineText bool   `json:"offline_text" doc:"Whether texts, including calls to action, can be generated in it without a language model."`
	Speech      bool   `json:"speech" doc:"Whether speech is available. For Japanese, the package reads only kana."`
}

// SlideSeconds limits how long a video shows a slide.
type SlideSeconds struct {
	Min        float64 `json:"min" doc:"Minimum of duration_seconds."`
	Max        float64 `json:"max" doc:"Maximum of duration_seconds."`
	ReadingMin float64 `json:"reading_min" doc:"Minimum of the time computed from the pace."`
	ReadingMax float64 `json:"reading_max" doc:"Maximum of the time computed from the pace."`
}

// ImageWorld is a visual mood of backgrounds.
type ImageWorld struct {
	ID          string   `json:"id" example:"cozy_interiors" doc:"The value for requests."`
	Name        string   `json:"name" doc:"Display name."`
	Description string   `json:"description" doc:"What the images show."`
	Sources     []string `json:"sources" doc:"The image sources that have images of it."`
}

// OverlayFont is a typeface for overlays.
type OverlayFont struct {
	Family  string   `json:"family" example:"Inter" doc:"Value for fontFamily."`
	Weights []int    `json:"weights" doc:"Values for fontWeight, ascending."`
	Scripts []string `json:"scripts" doc:"Scripts that the family supports. Text in other scripts uses a family that supports them."`
	Default bool     `json:"default" doc:"Whether it is the default."`
}

// OverlayLimits limits the overlays of a slide.
type OverlayLimits struct {
	MaxOverlaysPerSlide int            `json:"max_overlays_per_slide" doc:"Maximum number of overlays; a slide with more is rejected."`
	MaxCharacters       int            `json:"max_characters" doc:"Maximum length of an overlay's text."`
	FontSize            FontSizeLimits `json:"font_size"`
	Position            PositionLimits `json:"position"`
	MinContrastRatio    float64        `json:"min_contrast_ratio" doc:"Minimum contrast of text to its background. Lower contrast is corrected."`
}

// FontSizeLimits limits the size of overlay text.
type FontSizeLimits struct {
	Min     float64 `json:"min" doc:"The minimum in requests."`
	Max     float64 `json:"max" doc:"The maximum."`
	Default float64 `json:"default" doc:"The default."`
	FitMin  float64 `json:"fit_min" doc:"Minimum size to which a long text is reduced so that it fits."`
	Unit    string  `json:"unit" doc:"px_at_1080: pixels on a canvas 1080 wide."`
}

// PositionLimits limits and explains the position of an overlay.
type PositionLimits struct {
	Min    float64 `json:"min" doc:"The left or upper edge."`
	Max    float64 `json:"max" doc:"The right or lower edge."`
	Unit   string  `json:"unit" doc:"Unit of positions: percent of the canvas."`
	Anchor string  `json:"anchor" doc:"The point of the text block at the position."`
}

// GradientLimits limits the gradient between image and text.
type GradientLimits struct {
	Directions []string `json:"directions" doc:"Values for gradient_direction, which is where the gradient is darkest."`
	Opacity    Share    `json:"opacity"`
	Coverage   Share    `json:"coverage"`
}

// Share is a range within 0 to 1.
type Share struct {
	Min     float64 `json:"min" doc:"The minimum."`
	Max     float64 `json:"max" doc:"The maximum."`
	Default float64 `json:"default" doc:"Default if neither the request nor the design style sets it."`
}

// AspectRatio is a canvas.
type AspectRatio struct {
	Value    string   `json:"value" example:"9:16" doc:"The value for requests."`
	Width    int      `json:"width" doc:"Pixels."`
	Height   int      `json:"height" doc:"Pixels."`
	Default  bool     `json:"default" doc:"Whether it is the default."`
	SafeZone SafeZone `json:"safe_zone" doc:"Margins without text, in percent of the width or height."`
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
	Min     int `json:"min" doc:"The minimum."`
	Max     int `json:"max" doc:"The maximum."`
	Auto    int `json:"auto" doc:"The value for an automatic number."`
	Default int `json:"default" doc:"The default."`
}

// ImageSourceOffer is a source of images.
type ImageSourceOffer struct {
	Type            string `json:"type" doc:"The value for requests."`
	Available       bool   `json:"available" doc:"Whether this installation is configured for it."`
	CreditsPerImage int    `json:"credits_per_image" doc:"Price of one image; only on plans that show credits."`
}

// AIImages reports whether a model can generate images now, and what they cost.
type AIImages struct {
	Available           bool   `json:"available" doc:"Whether this installation is configured for it."`
	Affordable          bool   `json:"affordable" doc:"Whether AI images are available and the credits suffice for one slideshow of the estimated length. On plans without credits only availability counts."`
	CreditsPerImage     int    `json:"credits_per_image" doc:"Price of one image; only on plans that show credits."`
	EstimatedCredits    int    `json:"estimated_credits" doc:"Price of one slideshow of the estimated length."`
	EstimatedSlideCount int    `json:"estimated_slide_count" doc:"The brand's default number of slides, else 7."`
	CurrentCredits      *int64 `json:"current_credits,omitempty" doc:"Credits neither used nor reserved; only on plans that show credits."`
}

// VideoLimits limits a video of an avatar clip and product demos.
type VideoLimits struct {
	LoopCount             Count    `json:"loop_count" doc:"Number of times the sequence of demos is played."`
	MaxProductDemos       int      `json:"max_product_demos" doc:"Maximum number of demos by id, and separately by URL."`
	MaxDemos              int      `json:"max_demos" doc:"Maximum number of demos by id, by URL and in clips together."`
	ClipFits              []string `json:"clip_fits" doc:"Values for clips[].fit."`
	AvatarLayouts         []string `json:"avatar_layouts" doc:"Values for avatar_layout."`
	TextAlign             []string `json:"text_align" doc:"Values for text_settings.align."`
	MaxHookCharacters     int      `json:"max_hook_characters" doc:"Maximum length of hook_text."`
	MinClipSeconds        float64  `json:"min_clip_seconds" doc:"Minimum length of a clip."`
	MaxProductDemoSeconds int      `json:"max_product_demo_seconds" doc:"Maximum seconds for which a demo is shown at a time; a longer one is cut."`
	MaxSeconds            int      `json:"max_seconds" doc:"Maximum length of the video."`
}

// Count is a range of whole numbers.
type Count struct {
	Min     int `json:"min" doc:"The minimum."`
	Max     int `json:"max" doc:"The maximum."`
	Default int `json:"default" doc:"The default."`
}

// MediaLimits limits the files that users upload.
type MediaLimits struct {
	ImageMaxBytes int64    `json:"image_max_bytes" doc:"Maximum size of an image in bytes."`
	VideoMaxBytes int64    `json:"video_max_bytes" doc:"Maximum size of a clip in bytes."`
	ContentTypes  []string `json:"content_types" doc:"Accepted content types."`
	MediaTypes    []string `json:"media_types" doc:"Accepted values of media_type."`
}

// PlatformRule describes the posts that a platform accepts.
type PlatformRule struct {
	TitleMax        int      `json:"title_max" doc:"Maximum length of a title. 0: posts have no title, and a title in a request is ignored. On TikTok only photo sets have titles."`
	CaptionMax      int      `json:"caption_max" doc:"Maximum length of a video's caption, in caption_unit."`
	PostingModes    []string `json:"posting_modes" doc:"direct publishes the post. draft uploads it, as a draft or as a private post, for a person to change on the platform."`
	TitleUnit       string   `json:"title_unit" enum:"utf16,characters,bytes" doc:"Unit of title lengths."`
	CaptionUnit     string   `json:"caption_unit" enum:"utf16,characters,bytes" doc:"Unit of caption lengths; hashtags count."`
	MediaKinds      []string `json:"media_kinds" doc:"Accepted kinds of media."`
	PhotoCaptionMax int      `json:"photo_caption_max" doc:"Maximum length of a photo set's caption, in caption_unit; 0 if photo sets are not accepted."`
	MaxPhotos       int      `json:"max_photos" doc:"Maximum number of photos; 0 if photo sets are not accepted."`
	MaxVideoSeconds int      `json:"max_video_seconds" doc:"Maximum length of a video."`
	MaxVideoBytes   int64    `json:"max_video_bytes" doc:"Maximum size of a video."`
	Configured      bool     `json:"configured" doc:"Whether this installation is set up for the platform."`

	Settings     []PlatformSetting `json:"settings" doc:"Settings of a single post in platform_customizations, below the platform's name."`
	Cover        CoverRule         `json:"cover" doc:"Accepted covers."`
	FirstComment FirstCommentRule  `json:"first_comment" doc:"Accepted first comments."`
}

// PlatformSetting is a setting that an author may choose for one post on a platform.
type PlatformSetting struct {
	Name      string   `json:"name" example:"privacy_level" doc:"Name below the platform's name, with dots between levels."`
	ValueType string   `json:"value_type" enum:"enum,boolean,integer,text" doc:"Type of the value."`
	Values    []string `json:"values" doc:"Accepted values of an enum; empty for other types."`
	Max       int      `json:"max" doc:"Maximum of an integer; 0 for no limit."`
	Default   *string  `json:"default" doc:"Default if neither the post nor the brand sets it; null if the platform or the account decides."`
}

// CoverRule describes the covers that a platform accepts.
type CoverRule struct {
	Offset   bool  `json:"offset" doc:"Whether a moment of a video can be chosen (offset_ms, slide)."`
	Image    bool  `json:"image" doc:"Whether an image can be chosen for a video (media_id, slide)."`
	Photo    bool  `json:"photo" doc:"Whether a photo of a photo set can be chosen (slide). If not, the first photo is the cover."`
	MaxBytes int64 `json:"max_bytes" doc:"Maximum size of an image as JPEG; larger images are scaled down. 0 if no image is accepted."`
}

// FirstCommentRule limits a first comment.
type FirstCommentRule struct {
	Max  int    `json:"max" doc:"Maximum length; 0 if the platform has no API for comments."`
	Unit string `json:"unit" enum:"utf16,characters,bytes" doc:"Unit of the length."`
}

// SchedulingLimits limits the time of a post.
type SchedulingLimits struct {
	MinLeadSeconds int `json:"min_lead_seconds" doc:"Minimum time ahead in seconds."`
	MaxAheadDays   int `json:"max_ahead_days" doc:"Maximum time ahead in days."`
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
