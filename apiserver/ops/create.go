// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textgen/offline"
	"github.com/reelops/reelops/internal/film/shortwork"
)

var createSpec = operation.Spec{
	Name: "create_slideshow", Method: http.MethodPost, Path: "/api/v1/slideshows", Tag: "Generation",
	Summary: "Create a slideshow",
	Description: "Only `context` is required, or `slides` with your own texts, which are used unchanged. " +
		"The response has a job; the slides are ready when it has succeeded. " +
		"With `auto_render` the video follows automatically under the same job id. " +
		"Without a text model the slides contain only words of the context. " +
		"If the context is too short, the slideshow has fewer slides, `meta.warnings` contains `text_model_not_configured`, and the job's `status_message` has the number of slides with text of the context. " +
		"Text that fits neither on a slide nor in the caption is reported by the warning `text_omitted` and by the short's `text.omitted`.",
	Scope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Generation, Idempotent: true, Status: http.StatusAccepted,
	Errors: []catalog.Code{catalog.QuotaExceeded, catalog.InsufficientCredits}, Polls: true,
	BodyExample: map[string]any{"context": exampleContext, "slide_count": 7, "aspect_ratio": "9:16"},
	DataExample: exampleJob,
}

type createInput struct{ Body CreateSlideshow }

func (s *Service) createSlideshow(ctx context.Context, c *operation.Call, in createInput) (*operation.Reply[view.Job], error) {
	body := &in.Body
	spec, err := body.spec(c.Brand.Name)
	if err != nil {
		return nil, err
	}
	images, err := s.slideImages(ctx, c, body.Slides)
	if err != nil {
		return nil, err
	}
	if spec.Slides, err = slidesOf(body.Slides, images); err != nil {
		return nil, err
	}
	var warnings []operation.Warning
	if spec.ImageSource, warnings, err = s.imageSource(ctx, c, body); err != nil {
		return nil, err
	}
	if spec.Music, err = s.music(ctx, c, body.BackgroundMusicID); err != nil {
		return nil, err
	}
	if p := s.slideshowVoice(c, &v1beta1.Slideshow{Spec: *spec}, spec.Voice); p != nil {
		return nil, p
	}
	warnings = append(warnings, s.unfit(ctx, c, spec)...)
	show, found, err := accept(ctx, s, c, wanted[*v1beta1.Slideshow]{
		object: &v1beta1.Slideshow{Spec: *spec}, finalizer: v1beta1.FinalizerSlideshow, need: s.need(c, spec), named: read.SlideshowName,
		brand: func(s *v1beta1.Slideshow) string { return s.Spec.BrandRef.Name },
	})
	if err != nil {
		return nil, err
	}
	return s.accepted(ctx, c, show, found, warnings)
}

// unfit warns about a context that does not fit its slides if no language model is configured: it has too little text,
// or more than the slides and the caption can hold. unfit runs the offline writer, which writes the slideshow in that
// case. A request that the offline writer refuses fails as a job and needs no warning.
func (s *Service) unfit(ctx context.Context, c *operation.Call, spec *v1beta1.SlideshowSpec) []operation.Warning {
	if s.TextModel || len(spec.Slides) > 0 {
		return nil
	}
	draft, err := offline.New().Write(ctx, shortwork.WriteRequest(&v1beta1.Slideshow{Spec: *spec}, c.Brand))
	if err != nil {
		return nil
	}
	var warnings []operation.Warning
	if draft.Shortfall != nil {
		warnings = append(warnings, operation.Warning{
			Code: "text_model_not_configured",
			Message: fmt.Sprintf("context has text for %d of %d slides, and no text model is configured to write the rest. Put everything the slides should "+
				"show into context, or ask the operator to configure a text model.", draft.Shortfall.FromText, draft.Shortfall.Wanted),
		})
	}
	if n := len(draft.Omitted); n > 0 {
		warnings = append(warnings, operation.Warning{
			Code: "text_omitted",
			Message: fmt.Sprintf("context is too long for %d slides: %d of its passages are neither on a slide nor in the "+
				"caption. text.omitted of the short has them. Shorten context, increase slide_count, or create two slideshows.",
				len(draft.Slides), n),
		})
	}
	return warnings
}

