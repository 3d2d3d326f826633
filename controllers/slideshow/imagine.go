// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
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
	// sourceAI is the source of a background that an image model created.
	sourceAI = deck.SourceAI
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

// imagined returns the AI image of a slide. A slide in the spec keeps its image through every edit of its words while
// the image world is the same. A slide that is written again gets a new image.
func imagined(s *v1beta1.Slideshow, o *observed, d v1beta1.Design, sl deck.Slide, had string) *aiPicture {
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
			Niche: o.brand.Spec.Profile.Niche, Audience: o.brand.Spec.Profile.Audience,
		}),
	}
	if len(s.Spec.Slides) > 0 && strings.HasPrefix(had, world) {
		p.id = had
	}
	p.key = Prefix(s) + "ai/" + strings.TrimPrefix(p.id, aiPrefix) + ".jpg"
	return p
}

// creditsFor returns the price of the AI images that the work may have to create, in credits.
func creditsFor(s *v1beta1.Slideshow, o *observed, d v1beta1.Design) int32 {
	price := perPicture(o)
	if d.ImageSource.Type != v1beta1.ImageSourceAI || price == 0 {
		return 0
	}
	if !deck.Written(s) {
		return price * int32(catalog.AISlides(int(s.Spec.SlideCount), int(o.brand.Spec.SlideshowDefaults.SlideCount)))
	}
	wanted := deck.Slides(s)
	had := hadPictures(s, d, len(wanted))
	var n int32
	for _, sl := range wanted {
		if sl.Image == nil && !paid(s, imagined(s, o, d, sl, had[sl.ID]).id) {
			n++
		}
	}
	return price * n
}

func paid(s *v1beta1.Slideshow, id string) bool {
	return s.Status.Credits != nil && slices.Contains(s.Status.Credits.Paid, id)
}

// imagine creates the missing AI images of a drawing and stores each as soon as it is created. It returns nil if all of
// them exist, else the result of the pass.
func (r *Reconciler) imagine(ctx context.Context, s *v1beta1.Slideshow, o *observed, in Drawing) *result {
	var missing []int
	var cost int32
	for i := range in.slides {
		p := in.slides[i].picture.ai
		if p == nil {
			continue
		}
		if !paid(s, p.id) {
			cost += perPicture(o)
		}
		there, err := r.Drawer.Store.Exists(ctx, p.key)
		if err != nil {
			return &result{err: err}
		}
		if !there {
			missing = append(missing, i)
		}
	}
	if cost > 0 {
		if err := r.commit(ctx, s, o, cost); err != nil {
			if f := unaffordable(err); f != nil {
				return &result{failed: f.err}
			}
			return &result{err: err}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	began := r.Clock.Now()
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
				errs[i] = r.keepPicture(keep, in, in.slides[i].picture.ai)
				failed.CompareAndSwap(false, errs[i] != nil)
			}
			return nil
		})
	}
	_ = g.Wait()
	if ctx.Err() != nil {
		return &result{err: ctx.Err()}
	}
	log := log.FromContext(ctx).WithValues("short_id", s.Labels[v1beta1.LabelID])
	for i, err := range errs {
		if err != nil {
			log.Error(err, "making an AI picture", "slide", in.slides[i].id)
		}
	}
	if out := verdict(in, errs); out != nil {
		return out
	}
	log.Info("AI pictures made", "pictures", len(missing), "made_ms", r.Clock.Since(began).Milliseconds())
	return nil
}

// keepPicture creates an image and stores it.
func (r *Reconciler) keepPicture(ctx context.Context, in Drawing, p *aiPicture) error {
	img, err := r.Pictures.Make(ctx, p.prompt, in.ratio)
	if err != nil {
		return err
	}
	return r.Drawer.putJPEG(ctx, p.key, bounded(img))
}

// verdict returns the result for the errors of a set of images. A permanent failure takes precedence over all others.
func verdict(in Drawing, errs []error) *result {
	var out *result
	for i, err := range errs {
		var e *ai.Error
		switch {
		case err == nil:
			continue
		case !errors.As(err, &e):
			out = &result{failed: &v1beta1.WorkError{
				Code: string(catalog.GenerationFailed), Message: "An AI picture could not be stored", Retryable: true,
			}}
			continue
		case e.Reason == ai.ReasonBusy:
			if out == nil || out.busy > 0 {
				out = &result{busy: max(e.After, time.Second)}
			}
			continue
		}
		failed := &result{failed: &v1beta1.WorkError{
			Code: string(catalog.GenerationFailed), Message: e.Message, Retryable: e.Retryable,
			Details: map[string]string{"slide_id": strconv.FormatInt(in.slides[i].id, 10), "reason": e.Reason},
		}}
		if !e.Retryable {
			return failed
		}
		out = failed
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

// imaginedGround returns an AI image at the size of the canvas.
func (d *Drawer) imaginedGround(ctx context.Context, in Drawing, i int) (image.Image, v1beta1.SlideBackground, error) {
	p := in.slides[i].picture.ai
	g := v1beta1.SlideBackground{Source: sourceAI, ID: p.id, BlobKey: fmt.Sprintf("%sbackground-%d.jpg", in.prefix, in.slides[i].id)}
	src, err := d.stored(ctx, p.key)
	if err != nil {
		return nil, g, err
	}
	img, err := imagery.Crop(src, in.ratio.Width, in.ratio.Height)
	if err != nil {
		return nil, g, err
	}
	return d.kept(ctx, g, img)
}
