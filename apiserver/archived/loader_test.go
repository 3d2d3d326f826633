// SPDX-License-Identifier: Apache-2.0

package archived_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/internal/content/textsearch"
	"github.com/reelops/reelops/internal/store/archive"
)

// fakeStore has segments whose shorts have consecutive ids, each with one post of the same id.
type fakeStore struct {
	mu  sync.Mutex
	ids map[string][]int64 // by name of the segment
	// fail is returned by every read; block, unless nil, delays them until it is closed.
	fail  error
	block chan struct{}
	keys  atomic.Int64 // reads of keys of shorts
	posts atomic.Int64 // reads of keys of posts
	rows  atomic.Int64 // reads of rows
	texts atomic.Int64
}

func (f *fakeStore) read(ctx context.Context, s *v1beta1.ArchiveSegment) ([]int64, error) {
	f.mu.Lock()
	block, fail := f.block, f.fail
	ids, ok := f.ids[s.Name]
	f.mu.Unlock()
	if block != nil {
		select {
		case <-block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if fail == nil && !ok {
		fail = archive.ErrDamaged
	}
	return ids, fail
}

func (f *fakeStore) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeStore) ShortKeys(ctx context.Context, _ string, s *v1beta1.ArchiveSegment) ([]archive.ShortKey, error) {
	f.keys.Add(1)
	ids, err := f.read(ctx, s)
	out := make([]archive.ShortKey, len(ids))
	for i, id := range ids {
		out[i] = archive.ShortKey{ID: id, CreatedAt: time.Unix(id, 0), Kind: "Slideshow", Brand: "b", State: "succeeded"}
	}
	return out, err
}

func (f *fakeStore) PostKeys(ctx context.Context, _ string, s *v1beta1.ArchiveSegment) ([]archive.PostKey, error) {
	f.posts.Add(1)
	ids, err := f.read(ctx, s)
	out := make([]archive.PostKey, len(ids))
	for i, id := range ids {
		out[i] = archive.PostKey{
			ID: id, ShortID: id, CreatedAt: time.Unix(id, 0), ScheduledAt: time.Unix(id, 0),
			Brand: "b", Account: "a", Platform: "tiktok", State: string(v1beta1.PostSuccess),
		}
	}
	return out, err
}

func (f *fakeStore) Texts(ctx context.Context, _ string, s *v1beta1.ArchiveSegment) ([]archive.Text, error) {
	f.texts.Add(1)
	ids, err := f.read(ctx, s)
	out := make([]archive.Text, len(ids))
	for i, id := range ids {
		out[i].Text = fmt.Sprint("short number", id)
	}
	return out, err
}

func (f *fakeStore) Shorts(
	ctx context.Context, _ string, s *v1beta1.ArchiveSegment, rows []int,
) ([]archive.Short, error) {
	f.rows.Add(1)
	ids, err := f.read(ctx, s)
	out := make([]archive.Short, len(rows))
	for i, n := range rows {
		if err == nil {
			out[i].ID = ids[n]
		}
	}
	return out, err
}

func (f *fakeStore) Posts(context.Context, string, *v1beta1.ArchiveSegment, []int) ([]archive.Post, error) {
	return nil, errors.New("not used")
}

// world is a loader with its informer and its store.
type world struct {
	t       testing.TB
	objects *archived.Objects
	store   *fakeStore
	shorts  *index.Shorts
	posts   *index.Posts
	loader  *archived.Loader
	events  cache.ResourceEventHandler
	have    map[string]*v1beta1.Archive
	version int
}

func newWorld(t testing.TB, most int64) *world {
	w := &world{
		t: t, objects: archived.NewObjects(), store: &fakeStore{ids: map[string][]int64{}},
		shorts: index.New(clock.RealClock{}), posts: index.NewPosts(clock.RealClock{}), have: map[string]*v1beta1.Archive{},
	}
	w.loader = archived.NewLoader(w.objects, w.store, w.shorts, w.posts, most)
	w.events = w.objects.Events()
	return w
}

// ids returns consecutive ids.
func ids(from, n int64) (out []int64) {
	for i := range n {
		out = append(out, from+i)
	}
	return out
}

// change sends the event of a changed Archive.
func (w *world) change(namespace string, change func(*v1beta1.Archive)) {
	w.version++
	old := w.have[namespace]
	a := &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: v1beta1.ArchiveName}}
	if old != nil {
		a = old.DeepCopy()
	}
	a.ResourceVersion = fmt.Sprint(w.version)
	change(a)
	w.have[namespace] = a
	if old == nil {
		w.events.OnAdd(a, false)
	} else {
		w.events.OnUpdate(old, a)
	}
}

