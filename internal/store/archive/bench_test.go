// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"errors"
	"math/rand/v2"
	"testing"

	"k8s.io/utils/clock"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// large returns a store with a segment of 10,000 shorts and 40,000 posts.
func large(b *testing.B) (*counting, *v1beta1.ArchiveSegment) {
	b.Helper()
	shorts, posts := sample(1, 10_000, 4)
	c := &counting{Blobs: testkit.Files(b, clock.RealClock{})}
	seg := entry(shorts, posts)
	shortsKey, postsKey, err := keysOf("acme", seg.Name)
	if err != nil {
		b.Fatal(err)
	}
	// Write rejects so many bytes.
	m, err1 := write(b.Context(), New(c, 0), shortsKey, shorts)
	n, err2 := write(b.Context(), New(c, 0), postsKey, posts)
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	b.Logf("a unit: %d bytes of JSON, %d bytes in the files",
		len(shorts[0].Objects)+4*len(posts[0].Object), (m+n)/int64(len(shorts)))
	return c, &seg
}

func BenchmarkRead(b *testing.B) {
	c, seg := large(b)
	for name, read := range map[string]func(s *Store) error{
		"ShortKeys": func(s *Store) error { _, err := s.ShortKeys(b.Context(), "acme", seg); return err },
		"PostKeys":  func(s *Store) error { _, err := s.PostKeys(b.Context(), "acme", seg); return err },
		"Texts":     func(s *Store) error { _, err := s.Texts(b.Context(), "acme", seg); return err },
		"Short": func(s *Store) error {
			_, err := s.Shorts(b.Context(), "acme", seg, []int{rand.IntN(int(seg.Shorts))})
			return err
		},
		"Post": func(s *Store) error {
			_, err := s.Posts(b.Context(), "acme", seg, []int{rand.IntN(int(seg.Posts))})
			return err
		},
	} {
		b.Run(name+"/cold", func(b *testing.B) { benchmark(b, c, New(c, 0), read) })
		b.Run(name+"/warm", func(b *testing.B) {
			s := New(c, 256<<20)
			for range 500 {
				if err := read(s); err != nil {
					b.Fatal(err)
				}
			}
			benchmark(b, c, s, read)
		})
	}
}

func benchmark(b *testing.B, c *counting, s *Store, read func(s *Store) error) {
	b.ReportAllocs()
	c.requests.Store(0)
	c.bytes.Store(0)
	for b.Loop() {
		if err := read(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(c.requests.Load())/float64(b.N), "requests/op")
	b.ReportMetric(float64(c.bytes.Load())/float64(b.N), "read-B/op")
}

func BenchmarkWrite(b *testing.B) {
	shorts, posts := sample(1, 1000, 4)
	s := New(testkit.Files(b, clock.RealClock{}), 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Write(b.Context(), "acme", shorts, posts); err != nil {
			b.Fatal(err)
		}
	}
}