// imageSource validates the requested image source. Without a type the brand's default applies.
func (s *Service) imageSource(ctx context.Context, c *operation.Call, body *CreateSlideshow) (*v1beta1.ImageSource, []operation.Warning, error) {
	asked := body.ImageSource
	if (asked == nil || asked.Type == "") && sourceOf(c, nil) == v1beta1.ImageSourceAI && !s.AIImages.Available {
		return nil, nil, s.noAIImages()
	}
	var warnings []operation.Warning
	if asked == nil || asked.Type == "" {
		var err error
		if warnings, err = s.usualPack(ctx, c, body); err != nil || asked == nil {
			return nil, warnings, err
		}
	}
	if asked.MediaPackID != nil && asked.Type != string(v1beta1.ImageSourcePack) {
		warnings = append(warnings, operation.Warning{
			Code: "media_pack_ignored", Message: "image_source.media_pack_id was ignored: it applies only with type pack.",
		})
	}
	switch v1beta1.ImageSourceType(asked.Type) {
	case "":
		return nil, warnings, nil
	case v1beta1.ImageSourceAI:
		if !s.AIImages.Available {
			return nil, nil, s.noAIImages()
		}
	case v1beta1.ImageSourcePack:
		pack, err := s.pack(ctx, c, asked.MediaPackID)
		if err != nil {
			return nil, nil, err
		}
		warnings = append(warnings, smaller(pack, c, body)...)
		ref := &v1beta1.LocalRef{Name: pack.Name()}
		if pack.Common {
			return &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, LibraryPackRef: ref}, warnings, nil
		}
		return &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, PackRef: ref}, warnings, nil
	}
	return &v1beta1.ImageSource{Type: v1beta1.ImageSourceType(asked.Type)}, warnings, nil
}

// noAIImages returns the problem for AI images without a configured image model.
func (s *Service) noAIImages() error {
	p := problem.NotAllowed("image_source.type", []string{"stock", "pack"}, "AI images are not set up on this installation.")
	p.Details["reason"] = "not_available"
	return p
}

// usualPack checks the pack that the brand uses by default. Without that pack, or without images in it, the slideshow
// would only wait and fail.
func (s *Service) usualPack(ctx context.Context, c *operation.Call, body *CreateSlideshow) ([]operation.Warning, error) {
	const field = "image_source.media_pack_id"
	usual := c.Brand.Spec.SlideshowDefaults.ImageSource
	if usual == nil || usual.Type != v1beta1.ImageSourcePack {
		return nil, nil
	}
	pack, err := s.Reader.PackByID(ctx, c.Namespace(), c.Brand.Name, s.Reader.PackID(c.Namespace(), usual))
	switch {
	case errors.Is(err, read.ErrNotFound):
		return nil, problem.Field(field, "The default media pack of the brand does not exist; set image_source.")
	case err != nil:
		return nil, err
	case pack.Images() == 0:
		return nil, problem.Field(field, "The default media pack of the brand has no images; set image_source, or add images to the pack.")
	}
	return smaller(pack, c, body), nil
}

// smaller returns a warning if a pack has fewer images than the expected number of slides.
func smaller(pack index.Pack, c *operation.Call, body *CreateSlideshow) []operation.Warning {
	slides := cmp.Or(int64(len(body.Slides)), body.slides(), int64(c.Brand.Spec.SlideshowDefaults.SlideCount), catalog.MinSlides)
	if int64(pack.Images()) >= slides {
		return nil
	}
	return []operation.Warning{{
		Code: "pack_smaller_than_slideshow", Message: "The pack has fewer images than the slideshow has slides, so some images are used more than once.",
	}}
}

