// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
)

// Limits of a segment. Write rejects rows above them. It needs memory for the encoded files twice, in addition to the
// rows, and returns after some seconds.
const (
	// MaxShorts is the maximum number of shorts. ArchiveSegment.Removed can name each of them.
	MaxShorts = 10_000
	// MaxPosts is the maximum number of posts.
	MaxPosts = 50_000
	// MaxBytes is the maximum size of all rows in bytes, as Short.Size and Post.Size count it.
	MaxBytes = 128 << 20
)

const (
	// pageBytes is the size of a page before compression. It is the unit in which rows are compressed and decompressed.
	pageBytes = 64 << 10
	// compared is the number of rows that are read back and compared at a time.
	compared = 512
	// cleanupTime is the timeout of the deletion of the files of a failed Write.
	cleanupTime = 10 * time.Second
)

// Size returns the number of bytes of a row that count towards MaxBytes.
func (s *Short) Size() int { return len(s.Title) + len(s.Caption) + len(s.Text) + len(s.Objects) }

// Size returns the number of bytes of a row that count towards MaxBytes.
func (p *Post) Size() int { return len(p.URL) + len(p.Title) + len(p.Caption) + len(p.Object) }

// Write writes a new segment of a namespace with a random name and returns its entry, after it has read the files back
// and compared them. Rows may have any order, and must be of shorts that were created in one month. The times of the
// entry are rounded to seconds: To up, the others down. On an error, files that no Archive names may remain: Sweep
// deletes them.
func (s *Store) Write(
	ctx context.Context, namespace string, shorts []Short, posts []Post,
) (v1beta1.ArchiveSegment, error) {
	shorts, posts = normalShorts(shorts), normalPosts(posts)
	if err := check(shorts, posts); err != nil {
		return v1beta1.ArchiveSegment{}, fmt.Errorf("writing a segment: %w", err)
	}
	seg := entry(shorts, posts)
	shortsKey, postsKey, err := keysOf(namespace, seg.Name)
	if err != nil {
		return v1beta1.ArchiveSegment{}, err
	}
	m, err := write(ctx, s, shortsKey, shorts)
	n := int64(0)
	if err == nil {
		n, err = write(ctx, s, postsKey, posts)
	}
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
		defer cancel()
		_ = s.Delete(ctx, namespace, &seg) // Sweep deletes what remains
		return v1beta1.ArchiveSegment{}, fmt.Errorf("writing segment %s: %w", seg.Name, err)
	}
	seg.Bytes = m + n
	return seg, nil
}

// normalShorts returns the rows as they are read from a file, by id.
func normalShorts(rows []Short) []Short {
	out := slices.SortedFunc(slices.Values(rows), func(a, b Short) int { return cmp.Compare(a.ID, b.ID) })
	for i := range out {
		r := &out[i]
		r.CreatedAt, r.ArchivedAt, r.Objects = normalTime(r.CreatedAt), normalTime(r.ArchivedAt), normalBytes(r.Objects)
	}
	return out
}

// normalPosts returns the rows as they are read from a file, by id.
func normalPosts(rows []Post) []Post {
	out := slices.SortedFunc(slices.Values(rows), func(a, b Post) int { return cmp.Compare(a.ID, b.ID) })
	for i := range out {
		r := &out[i]
		r.CreatedAt, r.ScheduledAt = normalTime(r.CreatedAt), normalTime(r.ScheduledAt)
		r.PublishedAt, r.ArchivedAt = normalTime(r.PublishedAt), normalTime(r.ArchivedAt)
		r.Object = normalBytes(r.Object)
	}
	return out
}

