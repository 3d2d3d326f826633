// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/slides"
)

var previewSpec = operation.Spec{
	Name: "preview_slide", Method: http.MethodPost, Path: "/api/v1/slideshows/{id}/preview", Tag: "Content",
	Summary: "Preview a slide",
	Description: "Draws one slide as an edit would draw it, and returns the image. Nothing is stored or changed. " +
		"The body is that of PATCH, with `slide_id`. Without other members, the slide is drawn as it is. " +
		"The image is a PNG with the same pixels as `rendered_image_url` after that edit, unless `max_width` makes it smaller. " +
		"`textOverlays` are the blocks of text as drawn, and `meta.normalizations` lists the corrections of this slide. " +
		"A preview shows stored images only. A new `image_url`, or an image of a stock provider that the slideshow does not have yet, is a 422 with `details.reason` = `not_stored`. " +
		"Apply the edit, or upload the image and use its `media_id`. " +
		"A preview is also possible while a video is rendered, and for a slideshow that a manifest manages. " +
		"While the slides are generated or laid out, the response is 409 `job_in_progress`. " +
		"A slideshow without slides is a 409 `conflict`. " +
		"If the server draws too many previews at the same time, the response is 503 with `Retry-After`.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, Reads: true,
	Errors: []catalog.Code{
		catalog.JobInProgress, catalog.Conflict, catalog.MediaTooLarge, catalog.UnsupportedMediaType,
	},
	BodyExample: previewExample, DataExample: examplePreview,
}

type previewInput struct {
	ID   operation.ID `path:"id" doc:"The short id."`
	Body PreviewSlide
}

// PreviewSlide is the body of a preview: an edit, with its TransformSchema, and the slide to draw.
type PreviewSlide struct {
	EditSlideshow
	SlideID  *operation.ID `json:"slide_id,omitempty" doc:"Id of the slide to draw. Required."`
	MaxWidth *int          `json:"max_width,omitempty" minimum:"90" maximum:"4096" doc:"Maximum width of the image in pixels. Half the width of the canvas takes a quarter of the bytes. Default: the width of the canvas."`
}

// SlidePreview is one drawn slide.
type SlidePreview struct {
	ShortID      int64          `json:"short_id" doc:"The short id."`
	SlideID      int64          `json:"slide_id" doc:"The drawn slide."`
	ContentType  string         `json:"content_type" enum:"image/png" doc:"Type of the image."`
	Image        []byte         `json:"image" doc:"The image, in base64."`
	Width        int            `json:"width" doc:"Width of the image in pixels."`
	Height       int            `json:"height" doc:"Height of the image in pixels."`
	TextOverlays []view.Overlay `json:"textOverlays" doc:"Blocks of text as drawn, from back to front."`
}

// LogShort returns the id of the short in the response, for the log.
func (p SlidePreview) LogShort() int64 { return p.ShortID }

