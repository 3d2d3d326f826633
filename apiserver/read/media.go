// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
)

// MediaName returns the object name of a media item that the front end creates with an id.
func MediaName(id int64) string { return "media-" + strconv.FormatInt(id, 10) }

// OwnMedia returns media items of the brand itself and those that its account shares. cut receives their number and
// returns the half-open range of those wanted. The items are trimmed objects of the cache and must not be changed.
func (r *Reader) OwnMedia(ctx context.Context, namespace, brand string, f index.MediaFilter, cut func(total int) (from, to int)) ([]index.MediaItem, error) {
	if err := r.awaitMedia(ctx, namespace); err != nil {
		return nil, err
	}
	return r.Media.Own(namespace, brand, f, cut), nil
}

// PackedMedia returns media items of the packs that a brand may use, like OwnMedia.
func (r *Reader) PackedMedia(ctx context.Context, namespace, brand string, f index.MediaFilter, cut func(total int) (from, to int)) ([]index.MediaItem, error) {
	if err := r.awaitMedia(ctx, namespace); err != nil {
		return nil, err
	}
	return r.Media.Packed(namespace, brand, f, cut), nil
}

// ProductDemos returns the number of product demos that belong to a brand. Those shared with the whole account do not
// count.
func (r *Reader) ProductDemos(ctx context.Context, namespace, brand string) (int, error) {
	if err := r.awaitMedia(ctx, namespace); err != nil {
		return 0, err
	}
	return r.Media.CountMine(namespace, brand, catalog.MediaProductDemo), nil
}

// MediaByID returns a media item that the brand may use: its own, one of the whole account, or one that every account
// has, which is in another namespace. The item may be trimmed and must not be changed. MediaByID also finds an item
// that another replica has just created.
func (r *Reader) MediaByID(ctx context.Context, namespace, brand string, id int64) (*v1beta1.MediaAsset, error) {
	if err := r.awaitMedia(ctx, namespace); err != nil {
		return nil, err
	}
	if item, ok := r.Media.Get(namespace, brand, id); ok {
		return item.Asset, nil
	}
	if item, ok := r.Media.GetLibrary(id); ok {
		return item.Asset, nil
	}
	if id > ids.Max/2 {
		return nil, ErrNotFound // numbers of stock items, which have no objects
	}
	m := &v1beta1.MediaAsset{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: MediaName(id)}, m)
	switch {
	case apierrors.IsNotFound(err):
		return nil, ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("reading a media item: %w", err)
	case ID(m) != id || !m.DeletionTimestamp.IsZero() || m.Spec.BrandRef != nil && m.Spec.BrandRef.Name != brand:
		return nil, ErrNotFound
	}
	return m, nil
}

// Packs returns the packs that a brand may use: its own and its account's, newest first, then those that every account
// has, by title.
func (r *Reader) Packs(ctx context.Context, namespace, brand string) ([]index.Pack, error) {
	if err := r.awaitMedia(ctx, namespace); err != nil {
		return nil, err
	}
	return r.Media.Packs(namespace, brand), nil
}

// PackByID returns a media pack that the brand may use: its own, one of the whole account, or one that every account
// has.
func (r *Reader) PackByID(ctx context.Context, namespace, brand string, id int64) (index.Pack, error) {
	if err := r.awaitMedia(ctx, namespace); err != nil {
		return index.Pack{}, err
	}
	if p, ok := r.Media.Pack(namespace, brand, id); ok {
		return p, nil
	}
	return index.Pack{}, ErrNotFound
}

// PackID returns the id of the pack that an image source refers to; 0 if it refers to none or to an unknown one.
func (r *Reader) PackID(namespace string, source *v1beta1.ImageSource) int64 {
	var p index.Pack
	switch {
	case source == nil:
	case source.PackRef != nil:
		p, _ = r.Media.NamedPack(namespace, source.PackRef.Name)
	case source.LibraryPackRef != nil:
		p, _ = r.Media.CommonPack(source.LibraryPackRef.Name)
	}
	return p.ID
}

// ClipID returns the id of the media item that a clip refers to; 0 for a clip given by URL and for an unknown item.
func (r *Reader) ClipID(ctx context.Context, library, namespace string, c *v1beta1.ClipSource) int64 {
	var key client.ObjectKey
	switch {
	case c.MediaRef != nil:
		key = client.ObjectKey{Namespace: namespace, Name: c.MediaRef.Name}
	case c.LibraryRef != nil:
		key = client.ObjectKey{Namespace: library, Name: c.LibraryRef.Name}
	default:
		return 0
	}
	m := &v1beta1.MediaAsset{}
	if err := r.Cached.Get(ctx, key, m); err != nil {
		return 0
	}
	return ID(m)
}

func (r *Reader) awaitMedia(ctx context.Context, namespace string) error {
	if err := r.Media.Await(ctx, namespace); err != nil {
		return fmt.Errorf("waiting for a write to appear in the cache: %w", err)
	}
	return nil
}