func normalTime(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func normalBytes(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// check returns an error if rows, by id, cannot be those of a segment.
func check(shorts []Short, posts []Post) error {
	if len(shorts) == 0 || len(shorts) > MaxShorts || len(posts) > MaxPosts {
		return fmt.Errorf("%d shorts and %d posts: want at least 1 short, at most %d shorts and %d posts",
			len(shorts), len(posts), MaxShorts, MaxPosts)
	}
	size := 0
	for i := range shorts {
		r := &shorts[i]
		if i > 0 && r.ID == shorts[i-1].ID {
			return fmt.Errorf("two rows of short %d", r.ID)
		}
		if month(r.CreatedAt) != month(shorts[0].CreatedAt) {
			return fmt.Errorf("short %d was created in %s, short %d in %s",
				shorts[0].ID, month(shorts[0].CreatedAt), r.ID, month(r.CreatedAt))
		}
		size += r.Size()
	}
	for i := range posts {
		r := &posts[i]
		if i > 0 && r.ID == posts[i-1].ID {
			return fmt.Errorf("two rows of post %d", r.ID)
		}
		if !has(shorts, r.ShortID) {
			return fmt.Errorf("post %d is of short %d, which has no row", r.ID, r.ShortID)
		}
		size += r.Size()
	}
	if size > MaxBytes {
		return fmt.Errorf("%d bytes: want at most %d", size, MaxBytes)
	}
	return nil
}

// has reports whether rows, by id, have a short.
func has(rows []Short, id int64) bool {
	_, ok := slices.BinarySearchFunc(rows, id, func(s Short, id int64) int { return cmp.Compare(s.ID, id) })
	return ok
}

func month(t time.Time) string { return t.UTC().Format("2006-01") }

// entry returns the entry of a new segment without the size of its files.
func entry(shorts []Short, posts []Post) v1beta1.ArchiveSegment {
	seg := v1beta1.ArchiveSegment{
		Name: month(shorts[0].CreatedAt) + "/" + randomName(), Shorts: int32(len(shorts)), Posts: int32(len(posts)),
	}
	from, to, archived := shorts[0].CreatedAt, shorts[0].CreatedAt, shorts[0].ArchivedAt
	seg.FirstID, seg.LastID = shorts[0].ID, shorts[0].ID
	for i := range shorts {
		seg.FirstID, seg.LastID = min(seg.FirstID, shorts[i].ID), max(seg.LastID, shorts[i].ID)
		if at := shorts[i].ArchivedAt; at.Before(archived) {
			archived = at
		}
		seg.FilmBytes += shorts[i].FilmBytes
		if at := shorts[i].CreatedAt; at.Before(from) {
			from = at
		} else if at.After(to) {
			to = at
		}
	}
	seg.From = metav1.NewTime(from.Truncate(time.Second))
	seg.ArchivedFrom = ptr.To(metav1.NewTime(archived.Truncate(time.Second)))
	seg.To = metav1.NewTime(to.Add(time.Second - time.Millisecond).Truncate(time.Second))
	return seg
}

func randomName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// write stores rows as a file, reads it back and compares it. It returns the size of the file.
func write[T any](ctx context.Context, s *Store, key string, rows []T) (int64, error) {
	b, err := encode(rows)
	if err != nil {
		return 0, fmt.Errorf("encoding %s: %w", key, err)
	}
	if err := s.blobs.Put(ctx, key, blob.ContentType(key), bytes.NewReader(b)); err != nil {
		return 0, err
	}
	return int64(len(b)), readBack(ctx, s, key, rows)
}

// encode returns rows as a sealed Parquet file.
func encode[T any](rows []T) ([]byte, error) {
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out,
		parquet.PageBufferSize(pageBytes),
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("id"))),
		// Bounds of objects are of no use, and those in headers of pages are not abbreviated.
		parquet.SkipPageBounds("objects"), parquet.SkipPageBounds("object"), parquet.DataPageStatistics(false),
	)
	for i := range rows { // the writer ends a page only after a call
		if _, err := w.Write(rows[i : i+1]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return seal(out.Bytes())
}

// readBack returns an error if the stored file does not have these rows.
func readBack[T any](ctx context.Context, s *Store, key string, rows []T) error {
	f, v, err := s.open(ctx, key)
	if err != nil {
		return err
	}
	if err := f.check(int32(len(rows))); err != nil {
		return err
	}
	if err := v.load(span{0, f.body}); err != nil {
		return err
	}
	for first := 0; first < len(rows); first += compared {
		end := min(first+compared, len(rows))
		got, err := readRows[T](v, f, numbers(first, end))
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(got, rows[first:end]) {
			return damaged(key, errors.New("rows differ from the written ones"))
		}
	}
	return nil
}
