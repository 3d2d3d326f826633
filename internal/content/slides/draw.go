// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blobkey"
)

const (
	// jpegQuality of backgrounds and previews.
	jpegQuality = 92
	// MaxNormalizations is the largest number of normalizations in a status.
	MaxNormalizations = 200
	// ReasonSpeech is the reason of a Normalization of a slide that is shown for longer than requested, because its
	// speech is longer. A drawing does not keep these normalizations.
	ReasonSpeech = "shorter_than_speech"
)

// FailedError is an error that the status of the slideshow reports.
type FailedError struct{ v1beta1.WorkError }

func (e *FailedError) Error() string { return e.Message }

// invalid returns the error of a value in the spec that cannot be drawn.
func invalid(field, message string) *FailedError {
	return &FailedError{v1beta1.WorkError{
		Code: string(catalog.ValidationFailed), Message: message, Details: map[string]string{"field": field},
	}}
}

// Drawer draws slides and stores the images.
type Drawer struct {
	Store    *blob.Store
	Engine   *overlay.Engine
	Parallel int // slides drawn at once, over all slideshows
	// Backgrounds keeps decoded backgrounds for Preview; nil keeps none.
	Backgrounds *Backgrounds

	once  sync.Once
	slots chan struct{}
}

// Drawn is the result of Draw. Kept reports whether the images of the current revision are used unchanged.
type Drawn struct {
	Slides                   []v1beta1.Slide
	Normalizations           []v1beta1.Normalization
	PreviewKey, ThumbnailKey string
	Revision                 int64
	Design                   v1beta1.Design
	Kept                     bool
}

