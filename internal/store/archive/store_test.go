// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	testclock "k8s.io/utils/clock/testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

func keysOfRows(shorts []Short, posts []Post) (a []ShortKey, b []PostKey, c []Text) {
	for i := range shorts {
		s := &shorts[i]
		a = append(a, ShortKey{ID: s.ID, CreatedAt: s.CreatedAt, Kind: s.Kind, Brand: s.Brand, State: s.State})
		c = append(c, Text{s.Title, s.Caption, s.Text})
	}
	for i := range posts {
		p := &posts[i]
		b = append(b, PostKey{
			ID: p.ID, ShortID: p.ShortID, CreatedAt: p.CreatedAt, ScheduledAt: p.ScheduledAt, Immediate: p.Immediate,
			Brand: p.Brand, Account: p.Account, Platform: p.Platform, State: p.State,
		})
	}
	return a, b, c
}

// thin returns so many rows that every column has several pages, with short texts.
func thin() ([]Short, []Post) {
	shorts, posts := sample(2, 9000, 0)
	for i := range shorts {
		s := &shorts[i]
		s.Caption, s.Text, s.Objects = s.Caption[:20], s.Text[:20], s.Objects[:100]
		for j := range 3 {
			posts = append(posts, Post{
				ID: s.ID*3 + int64(j), ShortID: s.ID, Brand: s.Brand, Account: s.Title[:3], Platform: s.Title[3:5],
				State: s.Title[5:6], Immediate: s.ID%2 == 0, CreatedAt: s.CreatedAt, ScheduledAt: s.ArchivedAt, Batch: s.Title,
				PlatformPostID: s.Title[:9], URL: s.Caption, Title: s.Title, Caption: s.Caption, Object: s.Objects[:20+j],
			})
			if j > 0 {
				posts[len(posts)-1].PublishedAt = s.CreatedAt.Add(time.Duration(j) * time.Hour)
			}
		}
	}
	return shorts, posts
}

func TestReads_AgreeWithWrittenRows(t *testing.T) {
	files := folder(t)
	for name, rows := range map[string]func() ([]Short, []Post){
		"few":  few,
		"thin": thin,
		"real": func() ([]Short, []Post) { return sample(3, 300, 4) },
	} {
		t.Run(name, func(t *testing.T) {
			shorts, posts := rows()
			seg := stored(t, files, shorts, posts)
			for _, cacheBytes := range []int64{0, 100 << 10, 1 << 30} {
				s := New(files, cacheBytes)
				gotShorts, gotPosts := readAll(t, s, seg)
				if !reflect.DeepEqual(shorts, gotShorts) || !reflect.DeepEqual(posts, gotPosts) {
					t.Fatal("rows differ")
				}
				a, err1 := s.ShortKeys(t.Context(), "acme", seg)
				b, err2 := s.PostKeys(t.Context(), "acme", seg)
				c, err3 := s.Texts(t.Context(), "acme", seg)
				if err := errors.Join(err1, err2, err3); err != nil {
					t.Fatal(err)
				}
				wantA, wantB, wantC := keysOfRows(shorts, posts)
				if !reflect.DeepEqual(wantA, a) || !reflect.DeepEqual(wantB, b) || !reflect.DeepEqual(wantC, c) {
					t.Fatal("keys differ")
				}
				for range 50 {
					checkRandomRows(t, s, seg, shorts, posts)
				}
			}
		})
	}
}

// checkRandomRows reads rows in any order, some of them twice, and often neighbours.
func checkRandomRows(t *testing.T, s *Store, seg *v1beta1.ArchiveSegment, shorts []Short, posts []Post) {
	t.Helper()
	pick := func(n int) (rows []int) {
		for range rand.IntN(20) {
			row := rand.IntN(n)
			for range 1 + rand.IntN(3) {
				rows = append(rows, row)
				row = min(row+rand.IntN(2), n-1)
			}
		}
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		return rows
	}
	rows := pick(len(shorts))
	gotShorts, err := s.Shorts(t.Context(), "acme", seg, rows)
	if err != nil || len(gotShorts) != len(rows) {
		t.Fatalf("rows %v: %d rows, %v", rows, len(gotShorts), err)
	}
	for i, row := range rows {
		if !reflect.DeepEqual(shorts[row], gotShorts[i]) {
			t.Fatalf("row %d of rows %v: got short %+v", row, rows, gotShorts[i])
		}
	}
	rows = pick(len(posts))
	gotPosts, err := s.Posts(t.Context(), "acme", seg, rows)
	if err != nil || len(gotPosts) != len(rows) {
		t.Fatalf("rows %v: %d rows, %v", rows, len(gotPosts), err)
	}
	for i, row := range rows {
		if !reflect.DeepEqual(posts[row], gotPosts[i]) {
			t.Fatalf("row %d of rows %v: got post %+v", row, rows, gotPosts[i])
		}
	}
}

