// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/textsearch"
	"github.com/reelops/reelops/internal/store/archive"
)

// archivedWorld is a fake archive: segments with the ids of shorts, some of which are not valid. rows are the ids of the
// records in the file of a segment.
type archivedWorld struct {
	r     *rand.Rand
	parts []ArchivePart
	rows  map[*Segment][]int64
	// shortOf returns the id of the short of a record.
	shortOf func(id int64) int64
	// open is false while the archive is not in the lists.
	open bool
}

// change adds, removes or changes a segment, or replaces one by two, as compaction does.
func (w *archivedWorld) change(t *testing.T, segment func(ids []int64) *Segment, ids func() []int64) {
	t.Helper()
	add := func(ids []int64, removed map[int64]struct{}) {
		s := segment(ids)
		w.rows[s] = ids
		w.parts = append(w.parts, ArchivePart{s, removed})
	}
	switch n := w.r.IntN(6); {
	case n < 2 || len(w.parts) == 0:
		add(ids(), map[int64]struct{}{})
	case n == 2:
		i := w.r.IntN(len(w.parts))
		w.parts = slices.Delete(slices.Clone(w.parts), i, i+1)
	case n == 3:
		old := w.parts[0]
		all := slices.DeleteFunc(slices.Clone(w.rows[old.Segment]), func(id int64) bool {
			_, removed := old.Removed[w.shortOf(id)]
			return removed
		})
		w.parts = slices.Clone(w.parts[1:])
		add(all[:len(all)/2], nil)
		add(all[len(all)/2:], nil)
	default:
		i := w.r.IntN(len(w.parts))
		removed := maps.Clone(w.parts[i].Removed)
		if removed == nil {
			removed = map[int64]struct{}{}
		}
		for _, id := range w.rows[w.parts[i].Segment] {
			if short := w.shortOf(id); w.r.IntN(4) == 0 {
				if _, ok := removed[short]; ok {
					delete(removed, short)
				} else {
					removed[short] = struct{}{}
				}
			}
		}
		w.parts = slices.Clone(w.parts)
		w.parts[i].Removed = removed
	}
}

// holding returns the segments that hold records of a short.
func (w *archivedWorld) holding(short int64) (out []*Segment) {
	for _, p := range w.parts {
		if _, removed := p.Removed[short]; w.open && !removed {
			out = append(out, p.Segment)
		}
	}
	return out
}

// valid returns the ids of the records that the archive holds.
func (w *archivedWorld) valid() map[int64]bool {
	out := map[int64]bool{}
	if !w.open {
		return out
	}
	for _, p := range w.parts {
		for _, id := range w.rows[p.Segment] {
			if _, removed := p.Removed[w.shortOf(id)]; !removed {
				out[id] = true
			}
		}
	}
	return out
}

// idAt returns the id of a row. It fails for a row that is not valid.
func (w *archivedWorld) idAt(t *testing.T, r *Row) int64 {
	t.Helper()
	for _, p := range w.parts {
		if p.Segment.entry == r.Segment {
			id := w.rows[p.Segment][r.Number]
			if _, removed := p.Removed[w.shortOf(id)]; removed {
				t.Fatalf("row %d of %s is not valid", r.Number, r.Segment.Name)
			}
			return id
		}
	}
	t.Fatalf("segment %s is not in the archive", r.Segment.Name)
	return 0
}

// someIDs returns random ids in order, each once.
func someIDs(r *rand.Rand, n, most int) []int64 {
	ids := map[int64]struct{}{}
	for range n {
		ids[int64(1+r.IntN(most))] = struct{}{}
	}
	return slices.Sorted(maps.Keys(ids))
}

// modelShort is a short of the model. It has the same values in every segment; the live object may have others.
type modelShort struct {
	id            int64
	brand, status string
	created       time.Time
	text          string
	live          bool
}

func (s *modelShort) typ() string {
	if s.id%2 == 0 {
		return "UGC"
	}
	return "SLIDESHOW"
}

func (s *modelShort) key() archive.ShortKey {
	k := archive.ShortKey{ID: s.id, CreatedAt: s.created, Kind: "Slideshow", Brand: s.brand, State: string(v1beta1.WorkSucceeded)}
	if s.id%2 == 0 {
		k.Kind = "Video"
	}
	if s.status == "failed" {
		k.State = string(v1beta1.WorkFailed)
	}
	return k
}

