// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

var october = time.Date(2026, 10, 7, 8, 9, 10, 123_000_000, time.UTC)

// few returns rows with every field set, with every field empty, and with text of many scripts, by id.
func few() ([]Short, []Post) {
	shorts := []Short{
		{ID: 3, CreatedAt: october, ArchivedAt: october.AddDate(0, 1, 0), Objects: []byte{}},
		{
			ID: 5, Kind: "Video", Brand: "acme", State: "failed", CreatedAt: october.Add(-5 * 24 * time.Hour),
			ArchivedAt: october, FilmBytes: 1 << 40, Title: "Grüße, 世界 👋", Caption: "مرحبا\nשלום",
			Text: "line\nline\x00", Objects: []byte(`[{"a":"ü"}]`),
		},
		{
			ID: 9, Kind: "Slideshow", Brand: "other", State: "succeeded", CreatedAt: october.Add(time.Second),
			ArchivedAt: time.UnixMilli(0).UTC(), FilmBytes: 7, Objects: []byte("[]"),
		},
	}
	posts := []Post{
		{ID: 1, ShortID: 9, CreatedAt: october, ScheduledAt: october, Object: []byte{}},
		{
			ID: 2, ShortID: 3, Brand: "acme", Account: "a", Platform: "tiktok", State: "success", Immediate: true,
			CreatedAt: october.Add(time.Millisecond), ScheduledAt: october.AddDate(1, 0, 0),
			PublishedAt: october.Add(3 * time.Millisecond), Batch: "batch", PlatformPostID: "7",
			URL: "https://example.com/ü", Title: "世界", Caption: "👋", Object: []byte(`{"b":1}`),
		},
		{
			ID: 4, ShortID: 3, CreatedAt: october, ScheduledAt: october, PublishedAt: time.UnixMilli(0).UTC(),
			Object: []byte("{}"),
		},
	}
	return shorts, posts
}

// stored writes rows to a store.
func stored(t testing.TB, b Blobs, shorts []Short, posts []Post) *v1beta1.ArchiveSegment {
	t.Helper()
	seg, err := New(b, 0).Write(t.Context(), "acme", shorts, posts)
	if err != nil {
		t.Fatal(err)
	}
	return &seg
}

// readAll returns all rows of a segment.
func readAll(t testing.TB, s *Store, seg *v1beta1.ArchiveSegment) ([]Short, []Post) {
	t.Helper()
	shorts, posts, err := s.Read(t.Context(), "acme", seg)
	if err != nil {
		t.Fatal(err)
	}
	return shorts, posts
}

