// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/clock"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
)

// Root is the prefix of all keys.
const Root = "archive/"

// sweepAge is the age below which Sweep keeps a file, because the write of its segment may not be complete.
const sweepAge = time.Hour

// ErrDamaged means that a file of a segment is missing or cannot be decoded. A retry does not help.
var ErrDamaged = errors.New("a file of the archive is missing or damaged")

// Store reads and writes segments. It is safe for concurrent use.
type Store struct {
	blobs   Blobs
	cache   *cache
	reading singleflight.Group
}

// Blobs are the methods of blob.Store that are used here.
type Blobs interface {
	Clock() clock.PassiveClock
	Put(ctx context.Context, key, contentType string, r io.Reader) error
	OpenRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)
	Size(ctx context.Context, key string) (int64, error)
	Walk(ctx context.Context, prefix string, f func(blob.Object) error) error
	Delete(ctx context.Context, key string) error
	DeletePrefix(ctx context.Context, prefix string) error
}

// New returns a Store. It keeps at most cacheBytes of footers and pages of files in memory; 0 keeps none.
func New(blobs Blobs, cacheBytes int64) *Store {
	return &Store{blobs: blobs, cache: newCache(cacheBytes)}
}

// The files of a segment.
const (
	shortsFile = "shorts.parquet"
	postsFile  = "posts.parquet"
)

