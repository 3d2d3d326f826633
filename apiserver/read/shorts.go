// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/apiserver/index"
)

// Shorts picks shorts of a brand, newest first, without what is on their slides. cut is told how many there are and says
// which are wanted, as a half-open range. They are the cache's own and must not be changed.
func (r *Reader) Shorts(ctx context.Context, namespace, brand string, f index.Filter, cut func(total int) (from, to int)) ([]index.Short, error) {
	if err := r.Index.Await(ctx, namespace); err != nil {
		return nil, fmt.Errorf("waiting for a write to come back: %w", err)
	}
	return r.Index.List(namespace, brand, f, cut), nil
}

// Short finds a brand's short by id, without what is on its slides: enough for a list and for its job. It is the cache's
// own and must not be changed. One that another replica made a moment ago is found too.
func (r *Reader) Short(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, known, err := r.known(ctx, namespace, brand, id)
	if err != nil || known {
		return s, err
	}
	return r.live(ctx, namespace, brand, SlideshowName(id), id)
}

// WholeShort finds a brand's short by id with all that it has, as the cluster holds it now. Renders are as in Short.
func (r *Reader) WholeShort(ctx context.Context, namespace, brand string, id int64) (index.Short, error) {
	s, known, err := r.known(ctx, namespace, brand, id)
	if err != nil {
		return index.Short{}, err
	}
	name := SlideshowName(id)
	if known {
		name = s.Show.Name
	}
	return r.live(ctx, namespace, brand, name, id)
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

// live reads a slideshow by name from the cluster.
func (r *Reader) live(ctx context.Context, namespace, brand, name string, id int64) (index.Short, error) {
	s := &v1alpha1.Slideshow{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, s)
	switch {
	case apierrors.IsNotFound(err):
		return index.Short{}, ErrNotFound
	case err != nil:
		return index.Short{}, fmt.Errorf("reading a slideshow: %w", err)
	case ID(s) != id || s.Spec.BrandRef.Name != brand:
		return index.Short{}, ErrNotFound
	}
	return index.Short{ID: id, Show: s, Renders: r.Index.Renders(namespace, id, name)}, nil
}
