// SPDX-License-Identifier: Apache-2.0

package archived_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/testkit"
)

// BenchmarkLoader loads the keys of 10,000 shorts with four posts each, in twelve segments whose files are in the cache
// of the store: those of all shorts, of all posts, and of all shorts and the posts of one.
func BenchmarkLoader(b *testing.B) {
	store := archive.New(testkit.Files(b, clock.RealClock{}), 256<<20)
	w := newWorld(b, 0)
	w.change("n", func(a *v1beta1.Archive) {
		for month := range 12 {
			a.Status.Segments = append(a.Status.Segments, write(b, store, 1+10_000*month/12, 1+10_000*(month+1)/12))
		}
	})
	// No key is kept without a reader.
	loader := archived.NewLoader(w.objects, store, index.New(clock.RealClock{}), index.NewPosts(clock.RealClock{}), 0)
	hold := func(b *testing.B, hold func(context.Context, string) (func(), error)) func() {
		b.Helper()
		release, err := hold(b.Context(), "n")
		if err != nil {
			b.Fatal(err)
		}
		return release
	}
	b.Run("shorts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			hold(b, loader.HoldShorts)()
		}
	})
	b.Run("posts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			hold(b, loader.HoldPosts)()
		}
	})
	b.Run("shorts and posts of one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			release := hold(b, loader.HoldShorts)
			if of, err := loader.PostsOf(b.Context(), "n", 5_000); err != nil || len(of) != 1 {
				b.Fatal(of, err)
			}
			release()
		}
	})
}

// write writes a segment with the shorts from first to end, without end.
func write(b *testing.B, store *archive.Store, first, end int) v1beta1.ArchiveSegment {
	b.Helper()
	var shorts []archive.Short
	var posts []archive.Post
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for id := int64(first); id < int64(end); id++ {
		created := at.Add(time.Duration(id) * time.Minute)
		shorts = append(shorts, archive.Short{
			ID: id, Kind: v1beta1.KindSlideshow, Brand: "b", State: string(v1beta1.WorkSucceeded), CreatedAt: created,
			Objects: []byte("[]"),
		})
		for n, platform := range []string{"tiktok", "youtube", "instagram", "linkedin"} {
			posts = append(posts, archive.Post{
				ID: 4*id + int64(n), ShortID: id, Brand: "b", Account: fmt.Sprint(platform, id%8), Platform: platform,
				State: string(v1beta1.PostSuccess), CreatedAt: created, ScheduledAt: created.Add(time.Hour), Object: []byte("{}"),
			})
		}
	}
	s, err := store.Write(b.Context(), "n", shorts, posts)
	if err != nil {
		b.Fatal(err)
	}
	return s
}