// add adds a segment to an Archive.
func (w *world) add(namespace, name string, ids []int64) {
	w.store.set(func() { w.store.ids[name] = ids })
	w.change(namespace, func(a *v1beta1.Archive) {
		n := int32(len(ids))
		a.Status.Segments = append(a.Status.Segments, v1beta1.ArchiveSegment{Name: name, Shorts: n, Posts: n})
	})
}

// hold holds the shorts and the posts of a namespace.
func (w *world) hold(namespace string) (release func(), err error) {
	shorts, err := w.loader.HoldShorts(w.t.Context(), namespace)
	if err != nil {
		return nil, err
	}
	posts, err := w.loader.HoldPosts(w.t.Context(), namespace)
	if err != nil {
		shorts()
		return nil, err
	}
	return func() { shorts(); posts() }, nil
}

// totals holds a namespace and returns the numbers of its shorts and of its posts.
func (w *world) totals(namespace string) (shorts, posts int) {
	w.t.Helper()
	release, err := w.hold(namespace)
	if err != nil {
		w.t.Error(err)
		return -1, -1
	}
	defer release()
	w.shorts.List(namespace, "b", index.Filter{}, func(n int) (int, int) { shorts = n; return 0, 0 })
	return shorts, w.posts.Count(namespace, "b", index.PostFilter{})
}

func (w *world) wantTotal(namespace string, want int) {
	w.t.Helper()
	if shorts, posts := w.totals(namespace); shorts != want || posts != want {
		w.t.Errorf("%s has %d shorts and %d posts, want %d", namespace, shorts, posts, want)
	}
}

// TestHold_FollowsTheArchive changes an Archive in every way, and reads each segment once.
func TestHold_FollowsTheArchive(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.wantTotal("n", 0)
	w.add("n", "one", ids(1, 10))
	w.wantTotal("n", 10)
	w.add("n", "two", ids(11, 5))
	w.wantTotal("n", 15)
	w.change("n", func(a *v1beta1.Archive) {
		a.Status.Segments[0].Removed = []int64{3, 4}
		a.Spec.Restore = []int64{4}
	})
	w.wantTotal("n", 14)
	w.change("n", func(a *v1beta1.Archive) { a.Spec.Restore = nil })
	w.wantTotal("n", 13)
	w.change("n", func(a *v1beta1.Archive) {
		a.Status.Segments[0].Expired = []int64{5, 6}
		a.Spec.Restore = []int64{6} // too late
	})
	w.wantTotal("n", 11)
	w.change("n", func(a *v1beta1.Archive) {
		a.Status.Segments[0].Expired, a.Status.Segments[0].Removed = nil, []int64{3, 4, 5, 6}
		a.Spec.Restore = nil
	})
	w.wantTotal("n", 11)
	if n := w.store.keys.Load(); n != 2 {
		t.Errorf("the keys of 2 segments were read %d times", n)
	}
	w.store.set(func() { delete(w.store.ids, "one") })
	w.change("n", func(a *v1beta1.Archive) { a.Status.Segments = a.Status.Segments[1:] })
	w.wantTotal("n", 5)
	w.add("n", "three", append(ids(1, 2), ids(5, 6)...))
	w.wantTotal("n", 13)
	w.events.OnDelete(cache.DeletedFinalStateUnknown{Obj: w.have["n"]})
	w.wantTotal("n", 0)
	w.wantTotal("another", 0)
}

// TestHold_SharesOneLoad: the first of many callers leaves while the load is in progress.
func TestHold_SharesOneLoad(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.add("n", "one", ids(1, 10))
	w.store.block = make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := w.loader.HoldShorts(ctx, "n")
		left <- err
	}()
	for w.store.keys.Load() == 0 { // until the load is in progress
		time.Sleep(time.Millisecond)
	}
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() { w.wantTotal("n", 10) })
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left got %v", err)
	}
	close(w.store.block)
	calls.Wait()
	if n := w.store.keys.Load(); n != 1 {
		t.Errorf("the keys were read %d times", n)
	}
}

