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

// Shorts picks shorts of a brand, newest first, without what is on their slides or in their films. cut is told how many there are and says
// which are wanted, as a half-open range. They are the cache's own and must not be changed.
func (r *Reader) Shorts(ctx context.Context, namespace, brand string, f index.Filter, cut func(total int) (from, to int)) ([]index.Short, error) {
	if err := r.Index.Await(ctx, namespace); err != nil {
		return nil, fmt.Errorf("waiting for a write to come back: %w", err)
	}
	return r.Index.List(namespace, brand, f, cut), nil
}

// Short finds a brand's short by id, without what is on its slides or in its film: enough for a list and for its job. It is the cache's
// own and must not be changed. One that another replica made a moment ago is found too.
func (r *Reader) Short(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, known, err := r.known(ctx, namespace, brand, id)
	if err != nil || known {
		return s, err
	}
	return r.unknown(ctx, namespace, brand, id)
}

// WholeShort finds a brand's short by id with all that it has, as the cluster holds it now. Renders are as in Short.
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

// unknown looks for a short that another replica made a moment ago: by the names that front ends give.
func (r *Reader) unknown(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, err := r.live(ctx, namespace, brand, &v1beta1.Slideshow{}, SlideshowName(id), id)
	if !errors.Is(err, ErrNotFound) {
		return s, err
	}
	return r.live(ctx, namespace, brand, &v1beta1.Video{}, VideoName(id), id)
}

// known asks the index. A short of another brand is not found.
func (r *Reader) known(ctx context.Context, namespace, brand string, id int64) (index.Short, bool, error) {
	if err := r.Index.Await(ctx, namespace); err != nil {
		return index.Short{}, false, fmt.Errorf("waiting for a write to come back: %w", err)
	}
	s, owner, ok := r.Index.Get(namespace, id)
	if ok && owner != brand {
		return index.Short{}, false, ErrNotFound
	}
	return s, ok, nil
}

// live reads a slideshow or a video by name from the cluster, into an empty object.
func (r *Reader) live(ctx context.Context, namespace, brand string, o client.Object, name string, id int64) (index.Short, error) {
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
	switch {
	case apierrors.IsNotFound(err):
		return index.Short{}, ErrNotFound
	case err != nil:
		return index.Short{}, fmt.Errorf("reading a short: %w", err)
	case ID(o) != id || brandOf(o) != brand:
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
