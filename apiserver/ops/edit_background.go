// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/stock"
)

// ground is a background that a body requests for a slide, by media id or URL.
type ground struct {
	slide   int64 // 0 for a new slide
	mediaID *operation.ID
	url     *string
	field   string // prefix of the member names in errors
	to      **v1beta1.SlideImage
}

// backgrounds resolves or fetches the requested images and sets them in the edit. A slide that was read and sent back
// names its existing image, which changes nothing. importMedia returns the media item of any other URL.
func (s *Service) backgrounds(ctx context.Context, c *operation.Call, short *view.Short, grounds []ground,
	importMedia func(address, field string) (*v1beta1.MediaAsset, error),
) error {
	for _, g := range grounds {
		var byID, byURL *v1beta1.SlideImage
		var err error
		own := deck.Drawn(short.Show, g.slide)
		switch {
		case g.mediaID == nil:
		case own != nil && own.Background.MediaID == int64(*g.mediaID):
			byID = deck.ImageOf(own.Background)
		default:
			if byID, err = s.mediaImage(ctx, c, int64(*g.mediaID), g.field+"media_id"); err != nil {
				return err
			}
		}
		if g.url != nil {
			var shown bool
			if byURL, shown, err = s.shownImage(short, *g.url); err != nil {
				return err
			}
			if !shown {
				asset, err := importMedia(*g.url, g.field+"image_url")
				if err != nil {
					return err
				}
				byURL = &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: asset.Name}}
			}
		}
		var has *v1beta1.SlideImage
		if own != nil {
			has = deck.ImageOf(own.Background)
		}
		img, ok := oneImage(has, byID, byURL)
		if !ok {
			return problem.Field(g.field+"media_id", "Set image_url or media_id, not both.")
		}
		*g.to = img
	}
	return nil
}

// oneImage chooses between the two images requested for a slide. A slide that was read and sent back names its own
// image twice; if one of the two differs, that one is meant. ok is false if both differ.
func oneImage(own, a, b *v1beta1.SlideImage) (*v1beta1.SlideImage, bool) {
	same := func(x, y *v1beta1.SlideImage) bool { return equality.Semantic.DeepEqual(x, y) }
	switch {
	case a == nil || same(a, b):
		return b, true
	case b == nil || same(b, own):
		return a, true
	}
	return b, same(a, own)
}

// mediaImage returns an image by id: a media item that the brand may use, one that every account has, or a stock item.
func (s *Service) mediaImage(ctx context.Context, c *operation.Call, id int64, field string) (*v1beta1.SlideImage, error) {
	asset, err := s.Reader.MediaByID(ctx, c.Namespace(), c.Brand.Name, id)
	if errors.Is(err, read.ErrNotFound) {
		return s.stockImage(ctx, id, field)
	}
	if err != nil {
		return nil, err
	}
	if view.MediaStatus(asset) == view.MediaProcessing {
		// The cache may lag behind: another replica may already have shown the item as ready.
		now := &v1beta1.MediaAsset{}
		if err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(asset), now); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("reading a media item: %w", err)
		} else if err == nil {
			asset = now
		}
	}
	if err := unusable(asset, field); err != nil {
		return nil, err
	}
	if asset.Namespace != c.Namespace() { // the library's
		ref := view.StockItem(id, asset).Ref()
		return &v1beta1.SlideImage{Stock: &ref}, nil
	}
	return &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: asset.Name}}, nil
}

// stockImage returns a stock image by id.
func (s *Service) stockImage(ctx context.Context, id int64, field string) (*v1beta1.SlideImage, error) {
	item, found, err := s.Stock.ByID(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, problem.Field(field, "There is no such media item.")
	case item.Kind != stock.KindImage:
		return nil, problem.Field(field, "The media item is not an image.")
	}
	ref := item.Ref()
	return &v1beta1.SlideImage{Stock: &ref}, nil
}