func modelShortOf(r *rand.Rand, id int64) *modelShort {
	s := &modelShort{
		id: id, brand: pick(r, brandNames...), created: epoch.Add(time.Duration(r.IntN(20)) * time.Second),
		text: pick(r, "cafe", "rain", "tea") + " " + pick(r, "storm", "tea", "walk"), status: "failed",
	}
	if r.IntN(3) > 0 {
		s.status = "success_slideshow"
		if id%2 == 0 {
			s.status = "success"
		}
	}
	return s
}

// putShort sends the event of a live short, or of its deletion.
func putShort(x *Shorts, s *modelShort, version int, deleted bool) {
	meta := metav1.ObjectMeta{
		Namespace: "n", Name: fmt.Sprint(s.id), ResourceVersion: fmt.Sprint(version), CreationTimestamp: metav1.NewTime(s.created), Generation: 1,
		Labels: map[string]string{v1beta1.LabelID: fmt.Sprint(s.id)},
	}
	work := &v1beta1.Work{State: v1beta1.WorkSucceeded}
	if s.status == "failed" {
		work.State = v1beta1.WorkFailed
	}
	var h cache.ResourceEventHandler
	var o any
	if s.id%2 == 0 {
		v := &v1beta1.Video{ObjectMeta: meta, Status: v1beta1.VideoStatus{Work: work, Output: &v1beta1.RenderOutput{}}}
		v.Spec.BrandRef.Name, v.Spec.HookText = s.brand, &s.text
		h, o = x.Videos(), v
	} else {
		v := &v1beta1.Slideshow{ObjectMeta: meta, Status: v1beta1.SlideshowStatus{Work: work}}
		v.Spec.BrandRef.Name, v.Spec.Context = s.brand, s.text
		h, o = x.Slideshows(), v
	}
	if deleted {
		h.OnDelete(o)
	} else {
		h.OnAdd(o, false)
	}
}

// TestShorts_ArchivedAndLiveShortsFormOneList moves shorts between the cluster and the archive at random, and compares
// lists of every filter with those of a model.
func TestShorts_ArchivedAndLiveShortsFormOneList(t *testing.T) {
	const most = 60
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		x := New(clock.RealClock{})
		w := &archivedWorld{r: r, rows: map[*Segment][]int64{}, shortOf: func(id int64) int64 { return id }}
		archived, live := map[int64]*modelShort{}, map[int64]*modelShort{}
		for id := range int64(most) {
			archived[id+1] = modelShortOf(r, id+1)
		}
		names := 0
		segment := func(ids []int64) *Segment {
			keys := make([]archive.ShortKey, len(ids))
			for i, id := range ids {
				keys[i] = archived[id].key()
			}
			names++
			s, err := ShortSegment(&v1beta1.ArchiveSegment{Name: fmt.Sprint(names)}, keys)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		for step := range 150 {
			switch n := r.IntN(10); {
			case n < 5:
				id := int64(1 + r.IntN(most))
				if old := live[id]; old != nil {
					putShort(x, old, step, true)
					delete(live, id)
				} else {
					s := *archived[id]
					if r.IntN(3) == 0 { // changed since it was archived
						s = *modelShortOf(r, id)
					}
					s.live = true
					live[id] = &s
					putShort(x, &s, step, false)
				}
			case n == 5 && r.IntN(4) == 0:
				x.DropArchive("n")
				w.open, w.parts = false, nil
			default:
				w.change(t, segment, func() []int64 { return someIDs(r, r.IntN(40), most) })
				w.open = true
				if err := x.SetArchive("n", w.parts); err != nil {
					t.Fatal(err)
				}
			}
			if step%10 == 9 {
				want := maps.Clone(live)
				for id := range w.valid() {
					row, brand, ok := x.Archived("n", id)
					if !ok || brand != archived[id].brand || w.idAt(t, row) != id {
						t.Fatalf("seed %d: the row of short %d is %v of %q", seed, id, row, brand)
					}
					if want[id] == nil {
						want[id] = archived[id]
					}
				}
				for range 30 {
					compareArchived(t, seed, x, w, archived, slices.Collect(maps.Values(want)))
				}
			}
		}
	}
}