func (s *Service) previewSlide(ctx context.Context, c *operation.Call, in previewInput) (*operation.Reply[SlidePreview], error) {
	edit, grounds, err := s.editOf(ctx, c, &in.Body.EditSlideshow)
	if err != nil {
		return nil, err
	}
	short, err := s.slideshow(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	if in.Body.SlideID == nil { // not required by the schema: an unknown short is reported first
		return nil, problem.Field("slide_id", "slide_id is required.")
	}
	show, err := s.edition(ctx, c, short, edit, grounds)
	if err != nil {
		return nil, err
	}
	id := int64(*in.Body.SlideID)
	if !slices.ContainsFunc(deck.Slides(show), func(sl deck.Slide) bool { return sl.ID == id }) {
		return nil, problem.Field("slide_id", fmt.Sprintf("The slideshow has no slide %d.", id))
	}
	leave, err := s.Painter.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, stop := context.WithTimeout(ctx, previewTime)
	defer stop()
	drawn, err := s.preview(ctx, c, show, id)
	if p := undrawable(err, show, grounds); p != nil {
		return nil, p
	}
	if err != nil {
		return nil, fmt.Errorf("drawing a preview: %w", err)
	}
	if most := in.Body.MaxWidth; most != nil && *most < drawn.Image.Bounds().Dx() {
		drawn.Image = overlay.Thumbnail(drawn.Image, *most)
	}
	var out bytes.Buffer
	if err := imagery.EncodePNG(&out, drawn.Image); err != nil {
		return nil, fmt.Errorf("drawing a preview: %w", err)
	}
	reply := &operation.Reply[SlidePreview]{Data: SlidePreview{
		ShortID: short.ID, SlideID: id, ContentType: "image/png", Image: out.Bytes(),
		Width: drawn.Image.Bounds().Dx(), Height: drawn.Image.Bounds().Dy(), TextOverlays: view.Overlays(drawn.Overlays),
	}}
	for _, n := range drawn.Normalizations {
		reply.Meta.Normalizations = append(reply.Meta.Normalizations, normalization(n))
	}
	return reply, nil
}

// edition returns a slideshow with an edit applied. It refuses the edits that change refuses, except while a render
// runs and for a slideshow that a manifest manages. It writes nothing.
func (s *Service) edition(ctx context.Context, c *operation.Call, short *view.Short, edit *deck.Edit, grounds []ground) (*v1beta1.Slideshow, error) {
	if err := settledSlides(short); err != nil {
		return nil, err
	}
	if len(short.Show.Status.Slides) == 0 || short.Show.Status.Design == nil {
		return nil, problem.New(catalog.Conflict, problem.Details{"short_id": short.ID, "status": short.Status()}).
			Saying("The slideshow has no slides yet.")
	}
	if _, err := apply(short, c, *edit); err != nil {
		return nil, err
	}
	if err := s.backgrounds(ctx, c, short, grounds, func(address, field string) (*v1beta1.MediaAsset, error) {
		return s.importedMedia(ctx, c, short.Show, address, field)
	}); err != nil {
		return nil, err
	}
	res, err := apply(short, c, *edit)
	if err != nil {
		return nil, err
	}
	if p := s.slideshowVoice(c, short.Show, edit.Voice); p != nil {
		return nil, p
	}
	show := short.Show.DeepCopy()
	show.Spec = *res.Spec
	return show, nil
}

// preview draws a slide of a slideshow as its controller would draw it. An edit that changes nothing visible draws no
// slide again, so the current one is returned.
func (s *Service) preview(ctx context.Context, c *operation.Call, show *v1beta1.Slideshow, id int64) (*slides.Preview, error) {
	if show.Status.VisualHash == deck.VisualHash(show, deck.DesignOf(show, v1beta1.Design{})) {
		if now, err := s.Painter.drawer.Current(ctx, show, id); now != nil || err != nil {
			return now, err
		}
	}
	media := freshMedia{Reader: s.Reader.Cached, live: s.Reader.Live}
	in, err := slides.ReadInputs(ctx, media, s.Library, show, c.Brand)
	if err != nil {
		return nil, err
	}
	if reason, message := in.Missing(show); reason != "" {
		p := problem.New(catalog.Conflict, problem.Details{"short_id": read.ID(show), "reason": "media_missing"}).
			Saying("An image or the media pack of the slideshow does not exist any more, or is not ready.")
		p.Cause = errors.New(message)
		return nil, p
	}
	design := deck.DesignOf(show, deck.OfBrand(c.Brand))
	// Without providers, Gather only finds stored images.
	found, err := slides.Images{Store: s.Store}.Gather(ctx, show, &in, design)
	if failed := (*slides.FailedError)(nil); errors.As(err, &failed) {
		return nil, &unstoredError{failed}
	}
	if err != nil {
		return nil, err
	}
	if slides.ChoosesImages(show, &in, found, design) {
		if in.Recent, err = s.recentUses(ctx, c, show); err != nil {
			return nil, err
		}
	}
	return s.Painter.drawer.Preview(ctx, slides.NewDrawing(show, &in, found, design, show.Status.Revision+1), id)
}

// unstoredError is the error of a slide whose image the store does not have.
type unstoredError struct{ *slides.FailedError }

// undrawable returns the problem of a slide that cannot be drawn, with its member of the body; nil for other errors.
func undrawable(err error, show *v1beta1.Slideshow, grounds []ground) error {
	var unstored *unstoredError
	var failed *slides.FailedError
	switch {
	case errors.As(err, &unstored):
		return notStored(fieldOf(unstored.FailedError, show, grounds))
	case errors.As(err, &failed):
		p := problem.Field(fieldOf(failed, show, grounds), failed.Message+".")
		p.Retryable = failed.Retryable
		return p
	}
	return nil
}

// fieldOf returns the member of the body that set the image of the slide in an error; slide_id if none did.
func fieldOf(e *slides.FailedError, show *v1beta1.Slideshow, grounds []ground) string {
	all, i := deck.Slides(show), 0
	if _, err := fmt.Sscanf(e.Details["field"], "slides[%d].", &i); err == nil && i < len(all) {
		for _, g := range grounds {
			if g.slide == all[i].ID && g.mediaID != nil {
				return g.field + "media_id"
			}
		}
	}
	return "slide_id"
}

// notStored returns the problem of an image that a preview cannot show, because it fetches none.
func notStored(field string) *problem.Problem {
	p := problem.Field(field, "A preview shows stored images only: apply the edit, or upload the image and use its media_id.")
	p.Details["reason"] = "not_stored"
	return p
}

// previewTime limits the time for one preview.
const previewTime = 10 * time.Second
