// SPDX-License-Identifier: Apache-2.0

package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/internal/social/posting"
)

// Published returns posts of a brand in the order of the filter, without their media. cut receives their number and returns the
// half-open range of those wanted. The posts are objects of the cache and must not be changed.
func (r *Reader) Published(ctx context.Context, namespace, brand string, f index.PostFilter, cut func(total int) (from, to int)) ([]*v1beta1.Post, error) {
	if err := r.awaitPosts(ctx, namespace); err != nil {
		return nil, err
	}
	return r.Posts.List(namespace, brand, f, cut), nil
}

// PostCounts returns the number of posts of a short: all, and those in each of the given states.
func (r *Reader) PostCounts(ctx context.Context, namespace, brand string, short int64, states ...v1beta1.PostState) (all int, of []int, err error) {
	if err := r.awaitPosts(ctx, namespace); err != nil {
		return 0, nil, err
	}
	of = make([]int, len(states))
	if all = r.Posts.Count(namespace, brand, index.PostFilter{Short: short}); all == 0 {
		return 0, of, nil
	}
	for i, s := range states {
		of[i] = r.Posts.Count(namespace, brand, index.PostFilter{Short: short, Status: s})
	}
	return all, of, nil
}

// WholePost returns a brand's complete post by id, as the cluster has it now. It also finds a post that another replica
// has just created.
func (r *Reader) WholePost(ctx context.Context, namespace, brand string, id int64) (*v1beta1.Post, error) {
	if err := r.awaitPosts(ctx, namespace); err != nil {
		return nil, err
	}
	name := "post-" + fmt.Sprint(id)
	if p := r.Posts.Get(namespace, id); p != nil {
		name = p.Name
	}
	p := &v1beta1.Post{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, p)
	switch {
	case apierrors.IsNotFound(err):
		return nil, ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("reading a post: %w", err)
	case ID(p) != id || p.Spec.BrandRef.Name != brand:
		return nil, ErrNotFound
	}
	return p, nil
}

// Uses returns the times at which posts count against an account's posting limit, as far as they matter between now and
// at.
func (r *Reader) Uses(ctx context.Context, a *v1beta1.SocialAccount, now, at time.Time) ([]time.Time, error) {
	if err := r.awaitPosts(ctx, a.Namespace); err != nil {
		return nil, err
	}
	window := posting.Window(a.Spec.Platform)
	if h := a.Status.Headroom; h != nil {
		window = max(window, time.Duration(h.WindowSeconds)*time.Second)
	}
	out := r.Posts.Uses(a, now.Add(-window), now)
	if at.After(now) {
		from := now
		if far := at.Add(-window); far.After(from) {
			from = far
		}
		out = append(out, r.Posts.Uses(a, from, at)...)
	}
	return out, nil
}

// BrandAccounts returns the brand's social accounts that can be posted to, by id. Accounts being deleted are omitted.
func (r *Reader) BrandAccounts(ctx context.Context, namespace, brand string) ([]v1beta1.SocialAccount, error) {
	var l v1beta1.SocialAccountList
	if err := r.Cached.List(ctx, &l, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing social accounts: %w", err)
	}
	out := slices.DeleteFunc(l.Items, func(a v1beta1.SocialAccount) bool {
		return a.Spec.BrandRef.Name != brand || ID(&a) == 0 || !a.DeletionTimestamp.IsZero()
	})
	slices.SortFunc(out, func(a, b v1beta1.SocialAccount) int {
		return cmp.Or(cmp.Compare(ID(&a), ID(&b)), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// AccountName returns the name of a brand's SocialAccount by id, also of one that is being deleted.
func (r *Reader) AccountName(ctx context.Context, namespace, brand string, id int64) (string, error) {
	var l v1beta1.SocialAccountList
	if err := r.Cached.List(ctx, &l, client.InNamespace(namespace)); err != nil {
		return "", fmt.Errorf("listing social accounts: %w", err)
	}
	for i := range l.Items {
		if a := &l.Items[i]; ID(a) == id && a.Spec.BrandRef.Name == brand {
			return a.Name, nil
		}
	}
	return "", ErrNotFound
}

func (r *Reader) awaitPosts(ctx context.Context, namespace string) error {
	if err := r.Posts.Await(ctx, namespace); err != nil {
		return fmt.Errorf("waiting for a write to appear in the cache: %w", err)
	}
	return nil
}