func (s *Service) pack(ctx context.Context, c *operation.Call, id *operation.ID) (index.Pack, error) {
	const field = "image_source.media_pack_id"
	if id == nil {
		return index.Pack{}, problem.Field(field, "image_source.media_pack_id is required with type pack.")
	}
	pack, err := s.Reader.PackByID(ctx, c.Namespace(), c.Brand.Name, int64(*id))
	switch {
	case errors.Is(err, read.ErrNotFound):
		return pack, problem.Field(field, "There is no such media pack.")
	case err != nil:
		return pack, err
	case pack.Images() == 0:
		return pack, problem.Field(field, "The media pack has no images.")
	}
	return pack, nil
}

// spec returns the requested spec, except for the image source.
func (b *CreateSlideshow) spec(brand string) (*v1beta1.SlideshowSpec, error) {
	switch {
	case b.Context == "" && b.Slides == nil:
		return nil, problem.Field("context", "context is required.")
	case b.Slides != nil && len(b.Slides) == 0:
		return nil, problem.Field("slides", "slides must not be empty.")
	case b.Slides != nil && b.slides() != 0:
		return nil, problem.Field("slide_count", "slide_count must be omitted if slides is set.")
	}
	out := &v1beta1.SlideshowSpec{
		BrandRef: v1beta1.LocalRef{Name: brand}, Context: b.Context, SlideCount: int32(b.slides()),
		Title: b.Title, Caption: b.Caption, Gradient: b.gradient(), Voice: b.Voice.spec(),
	}
	for from, to := range map[*string]*string{b.AspectRatio: &out.AspectRatio, b.DesignStyle: &out.DesignStyle, b.ImageWorld: &out.ImageWorld, b.Pace: &out.Film.Pace} {
		if from != nil {
			*to = *from
		}
	}
	if b.AutoRender != nil {
		out.AutoRender = *b.AutoRender
	}
	var err error
	if out.Language, err = languageOf(b.Language); err != nil {
		return nil, err
	}
	out.Tags, err = tagsOf(b.Tags)
	return out, err
}

// languageOf returns the canonical language tag; empty if none is requested.
func languageOf(in *string) (string, error) {
	if in == nil {
		return "", nil
	}
	tag, err := language.Parse(*in)
	if err != nil {
		return "", problem.Field("language", "language must be a BCP 47 tag such as en or pt-BR.")
	}
	return tag.String(), nil
}

// tagsOf returns the cleaned tags; nil if the member is absent.
func tagsOf(in *string) (*string, error) {
	if in == nil {
		return nil, nil //nolint:nilnil // absent
	}
	tags, err := cleanTags(*in)
	return &tags, err
}

func (b *CreateSlideshow) slides() int64 {
	if b.SlideCount == nil {
		return 0
	}
	return *b.SlideCount
}

func (b *CreateSlideshow) gradient() *v1beta1.Gradient {
	if b.GradientEnabled == nil && b.GradientColor == nil && b.GradientOpacity == nil && b.GradientDirection == nil && b.GradientCoverage == nil {
		return nil
	}
	out := &v1beta1.Gradient{Enabled: b.GradientEnabled, Opacity: b.GradientOpacity, Coverage: b.GradientCoverage}
	if out.Opacity != nil && *out.Opacity > 1 { // a percentage
		share := *out.Opacity / 100
		out.Opacity = &share
	}
	if b.GradientColor != nil {
		out.Color = *b.GradientColor
	}
	if b.GradientDirection != nil {
		out.Direction = *b.GradientDirection
	}
	return out
}

// cleanTags removes empty entries and white space from a comma separated list. An empty list means no tags.
func cleanTags(in string) (string, error) {
	var out []string
	for _, t := range strings.Split(in, ",") {
		t = strings.TrimSpace(t)
		if t == "" {
			continue
		}
		if utf8.RuneCountInString(t) > catalog.MaxTagCharacters {
			return "", problem.Field("tags", fmt.Sprintf("A tag may have at most %d characters.", catalog.MaxTagCharacters))
		}
		out = append(out, t)
	}
	if len(out) > catalog.MaxTags {
		return "", problem.Field("tags", fmt.Sprintf("At most %d tags are allowed, not %d.", catalog.MaxTags, len(out)))
	}
	return strings.Join(out, ","), nil
}