// segmentName matches the names of segments, as ArchiveSegment.Name does.
var segmentName = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}/[0-9a-z]{8,32}$`)

// prefixOf returns the prefix of the keys of a namespace.
func prefixOf(namespace string) (string, error) {
	if len(validation.IsDNS1123Label(namespace)) > 0 {
		return "", fmt.Errorf("archive: invalid namespace %q", namespace)
	}
	return Root + namespace + "/", nil
}

// keysOf returns the keys of the files of a segment.
func keysOf(namespace, segment string) (shorts, posts string, err error) {
	prefix, err := prefixOf(namespace)
	if err != nil {
		return "", "", err
	}
	if !segmentName.MatchString(segment) {
		return "", "", fmt.Errorf("archive: invalid segment name %q", segment)
	}
	return prefix + segment + "/" + shortsFile, prefix + segment + "/" + postsFile, nil
}

// Read returns all rows of a segment. It neither uses nor fills the cache.
func (s *Store) Read(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) ([]Short, []Post, error) {
	shortsKey, postsKey, err := keysOf(namespace, seg.Name)
	if err != nil {
		return nil, nil, err
	}
	shorts, err := readFile[Short](ctx, s, shortsKey, seg.Shorts)
	if err != nil {
		return nil, nil, err
	}
	posts, err := readFile[Post](ctx, s, postsKey, seg.Posts)
	return shorts, posts, err
}

// readFile returns all rows of a file.
func readFile[T any](ctx context.Context, s *Store, key string, count int32) ([]T, error) {
	f, v, err := s.open(ctx, key)
	if err != nil {
		return nil, err
	}
	if err := f.check(count); err != nil {
		return nil, err
	}
	return readRows[T](v, f, numbers(0, f.rows))
}

// ShortKeys returns the keys of the shorts of a segment, in the order of the rows.
func (s *Store) ShortKeys(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) ([]ShortKey, error) {
	key, _, err := keysOf(namespace, seg.Name)
	if err != nil {
		return nil, err
	}
	return allRows[ShortKey](ctx, s, key, seg.Shorts)
}

// PostKeys returns the keys of the posts of a segment, in the order of the rows.
func (s *Store) PostKeys(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) ([]PostKey, error) {
	_, key, err := keysOf(namespace, seg.Name)
	if err != nil {
		return nil, err
	}
	return allRows[PostKey](ctx, s, key, seg.Posts)
}

// Find returns the key of a short that an archive holds; nil if it holds none. It passes over damaged segments: their
// shorts cannot be restored.
func (s *Store) Find(ctx context.Context, a *v1beta1.Archive, id int64) (*ShortKey, error) {
	for i := range a.Status.Segments {
		seg := &a.Status.Segments[i]
		if !a.Holds(seg, id) {
			continue
		}
		keys, err := s.ShortKeys(ctx, a.Namespace, seg)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return nil, fmt.Errorf("reading the segment %s: %w", seg.Name, err)
		}
		for i := range keys {
			if keys[i].ID == id {
				return &keys[i], nil
			}
		}
	}
	return nil, nil
}

// Ages returns the times at which the shorts of a segment were archived, in the order of the rows.
func (s *Store) Ages(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) ([]Age, error) {
	key, _, err := keysOf(namespace, seg.Name)
	if err != nil {
		return nil, err
	}
	return allRows[Age](ctx, s, key, seg.Shorts)
}

// Texts returns the texts of the shorts of a segment, in the order of the rows.
func (s *Store) Texts(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) ([]Text, error) {
	key, _, err := keysOf(namespace, seg.Name)
	if err != nil {
		return nil, err
	}
	return allRows[Text](ctx, s, key, seg.Shorts)
}

// Shorts returns rows of a segment by their numbers, in the given order.
func (s *Store) Shorts(
	ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment, rows []int,
) ([]Short, error) {
	key, _, err := keysOf(namespace, seg.Name)
	if err != nil {
		return nil, err
	}
	return someRows[Short](ctx, s, key, seg.Shorts, rows)
}

// Posts returns rows of a segment by their numbers, in the given order.
func (s *Store) Posts(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment, rows []int) ([]Post, error) {
	_, key, err := keysOf(namespace, seg.Name)
	if err != nil {
		return nil, err
	}
	return someRows[Post](ctx, s, key, seg.Posts, rows)
}

// allRows returns the fields of T of all rows of a file with count rows.
func allRows[T any](ctx context.Context, s *Store, key string, count int32) ([]T, error) {
	f, err := s.file(ctx, key, count)
	if err != nil {
		return nil, err
	}
	return readRows[T](s.view(ctx, f), f, numbers(0, f.rows))
}

// someRows returns the fields of T of rows of a file with count rows.
func someRows[T any](ctx context.Context, s *Store, key string, count int32, rows []int) ([]T, error) {
	for _, r := range rows {
		if r < 0 || r >= int(count) {
			return nil, fmt.Errorf("reading %s: no row %d of %d", key, r, count)
		}
	}
	f, err := s.file(ctx, key, count)
	if err != nil {
		return nil, err
	}
	ascending := slices.Compact(slices.Sorted(slices.Values(rows)))
	found, err := readRows[T](s.view(ctx, f), f, ascending)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		at, _ := slices.BinarySearch(ascending, r)
		out[i] = found[at]
	}
	return out, nil
}

// Delete deletes the files of a segment. Missing files are not an error.
func (s *Store) Delete(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) error {
	shorts, posts, err := keysOf(namespace, seg.Name)
	if err != nil {
		return err
	}
	return errors.Join(s.blobs.Delete(ctx, shorts), s.blobs.Delete(ctx, posts))
}

// Sweep deletes the files of a namespace that were written more than an hour ago and belong to none of the segments. It
// returns the number of deleted files. An error with one file does not stop it.
func (s *Store) Sweep(ctx context.Context, namespace string, segments []v1beta1.ArchiveSegment) (int, error) {
	prefix, err := prefixOf(namespace)
	if err != nil {
		return 0, err
	}
	keep := map[string]bool{}
	for i := range segments {
		shorts, posts, err := keysOf(namespace, segments[i].Name)
		if err != nil {
			return 0, err
		}
		keep[shorts], keep[posts] = true, true
	}
	before := s.blobs.Clock().Now().Add(-sweepAge)
	var failed error
	deleted := 0
	err = s.blobs.Walk(ctx, prefix, func(o blob.Object) error {
		if keep[o.Key] || !o.Modified.Before(before) {
			return nil
		}
		if err := s.blobs.Delete(ctx, o.Key); err != nil {
			failed = err // usually the same one for all files
		} else {
			deleted++
		}
		return ctx.Err()
	})
	return deleted, errors.Join(failed, err)
}

// DeleteAll deletes all files of a namespace.
func (s *Store) DeleteAll(ctx context.Context, namespace string) error {
	prefix, err := prefixOf(namespace)
	if err != nil {
		return err
	}
	return s.blobs.DeletePrefix(ctx, prefix)
}
