// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"net/http"
	"slices"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
)

var addSlideSpec = operation.Spec{
	Name: "add_slide", Method: http.MethodPost, Path: "/api/v1/slideshows/{id}/slides", Tag: "Content",
	Summary: "Add a slide",
	Description: "Adds a slide with a text, text overlays or an image, or a copy of another slide. " +
		"Without an image, one is chosen as for a new slideshow; AI images cost credits. " +
		"The copy of a slide with an AI image gets a new image. The rules of PATCH apply: " +
		"`revision` increases, a video becomes `stale`, and running work is a 409 `job_in_progress`. " +
		"A slideshow has at most 12 slides (422, `details.field` = `slides`). " +
		"Returns the slideshow with the id of the new slide in `slide_id`.",
	Scope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Status: http.StatusCreated,
	Errors: []catalog.Code{
		catalog.JobInProgress, catalog.Conflict, catalog.MediaTooLarge, catalog.UnsupportedMediaType, catalog.QuotaExceeded, catalog.InsufficientCredits,
	},
	BodyExample: map[string]any{"heading": "Keep the room dark", "body": "Even a small light costs deep sleep.", "position": 2},
	DataExample: AddedSlide{ShortRecord: exampleRecord, SlideID: 2},
}

type addSlideInput struct {
	ID   operation.ID `path:"id" doc:"The short id."`
	Body AddSlide
}

// AddedSlide is the slideshow with a new slide.
type AddedSlide struct {
	view.ShortRecord
	SlideID int64 `json:"slide_id" doc:"The id of the new slide."`
}

func (s *Service) addSlide(ctx context.Context, c *operation.Call, in addSlideInput) (*operation.Reply[AddedSlide], error) {
	n, err := in.Body.slide()
	if err != nil {
		if _, missing := s.slideshow(ctx, c, in.ID); missing != nil {
			return nil, missing
		}
		return nil, err
	}
	edit := deck.Edit{Add: n}
	if place, resumed := c.Resumed(); resumed {
		n.Slide.ID, edit.Retried = place.ID, true
	}
	reserve := func(short *view.Short) error {
		taken := slices.ContainsFunc(deck.Slides(short.Show), func(sl deck.Slide) bool { return sl.ID == n.Slide.ID })
		if n.Slide.ID != 0 && !taken {
			return nil
		}
		if err := s.affordPicture(ctx, c, short, n); err != nil {
			return err
		}
		place, err := c.Accept(ctx, func(context.Context) (int64, string, error) { return deck.NextID(short.Show), short.Show.Name, nil })
		n.Slide.ID = place.ID
		return err
	}
	grounds := []ground{{mediaID: in.Body.MediaID, url: in.Body.ImageURL, to: &n.Slide.Image}}
	reply, err := s.change(ctx, c, in.ID, &edit, grounds, reserve)
	if err != nil {
		return nil, err
	}
	return &operation.Reply[AddedSlide]{Data: AddedSlide{ShortRecord: reply.Data, SlideID: n.Slide.ID}, Meta: reply.Meta}, nil
}

// affordPicture refuses a slide that needs an AI image if the account lacks the credits.
func (s *Service) affordPicture(ctx context.Context, c *operation.Call, short *view.Short, n *deck.NewSlide) error {
	if short.Source().Type != v1beta1.ImageSourceAI || n.Slide.Image != nil {
		return nil
	}
	if d := deck.Drawn(short.Show, n.CopyOf); d != nil && deck.ImageOf(d.Background) != nil {
		return nil
	}
	if !s.AIImages.Available {
		return s.noAIImages()
	}
	account, err := s.Reader.Account(ctx, c.Namespace())
	if err != nil {
		return err
	}
	return refused(quota.Check(account, quota.Need{Credits: s.AIImages.Cost(1)}, s.Clock.Now()))
}

var removeSlideSpec = operation.Spec{
	Name: "remove_slide", Method: http.MethodDelete, Path: "/api/v1/slideshows/{id}/slides/{slide_id}", Tag: "Content",
	Summary: "Remove a slide",
	Description: "Removes a slide and returns the slideshow without it. The rules of PATCH apply: " +
		"`revision` increases, a video becomes `stale`, and running work is a 409 `job_in_progress`. " +
		"At least one slide remains (422, `details.field` = `slides`).",
	Scope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Global,
	Errors:      []catalog.Code{catalog.JobInProgress, catalog.Conflict, catalog.ValidationFailed},
	DataExample: exampleRecord,
}

type removeSlideInput struct {
	ID      operation.ID `path:"id" doc:"The short id."`
	SlideID operation.ID `path:"slide_id" doc:"The slide's id."`
}

func (s *Service) removeSlide(ctx context.Context, c *operation.Call, in removeSlideInput) (*operation.Reply[view.ShortRecord], error) {
	return s.change(ctx, c, in.ID, &deck.Edit{Remove: int64(in.SlideID)}, nil, nil)
}

// slideImages returns the images that the slides of a body name, by slide; nil for a slide without one.
func (s *Service) slideImages(ctx context.Context, c *operation.Call, slides []NewSlide) ([]*v1beta1.SlideImage, error) {
	out := make([]*v1beta1.SlideImage, len(slides))
	for i := range slides {
		id := slides[i].MediaID
		if id == nil {
			continue
		}
		var err error
		if out[i], err = s.mediaImage(ctx, c, int64(*id), slideField(i)+"media_id"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// noSlide returns the error for a slide that does not exist.
func noSlide() error {
	return problem.New(catalog.NotFound, nil).Saying("The slideshow has no such slide.")
}