// TestHold_FailsWhileTheStoreFails: a list without the archive would have a wrong total.
func TestHold_FailsWhileTheStoreFails(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.add("n", "one", ids(1, 10))
	w.add("n", "two", ids(11, 10))
	broken := errors.New("the bucket is not reachable")
	w.store.fail = broken
	for range 2 {
		_, err := w.loader.HoldShorts(t.Context(), "n")
		var failed *archived.Error
		if !errors.As(err, &failed) || !errors.Is(err, broken) || !failed.Unavailable() || archived.Replaced(err) {
			t.Fatalf("got %v", err)
		}
	}
	w.store.set(func() { w.store.fail = nil })
	w.wantTotal("n", 20)
	w.store.set(func() { w.store.fail = broken })
	w.wantTotal("n", 20) // nothing is read again
	w.change("n", func(a *v1beta1.Archive) { a.Status.Segments[0].Removed = []int64{1} })
	w.wantTotal("n", 19)
	w.add("n", "three", ids(30, 1))
	if _, err := w.loader.HoldShorts(t.Context(), "n"); !errors.Is(err, broken) {
		t.Errorf("a new segment that cannot be read: %v", err)
	}
}

// TestHold_KeepsWhatOtherSegmentsHave: after a failure only the segment that failed is read again.
func TestHold_KeepsWhatOtherSegmentsHave(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.add("n", "one", ids(1, 10))
	w.add("n", "two", ids(11, 10))
	w.store.set(func() { delete(w.store.ids, "two") })
	if _, err := w.loader.HoldShorts(t.Context(), "n"); !archived.Replaced(err) {
		t.Fatalf("a missing file: %v", err)
	}
	w.store.set(func() { w.store.ids["two"] = ids(11, 10) })
	w.wantTotal("n", 20)
	if n := w.store.keys.Load(); n != 3 {
		t.Errorf("the keys were read %d times", n)
	}
}

// postsOf returns the names of the segments with the posts of a short.
func (w *world) postsOf(namespace string, short int64) (names []string, err error) {
	w.t.Helper()
	release, err := w.loader.HoldShorts(w.t.Context(), namespace)
	if err != nil {
		w.t.Fatal(err)
	}
	defer release()
	segments, err := w.loader.PostsOf(w.t.Context(), namespace, short)
	for _, s := range segments {
		if !s.Has(short) { // each post has the id of its short
			w.t.Errorf("segment %s has no post of short %d", s.Entry().Name, short)
		}
		names = append(names, s.Entry().Name)
	}
	return names, err
}

func (w *world) wantPostsOf(namespace string, short int64, want ...string) {
	w.t.Helper()
	if got, err := w.postsOf(namespace, short); err != nil || !slices.Equal(got, want) {
		w.t.Errorf("the posts of short %d are in %q, want %q: %v", short, got, want, err)
	}
}

// TestPostsOf_ReadsTheSegmentsOfTheShort, and no other one.
func TestPostsOf_ReadsTheSegmentsOfTheShort(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.wantPostsOf("n", 1)
	w.add("n", "one", ids(1, 10))
	w.add("n", "two", ids(11, 10))
	w.add("n", "no posts", ids(21, 10))
	w.change("n", func(a *v1beta1.Archive) { a.Status.Segments[2].Posts = 0 })
	reads := func(want int64) {
		t.Helper()
		if n := w.store.posts.Load(); n != want {
			t.Errorf("the keys of posts were read %d times, want %d", n, want)
		}
	}
	w.wantPostsOf("n", 3, "one")
	w.wantPostsOf("n", 9, "one")
	w.wantPostsOf("n", 21)
	w.wantPostsOf("n", 99)
	reads(1)
	w.change("n", func(a *v1beta1.Archive) {
		a.Status.Segments[0].Removed = []int64{3, 4}
		a.Spec.Restore = []int64{4}
	})
	w.wantPostsOf("n", 3)
	w.wantPostsOf("n", 4, "one")
	reads(1)
	w.add("n", "again", ids(3, 1))
	w.wantPostsOf("n", 3, "again")
	reads(2)
	w.change("n", func(a *v1beta1.Archive) { a.Status.Segments = a.Status.Segments[1:] })
	w.wantPostsOf("n", 9)
	w.events.OnDelete(w.have["n"])
	w.wantPostsOf("n", 3)
	reads(2)
	var none *archived.Loader
	if got, err := none.PostsOf(t.Context(), "n", 1); err != nil || got != nil {
		t.Errorf("without archives got %v, %v", got, err)
	}
}

