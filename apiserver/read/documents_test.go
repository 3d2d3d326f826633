// SPDX-License-Identifier: Apache-2.0

package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/store/blob"
)

// shelf is a blob store that counts reads, and can delay them.
type shelf struct {
	mu    sync.Mutex
	blobs map[string][]byte
	reads map[string]int
	hold  chan struct{} // nil delays nothing
	fails error
	cut   error
}

func (s *shelf) open(ctx context.Context, key string) (io.ReadCloser, error) {
	if s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads[key]++
	doc, ok := s.blobs[key]
	switch {
	case s.fails != nil:
		return nil, s.fails
	case !ok:
		return nil, fmt.Errorf("reading: %w", blob.ErrNotFound)
	case s.cut != nil:
		return io.NopCloser(io.MultiReader(bytes.NewReader(doc[:len(doc)/2]), broken{s.cut})), nil
	}
	return io.NopCloser(bytes.NewReader(doc)), nil
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func (s *shelf) put(t *testing.T, key string, posts int) {
	t.Helper()
	d := &analytics.Document{Version: 1, RefreshedAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	for i := range posts {
		d.Rows = append(d.Rows, analytics.Row{Post: analytics.Post{ID: fmt.Sprint(i), PostedAt: d.RefreshedAt.Add(-time.Duration(i) * time.Hour)}})
	}
	var b bytes.Buffer
	if err := d.Encode(&b); err != nil {
		t.Fatal(err)
	}
	s.blobs[key] = b.Bytes()
}

func newShelf() *shelf { return &shelf{blobs: map[string][]byte{}, reads: map[string]int{}} }

func TestDocuments_ReadsADocumentOnce(t *testing.T) {
	s := newShelf()
	s.put(t, "analytics/a/1/100.jsonl", 3)
	d := newDocuments(s.open, MostDocumentBytes)
	for range 3 {
		got, err := d.Get(t.Context(), "analytics/a/1/100.jsonl")
		if err != nil || len(got.Rows) != 3 {
			t.Fatalf("%v, %v", got, err)
		}
	}
	if n := s.reads["analytics/a/1/100.jsonl"]; n != 1 {
		t.Errorf("the document was read %d times", n)
	}
}

func TestDocuments_ReplaceTheDocumentOfAnAccount(t *testing.T) {
	s := newShelf()
	s.put(t, "analytics/a/1/100.jsonl", 3)
	s.put(t, "analytics/a/1/200.jsonl", 4)
	d := newDocuments(s.open, MostDocumentBytes)
	for _, key := range []string{"analytics/a/1/100.jsonl", "analytics/a/1/200.jsonl"} {
		if _, err := d.Get(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if d.recent.Len() != 1 || d.kept("analytics/a/1/200.jsonl") == nil {
		t.Errorf("%d documents of one account are cached", d.recent.Len())
	}
}

func TestDocuments_EvictTheLeastRecentlyUsed(t *testing.T) {
	s := newShelf()
	for i := range 4 {
		s.put(t, fmt.Sprintf("analytics/a/%d/1.jsonl", i), 50)
	}
	one := newDocuments(s.open, MostDocumentBytes)
	if _, err := one.Get(t.Context(), "analytics/a/0/1.jsonl"); err != nil {
		t.Fatal(err)
	}
	d := newDocuments(s.open, 2*one.bytes+one.bytes/2) // room for two
	for _, i := range []int{0, 1, 0, 2, 0, 3} {
		if _, err := d.Get(t.Context(), fmt.Sprintf("analytics/a/%d/1.jsonl", i)); err != nil {
			t.Fatal(err)
		}
		if d.bytes > d.most {
			t.Fatalf("%d bytes are cached, the limit is %d", d.bytes, d.most)
		}
	}
	for i, kept := range []bool{true, false, false, true} {
		if got := d.kept(fmt.Sprintf("analytics/a/%d/1.jsonl", i)) != nil; got != kept {
			t.Errorf("document %d is cached: %t", i, got)
		}
	}
	small := newDocuments(s.open, 100) // for none
	if got, err := small.Get(t.Context(), "analytics/a/0/1.jsonl"); err != nil || len(got.Rows) != 50 || small.bytes != 0 {
		t.Errorf("a document that is too large to cache: %v, %d bytes", err, small.bytes)
	}
}

func TestDocuments_DistinguishDamageFromAnOutage(t *testing.T) {
	key, away := "analytics/a/1/100.jsonl", errors.New("no route to host")
	for _, c := range []struct {
		why  string
		set  func(*shelf)
		lost bool
	}{
		{"no document", func(s *shelf) { delete(s.blobs, key) }, true},
		{"another content", func(s *shelf) { s.blobs[key] = []byte("<html>") }, true},
		{"an empty file", func(s *shelf) { s.blobs[key] = nil }, true},
		{"a truncated document", func(s *shelf) { s.blobs[key] = s.blobs[key][:len(s.blobs[key])/2] }, true},
		{"the store is unavailable", func(s *shelf) { s.fails = away }, false},
		{"the store fails during the read", func(s *shelf) { s.cut = away }, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := newShelf()
			s.put(t, key, 30)
			c.set(s)
			d := newDocuments(s.open, MostDocumentBytes)
			_, err := d.Get(t.Context(), key)
			if err == nil || errors.Is(err, ErrLost) != c.lost || !c.lost && !errors.Is(err, away) {
				t.Fatalf("%v", err)
			}
			s.fails, s.cut = nil, nil
			s.put(t, key, 30)
			if _, err := d.Get(t.Context(), key); err != nil {
				t.Errorf("once it exists: %v", err)
			}
		})
	}
}

func TestDocuments_ConcurrentCallersShareOneRead(t *testing.T) {
	s := newShelf()
	s.put(t, "analytics/a/1/100.jsonl", 3)
	s.hold = make(chan struct{})
	d := newDocuments(s.open, MostDocumentBytes)
	gone, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, err := d.Get(gone, "analytics/a/1/100.jsonl"); first <- err }()
	cancel() // the caller that began it leaves
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Fatalf("the disconnected caller got %v", err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := d.Get(t.Context(), "analytics/a/1/100.jsonl"); err != nil {
				t.Error(err)
			}
		})
	}
	close(s.hold)
	wg.Wait()
	if n := s.reads["analytics/a/1/100.jsonl"]; n != 1 {
		t.Errorf("the document was read %d times", n)
	}
}
