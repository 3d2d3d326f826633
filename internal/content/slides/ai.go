// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/imagery/ai"
)

const (
	aiPrefix = "ai-"
	// parallelPictures is how many images of one slideshow are created or fetched at a time.
	parallelPictures = 3
	// maxPictureSide is the longest side of a stored image, in pixels. It is enough for every canvas.
	maxPictureSide = 2400
)

// PictureMaker creates images from text. Its errors are *ai.Error.
type PictureMaker interface {
	Make(ctx context.Context, prompt string, ratio catalog.AspectRatio) (image.Image, error)
}

// aiPicture is a background that an image model creates once. Its id, and the key of its blob, depend on what it shows.
type aiPicture struct{ id, key, prompt string }

// aiImageOf returns the AI image of a slide. A slide in the spec keeps its image through every edit of its words while
// the image world is the same. A slide that is written again gets a new image.
func aiImageOf(s *v1beta1.Slideshow, o *Inputs, d v1beta1.Design, sl deck.Slide, had string) *aiPicture {
	heading, body := sl.Heading, sl.Body
	if sl.Overlays != nil {
		for _, t := range *sl.Overlays {
			body = strings.TrimSpace(body + " " + t.Text)
		}
	}
	world := aiPrefix + deck.Hash(d.ImageWorld)[:6] + "-"
	p := &aiPicture{
		id: world + deck.Hash(sl.ID, heading, body, sl.Keywords),
		prompt: ai.Prompt(ai.Scene{
			Heading: heading, Body: body, Keywords: sl.Keywords, World: d.ImageWorld,
			Niche: o.Brand.Spec.Profile.Niche, Audience: o.Brand.Spec.Profile.Audience,
		}),
	}
	if len(s.Spec.Slides) > 0 && strings.HasPrefix(had, world) {
		p.id = had
	}
	p.key = Prefix(s) + "ai/" + strings.TrimPrefix(p.id, aiPrefix) + ".jpg"
	return p
}

// AIImages returns the ids of the AI images that a drawing shows; none if the source of images is another one.
func AIImages(s *v1beta1.Slideshow, o *Inputs, d v1beta1.Design) []string {
	if d.ImageSource.Type != v1beta1.ImageSourceAI {
		return nil
	}
	wanted := deck.Slides(s)
	had := hadPictures(s, d, len(wanted))
	var ids []string
	for _, sl := range wanted {
		if sl.Image == nil {
			ids = append(ids, aiImageOf(s, o, d, sl, had[sl.ID]).id)
		}
	}
	return ids
}

// Missing returns the indexes of the slides whose AI image is not stored yet.
func (x Images) Missing(ctx context.Context, in Drawing) ([]int, error) {
	var missing []int
	for i := range in.slides {
		p := in.slides[i].picture.ai
		if p == nil {
			continue
		}
		there, err := x.Store.Exists(ctx, p.key)
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

// BusyError reports that the image model takes no requests yet. Nothing was done or lost.
type BusyError struct{ After time.Duration }

func (e *BusyError) Error() string { return fmt.Sprintf("the image model is busy for %s", e.After) }

// Create creates the AI images of slides, by their index, and stores each as soon as it is created. Errors of the model
// are a *BusyError or a *FailedError.
func (x Images) Create(ctx context.Context, in Drawing, missing []int) error {
	errs := make([]error, len(in.slides))
	var failed atomic.Bool
	wanted := func() bool { return !failed.Load() && ctx.Err() == nil }
	// A requested image costs money, so it is stored even if another one failed or the manager stops.
	keep := context.WithoutCancel(ctx)
	var g errgroup.Group
	g.SetLimit(parallelPictures)
	for _, i := range missing {
		g.Go(func() error {
			if wanted() {
				errs[i] = x.create(keep, in, in.slides[i].picture.ai)
				failed.CompareAndSwap(false, errs[i] != nil)
			}
			return nil
		})
	}
	_ = g.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, err := range errs {
		if err != nil {
			log.FromContext(ctx).Error(err, "generating AI image failed", "slide", in.slides[i].id)
		}
	}
	return failureOf(in, errs)
}

// create creates an image and stores it.
func (x Images) create(ctx context.Context, in Drawing, p *aiPicture) error {
	img, err := x.Model.Make(ctx, p.prompt, in.ratio)
	if err != nil {
		return err
	}
	return putJPEG(ctx, x.Store, p.key, bounded(img))
}

// failureOf returns the error of a set of images; nil if none failed. A permanent failure takes precedence over all
// others, and any failure over a busy model.
func failureOf(in Drawing, errs []error) error {
	var out error
	for i, err := range errs {
		var e *ai.Error
		var busy *BusyError
		switch {
		case err == nil:
		case !errors.As(err, &e):
			out = &FailedError{v1beta1.WorkError{
				Code: string(catalog.GenerationFailed), Message: "An AI image could not be stored", Retryable: true,
			}}
		case e.Reason == ai.ReasonBusy:
			if out == nil || errors.As(out, &busy) {
				out = &BusyError{After: max(e.After, time.Second)}
			}
		default:
			out = &FailedError{v1beta1.WorkError{
				Code: string(catalog.GenerationFailed), Message: e.Message, Retryable: e.Retryable,
				Details: map[string]string{"slide_id": strconv.FormatInt(in.slides[i].id, 10), "reason": e.Reason},
			}}
			if !e.Retryable {
				return out
			}
		}
	}
	return out
}

// bounded returns an image scaled down to maxPictureSide.
func bounded(img image.Image) image.Image {
	b := img.Bounds()
	long := max(b.Dx(), b.Dy())
	if long <= maxPictureSide {
		return img
	}
	small, err := imagery.Crop(img, max(1, b.Dx()*maxPictureSide/long), max(1, b.Dy()*maxPictureSide/long))
	if err != nil {
		return img
	}
	return small
}

// aiBackground returns an AI image at the size of the canvas.
func (d *Drawer) aiBackground(
	ctx context.Context, in Drawing, i int, g v1beta1.SlideBackground,
) (image.Image, v1beta1.SlideBackground, error) {
	src, err := d.stored(ctx, in.slides[i].picture.ai.key)
	if err != nil {
		return nil, g, err
	}
	img, err := imagery.Crop(src, in.ratio.Width, in.ratio.Height)
	if err != nil {
		return nil, g, err
	}
	return d.kept(ctx, in, g, img)
}