// TestPostsOf_SharesKeysWithTheLists: no segment is read for both.
func TestPostsOf_SharesKeysWithTheLists(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.add("n", "one", ids(1, 10))
	w.add("n", "two", ids(11, 10))
	w.wantPostsOf("n", 15, "two")
	w.wantTotal("n", 20)
	w.wantPostsOf("n", 5, "one")
	if n := w.store.posts.Load(); n != 2 {
		t.Errorf("the keys of 2 segments were read %d times", n)
	}
}

// TestPostsOf_FailsWhileTheStoreFails, and keeps the failure out of later calls.
func TestPostsOf_FailsWhileTheStoreFails(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.add("n", "one", ids(1, 10))
	if shorts, _ := w.totals("n"); shorts != 10 {
		t.Fatalf("got %d shorts", shorts)
	}
	w.add("n", "two", ids(11, 10))
	w.wantPostsOf("n", 1, "one")
	broken := errors.New("the bucket is not reachable")
	w.store.set(func() { w.store.fail = broken })
	var failed *archived.Error
	if _, err := w.postsOf("n", 11); !errors.As(err, &failed) || !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	w.store.set(func() { w.store.fail = nil })
	w.wantPostsOf("n", 11, "two")
}

// TestPostsOf_SharesOneRead between concurrent callers, and keeps the keys only if there is memory for them.
func TestPostsOf_SharesOneRead(t *testing.T) {
	for most, want := range map[int64]int64{archived.MostBytes: 1, 0: 2} {
		w := newWorld(t, most)
		w.add("n", "one", ids(1, 10))
		release, err := w.loader.HoldShorts(t.Context(), "n")
		if err != nil {
			t.Fatal(err)
		}
		w.store.set(func() { w.store.block = make(chan struct{}) })
		var calls sync.WaitGroup
		for range 20 {
			calls.Go(func() { w.wantPostsOf("n", 1, "one") })
		}
		for w.store.posts.Load() == 0 { // until the read is in progress
			time.Sleep(time.Millisecond)
		}
		close(w.store.block)
		calls.Wait()
		release()
		w.store.posts.Store(1) // with no memory, late callers read the keys once more
		w.wantPostsOf("n", 1, "one")
		if n := w.store.posts.Load(); n != want {
			t.Errorf("with %d bytes the keys were read %d times, want %d", most, n, want)
		}
	}
}