func compareArchived(t *testing.T, seed uint64, x *Shorts, w *archivedWorld, archived map[int64]*modelShort, all []*modelShort) {
	t.Helper()
	r := w.r
	f := (&world{r: r}).filter()
	f.Live = r.IntN(10) == 0
	query, brand := pick(r, "", "", "tea", "rain storms"), pick(r, brandNames...)
	all = slices.DeleteFunc(all, func(s *modelShort) bool {
		return s.brand != brand || f.Type != "" && f.Type != s.typ() || f.Status != "" && f.Status != s.status || f.Live && !s.live ||
			f.After != nil && s.created.Before(*f.After) || f.Before != nil && s.created.After(*f.Before) || !has(s.text, query)
	})
	slices.SortFunc(all, func(a, b *modelShort) int { return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.id, a.id)) })
	if f.Order == CreatedAsc {
		slices.Reverse(all)
	}
	want := []string{}
	for _, s := range all {
		want = append(want, fmt.Sprint(s.id, s.live))
	}
	from, total := r.IntN(len(want)+2), -1
	page := func(n int) (int, int) { total = n; return min(from, n), min(from+7, n) }
	var got []Short
	if query == "" {
		got = x.List("n", brand, f, page)
	} else {
		q := textsearch.Parse(query)
		f.Query = &q
		var missing []*Segment
		got, missing = x.Search("n", brand, f, nil, page)
		if len(missing) > 0 {
			if total != -1 || got != nil {
				t.Fatalf("seed %d: a search without texts lists %d shorts", seed, total)
			}
			words := map[*Segment]*Words{}
			for _, s := range missing {
				texts := make([]archive.Text, s.Len())
				for i, id := range w.rows[s] {
					texts[i].Text = archived[id].text
				}
				words[s] = WordsOf(s, brand, texts)
			}
			got, missing = x.Search("n", brand, f, words, page)
		}
		if len(missing) > 0 {
			t.Fatalf("seed %d: the texts of %d segments are missing", seed, len(missing))
		}
	}
	ids := []string{}
	for _, s := range got {
		if s.Archived != nil {
			if id := w.idAt(t, s.Archived); id != s.ID {
				t.Fatalf("seed %d: the row of short %d has the id %d", seed, s.ID, id)
			}
		}
		ids = append(ids, fmt.Sprint(s.ID, s.Archived == nil))
	}
	if d := gocmp.Diff(want[min(from, len(want)):min(from+7, len(want))], ids); d != "" || total != len(want) {
		t.Fatalf("seed %d: %+v %q from %d: total %d, want %d: %s", seed, f, query, from, total, len(want), d)
	}
}

// TestPosts_ArchivedAndLivePostsFormOneList is like TestShorts_ArchivedAndLiveShortsFormOneList, for posts.
func TestPosts_ArchivedAndLivePostsFormOneList(t *testing.T) {
	const most = 60
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 12))
		live := &postWorld{r: r, x: NewPosts(clocktesting.NewFakeClock(epoch)), posts: map[string]*v1beta1.Post{}}
		x := live.x
		archived := map[int64]*v1beta1.Post{}
		for id := range int64(most) {
			p := live.post(int(id))
			p.Namespace, p.Labels = "one", map[string]string{v1beta1.LabelID: fmt.Sprint(id + 1)}
			p.Name = fmt.Sprint("archived-", id+1)
			p.Status.State = pick(r, v1beta1.PostSuccess, v1beta1.PostFailed, v1beta1.PostCancelled)
			archived[id+1] = p
		}
		w := &archivedWorld{r: r, rows: map[*Segment][]int64{}, shortOf: func(id int64) int64 { return archived[id].Spec.ShortID }}
		names := 0
		segment := func(ids []int64) *Segment {
			keys := make([]archive.PostKey, len(ids))
			for i, id := range ids {
				p := archived[id]
				keys[i] = archive.PostKey{
					ID: id, ShortID: p.Spec.ShortID, CreatedAt: p.CreationTimestamp.Time, ScheduledAt: p.Spec.ScheduledAt.Time, Immediate: p.Spec.Immediate,
					Brand: p.Spec.BrandRef.Name, Account: p.Spec.Account, Platform: string(p.Spec.Platform), State: string(p.Status.State),
				}
			}
			names++
			s, err := PostSegment(&v1beta1.ArchiveSegment{Name: fmt.Sprint(names)}, keys)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		for step := range 200 {
			if r.IntN(3) > 0 {
				live.step()
			} else if r.IntN(20) == 0 {
				x.DropArchive("one")
				w.open, w.parts = false, nil
			} else {
				w.change(t, segment, func() []int64 { return someIDs(r, r.IntN(40), most) })
				w.open = true
				if err := x.SetArchive("one", w.parts); err != nil {
					t.Fatal(err)
				}
			}
			if step%20 != 19 {
				continue
			}
			known := live.known("one")
			alive := map[int64]bool{}
			for _, p := range known {
				alive[idOf(p)] = true
			}
			for id := range w.valid() {
				if !alive[id] {
					known = append(known, archived[id])
				}
			}
			slices.SortFunc(known, func(a, b *v1beta1.Post) int {
				return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(idOf(b), idOf(a)))
			})
			name := func(p Post) string {
				if p.Archived != nil {
					return archived[w.idAt(t, p.Archived)].Name
				}
				return p.Object.Name
			}
			for _, brand := range brandNames {
				for _, f := range live.filters() {
					if f.Short != 0 {
						f.Segments = w.holding(f.Short)
					}
					want := namesOf(live.matching(known, brand, f))
					from, total := r.IntN(len(want)+2), -1
					got := []string{}
					for _, p := range x.List("one", brand, f, func(n int) (int, int) { total = n; return min(from, n), min(from+6, n) }) {
						got = append(got, name(p))
					}
					if d := gocmp.Diff(want[min(from, len(want)):min(from+6, len(want))], got); d != "" || total != len(want) {
						t.Fatalf("seed %d: %s %+v from %d: total %d, want %d: %s", seed, brand, f, from, total, len(want), d)
					}
				}
				same := []int64{}
				for _, p := range live.matching(known, brand, PostFilter{Short: 1, Account: "tiktok-1"}) {
					if s := p.Status.State; s != v1beta1.PostFailed && s != v1beta1.PostCancelled && len(same) < maxSame {
						same = append(same, idOf(p))
					}
				}
				if d := gocmp.Diff(same, append([]int64{}, x.Same("one", brand, 1, w.holding(1), "tiktok-1")...)); d != "" {
					t.Fatalf("seed %d: the same posts: %s", seed, d)
				}
			}
		}
	}
}