func TestWrite_RoundTrip(t *testing.T) {
	shorts, posts := few()
	for i, ms := range []int{3500, 1500, 2500} {
		shorts[i].ArchivedAt = time.Date(2026, 11, 1, 0, 0, 0, ms*int(time.Millisecond), time.UTC)
	}
	files := folder(t)
	s := New(files, 1<<20)
	seg, err := s.Write(t.Context(), "acme",
		[]Short{shorts[2], shorts[0], shorts[1]}, []Post{posts[1], posts[2], posts[0]})
	if err != nil {
		t.Fatal(err)
	}
	gotShorts, gotPosts := readAll(t, s, &seg)
	if diff := cmp.Diff(shorts, gotShorts) + cmp.Diff(posts, gotPosts); diff != "" {
		t.Errorf("rows differ (- written, + read):\n%s", diff)
	}
	folder := "archive/acme/" + seg.Name
	keys, wantKeys := testkit.Keys(t, files), []string{folder + "/posts.parquet", folder + "/shorts.parquet"}
	if !slices.Equal(keys, wantKeys) {
		t.Errorf("got files %v, want %v", keys, wantKeys)
	}
	size := int64(0)
	for _, k := range keys {
		n, err := files.Size(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		size += n
	}
	want := v1beta1.ArchiveSegment{
		Name: seg.Name, Shorts: 3, Posts: 3, Bytes: size, FilmBytes: 1<<40 + 7,
		FirstID: shorts[0].ID, LastID: shorts[2].ID,
		From: metav1.Date(2026, 10, 2, 8, 9, 10, 0, time.UTC), To: metav1.Date(2026, 10, 7, 8, 9, 12, 0, time.UTC),
		ArchivedFrom: ptr.To(metav1.Date(2026, 11, 1, 0, 0, 1, 0, time.UTC)),
	}
	ages, err := s.Ages(t.Context(), "acme", &seg)
	if err != nil || len(ages) != 3 || ages[1] != (Age{shorts[1].ID, shorts[1].ArchivedAt}) {
		t.Errorf("got the ages %v, %v", ages, err)
	}
	if diff := cmp.Diff(want, seg); diff != "" || !strings.HasPrefix(seg.Name, "2026-10/") || len(seg.Name) != 8+16 {
		t.Errorf("entry %s differs (- want, + got):\n%s", seg.Name, diff)
	}
}

// Times are stored in UTC and in milliseconds, nil as empty bytes. The month is that of the time in UTC.
func TestWrite_NormalizesRows(t *testing.T) {
	zone := time.FixedZone("", 3*3600)
	at := time.Date(2026, 11, 1, 2, 0, 0, 999_999, zone)
	s := New(folder(t), 0)
	seg, err := s.Write(t.Context(), "acme", []Short{{ID: 1, CreatedAt: at, ArchivedAt: at}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	shorts, posts := readAll(t, s, &seg)
	want := time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC)
	if len(posts) != 0 || len(shorts) != 1 || shorts[0].CreatedAt != want || !strings.HasPrefix(seg.Name, "2026-10/") {
		t.Errorf("got %+v, %d posts in %s; want a short of %s", shorts, len(posts), seg.Name, want)
	}
}

func TestWrite_NamesDiffer(t *testing.T) {
	files := folder(t)
	shorts, posts := few()
	if a, b := stored(t, files, shorts, posts), stored(t, files, shorts, posts); a.Name == b.Name {
		t.Errorf("two segments have the name %s", a.Name)
	}
}

func TestWrite_RejectsRows(t *testing.T) {
	short := func(id int64) Short { return Short{ID: id, CreatedAt: october} }
	for name, c := range map[string]struct {
		namespace string
		shorts    []Short
		posts     []Post
		want      string
	}{
		"no shorts":       {"acme", nil, nil, "at least 1 short"},
		"too many shorts": {"acme", make([]Short, MaxShorts+1), nil, "at most 10000 shorts"},
		"too many posts":  {"acme", []Short{short(1)}, make([]Post, MaxPosts+1), "at most 10000 shorts and 50000 posts"},
		"too many bytes": {
			"acme", []Short{{ID: 1, CreatedAt: october, Objects: make([]byte, MaxBytes-1), Text: "ab"}}, nil, "134217729 bytes",
		},
		"bytes of posts": {
			"acme", []Short{short(1)}, []Post{{ID: 1, ShortID: 1, Object: make([]byte, MaxBytes), URL: "a"}}, "134217729 bytes",
		},
		"two months": {
			"acme",
			[]Short{short(1), {ID: 2, CreatedAt: october.AddDate(0, 1, 0)}},
			nil,
			"short 1 was created in 2026-10, short 2 in 2026-11",
		},
		"one month of two years": {"acme", []Short{short(1), {ID: 2, CreatedAt: october.AddDate(1, 0, 0)}}, nil, "2027-10"},
		"post of another short":  {"acme", []Short{short(1)}, []Post{{ID: 7, ShortID: 2}}, "post 7 is of short 2"},
		"short twice":            {"acme", []Short{short(1), short(1)}, nil, "two rows of short 1"},
		"post twice": {
			"acme", []Short{short(1)}, []Post{{ID: 7, ShortID: 1}, {ID: 7, ShortID: 1}}, "two rows of post 7",
		},
		"year of five digits": {
			"acme", []Short{{ID: 1, CreatedAt: october.AddDate(9000, 0, 0)}}, nil, "invalid segment name",
		},
		"no namespace":      {"", []Short{short(1)}, nil, "invalid namespace"},
		"path as namespace": {"a/../b", []Short{short(1)}, nil, "invalid namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			files := folder(t)
			_, err := New(files, 0).Write(t.Context(), c.namespace, c.shorts, c.posts)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
			if left := testkit.Keys(t, files); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// A failed write leaves no file if the store works afterwards, and a write that returned is complete.
func TestWrite_FailsWithEachCall(t *testing.T) {
	shorts, posts := few()
	for _, how := range []fault{lost, unanswered, broken} {
		for _, onward := range []bool{false, true} {
			for at := int64(1); ; at++ {
				files := folder(t)
				f := &failing{Blobs: files, at: at, onward: onward, fault: how}
				seg, err := New(f, 0).Write(t.Context(), "acme", shorts, posts)
				if err == nil {
					if f.calls >= at {
						t.Fatalf("call %d failed (%s), and Write returned no error", at, how)
					}
					gotShorts, gotPosts := readAll(t, New(files, 0), &seg)
					if diff := cmp.Diff(shorts, gotShorts) + cmp.Diff(posts, gotPosts); diff != "" {
						t.Errorf("rows differ:\n%s", diff)
					}
					break
				}
				if seg.Name != "" || errors.Is(err, ErrDamaged) {
					t.Errorf("call %d (%s): got segment %q, %v", at, how, seg.Name, err)
				}
				if left := testkit.Keys(t, files); !onward && len(left) > 0 {
					t.Errorf("call %d (%s): left %v", at, how, left)
				}
			}
		}
	}
}

// canceling cancels a context at a call of Put.
type canceling struct {
	Blobs
	cancel context.CancelFunc
}

func (c *canceling) Put(ctx context.Context, key, contentType string, r io.Reader) error {
	err := c.Blobs.Put(ctx, key, contentType, r)
	c.cancel()
	return err
}

func TestWrite_DeletesFilesAfterCancellation(t *testing.T) {
	files := folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	shorts, posts := few()
	_, err := New(&canceling{files, cancel}, 0).Write(ctx, "acme", shorts, posts)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := testkit.Keys(t, files); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// altering stores something else than it receives.
type altering struct {
	Blobs
	alter func(b []byte) []byte
}

func (a *altering) Put(ctx context.Context, key, contentType string, r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return a.Blobs.Put(ctx, key, contentType, bytes.NewReader(a.alter(b)))
}

func TestWrite_ComparesStoredRows(t *testing.T) {
	shorts, posts := few()
	others := slices.Clone(shorts)
	others[1].Title = "another"
	for name, alter := range map[string]func(b []byte) []byte{
		"a byte": func(b []byte) []byte {
			b[rand.IntN(len(b))] ^= 4
			return b
		},
		"the end":  func(b []byte) []byte { return b[:len(b)-1] },
		"one byte": func([]byte) []byte { return []byte("x") },
		"rows of another segment": func([]byte) []byte {
			b, err := encode(others)
			if err != nil {
				t.Error(err)
			}
			return b
		},
		"fewer rows": func([]byte) []byte {
			b, err := encode(shorts[:2])
			if err != nil {
				t.Error(err)
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := folder(t)
			_, err := New(&altering{files, alter}, 0).Write(t.Context(), "acme", shorts, posts)
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
			if left := testkit.Keys(t, files); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}