// TestEviction_DropsTheLeastRecentlyUsed has room for two namespaces of three.
func TestEviction_DropsTheLeastRecentlyUsed(t *testing.T) {
	const one = 100 * (60 + 200) // as the index estimates
	w := newWorld(t, 2*one+one/2)
	for _, namespace := range []string{"a", "b", "c"} {
		w.add(namespace, namespace, ids(1, 100))
	}
	reads := func(want int64) {
		t.Helper()
		if n := w.store.keys.Swap(0); n != want {
			t.Errorf("the keys were read %d times, want %d", n, want)
		}
	}
	w.wantTotal("a", 100)
	w.wantTotal("b", 100)
	w.wantTotal("a", 100)
	reads(2)
	w.wantTotal("c", 100) // b is dropped
	w.wantTotal("a", 100)
	reads(1)
	w.wantTotal("b", 100)
	reads(1)
	// Namespaces that are held stay, however many there are.
	var releases []func()
	for _, namespace := range []string{"a", "b", "c"} {
		release, err := w.hold(namespace)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	w.store.keys.Store(0)
	for _, namespace := range []string{"a", "b", "c"} {
		w.wantTotal(namespace, 100)
	}
	reads(0)
	for _, release := range releases {
		release()
		release() // a second call has no effect
	}
	w.wantTotal("b", 100)
	w.wantTotal("c", 100)
	reads(0)
	w.wantTotal("a", 100)
	reads(1)
}

// search returns the ids of the shorts with a text, and the number of segments whose texts had to be read.
func (w *world) search(namespace, text string) (found []int64) {
	w.t.Helper()
	release, err := w.loader.HoldShorts(w.t.Context(), namespace)
	if err != nil {
		w.t.Fatal(err)
	}
	defer release()
	q := textsearch.Parse(text)
	f, all := index.Filter{Query: &q}, func(n int) (int, int) { return 0, n }
	words := map[*index.Segment]*index.Words{}
	for {
		page, missing := w.shorts.Search(namespace, "b", f, words, all)
		if len(missing) == 0 {
			for _, s := range page {
				found = append(found, s.ID)
			}
			return found
		}
		if words, err = w.loader.Words(w.t.Context(), namespace, "b", missing); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestWords_AreKeptWithinTheLimit(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.add("n", "one", ids(1, 100))
	w.add("n", "two", ids(101, 100))
	for range 3 {
		if got := w.search("n", "number"); len(got) != 200 || got[0] != 200 {
			t.Fatalf("got %v", got)
		}
	}
	if n := w.store.texts.Load(); n != 2 {
		t.Errorf("the texts of 2 segments were read %d times", n)
	}
	w.change("n", func(a *v1beta1.Archive) { a.Status.Segments = a.Status.Segments[1:] })
	if got := w.search("n", "number"); len(got) != 100 {
		t.Errorf("got %d shorts", len(got))
	}
	small := newWorld(t, 1)
	small.add("n", "one", ids(1, 100))
	for range 2 {
		if got := small.search("n", "number"); len(got) != 100 {
			t.Errorf("got %d shorts", len(got))
		}
	}
	if n := small.store.texts.Load(); n != 2 {
		t.Errorf("texts beyond the limit were read %d times for 2 searches", n)
	}
	small.store.set(func() { small.store.fail = errors.New("broken") })
	small.wantFailedWords("n")
}

func (w *world) wantFailedWords(namespace string) {
	w.t.Helper()
	s, err := index.ShortSegment(&v1beta1.ArchiveSegment{Name: "one"}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.loader.Words(w.t.Context(), namespace, "b", []*index.Segment{s}); err == nil {
		w.t.Error("texts that cannot be read are no error")
	}
}

// TestShorts_ReadsEachSegmentOnce keeps the order of the rows of a page.
func TestShorts_ReadsEachSegmentOnce(t *testing.T) {
	w := newWorld(t, archived.MostBytes)
	w.add("n", "one", ids(1, 10))
	w.add("n", "two", []int64{20, 30})
	one, two := &w.have["n"].Status.Segments[0], &w.have["n"].Status.Segments[1]
	rows := []*index.Row{{Segment: two, Number: 1}, {Segment: one, Number: 9}, {Segment: two}, {Segment: one, Number: 2}}
	got, err := w.loader.Shorts(t.Context(), "n", rows)
	if err != nil {
		t.Fatal(err)
	}
	var have []int64
	for _, s := range got {
		have = append(have, s.ID)
	}
	if !slices.Equal(have, []int64{30, 10, 20, 3}) || w.store.rows.Load() != 2 {
		t.Errorf("got %v with %d reads", have, w.store.rows.Load())
	}
	w.store.set(func() { delete(w.store.ids, "one") })
	if _, err := w.loader.Shorts(t.Context(), "n", rows); !archived.Replaced(err) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestHold_UnderConcurrentChanges holds namespaces while their Archives change and memory is short: every total is one
// that the Archive had.
func TestHold_UnderConcurrentChanges(t *testing.T) {
	w := newWorld(t, 1)
	w.add("n", "0", ids(1, 300))
	w.add("m", "m", ids(1, 7))
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			for range 50 {
				if shorts, posts := w.totals("n"); shorts != 300 && shorts != 299 || posts != 300 && posts != 299 {
					t.Errorf("got %d shorts and %d posts", shorts, posts)
				}
				w.wantTotal("m", 7)
			}
		})
	}
	for i := range 40 {
		name := fmt.Sprint(i + 1)
		w.store.set(func() { w.store.ids[name] = ids(1, 300) })
		w.change("n", func(a *v1beta1.Archive) { // compaction, with the removal or the return of a short
			a.Status.Segments = []v1beta1.ArchiveSegment{{Name: name}}
			if i%2 == 0 {
				a.Status.Segments[0].Removed = []int64{5}
			}
		})
	}
	calls.Wait()
}

func TestAwait_ReturnsWhenTheArchiveMeetsTheCondition(t *testing.T) {
	w := newWorld(t, 1)
	restored := func(a *v1beta1.Archive) bool { return a != nil && !slices.Contains(a.Spec.Restore, 7) }
	w.change("n", func(a *v1beta1.Archive) { a.Spec.Restore = []int64{7} })
	done := make(chan error, 1)
	go func() { done <- w.loader.Await(t.Context(), "n", restored) }()
	w.change("n", func(a *v1beta1.Archive) { a.Spec.Restore = []int64{8, 7} })
	w.change("n", func(a *v1beta1.Archive) { a.Spec.Restore = []int64{8} })
	if err := <-done; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.loader.Await(ctx, "other", restored); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var none *archived.Loader
	if release, err := none.HoldShorts(t.Context(), "n"); err != nil {
		t.Error(err)
	} else {
		release()
	}
}
