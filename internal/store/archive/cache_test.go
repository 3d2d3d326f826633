// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func TestCache_DropsLeastRecentlyUsed(t *testing.T) {
	c := newCache(3*overhead + 30)
	a, b, d := item{"k", 0}, item{"k", 1}, item{"other", 0}
	c.put(a, "a", 10)
	c.put(b, "b", 10)
	if c.get(a) != "a" {
		t.Error("a is missing")
	}
	c.put(d, "d", overhead+10)
	if c.get(a) != "a" || c.get(b) != nil || c.get(d) != "d" {
		t.Errorf("got %v, %v, %v; want b dropped", c.get(a), c.get(b), c.get(d))
	}
	c.put(item{"large", 0}, "x", 4*overhead)
	if c.get(item{"large", 0}) != nil || c.get(a) != "a" {
		t.Error("a value above the limit changed the cache")
	}
	c.put(a, "again", 0)
	if c.get(a) != "a" || c.bytes != 3*overhead+20 {
		t.Errorf("got %v, %d bytes", c.get(a), c.bytes)
	}
}

func TestCache_StaysWithinItsLimit(t *testing.T) {
	files := folder(t)
	shorts, posts := sample(7, 400, 4)
	segments := []*v1beta1.ArchiveSegment{stored(t, files, shorts, posts), stored(t, files, shorts[:100], nil)}
	const most = 200 << 10
	s := New(files, most)
	for range 300 {
		seg := segments[rand.IntN(2)]
		if _, err := s.Shorts(t.Context(), "acme", seg, []int{rand.IntN(int(seg.Shorts))}); err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for e := s.cache.recent.Front(); e != nil; e = e.Next() {
			sum += e.Value.(*cached).bytes
		}
		if sum != s.cache.bytes || sum > most || len(s.cache.items) != s.cache.recent.Len() {
			t.Fatalf("%d bytes, recorded %d, at most %d", sum, s.cache.bytes, most)
		}
	}
	if len(s.cache.items) < 5 {
		t.Errorf("only %d entries", len(s.cache.items))
	}
}

