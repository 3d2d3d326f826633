// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"context"
	"errors"
	"image"
	"slices"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/store/blob"
)

// ErrNoSlide means that a drawing has no slide with the ID.
var ErrNoSlide = errors.New("no such slide")

// Preview is one slide as Draw draws it. Nothing of it is stored.
type Preview struct {
	Image image.Image
	// Overlays are the blocks of text as drawn. Normalizations are the corrections of this slide.
	Overlays       []v1beta1.TextOverlay
	Normalizations []v1beta1.Normalization
}

// Preview draws the slide with an ID without storing anything. The pixels and the normalizations equal those of Draw
// for the same drawing. A slide whose content cannot be drawn is a *FailedError. If the drawing has no such slide, the
// error is ErrNoSlide.
//
// The images that the drawing needs must be stored: Gather without providers finds those that are.
func (d *Drawer) Preview(ctx context.Context, in Drawing, id int64) (*Preview, error) {
	i := slices.IndexFunc(in.slides, func(sl slideInput) bool { return sl.id == id })
	if i < 0 {
		return nil, ErrNoSlide
	}
	in.unstored = true
	slide, changes, img, err := d.drawnBefore(ctx, in, i)
	if err != nil || img != nil {
		return &Preview{Image: img, Overlays: slide.TextOverlays, Normalizations: changes}, err
	}
	bg, err := d.currentBackground(ctx, in, i)
	if err == nil && bg == nil {
		bg, _, err = d.background(ctx, in, i)
	}
	if errors.Is(err, blob.ErrNotFound) { // Draw creates the image first
		return nil, invalid("image", "The image of the slide is not stored yet")
	}
	if err != nil {
		return nil, err
	}
	n, err := d.normalise(in, i, bg)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Preview{
		Image:    d.Engine.Compose(bg, d.Engine.Draw(in.ratio, n.Gradient, n.Overlays)),
		Overlays: overlaysTo(n.Overlays), Normalizations: changesTo(id, n.Changes),
	}, nil
}

// Current returns a slide of the current revision from the store; nil if the slide does not exist or its file is lost.
func (d *Drawer) Current(ctx context.Context, s *v1beta1.Slideshow, id int64) (*Preview, error) {
	slide := deck.Drawn(s, id)
	if slide == nil {
		return nil, nil
	}
	img, err := d.readable(ctx, slide.PictureKey)
	if img == nil || err != nil {
		return nil, err
	}
	return &Preview{
		Image: img, Overlays: slide.TextOverlays, Normalizations: changesOf(s.Status.Normalizations, id),
	}, nil
}

// currentBackground returns the stored background of the current revision if the slide keeps its image and the canvas
// its size; nil otherwise. It has the pixels that background returns, because both come from the same source and the
// same steps. Reading it is much faster than decoding and cropping the source.
func (d *Drawer) currentBackground(ctx context.Context, in Drawing, i int) (image.Image, error) {
	was := slices.IndexFunc(in.before, func(s v1beta1.Slide) bool { return s.ID == in.slides[i].id })
	if was < 0 {
		return nil, nil
	}
	had, want := in.before[was].Background, in.slides[i].picture.ground()
	if had.Source != want.Source || had.ID != want.ID || had.MediaID != want.MediaID || had.BlobKey == "" {
		return nil, nil
	}
	img := d.Backgrounds.get(had.BlobKey)
	if img == nil {
		var err error
		if img, err = d.readable(ctx, had.BlobKey); img == nil || err != nil {
			return nil, err
		}
		d.Backgrounds.put(had.BlobKey, img)
	}
	if img.Bounds().Dx() != in.ratio.Width || img.Bounds().Dy() != in.ratio.Height {
		return nil, nil
	}
	return img, nil
}

// readable returns a stored image; nil if it is lost or broken.
func (d *Drawer) readable(ctx context.Context, key string) (image.Image, error) {
	img, err := d.stored(ctx, key)
	var broken *imagery.BrokenError
	if errors.Is(err, blob.ErrNotFound) || errors.As(err, &broken) {
		return nil, nil
	}
	return img, err
}

// ChoosesImages reports whether a drawing chooses the image of a slide. The choice depends on Inputs.Recent.
func ChoosesImages(s *v1beta1.Slideshow, o *Inputs, g Gathered, d v1beta1.Design) bool {
	wanted := deck.Slides(s)
	in := make([]slideInput, len(wanted))
	for i, sl := range wanted {
		in[i].id = sl.ID
	}
	_, open := settledPictures(s, o, g, d, candidates(o, d), wanted, in)
	return len(open) > 0
}
