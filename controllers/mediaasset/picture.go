// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/media/intake"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/runner"
)

const (
	thumbnailFile    = "thumbnail.jpg"
	thumbnailType    = "image/jpeg"
	thumbnailQuality = 85
	// maxThumbnailHeight is the largest height of a thumbnail in pixels. The thumbnail of a narrow, tall image is
	// cropped to it.
	maxThumbnailHeight = 4 * catalog.ThumbnailWidth
)

// look decodes a stored image completely and creates its thumbnail. For a clip it returns false, because only Jobs open
// clips.
func (r *Reconciler) look(ctx context.Context, m *v1beta1.MediaAsset, key string) (bool, error) {
	head, err := r.Intake.Store.Head(ctx, key, sniff.Bytes)
	if err != nil {
		return false, missing(err)
	}
	kept, refused := judge(m, head)
	if refused != nil {
		return false, refused
	}
	if kept.Kind == kindVideo {
		return false, nil
	}
	release, err := r.decodes.Acquire(ctx, m.Namespace)
	if err != nil {
		return false, err
	}
	defer release()
	data, err := r.read(ctx, key)
	if err != nil {
		return false, err
	}
	data, img, changed, refused := cleaned(m.Namespace, kept.ContentType, data)
	if refused != nil {
		return false, refused
	}
	if changed { // the copy belongs to the object, and an interrupted reconcile stores the same bytes again
		if err := r.Intake.Store.Put(ctx, key, kept.ContentType, bytes.NewReader(data)); err != nil {
			return false, err
		}
	}
	small, err := thumbnail(img)
	if err != nil {
		return false, err
	}
	to := runner.MediaPrefix(m) + thumbnailFile
	if err := r.Intake.Store.Put(ctx, to, thumbnailType, bytes.NewReader(small)); err != nil {
		return false, err
	}
	b := img.Bounds()
	m.Status.Probe = &v1beta1.MediaProbe{
		Kind: kindImage, ContentType: kept.ContentType, Bytes: int64(len(data)), Width: int32(b.Dx()), Height: int32(b.Dy()),
	}
	m.Status.ThumbnailKey = to
	return true, nil
}

// missing returns the refusal of a media asset whose stored file does not exist, because another client removed it from
// the store. It returns all other errors unchanged.
func missing(err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return intake.Refuse(catalog.InternalError, intake.ReasonMissing, "The stored file does not exist")
	}
	return err
}

func (r *Reconciler) read(ctx context.Context, key string) ([]byte, error) {
	body, err := r.Intake.Store.Get(ctx, key)
	if err != nil {
		return nil, missing(err)
	}
	defer func() { _ = body.Close() }()
	data, err := io.ReadAll(io.LimitReader(body, catalog.MaxImageBytes+1))
	if err == nil && len(data) > catalog.MaxImageBytes {
		return nil, intake.Refuse(catalog.MediaTooLarge, "", "The image is larger than %d bytes", catalog.MaxImageBytes)
	}
	return data, err
}

// cleaned decodes an image file, and returns the file without data that could make it valid in a second format. changed
// reports whether the returned file differs from data.
func cleaned(account, contentType string, data []byte) (clean []byte, img image.Image, changed bool, refused *intake.Refusal) {
	clean, err := imagery.Clean(contentType, data)
	if err != nil {
		clean = data
	}
	if img, refused = decode(account, clean); refused != nil {
		return nil, nil, false, refused
	}
	switch {
	case errors.Is(err, imagery.ErrArchive):
		return nil, nil, false, intake.Refuse(catalog.ValidationFailed, "archive", "The file is an archive as well "+
			"as an image: save the image again without the archive")
	case err != nil:
		r := intake.Refuse(catalog.ValidationFailed, intake.ReasonUnreadable, "The image is damaged or truncated")
		r.Cause = err
		return nil, nil, false, r
	}
	return clean, img, len(clean) != len(data) || !bytes.Equal(clean, data), nil
}

// decode decodes a whole image, within the limits on pixels, frames and scans.
func decode(account string, data []byte) (image.Image, *intake.Refusal) {
	img, _, err := imagery.DecodeFor(account, bytes.NewReader(data), catalog.MaxImagePixels)
	var large *imagery.TooLargeError
	var many *imagery.TooManyError
	switch {
	case err == nil:
		return img, nil
	case errors.As(err, &large):
		return nil, intake.Refuse(catalog.ValidationFailed, "too_many_pixels", "The image has %dx%d pixels: at most %d million, and %d on a side, are accepted",
			large.Width, large.Height, catalog.MaxImagePixels/1_000_000, imagery.MaxSide)
	case errors.As(err, &many):
		return nil, intake.Refuse(catalog.ValidationFailed, "too_many_"+many.What, "The image has more than %d %s", many.Max, many.What)
	}
	r := intake.Refuse(catalog.ValidationFailed, intake.ReasonUnreadable, "The image is damaged or truncated")
	r.Cause = err
	return nil, r
}

// thumbnail returns a small JPEG, not larger than the image.
func thumbnail(img image.Image) ([]byte, error) {
	b := img.Bounds()
	w := min(catalog.ThumbnailWidth, b.Dx())
	h := min(max(1, (b.Dy()*w+b.Dx()/2)/b.Dx()), maxThumbnailHeight)
	small, err := imagery.Crop(img, w, h)
	if err != nil {
		return nil, fmt.Errorf("creating the thumbnail: %w", err)
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, small, &jpeg.Options{Quality: thumbnailQuality})
	return out.Bytes(), err
}
