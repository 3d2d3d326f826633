// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
)

// Shorts returns shorts of a brand in the order of the filter, without the content of their slides or videos. cut
// receives their number and returns the half-open range of those wanted. The shorts are objects of the cache and must
// not be changed.
func (r *Reader) Shorts(ctx context.Context, namespace, brand string, f index.Filter, cut func(total int) (from, to int)) ([]index.Short, error) {
	if err := r.Index.Await(ctx, namespace); err != nil {
		return nil, fmt.Errorf("waiting for a write to appear in the cache: %w", err)
	}
	return r.Index.List(namespace, brand, f, cut), nil
}

// Short returns a brand's short by id, without the content of its slides or video. This suffices for lists and jobs.
// The short belongs to the cache and must not be changed. Short also finds a short that another replica has just
// created.
func (r *Reader) Short(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, known, err := r.known(ctx, namespace, brand, id)
	if err != nil || known {
		return s, err
	}
	return r.unknown(ctx, namespace, brand, id)
}

// WholeShort returns a brand's complete short by id, as the cluster has it now. Its renders are those of Short.
func (r *Reader) WholeShort(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, known, err := r.known(ctx, namespace, brand, id)
	if err != nil {
		return index.Short{}, err
	}
	switch {
	case !known:
		return r.unknown(ctx, namespace, brand, id)
	case s.Video != nil:
		return r.live(ctx, namespace, brand, &v1beta1.Video{}, s.Video.Name, id)
	}
	return r.live(ctx, namespace, brand, &v1beta1.Slideshow{}, s.Show.Name, id)
}

// unknown looks up a short that another replica has just created, by the names that front ends use.
func (r *Reader) unknown(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, err := r.live(ctx, namespace, brand, &v1beta1.Slideshow{}, SlideshowName(id), id)
	if !errors.Is(err, ErrNotFound) {
		return s, err
	}
	return r.live(ctx, namespace, brand, &v1beta1.Video{}, VideoName(id), id)
}

// known looks the short up in the index. A short of another brand is not found.
func (r *Reader) known(ctx context.Context, namespace, brand string, id int64) (index.Short, bool, error) {
	if err := r.Index.Await(ctx, namespace); err != nil {
		return index.Short{}, false, fmt.Errorf("waiting for a write to appear in the cache: %w", err)
	}
	s, owner, ok := r.Index.Get(namespace, id)
	if ok && owner != brand {
		return index.Short{}, false, ErrNotFound
	}
	return s, ok, nil
}

// live reads a slideshow or a video by name from the cluster. o is the empty object to fill.
func (r *Reader) live(ctx context.Context, namespace, brand string, o client.Object, name string, id int64) (index.Short, error) {
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
	switch {
	case apierrors.IsNotFound(err):
		return index.Short{}, ErrNotFound
	case err != nil:
		return index.Short{}, fmt.Errorf("reading a short: %w", err)
	case ID(o) != id || brandOf(o) != brand || o.GetDeletionTimestamp() != nil:
		return index.Short{}, ErrNotFound
	}
	return index.Of(id, o, r.Index.Renders(namespace, id, o)), nil
}

func brandOf(short client.Object) string {
	if v, ok := short.(*v1beta1.Video); ok {
		return v.Spec.BrandRef.Name
	}
	return short.(*v1beta1.Slideshow).Spec.BrandRef.Name
}
