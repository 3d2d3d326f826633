// SPDX-License-Identifier: Apache-2.0

package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/internal/kube/naming"
)

// ErrNotFound means that the record does not exist, or not for the caller.
var ErrNotFound = errors.New("no such record")

// Reader reads records.
type Reader struct {
	// Cached reads the cache, including this process's earlier writes.
	Cached client.Reader
	// Live reads the cluster. Reader uses it for single objects by name where the cache may lag behind another replica
	// or does not hold the whole object.
	Live client.Reader
	// Index holds the lists of shorts and what jobs show.
	Index *index.Shorts
	// Media holds the lists of media and packs.
	Media *index.Media
	// Posts holds the lists of posts.
	Posts *index.Posts
	// Archive loads archived shorts and posts into Index and Posts; nil for none.
	Archive *archived.Loader
	// Documents holds the analytics of social accounts' posts.
	Documents *Documents
}

// ID returns an object's id in its number space, from its label; 0 if it has none yet.
func ID(o client.Object) int64 {
	n, err := strconv.ParseInt(o.GetLabels()[v1beta1.LabelID], 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// SlideshowName returns the object name of a slideshow that the front end creates with an id.
func SlideshowName(id int64) string { return naming.Slideshow(id) }

// VideoName returns the object name of a video that the front end creates with an id.
func VideoName(id int64) string { return "video-" + strconv.FormatInt(id, 10) }

// KeyByHash returns the key whose secret has the hash, in any account.
func (r *Reader) KeyByHash(ctx context.Context, hash string) (*v1beta1.APIKey, error) {
	return keyByHash(ctx, r.Cached, indexSecret, hash)
}

// LiveKeyByHash is like KeyByHash but reads the cluster, for a key that the cache may not hold yet. The API server
// searches all keys, so callers must limit their calls.
func (r *Reader) LiveKeyByHash(ctx context.Context, hash string) (*v1beta1.APIKey, error) {
	return keyByHash(ctx, r.Live, "spec.secretSHA256", hash)
}

func keyByHash(ctx context.Context, from client.Reader, field, hash string) (*v1beta1.APIKey, error) {
	var l v1beta1.APIKeyList
	if err := from.List(ctx, &l, client.MatchingFields{field: hash}); err != nil {
		return nil, fmt.Errorf("looking up a key: %w", err)
	}
	if len(l.Items) == 0 {
		return nil, ErrNotFound
	}
	// Two objects with one secret can only be copies. A revoked one must take precedence.
	slices.SortFunc(l.Items, func(a, b v1beta1.APIKey) int {
		if a.Spec.Revoked != b.Spec.Revoked {
			if a.Spec.Revoked {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return &l.Items[0], nil
}

// Account returns the account of a namespace.
func (r *Reader) Account(ctx context.Context, namespace string) (*v1beta1.Account, error) {
	a := &v1beta1.Account{}
	return a, r.get(ctx, namespace, v1beta1.AccountName, a)
}

// Brand returns a brand by the name of its object.
func (r *Reader) Brand(ctx context.Context, namespace, name string) (*v1beta1.Brand, error) {
	b := &v1beta1.Brand{}
	return b, r.get(ctx, namespace, name, b)
}

// BrandByID returns a brand of the account by id.
func (r *Reader) BrandByID(ctx context.Context, namespace string, id int64) (*v1beta1.Brand, error) {
	var l v1beta1.BrandList
	if err := r.byID(ctx, namespace, id, &l); err != nil {
		return nil, err
	}
	if len(l.Items) == 0 {
		return nil, ErrNotFound
	}
	return &l.Items[0], nil
}

// Brands returns the brands of the account, by id.
func (r *Reader) Brands(ctx context.Context, namespace string) ([]v1beta1.Brand, error) {
	var l v1beta1.BrandList
	if err := r.Cached.List(ctx, &l, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing brands: %w", err)
	}
	slices.SortFunc(l.Items, func(a, b v1beta1.Brand) int {
		return cmp.Or(cmp.Compare(ID(&a), ID(&b)), cmp.Compare(a.Name, b.Name))
	})
	return l.Items, nil
}

func (r *Reader) get(ctx context.Context, namespace, name string, o client.Object) error {
	err := r.Cached.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
	if apierrors.IsNotFound(err) {
		return ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("reading %T: %w", o, err)
	}
	return nil
}

func (r *Reader) byID(ctx context.Context, namespace string, id int64, l client.ObjectList) error {
	err := r.Cached.List(ctx, l, client.InNamespace(namespace), client.MatchingFields{indexID: strconv.FormatInt(id, 10)})
	if err != nil {
		return fmt.Errorf("listing %T: %w", l, err)
	}
	return nil
}

// first returns the first object that fits, or ErrNotFound.
func first[T any](all []T, fits func(*T) bool) (*T, error) {
	for i := range all {
		if fits(&all[i]) {
			return &all[i], nil
		}
	}
	return nil, ErrNotFound
}