func TestShorts_RejectsUnknownRows(t *testing.T) {
	files := folder(t)
	shorts, posts := few()
	seg := stored(t, files, shorts, posts)
	s := New(files, 0)
	for _, row := range []int{-1, 3} {
		_, err1 := s.Shorts(t.Context(), "acme", seg, []int{0, row})
		_, err2 := s.Posts(t.Context(), "acme", seg, []int{0, row})
		for _, err := range []error{err1, err2} {
			if err == nil || errors.Is(err, ErrDamaged) {
				t.Errorf("row %d: got %v", row, err)
			}
		}
	}
}

func TestKeys_ShareStrings(t *testing.T) {
	files := folder(t)
	shorts, posts := thin()
	seg := stored(t, files, shorts, posts)
	keys, err := New(files, 0).PostKeys(t.Context(), "acme", seg)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]*byte{}
	for _, k := range keys {
		if at := seen[k.Brand]; at != nil && at != unsafe.StringData(k.Brand) {
			t.Fatalf("%s is in memory twice", k.Brand)
		}
		seen[k.Brand] = unsafe.StringData(k.Brand)
	}
	if len(seen) < 2 {
		t.Errorf("got brands %v", seen)
	}
}

// The entry of a segment and the file have the same number of rows, or the file is not that of the segment.
func TestReads_CompareNumberOfRows(t *testing.T) {
	files := folder(t)
	shorts, posts := few()
	seg := stored(t, files, shorts, posts)
	seg.Shorts++
	seg.Posts = 0
	for name, err := range everyRead(t, New(files, 1<<20), seg) {
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want ErrDamaged", name, err)
		}
	}
}

// everyRead calls each function that reads and returns its error.
func everyRead(t *testing.T, s *Store, seg *v1beta1.ArchiveSegment) map[string]error {
	t.Helper()
	ctx, out := t.Context(), map[string]error{}
	_, _, out["Read"] = s.Read(ctx, "acme", seg)
	_, out["ShortKeys"] = s.ShortKeys(ctx, "acme", seg)
	_, out["PostKeys"] = s.PostKeys(ctx, "acme", seg)
	_, out["Texts"] = s.Texts(ctx, "acme", seg)
	_, out["Shorts"] = s.Shorts(ctx, "acme", seg, []int{0})
	if seg.Posts > 0 {
		_, out["Posts"] = s.Posts(ctx, "acme", seg, []int{0})
	}
	return out
}

func TestReads_MissingFile(t *testing.T) {
	seg := &v1beta1.ArchiveSegment{Name: "2026-10/0123456789abcdef", Shorts: 1, Posts: 1}
	for name, err := range everyRead(t, New(folder(t), 1<<20), seg) {
		if !errors.Is(err, ErrDamaged) || !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrDamaged and ErrNotFound", name, err)
		}
	}
}

func TestNames_AreChecked(t *testing.T) {
	s := New(folder(t), 0)
	for _, c := range []struct{ namespace, segment string }{
		{"", "2026-10/0123456789abcdef"},
		{"..", "2026-10/0123456789abcdef"},
		{"a/b", "2026-10/0123456789abcdef"},
		{"Acme", "2026-10/0123456789abcdef"},
		{"acme", ""},
		{"acme", "2026-10"},
		{"acme", "../acme2/2026-10/0123456789abcdef"},
		{"acme", "2026-10/../0123456789abcdef"},
		{"acme", "2026-10/0123456789ABCDEF"},
		{"acme", "2026-10/0123456789abcdef\n"},
		{"acme", "2026-10/0123456"},
	} {
		seg := &v1beta1.ArchiveSegment{Name: c.segment, Shorts: 1, Posts: 1}
		_, _, errs := keysOf(c.namespace, c.segment)
		_, sweep := s.Sweep(t.Context(), c.namespace, []v1beta1.ArchiveSegment{*seg})
		for _, err := range []error{errs, s.Delete(t.Context(), c.namespace, seg), sweep} {
			if err == nil || !strings.Contains(err.Error(), "invalid") {
				t.Errorf("%q %q: got %v", c.namespace, c.segment, err)
			}
		}
	}
	if err := s.DeleteAll(t.Context(), ""); err == nil {
		t.Error("deleted the archives of all namespaces")
	}
}

