// SPDX-License-Identifier: Apache-2.0

package read

import (
	"cmp"
	"context"
	"errors"
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
func (r *Reader) Published(ctx context.Context, namespace, brand string, f index.PostFilter, cut func(total int) (from, to int)) (page []index.Post, err error) {
	if err := r.awaitPosts(ctx, namespace); err != nil {
		return nil, err
	}
	if f.Live {
		return r.Posts.List(namespace, brand, f, cut), nil
	}
	list := func() error {
		page = r.Posts.List(namespace, brand, f, cut)
		return r.fillPosts(ctx, namespace, page)
	}
	if f.Short == 0 {
		err = r.withPosts(ctx, namespace, list)
		return page, err
	}
	err = r.withPostsOf(ctx, namespace, f.Short, func(of []*index.Segment) error {
		f.Segments = of
		return list()
	})
	return page, err
}

// PostCounts returns the number of posts of a short: all, and those in each of the given states.
func (r *Reader) PostCounts(ctx context.Context, namespace, brand string, short int64, states ...v1beta1.PostState) (all int, of []int, err error) {
	if err := r.awaitPosts(ctx, namespace); err != nil {
		return 0, nil, err
	}
	of = make([]int, len(states))
	err = r.withPostsOf(ctx, namespace, short, func(segments []*index.Segment) error {
		if all = r.Posts.Count(namespace, brand, index.PostFilter{Short: short, Segments: segments}); all == 0 {
			return nil
		}
		for i, s := range states {
			of[i] = r.Posts.Count(namespace, brand, index.PostFilter{Short: short, Segments: segments, Status: s})
		}
		return nil
	})
	return all, of, err
}

// SamePosts returns the ids of the posts of a short on an account, newest first, without failed and cancelled posts.
func (r *Reader) SamePosts(ctx context.Context, namespace, brand string, short int64, account string) (ids []int64, err error) {
	err = r.withPostsOf(ctx, namespace, short, func(segments []*index.Segment) error {
		ids = r.Posts.Same(namespace, brand, short, segments, account)
		return nil
	})
	return ids, err
}

// HasPost reports whether a post of any brand has an id.
func (r *Reader) HasPost(ctx context.Context, namespace string, id int64) (has bool, err error) {
	if r.Posts.Get(namespace, id) != nil {
		return true, nil
	}
	err = r.withPosts(ctx, namespace, func() error {
		_, _, has = r.Posts.Archived(namespace, id)
		return nil
	})
	return has, err
}

// WholePost returns a brand's complete post by id, as the cluster has it now, or else the archive. It also finds a post
// that another replica has just created.
func (r *Reader) WholePost(ctx context.Context, namespace, brand string, id int64) (index.Post, error) {
	if err := r.awaitPosts(ctx, namespace); err != nil {
		return index.Post{}, err
	}
	moved := ErrNotFound
	known := r.Posts.Get(namespace, id)
	if known != nil {
		var p index.Post
		if p, moved = r.livePost(ctx, namespace, brand, known.Name, id); !elsewhere(moved) {
			return p, moved
		}
	}
	if p, err := r.archivedPost(ctx, namespace, brand, id); !errors.Is(err, ErrNotFound) {
		return p, err
	}
	if known != nil {
		return index.Post{}, moved
	}
	return r.livePost(ctx, namespace, brand, "post-"+fmt.Sprint(id), id)
}

// livePost reads a post by name from the cluster. The error is errMoving if the object is on its way to the
// archive or back.
func (r *Reader) livePost(ctx context.Context, namespace, brand, name string, id int64) (index.Post, error) {
	p := &v1beta1.Post{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, p)
	switch {
	case apierrors.IsNotFound(err):
		return index.Post{}, ErrNotFound
	case err != nil:
		return index.Post{}, fmt.Errorf("reading a post: %w", err)
	case ID(p) != id || p.Spec.BrandRef.Name != brand:
		return index.Post{}, ErrNotFound
	case moving(p):
		return index.Post{}, errMoving
	}
	return index.Post{Object: p}, nil
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