// Draw draws and stores a set of slides with their contact sheet and thumbnail. Every name depends on the drawn
// content, so a repetition after a crash replaces each blob with an equal one. A slide whose content cannot be drawn is
// a *FailedError.
func (d *Drawer) Draw(ctx context.Context, in Drawing) (*Drawn, error) {
	d.once.Do(func() { d.slots = make(chan struct{}, max(1, d.Parallel)) })
	out := &Drawn{Slides: make([]v1beta1.Slide, len(in.slides))}
	pictures := make([]image.Image, len(in.slides))
	changes := make([][]v1beta1.Normalization, len(in.slides))
	g, gctx := errgroup.WithContext(ctx)
	for i := range in.slides {
		g.Go(func() error {
			select {
			case d.slots <- struct{}{}:
				defer func() { <-d.slots }()
			case <-gctx.Done():
				return gctx.Err()
			}
			var err error
			if out.Slides[i], changes[i], pictures[i], err = d.drawnBefore(gctx, in, i); err != nil || pictures[i] != nil {
				return err
			}
			out.Slides[i], changes[i], pictures[i], err = d.drawSlide(gctx, in, i)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if !in.spoken { // else the voice-over fixes the times
		ExtendLast(out.Slides)
	}
	for _, c := range changes {
		out.Normalizations = append(out.Normalizations, c...)
	}
	out.Normalizations = out.Normalizations[:min(len(out.Normalizations), MaxNormalizations)]
	out.PreviewKey, out.ThumbnailKey = in.prefix+"preview.jpg", in.prefix+"thumbnail.jpg"
	if err := putJPEG(ctx, d.Store, out.PreviewKey, overlay.ContactSheet(pictures)); err != nil {
		return nil, err
	}
	return out, putJPEG(ctx, d.Store, out.ThumbnailKey, overlay.Thumbnail(pictures[0], catalog.ThumbnailWidth))
}

// drawSlide draws and stores a slide. It returns the changes that keep the slide readable, and the image.
func (d *Drawer) drawSlide(
	ctx context.Context, in Drawing, i int,
) (v1beta1.Slide, []v1beta1.Normalization, image.Image, error) {
	sl := in.slides[i]
	fail := func(err error) (v1beta1.Slide, []v1beta1.Normalization, image.Image, error) {
		return v1beta1.Slide{}, nil, nil, err
	}
	bg, ground, err := d.background(ctx, in, i)
	if err != nil {
		return fail(err)
	}
	n, err := d.normalise(in, i, bg)
	if err != nil {
		return fail(err)
	}
	layer := d.Engine.Draw(in.ratio, n.Gradient, n.Overlays)
	whole := d.Engine.Compose(bg, layer)
	slide := v1beta1.Slide{
		ID: sl.id, Background: ground, TextOverlays: overlaysTo(n.Overlays), Gradient: gradientTo(n.Gradient),
		DrawnFrom:  in.drawnFrom(i),
		LayerKey:   fmt.Sprintf("%slayer-%d.png", in.prefix, sl.id),
		PictureKey: fmt.Sprintf("%sslide-%d.png", in.prefix, sl.id),
	}
	slide.AltText = deck.AltText(sl.altText, slide.TextOverlays)
	slide.DurationMilliseconds = in.duration(i, slide.TextOverlays).Milliseconds()
	if err := putPNG(ctx, d.Store, slide.LayerKey, layer); err != nil {
		return fail(err)
	}
	if err := putPNG(ctx, d.Store, slide.PictureKey, whole); err != nil {
		return fail(err)
	}
	return slide, changesTo(sl.id, n.Changes), whole, nil
}

// normalise lays out the text of a slide and corrects it until it is readable on a background.
func (d *Drawer) normalise(in Drawing, i int, bg image.Image) (overlay.Slide, error) {
	sl := in.slides[i]
	var want []overlay.Overlay
	origin := overlay.Generated
	if sl.text != nil {
		want = d.Engine.Layout(in.looks(), in.ratio, *sl.text, in.language)
	} else {
		want, origin = handmade(d.Engine, in, sl), overlay.Submitted
	}
	n, err := d.Engine.Normalise(bg, in.ratio, in.shade, want, origin)
	var bad *overlay.Invalid
	if errors.As(err, &bad) {
		return n, invalid(fmt.Sprintf("slides[%d].%s", i, bad.Field), bad.Message)
	}
	return n, err
}

// drawnBefore returns a slide of the current revision if it was drawn from the same input; otherwise the image is nil.
// An edit of one slide then draws only that slide, and the others stay identical to the last bit.
func (d *Drawer) drawnBefore(
	ctx context.Context, in Drawing, i int,
) (v1beta1.Slide, []v1beta1.Normalization, image.Image, error) {
	none := v1beta1.Slide{}
	was := slices.IndexFunc(in.before, func(s v1beta1.Slide) bool { return s.ID == in.slides[i].id })
	if was < 0 || in.before[was].DrawnFrom == "" || in.before[was].DrawnFrom != in.drawnFrom(i) {
		return none, nil, nil, nil
	}
	slide := in.before[was]
	slide.Speech = nil // the speech belongs to the revision before
	picture, err := d.readable(ctx, slide.PictureKey)
	if picture == nil || err != nil {
		return none, nil, nil, err
	}
	slide.AltText = deck.AltText(in.slides[i].altText, slide.TextOverlays)
	slide.DurationMilliseconds = in.duration(i, slide.TextOverlays).Milliseconds()
	return slide, changesOf(in.changes, slide.ID), picture, nil
}

// changesOf returns the normalizations of a slide's drawing.
func changesOf(all []v1beta1.Normalization, slide int64) []v1beta1.Normalization {
	var out []v1beta1.Normalization
	for _, n := range all {
		if n.SlideID == slide && n.Reason != ReasonSpeech {
			out = append(out, n)
		}
	}
	return out
}

// background returns a slide's background at the size of the canvas. Drawn stock is stored once for all slideshows.
func (d *Drawer) background(ctx context.Context, in Drawing, i int) (image.Image, v1beta1.SlideBackground, error) {
	p, w, h := in.slides[i].picture, in.ratio.Width, in.ratio.Height
	g := p.ground()
	if p.stock != nil {
		g.BlobKey = stock.StarterKey(p.stock.ID, stock.Size{Width: w, Height: h})
		if img, err := d.stored(ctx, g.BlobKey); err == nil {
			return img, g, nil
		} else if !errors.Is(err, blob.ErrNotFound) {
			return nil, g, err
		}
		img, err := starter.Draw(ctx, *p.stock, w, h)
		if err != nil {
			return nil, g, err
		}
		return d.kept(ctx, in, g, img)
	}
	g.BlobKey = in.backgroundKey(i)
	if p.ai != nil {
		return d.aiBackground(ctx, in, i, g)
	}
	var key string
	if p.found != nil {
		key = p.found.key
	} else {
		key = p.asset.Status.BlobKey
	}
	src, err := d.stored(ctx, key)
	var broken *imagery.BrokenError
	var large *imagery.TooLargeError
	switch {
	case errors.As(err, &broken), errors.As(err, &large), errors.Is(err, blob.ErrNotFound):
		return nil, g, invalid(fmt.Sprintf("slides[%d].image", i), fmt.Sprintf("The image %q cannot be read", p.id()))
	case err != nil:
		return nil, g, err
	}
	img, err := imagery.Crop(src, w, h)
	if err != nil {
		return nil, g, err
	}
	return d.kept(ctx, in, g, img)
}

// kept stores a background and returns it as read back from the store, so that this pass uses the same pixels as later
// passes and the renderer. For a drawing that is not stored, it returns the same pixels.
func (d *Drawer) kept(
	ctx context.Context, in Drawing, g v1beta1.SlideBackground, img image.Image,
) (image.Image, v1beta1.SlideBackground, error) {
	if in.unstored {
		var b bytes.Buffer
		if err := encodeJPEG(&b, img); err != nil {
			return nil, g, err
		}
		img, err := decode(g.BlobKey, &b)
		return img, g, err
	}
	if err := putJPEG(ctx, d.Store, g.BlobKey, img); err != nil {
		return nil, g, err
	}
	img, err := d.stored(ctx, g.BlobKey)
	return img, g, err
}

func (d *Drawer) stored(ctx context.Context, key string) (image.Image, error) {
	r, err := d.Store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return decode(key, io.LimitReader(r, catalog.MaxImageBytes))
}

// decode decodes the image of a blob key.
func decode(key string, r io.Reader) (image.Image, error) {
	img, _, err := imagery.DecodeFor(blobkey.Namespace(key), r, catalog.MaxImagePixels)
	return img, err
}

func putPNG(ctx context.Context, store *blob.Store, key string, img image.Image) error {
	var b bytes.Buffer
	if err := imagery.EncodePNG(&b, img); err != nil {
		return err
	}
	return store.Put(ctx, key, "image/png", &b)
}

func putJPEG(ctx context.Context, store *blob.Store, key string, img image.Image) error {
	var b bytes.Buffer
	if err := encodeJPEG(&b, img); err != nil {
		return err
	}
	return store.Put(ctx, key, "image/jpeg", &b)
}

func encodeJPEG(w io.Writer, img image.Image) error {
	return jpeg.Encode(w, img, &jpeg.Options{Quality: jpegQuality})
}
