// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"errors"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
)

// maxSearched is the maximum number of archived shorts that one search reads. Their text indexes are in process together.
const maxSearched = 100_000

// ErrSearchTooWide means that a search would read too many archived shorts. Bounds of the time of creation exclude some.
var ErrSearchTooWide = errors.New("too many archived shorts to search")

// Shorts returns shorts of a brand in the order of the filter, without the content of their slides or videos. cut
// receives their number and returns the half-open range of those wanted. The shorts are objects of the cache and must
// not be changed.
func (r *Reader) Shorts(ctx context.Context, namespace, brand string, f index.Filter, cut func(total int) (from, to int)) (page []index.Short, err error) {
	if err := r.Index.Await(ctx, namespace); err != nil {
		return nil, fmt.Errorf("waiting for a write to appear in the cache: %w", err)
	}
	if f.Live {
		return r.Index.List(namespace, brand, f, cut), nil
	}
	err = r.withShorts(ctx, namespace, func() error {
		if page, err = r.listShorts(ctx, namespace, brand, f, cut); err != nil {
			return err
		}
		return r.fillShorts(ctx, namespace, page)
	})
	return page, err
}

// listShorts returns a page of shorts, with archived ones without their objects.
func (r *Reader) listShorts(ctx context.Context, namespace, brand string, f index.Filter, cut func(total int) (from, to int)) ([]index.Short, error) {
	if f.Query == nil {
		return r.Index.List(namespace, brand, f, cut), nil
	}
	words := map[*index.Segment]*index.Words{}
	rows := 0
	for {
		page, missing := r.Index.Search(namespace, brand, f, words, cut)
		if len(missing) == 0 {
			return page, nil
		}
		for _, s := range missing {
			rows += s.Len()
		}
		if rows > maxSearched {
			return nil, ErrSearchTooWide
		}
		more, err := r.Archive.Words(ctx, namespace, brand, missing)
		if err != nil {
			return nil, err
		}
		maps.Copy(words, more)
	}
}

// Short returns a brand's short by id, without the content of its slides or video. This suffices for lists and jobs.
// The short belongs to the cache and must not be changed. Short also finds a short that another replica has just
// created.
func (r *Reader) Short(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, known, err := r.known(ctx, namespace, brand, id)
	if err != nil || known {
		return s, err
	}
	if s, err = r.archivedShort(ctx, namespace, brand, id); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = trimShort(&s)
		}
		return s, err
	}
	return r.unknown(ctx, namespace, brand, id)
}

// WholeShort returns a brand's complete short by id, as the cluster has it now, or else the archive. Its renders are
// those of Short.
func (r *Reader) WholeShort(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, known, err := r.known(ctx, namespace, brand, id)
	if err != nil {
		return index.Short{}, err
	}
	moved := ErrNotFound
	if known {
		var o client.Object = &v1beta1.Slideshow{}
		if s.Video != nil {
			o = &v1beta1.Video{}
		}
		s, moved = r.live(ctx, namespace, brand, o, s.Object().GetName(), id)
		if !elsewhere(moved) {
			return s, moved
		}
	}
	if s, err = r.archivedShort(ctx, namespace, brand, id); !errors.Is(err, ErrNotFound) {
		return s, err
	}
	if known {
		return index.Short{}, moved
	}
	return r.unknown(ctx, namespace, brand, id)
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

// live reads a slideshow or a video by name from the cluster. o is the empty object to fill. The error is errMoving
// if the object is on its way to the archive or back.
func (r *Reader) live(ctx context.Context, namespace, brand string, o client.Object, name string, id int64) (index.Short, error) {
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
	switch {
	case apierrors.IsNotFound(err):
		return index.Short{}, ErrNotFound
	case err != nil:
		return index.Short{}, fmt.Errorf("reading a short: %w", err)
	case ID(o) != id || brandOf(o) != brand:
		return index.Short{}, ErrNotFound
	case moving(o):
		return index.Short{}, errMoving
	case o.GetDeletionTimestamp() != nil:
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