// The estimate of the memory of an opened file is what the cache counts.
func TestOpen_Memory(t *testing.T) {
	for _, n := range []int{1, 1000, 8000} {
		shorts, posts := sample(8, n, 1)
		a, b, _ := encoded(t, shorts, posts)
		for name, content := range map[string][]byte{"shorts": a, "posts": b} {
			s := New(&inMemory{file: content}, 0)
			opened, estimate := make([]*file, 20), int64(0)
			before := heap()
			for i := range opened {
				f, _, err := s.open(t.Context(), "key")
				if err != nil {
					t.Fatal(err)
				}
				opened[i], estimate = f, f.memory()
			}
			used := (heap() - before) / int64(len(opened))
			runtime.KeepAlive(opened)
			if used > estimate*5/4 || used < estimate/4 {
				t.Errorf("%d rows of %s: %d bytes in memory, estimate %d", n, name, used, estimate)
			}
		}
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what pools held at the first one
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestReads_WarmNeedNoRequests(t *testing.T) {
	c := &counting{Blobs: folder(t)}
	shorts, posts := sample(9, 300, 4)
	seg := stored(t, c, shorts, posts)
	s := New(c, 64<<20)
	reads := map[string]func() error{
		"ShortKeys": func() error { _, err := s.ShortKeys(t.Context(), "acme", seg); return err },
		"PostKeys":  func() error { _, err := s.PostKeys(t.Context(), "acme", seg); return err },
		"Texts":     func() error { _, err := s.Texts(t.Context(), "acme", seg); return err },
		"Shorts":    func() error { _, err := s.Shorts(t.Context(), "acme", seg, []int{7, 290, 150}); return err },
		"Posts":     func() error { _, err := s.Posts(t.Context(), "acme", seg, []int{7, 290, 150}); return err },
	}
	for range 2 {
		for name, read := range reads {
			if err := read(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if c.requests.Swap(0) > 30 {
			t.Error("too many requests")
		}
		c.requests.Store(0)
	}
	for name, read := range reads {
		if err := read(); err != nil || c.requests.Load() > 0 {
			t.Errorf("%s: %d requests, %v", name, c.requests.Load(), err)
		}
	}
}

// After the footer, lists read the first columns only, and one row few pages.
func TestReads_FetchOnlyNeededColumns(t *testing.T) {
	shorts, _ := sample(10, 2000, 0)
	a, _, seg := encoded(t, shorts, nil)
	for name, c := range map[string]struct {
		read     func(s *Store) error
		column   string // read up to the begin of this column
		requests int
		bytes    int64
	}{
		"ShortKeys": {func(s *Store) error {
			_, err := s.ShortKeys(t.Context(), "acme", seg)
			return err
		}, "archived_at", 1, 64 << 10},
		"Texts": {func(s *Store) error {
			_, err := s.Texts(t.Context(), "acme", seg)
			return err
		}, "objects", 1, 512 << 10},
		"Shorts": {func(s *Store) error {
			_, err := s.Shorts(t.Context(), "acme", seg, []int{1000})
			return err
		}, "", 5, 192 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			store := &counting{Blobs: &inMemory{file: a}}
			s := New(store, 1<<20)
			f, err := s.file(t.Context(), "archive/acme/"+seg.Name+"/"+shortsFile, seg.Shorts)
			if err != nil {
				t.Fatal(err)
			}
			store.ranges = nil
			store.bytes.Store(0)
			if err := c.read(s); err != nil {
				t.Fatal(err)
			}
			if len(store.ranges) > c.requests || store.bytes.Load() > c.bytes {
				t.Errorf("got %d requests, %d bytes", len(store.ranges), store.bytes.Load())
			}
			if c.column == "" {
				return
			}
			begin := f.columns[c.column].pages.Offset(0)
			for _, r := range store.ranges {
				if r.end > blocks(begin)*blockBytes {
					t.Errorf("range %v reaches into column %s, which begins at %d", r, c.column, begin)
				}
			}
		})
	}
}

// Concurrent readers of a file share its requests, with and without a cache. One that leaves does not fail the others.
func TestReads_ConcurrentReadersShareRequests(t *testing.T) {
	shorts, _ := sample(11, 500, 0)
	a, _, seg := encoded(t, shorts, nil)
	single := &counting{Blobs: &inMemory{file: a}}
	if _, err := New(single, 0).ShortKeys(t.Context(), "acme", seg); err != nil {
		t.Fatal(err)
	}
	for _, cacheBytes := range []int64{0, 1 << 20} {
		synctest.Test(t, func(t *testing.T) {
			store := &counting{Blobs: &inMemory{file: a, hold: make(chan struct{})}}
			s := New(store, cacheBytes)
			first, leave := context.WithCancel(t.Context())
			var readers sync.WaitGroup
			readers.Go(func() {
				if _, err := s.ShortKeys(first, "acme", seg); !errors.Is(err, context.Canceled) {
					t.Errorf("a canceled reader got %v", err)
				}
			})
			synctest.Wait()
			for range 10 {
				readers.Go(func() {
					if keys, err := s.ShortKeys(t.Context(), "acme", seg); err != nil || len(keys) != 500 {
						t.Errorf("got %d keys, %v", len(keys), err)
					}
				})
			}
			synctest.Wait()
			leave()
			synctest.Wait()
			if n := store.requests.Load(); n != 2 {
				t.Errorf("%d requests for the size and the end of the file, want 2", n)
			}
			close(store.Blobs.(*inMemory).hold)
			readers.Wait()
			if n := store.requests.Load(); cacheBytes > 0 && n != single.requests.Load() {
				t.Errorf("%d requests, a single reader needs %d", n, single.requests.Load())
			}
		})
	}
}