// A failure of the store is not damage, and nothing of it stays in the cache.
func TestReads_FailingStore(t *testing.T) {
	files := folder(t)
	shorts, posts := sample(4, 40, 4)
	seg := stored(t, files, shorts, posts)
	for _, how := range []fault{lost, broken} {
		failed := 0
		for at := int64(1); at < 20; at++ {
			f := &failing{Blobs: files, at: at, fault: how}
			s := New(f, 1<<20)
			for name, err := range everyRead(t, s, seg) {
				if err == nil {
					continue
				}
				failed++
				if errors.Is(err, ErrDamaged) {
					t.Errorf("call %d (%s): %s returned %v", at, how, name, err)
				}
			}
			f.at = 0
			for name, err := range everyRead(t, s, seg) {
				if err != nil {
					t.Errorf("%s after call %d failed (%s): %v", name, at, how, err)
				}
			}
		}
		if failed < 5 {
			t.Errorf("only %d reads failed (%s)", failed, how)
		}
	}
}

func TestReads_CanceledContext(t *testing.T) {
	files := folder(t)
	shorts, posts := few()
	seg := stored(t, files, shorts, posts)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := New(files, 1<<20)
	_, err1 := s.ShortKeys(ctx, "acme", seg)
	_, _, err2 := s.Read(ctx, "acme", seg)
	_, err3 := s.Write(ctx, "acme", shorts, posts)
	for i, err := range []error{err1, err2, err3} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: got %v", i, err)
		}
	}
}

func TestDelete(t *testing.T) {
	files := folder(t)
	shorts, posts := few()
	a, b := stored(t, files, shorts, posts), stored(t, files, shorts, posts)
	s := New(files, 0)
	for range 2 { // the second time there is nothing
		if err := s.Delete(t.Context(), "acme", a); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(testkit.Keys(t, files)); n != 2 {
		t.Errorf("left %v", testkit.Keys(t, files))
	}
	readAll(t, s, b)
	for at := int64(1); at <= 2; at++ {
		f := &failing{Blobs: files, at: at, fault: lost}
		if err := New(f, 0).Delete(t.Context(), "acme", b); !errors.Is(err, errStore) {
			t.Errorf("got %v", err)
		}
	}
}

func TestDeleteAll(t *testing.T) {
	files := testkit.Files(t, nil,
		"archive/acme/2026-10/x/shorts.parquet", "archive/acme2/a", "archive/acme/other", "acme/a")
	if err := New(files, 0).DeleteAll(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if got, want := testkit.Keys(t, files), []string{"acme/a", "archive/acme2/a"}; !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
}

func TestSweep(t *testing.T) {
	const kept, removed = "archive/acme/2026-10/0123456789abcdef/", "archive/acme/2026-10/fedcba9876543210/"
	segments := []v1beta1.ArchiveSegment{{Name: "2026-10/0123456789abcdef"}}
	keys := []string{
		kept + "shorts.parquet", kept + "posts.parquet", kept + "unknown",
		removed + "shorts.parquet", removed + "posts.parquet", "archive/acme2/2026-10/fedcba9876543210/shorts.parquet",
	}
	// Files have the time of the file system, so the clock runs ahead of it.
	for age, want := range map[time.Duration][]string{
		sweepAge - time.Minute: keys,
		sweepAge + time.Minute: {keys[0], keys[1], keys[5]},
	} {
		files := testkit.Files(t, testclock.NewFakePassiveClock(time.Now().Add(age)), keys...)
		n, err := New(files, 0).Sweep(t.Context(), "acme", segments)
		if err != nil || n != len(keys)-len(want) {
			t.Errorf("after %s: deleted %d files, %v", age, n, err)
		}
		want = slices.Sorted(slices.Values(want))
		if got := testkit.Keys(t, files); !slices.Equal(got, want) {
			t.Errorf("after %s: left %v, want %v", age, got, want)
		}
	}
}

func TestSweep_ContinuesAfterFailure(t *testing.T) {
	clk := testclock.NewFakePassiveClock(time.Now().Add(2 * sweepAge))
	files := testkit.Files(t, clk, "archive/acme/a", "archive/acme/b", "archive/acme/c")
	n, err := New(&failing{Blobs: files, at: 2, fault: lost}, 0).Sweep(t.Context(), "acme", nil)
	if n != 2 || !errors.Is(err, errStore) {
		t.Errorf("deleted %d files, %v", n, err)
	}
}
