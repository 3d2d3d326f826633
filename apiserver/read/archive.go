// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/internal/store/archive"
)

// errMoving means that an object in the cluster is on its way to the archive or back.
var errMoving error = movingError{}

type movingError struct{}

func (movingError) Error() string { return "the record is moving between the cluster and the archive" }

// Unavailable marks the error as one that ends by itself.
func (movingError) Unavailable() bool { return true }

// elsewhere reports whether an error of a look-up in the cluster means that the record may be in the archive.
func elsewhere(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, errMoving) }

var whole = v1beta1.Whole()

// moving reports whether an object is on its way to the archive or back.
func moving(o client.Object) bool { return !whole.Matches(labels.Set(o.GetLabels())) }

// withShorts calls read while the lists have the archived shorts of a namespace. It calls read once more if a file of the
// archive was missing: compaction may have replaced its segment.
func (r *Reader) withShorts(ctx context.Context, namespace string, read func() error) error {
	return holding(ctx, namespace, r.Archive.HoldShorts, read)
}

// withPosts is like withShorts, for posts.
func (r *Reader) withPosts(ctx context.Context, namespace string, read func() error) error {
	return holding(ctx, namespace, r.Archive.HoldPosts, read)
}

// withPostsOf is like withPosts, for the posts of one short. It calls read with the segments that hold archived ones.
func (r *Reader) withPostsOf(ctx context.Context, namespace string, short int64, read func([]*index.Segment) error) error {
	return r.withShorts(ctx, namespace, func() error {
		segments, err := r.Archive.PostsOf(ctx, namespace, short)
		if err != nil {
			return err
		}
		return read(segments)
	})
}

func holding(
	ctx context.Context, namespace string, hold func(context.Context, string) (release func(), err error), read func() error,
) error {
	once := func() error {
		release, err := hold(ctx, namespace)
		if err != nil {
			return err
		}
		defer release()
		return read()
	}
	err := once()
	if archived.Replaced(err) {
		err = once()
	}
	return err
}

// fillShorts reads the rows of the archived shorts of a page. It trims the objects like those of the cache.
func (r *Reader) fillShorts(ctx context.Context, namespace string, page []index.Short) error {
	return fill(ctx, namespace, page, func(s *index.Short) *index.Row { return s.Archived }, r.Archive.Shorts,
		func(row *archive.Short, at *index.Row) (index.Short, error) {
			s, err := shortOf(row, at)
			if err == nil {
				err = trimShort(&s)
			}
			return s, err
		})
}

// fillPosts is like fillShorts, for posts.
func (r *Reader) fillPosts(ctx context.Context, namespace string, page []index.Post) error {
	return fill(ctx, namespace, page, func(p *index.Post) *index.Row { return p.Archived }, r.Archive.Posts,
		func(row *archive.Post, at *index.Row) (index.Post, error) {
			p, err := postOf(row, at)
			if err == nil {
				_, err = Trim(p.Object)
			}
			return p, err
		})
}

// fill replaces the records of a page that rowOf returns a row for by those that decode returns for their rows. read
// reads all of them at once.
func fill[T, R any](
	ctx context.Context, namespace string, page []T, rowOf func(*T) *index.Row,
	read func(context.Context, string, []*index.Row) ([]R, error), decode func(*R, *index.Row) (T, error),
) error {
	var at []int
	var rows []*index.Row
	for i := range page {
		if row := rowOf(&page[i]); row != nil {
			at, rows = append(at, i), append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	found, err := read(ctx, namespace, rows)
	if err != nil {
		return err
	}
	for i := range found {
		if page[at[i]], err = decode(&found[i], rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// archivedShort reads a brand's complete short from the archive.
func (r *Reader) archivedShort(ctx context.Context, namespace, brand string, id int64) (s index.Short, err error) {
	err = r.withShorts(ctx, namespace, func() error {
		s, err = one(ctx, namespace, brand, id, r.Index.Archived, r.Archive.Shorts, shortOf)
		return err
	})
	return s, err
}

// archivedPost reads a brand's complete post from the archive.
func (r *Reader) archivedPost(ctx context.Context, namespace, brand string, id int64) (p index.Post, err error) {
	err = r.withPosts(ctx, namespace, func() error {
		p, err = one(ctx, namespace, brand, id, r.Posts.Archived, r.Archive.Posts, postOf)
		return err
	})
	return p, err
}

// one reads a brand's record of a held archive by id. find returns its row and its brand.
func one[T, R any](
	ctx context.Context, namespace, brand string, id int64,
	find func(namespace string, id int64) (*index.Row, string, bool),
	read func(context.Context, string, []*index.Row) ([]R, error), decode func(*R, *index.Row) (T, error),
) (out T, err error) {
	row, owner, ok := find(namespace, id)
	if !ok || owner != brand {
		return out, ErrNotFound
	}
	found, err := read(ctx, namespace, []*index.Row{row})
	if err != nil {
		return out, err
	}
	return decode(&found[0], row)
}

// shortOf returns the complete short of a row, with its renders.
func shortOf(row *archive.Short, at *index.Row) (index.Short, error) {
	objects, err := archive.DecodeAll(row.Objects, v1beta1.KindSlideshow, v1beta1.KindVideo, "RenderJob")
	if err != nil {
		return index.Short{}, undecodable(at, err)
	}
	var short client.Object
	var renders []v1beta1.RenderJob
	for _, o := range objects {
		if render, ok := o.(*v1beta1.RenderJob); ok {
			renders = append(renders, *render)
		} else {
			short = o
		}
	}
	if short == nil {
		return index.Short{}, undecodable(at, fmt.Errorf("short %d has no object", row.ID))
	}
	s := index.OfUnit(row.ID, short, renders)
	s.Archived = &index.Row{Segment: at.Segment, Number: at.Number, ArchivedAt: row.ArchivedAt}
	return s, nil
}

// postOf returns the complete post of a row.
func postOf(row *archive.Post, at *index.Row) (index.Post, error) {
	p := index.Post{Object: &v1beta1.Post{}}
	if err := json.Unmarshal(row.Object, p.Object); err != nil {
		return index.Post{}, undecodable(at, err)
	}
	p.Archived = &index.Row{Segment: at.Segment, Number: at.Number, ArchivedAt: row.ArchivedAt}
	return p, nil
}

func undecodable(at *index.Row, err error) error {
	return fmt.Errorf("%w: row %d of segment %s: %w", archive.ErrDamaged, at.Number, at.Segment.Name, err)
}

// trimShort trims the objects of a short like those of the cache.
func trimShort(s *index.Short) error {
	if _, err := Trim(s.Object()); err != nil {
		return err
	}
	for i := range s.Renders {
		if _, err := Trim(&s.Renders[i]); err != nil {
			return err
		}
	}
	return nil
}
