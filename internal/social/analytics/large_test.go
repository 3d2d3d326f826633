// SPDX-License-Identifier: Apache-2.0

package analytics_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// wide is an account with very many posts, which are created on request. It stores none, so the heap belongs to the
// refresher.
type wide struct {
	posts, page int
	now         time.Time
	// look is called before some of the pages.
	look func()
}

func (w *wide) Terms(publish.Account) analytics.Terms {
	return analytics.Terms{Lists: true, Pages: 1 << 20, Batch: 50, Measures: 1 << 20}
}

func (w *wide) Totals(context.Context, publish.Account) (*analytics.Totals, error) {
	return &analytics.Totals{}, nil
}

func (w *wide) Page(_ context.Context, _ publish.Account, cursor string) (*analytics.Page, error) {
	from := 0
	if cursor != "" {
		from, _ = strconv.Atoi(cursor)
	}
	if w.look != nil && from%(20*w.page) == 0 {
		w.look()
	}
	p := &analytics.Page{}
	for i := from; i < min(from+w.page, w.posts); i++ {
		p.Posts = append(p.Posts, analytics.Post{
			ID: fmt.Sprintf("7%018d", i), Caption: fmt.Sprintf("%0200d", i), URL: fmt.Sprintf("https://www.example.com/@maya/video/7%018d", i), PostedAt: w.now.Add(-time.Duration(i) * time.Minute),
		})
	}
	if from+w.page < w.posts {
		p.Next = strconv.Itoa(from + w.page)
	}
	return p, nil
}

func (w *wide) Measure(_ context.Context, _ publish.Account, posts []analytics.Post) (measured []analytics.Post, gone []string, err error) {
	for _, p := range posts {
		n := int64(len(p.ID))
		p.Numbers = analytics.Numbers{Views: &n, Likes: &n}
		measured = append(measured, p)
	}
	if w.look != nil && posts[0].ID[len(posts[0].ID)-3:] == "000" {
		w.look()
	}
	return measured, nil, nil
}

// heap returns the size of the live heap.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// peak returns the maximum growth of the heap during the second refresh of an account with that many posts, with the
// previous document in memory.
func peak(t *testing.T, posts int) int64 {
	t.Helper()
	w := &wide{posts: posts, page: 50, now: begin}
	r := &analytics.Refresher{Clock: testclock.NewFakePassiveClock(begin)}
	base := heap()
	before, err := r.Refresh(t.Context(), w, analytics.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	most := int64(0)
	w.look = func() { most = max(most, heap()-base) }
	r.Clock = testclock.NewFakePassiveClock(begin.Add(25 * time.Hour)) // a full listing
	d, err := r.Refresh(t.Context(), w, analytics.Ask{Before: before})
	if err != nil {
		t.Fatal(err)
	}
	if want := min(posts, analytics.DefaultMaxPosts); len(d.Rows) != want || d.Rows[want-1].Views == nil {
		t.Fatalf("got %d rows of %d posts", len(d.Rows), posts)
	}
	w.look()
	if err := d.Encode(observingWriter{w.look}); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(before)
	return most
}

// observingWriter discards its input.
type observingWriter struct{ look func() }

func (l observingWriter) Write(p []byte) (int, error) {
	if len(p)%7 == 0 {
		l.look()
	}
	return len(p), nil
}

// TestRefresh_Memory checks that the memory grows only with the number of stored posts.
func TestRefresh_Memory(t *testing.T) {
	small, large, huge := peak(t, 1_000), peak(t, 10_000), peak(t, 40_000)
	t.Logf("maximum: %d kB with 1,000 posts, %d kB with 10,000, %d kB with 40,000", small>>10, large>>10, huge>>10)
	if large > 12*small {
		t.Errorf("10,000 posts take %d bytes, more than twelve times the %d of 1,000", large, small)
	}
	if large > 30<<20 {
		t.Errorf("10,000 posts take %d bytes", large)
	}
	if huge > large+large/4 {
		t.Errorf("40,000 posts take %d bytes, and 10,000 take %d, although no more are stored", huge, large)
	}
}

// TestRefresh_TenThousandPosts reads the posts over HTTP, from the sandbox to the store and back.
func TestRefresh_TenThousandPosts(t *testing.T) {
	const posts = 10_000
	w := newWorld(t)
	w.clock.SetTime(begin.Add(40 * day))
	list, err := w.core.PostElsewhere(sandbox.Elsewhere{Platform: "tiktok", Account: "maya", Caption: "Bread", Count: posts, Minutes: 6})
	if err != nil {
		t.Fatal(err)
	}
	a := w.connect(t, "tiktok", "maya")
	a.ours = []analytics.Ours{{PlatformPostID: list[0].ID, Post: 1, Short: 2}, {PlatformPostID: list[posts-1].ID, Post: 3, Short: 4}}
	d := w.read(t, func() string { w.refresh(t, a); return a.key }())
	now := d.RefreshedAt
	var views, ofMonth int64
	for i := range list {
		n := list[i].Numbers(now).Views
		if views += n; !list[i].At.Before(now.Add(-30 * day)) {
			ofMonth += n
		}
	}
	if all := d.Summarize(analytics.Query{}, now); all.Posts != posts || *all.Views != views || *d.Account().Views != views {
		t.Errorf("got %d posts with %d views, want %d with %d", all.Posts, *all.Views, posts, views)
	}
	if month := d.Summarize(analytics.Query{Period: 30 * day}, now); month.Posts != 30*24*10+1 || *month.Views != ofMonth {
		t.Errorf("got %d posts of thirty days with %d views, want %d with %d", month.Posts, *month.Views, 30*24*10+1, ofMonth)
	}
	if ours, total := d.Part(analytics.Query{OursOnly: true, Sort: catalog.SortPostedAt, Ascending: true}, now, 0, 9); total != 2 || ours[0].OurPost != 1 || ours[1].OurPost != 3 {
		t.Errorf("got %+v as our posts", ours)
	}
	if err := d.Encode(io.Discard); err != nil {
		t.Error(err)
	}
}