// unusable returns the error for a media item that cannot be a background. The error is retryable if the item is still
// being fetched.
func unusable(asset *v1beta1.MediaAsset, field string) error {
	if e := asset.Status.Error; e != nil {
		code := catalog.Code(e.Code)
		if _, known := catalog.LookupError(code); !known {
			code = catalog.ValidationFailed
		}
		details := problem.Details{"field": field}
		for k, v := range e.Details {
			details[k] = v
		}
		if code == catalog.MediaTooLarge {
			details["limit_bytes"], details["kind"] = catalog.MaxImageBytes, "image"
		}
		p := problem.New(code, details).Saying(e.Message + ".")
		p.Retryable = e.Retryable
		return p
	}
	switch p := asset.Status.Probe; {
	case p == nil:
		refused := problem.Field(field, "The image is still being fetched: send the same request again in a moment.")
		refused.Retryable = true
		refused.Details["reason"] = "not_fetched_yet"
		if e := lastAttempt(asset); e != nil {
			refused.Message = "Fetching the image failed and will be retried: " + e.Message + "."
			refused.Details["cause"] = e.Message
		}
		return refused
	case p.Kind != view.KindImage:
		return problem.Field(field, "The media item is not an image.")
	}
	return nil
}

// lastAttempt returns the error of the last attempt to fetch a file; nil if none failed.
func lastAttempt(asset *v1beta1.MediaAsset) *v1beta1.WorkError {
	if asset.Status.Work == nil {
		return nil
	}
	return asset.Status.Work.Error
}

// pending reports whether a file is still being fetched and has no result yet.
func pending(asset *v1beta1.MediaAsset) bool {
	return asset.Status.Probe == nil && asset.Status.Error == nil && lastAttempt(asset) == nil
}

// shownImage reports whether a URL belongs to an image of the slideshow, and returns that image. img is nil for an
// image that has no reference of its own.
func (s *Service) shownImage(short *view.Short, address string) (img *v1beta1.SlideImage, shown bool, err error) {
	for i := range short.Show.Status.Slides {
		d := &short.Show.Status.Slides[i]
		for _, key := range []string{d.Background.BlobKey, d.PictureKey} {
			own, err := short.Sign(key, catalog.PictureURLValidity)
			if err != nil {
				return nil, false, err
			}
			if !sameFile(own, address) {
				continue
			}
			return deck.ImageOf(d.Background), true, nil
		}
	}
	return nil, false, nil
}

// awaitImports waits until the fetched images have been checked, and refuses unusable ones. An image that takes too
// long is refused for now, so that a server that does not respond blocks no slideshow. Fetching continues, and a
// repeated edit finds the image.
func (s *Service) awaitImports(ctx, wait context.Context, imported map[string]*v1beta1.MediaAsset) error {
	wait, stop := context.WithTimeout(wait, s.editWait()/2) // the rest is for the layout
	defer stop()
	fields := slices.Sorted(maps.Keys(imported))
	for _, field := range fields {
		asset := imported[field]
		for d := firstLook; pending(asset); d = min(d*3/2, lastLook) {
			if pause(wait, d) != nil {
				break
			}
			if err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(asset), asset); err != nil {
				return fmt.Errorf("reading a media item: %w", err)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		refused := unusable(asset, field)
		if refused == nil {
			continue
		}
		if asset.Status.Error == nil {
			return refused
		}
		// The item is unused, and the next attempt must fetch the file again.
		if err := s.Client.Delete(ctx, asset); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("removing a media item: %w", err)
		}
		return refused
	}
	return nil
}

// sameFile reports whether two signed URLs refer to the same blob. Signature and expiry are in the query.
func sameFile(a, b string) bool {
	u, err := url.Parse(a)
	v, err2 := url.Parse(b)
	return err == nil && err2 == nil && u.Scheme == v.Scheme && u.Host == v.Host && u.Path == v.Path
}

// importedFrom reports whether a media item belongs to the brand and is fetched from the URL.
func importedFrom(a *v1beta1.MediaAsset, brand, address string) bool {
	return a.Spec.BrandRef != nil && a.Spec.BrandRef.Name == brand && a.Spec.Source.URL != nil && *a.Spec.Source.URL == address
}