// TestSegments_AreCheckedForOrder: the look-up of an id relies on the order of the rows.
func TestSegments_AreCheckedForOrder(t *testing.T) {
	entry := &v1beta1.ArchiveSegment{Name: "2026-10/a"}
	if _, err := ShortSegment(entry, []archive.ShortKey{{ID: 2}, {ID: 1}}); err == nil {
		t.Error("shorts in the wrong order are accepted")
	}
	if _, err := PostSegment(entry, []archive.PostKey{{ID: 2}, {ID: 2}}); err == nil {
		t.Error("two posts with one id are accepted")
	}
}

// TestShorts_ListNoRowsOfDeletedShorts: a row without a kind keeps the posts of a deleted short.
func TestShorts_ListNoRowsOfDeletedShorts(t *testing.T) {
	x := New(clock.RealClock{})
	s, err := ShortSegment(&v1beta1.ArchiveSegment{Name: "a"}, []archive.ShortKey{{ID: 1, Brand: "b"}, {ID: 2, Brand: "b", Kind: "Video", State: "failed"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.SetArchive("n", []ArchivePart{{Segment: s}}); err != nil {
		t.Fatal(err)
	}
	if got := x.List("n", "b", Filter{}, func(n int) (int, int) { return 0, n }); len(got) != 1 || got[0].ID != 2 {
		t.Errorf("got %v", got)
	}
	if _, _, ok := x.Archived("n", 1); ok {
		t.Error("the row of a deleted short is a short")
	}
}

// BenchmarkArchive measures the memory of archived records, loaded at once and moved one by one, and the time of pages
// of the merged lists.
func BenchmarkArchive(b *testing.B) {
	const n, perShort = 100_000, 4
	at := func(i int) time.Time { return epoch.Add(time.Duration(i) * time.Minute) }
	shortKeys, postKeys := make([]archive.ShortKey, n), make([]archive.PostKey, n*perShort)
	for i := range shortKeys {
		shortKeys[i] = archive.ShortKey{ID: int64(i + 1), CreatedAt: at(i), Kind: "Slideshow", Brand: "a", State: "succeeded"}
	}
	for i := range postKeys {
		account := fmt.Sprint("tiktok-", i%perShort)
		postKeys[i] = archive.PostKey{
			ID: int64(i + 1), ShortID: int64(i/perShort + 1), CreatedAt: at(i / perShort), ScheduledAt: at(i/perShort + 60), Brand: "a", Account: account,
			Platform: "tiktok", State: string(v1beta1.PostSuccess),
		}
	}
	entry := &v1beta1.ArchiveSegment{Name: "2026-10/a"}
	segments := func() (shorts, posts *Segment) {
		shorts, err := ShortSegment(entry, shortKeys)
		if err != nil {
			b.Fatal(err)
		}
		if posts, err = PostSegment(entry, postKeys); err != nil {
			b.Fatal(err)
		}
		return shorts, posts
	}
	measure := func(name string, rows int, fill func() any) any {
		before, began := heapInUse(), time.Now()
		kept := fill()
		took := time.Since(began)
		size := float64(heapInUse()-before) / float64(rows)
		b.Run(name, func(b *testing.B) {
			for b.Loop() { // it was done above
			}
			b.ReportMetric(size, "B/row")
			b.ReportMetric(float64(took.Nanoseconds())/float64(rows), "ns/row")
		})
		runtime.KeepAlive(kept)
		return kept
	}
	x := measure("shorts/loaded", n, func() any {
		x := New(clock.RealClock{})
		s, _ := segments()
		_ = x.SetArchive("n", []ArchivePart{{Segment: s}})
		return x
	}).(*Shorts)
	p := measure("posts/loaded", n*perShort, func() any {
		x := NewPosts(clock.RealClock{})
		_, s := segments()
		_ = x.SetArchive("n", []ArchivePart{{Segment: s}})
		return x
	}).(*Posts)
	// The objects leave one by one, the oldest first, as the controller archives them.
	measure("shorts/moved", n, func() any {
		x := New(clock.RealClock{})
		empty, _ := ShortSegment(&v1beta1.ArchiveSegment{Name: "empty"}, nil)
		s, _ := segments()
		_ = x.SetArchive("n", []ArchivePart{{Segment: empty}})
		_ = x.SetArchive("n", []ArchivePart{{Segment: empty}, {Segment: s}})
		return x
	})
	measure("posts/moved", n*perShort, func() any {
		x := NewPosts(clock.RealClock{})
		empty, _ := PostSegment(&v1beta1.ArchiveSegment{Name: "empty"}, nil)
		_, s := segments()
		_ = x.SetArchive("n", []ArchivePart{{Segment: empty}})
		_ = x.SetArchive("n", []ArchivePart{{Segment: empty}, {Segment: s}})
		return x
	})
	runtime.KeepAlive(shortKeys) // until everything is measured
	runtime.KeepAlive(postKeys)
	for i := range 1_000 {
		putShort(x, &modelShort{id: int64(2*(n+i) + 1), brand: "a", created: at(n + i)}, i, false)
		p.Events().OnAdd(&v1beta1.Post{
			ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: fmt.Sprint(i), ResourceVersion: "1", CreationTimestamp: metav1.NewTime(at(n + i)), Labels: map[string]string{v1beta1.LabelID: fmt.Sprint(n*perShort + i + 1)}},
			Spec:       v1beta1.PostSpec{BrandRef: v1beta1.LocalRef{Name: "a"}, Platform: "tiktok", Account: "tiktok-1", ShortID: 1, ScheduledAt: metav1.NewMicroTime(at(n + i))},
		}, true)
	}
	for _, from := range []int{0, 990, n / 2} {
		page := func(total int) (int, int) { return from, from + 25 }
		b.Run(fmt.Sprint("shorts/page from ", from), func(b *testing.B) {
			for b.Loop() {
				x.List("n", "a", Filter{}, page)
			}
		})
		b.Run(fmt.Sprint("posts/page from ", from), func(b *testing.B) {
			for b.Loop() {
				p.List("n", "a", PostFilter{Status: v1beta1.PostSuccess, Order: DueDesc}, page)
			}
		})
	}
	_, s := segments()
	of := []*Segment{s}
	b.Run("posts/counts of a short", func(b *testing.B) {
		for b.Loop() {
			p.Count("n", "a", PostFilter{Short: n / 2, Segments: of})
		}
	})
}

// BenchmarkWords measures the memory of the text index of archived shorts.
func BenchmarkWords(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 10_000
	keys, texts, size := make([]archive.ShortKey, n), make([]archive.Text, n), 0
	for i := range keys {
		keys[i] = archive.ShortKey{ID: int64(i + 1), CreatedAt: epoch, Kind: "Slideshow", Brand: "a", State: "succeeded"}
		for range 60 {
			texts[i].Text += fmt.Sprintf("%x ", 0xba000+r.IntN(1+r.IntN(4000)))
		}
		size += len(texts[i].Text)
	}
	s, _ := ShortSegment(&v1beta1.ArchiveSegment{}, keys)
	before := heapInUse()
	var w *Words
	for b.Loop() {
		w = WordsOf(s, "a", texts)
	}
	b.ReportMetric(float64(heapInUse()-before)/n, "B/short")
	b.ReportMetric(float64(w.Bytes())/n, "estimated-B/short")
	b.ReportMetric(float64(size)/n, "B-of-text/short")
}