// importMedia creates the media item of a URL for a slideshow, or returns the one of an earlier attempt. The item is
// deleted together with the slideshow.
func (s *Service) importMedia(ctx context.Context, c *operation.Call, show *v1beta1.Slideshow, address, field string) (*v1beta1.MediaAsset, error) {
	if err := s.permit(ctx, "The image", field, address); err != nil {
		return nil, err
	}
	for n := 1; n <= takenNames; n++ {
		key := pictureName(show, address, n)
		earlier, free, err := s.earlier(ctx, key, c.Brand.Name, address)
		if earlier != nil || err != nil {
			return earlier, err
		}
		if free {
			asset, err := s.createPicture(ctx, c, show, key, address, field)
			if !apierrors.IsAlreadyExists(err) {
				return asset, err
			}
			// A concurrent request may have created it.
			if earlier, _, err = s.earlier(ctx, key, c.Brand.Name, address); earlier != nil || err != nil {
				return earlier, err
			}
		}
	}
	return nil, fmt.Errorf("creating a media item: %d names in a row are taken", takenNames)
}

// importedMedia returns the usable media item of a URL that an earlier edit of the slideshow created. It creates none.
func (s *Service) importedMedia(ctx context.Context, c *operation.Call, show *v1beta1.Slideshow, address, field string) (*v1beta1.MediaAsset, error) {
	if err := s.permit(ctx, "The image", field, address); err != nil {
		return nil, err
	}
	for n := 1; n <= takenNames; n++ {
		earlier, free, err := s.earlier(ctx, pictureName(show, address, n), c.Brand.Name, address)
		switch {
		case err != nil:
			return nil, err
		case earlier != nil:
			return earlier, unusable(earlier, field)
		case free:
			return nil, notStored(field)
		}
	}
	return nil, notStored(field)
}

// pictureName returns the nth name, from 1, for the media item of a URL of a slideshow.
func pictureName(show *v1beta1.Slideshow, address string, n int) client.ObjectKey {
	name := "slide-" + deck.Hash(v1beta1.Origin(show), address)[:20]
	if n > 1 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return client.ObjectKey{Namespace: show.Namespace, Name: name}
}

// earlier returns the media item with the name if it was created for the URL. The item has the image, is still being
// fetched, or holds the reason why not. Otherwise free reports whether the name is unused. An item that is being
// deleted, or that a manifest created under the name, is unrelated and leaves the name taken.
func (s *Service) earlier(ctx context.Context, key client.ObjectKey, brand, address string) (asset *v1beta1.MediaAsset, free bool, err error) {
	asset = &v1beta1.MediaAsset{}
	err = s.Reader.Live.Get(ctx, key, asset)
	switch {
	case apierrors.IsNotFound(err):
		return nil, true, nil
	case err != nil:
		return nil, false, fmt.Errorf("reading a media item: %w", err)
	case asset.DeletionTimestamp.IsZero() && importedFrom(asset, brand, address):
		return asset, false, nil
	}
	return nil, false, nil
}

// createPicture creates the media item of a URL, if the account's plan has room for it. The error is AlreadyExists if
// the name is taken.
func (s *Service) createPicture(ctx context.Context, c *operation.Call, show *v1beta1.Slideshow, key client.ObjectKey,
	address, field string,
) (*v1beta1.MediaAsset, error) {
	if err := s.admit(ctx, c, quota.Stored{Objects: 1, PendingURLs: 1}); err != nil {
		return nil, err
	}
	asset := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, Finalizers: []string{v1beta1.FinalizerMediaAsset},
			Labels: map[string]string{v1beta1.LabelBrand: c.Brand.Name},
		},
		Spec: v1beta1.MediaAssetSpec{BrandRef: &v1beta1.LocalRef{Name: c.Brand.Name}, Source: v1beta1.MediaSource{URL: &address}},
	}
	if err := controllerutil.SetOwnerReference(show, asset, s.Client.Scheme()); err != nil {
		return nil, err
	}
	err := s.Client.Create(ctx, asset)
	if apierrors.IsInvalid(err) {
		p := problem.Field(field, "The URL was rejected.")
		p.Cause = err
		return nil, p
	}
	if err != nil {
		return nil, fmt.Errorf("creating a media item: %w", err)
	}
	return asset, nil
}
