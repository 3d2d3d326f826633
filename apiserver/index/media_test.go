// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/textsearch"
)

const commons = "library"

// stacks is a fake cluster of media: its objects, and the events that have not been delivered yet. Events of one kind
// arrive in order, those of two kinds in any order.
type stacks struct {
	r       *rand.Rand
	x       *Media
	assets  map[string]*v1beta1.MediaAsset // by namespace/name
	packs   map[string]*v1beta1.MediaPack
	queues  [2][]func()
	version int
}

func (w *stacks) meta(names int) metav1.ObjectMeta {
	r := w.r
	m := metav1.ObjectMeta{
		Namespace: pick(r, "one", "two", commons), Name: fmt.Sprint("o", r.IntN(names)), Labels: map[string]string{},
		CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(r.IntN(10)) * time.Second)),
	}
	if r.IntN(10) > 0 {
		// Ids are unique across namespaces, as the allocator assigns them.
		m.Labels[v1beta1.LabelID] = strconv.Itoa(1 + r.IntN(40) + 100*slices.Index([]string{"one", "two", commons}, m.Namespace))
	}
	if r.IntN(12) == 0 {
		m.DeletionTimestamp = &metav1.Time{Time: epoch}
	}
	return m
}

func (w *stacks) ref(of string, n int) *v1beta1.LocalRef {
	if i := w.r.IntN(n + 1); i < n {
		return &v1beta1.LocalRef{Name: fmt.Sprint(of, i)}
	}
	return nil
}

func (w *stacks) asset() *v1beta1.MediaAsset {
	r := w.r
	a := &v1beta1.MediaAsset{ObjectMeta: w.meta(40)}
	a.Spec.BrandRef, a.Spec.PackRef = w.ref("b", 2), w.ref("p", 4)
	a.Spec.MediaType = pick(r, catalog.MediaUserUpload, catalog.MediaProductDemo, catalog.MediaPackImage)
	a.Spec.Title, a.Spec.Tags = pick(r, "red sea", "blue sea", "sand", ""), []string{pick(r, "sun", "moon")}
	if r.IntN(3) > 0 {
		a.Status.Probe, a.Status.BlobKey = &v1beta1.MediaProbe{Kind: pick(r, "image", "video")}, "k"
	}
	if r.IntN(12) == 0 {
		a.OwnerReferences = []metav1.OwnerReference{{Kind: "Slideshow"}}
	}
	return a
}

func (w *stacks) pack() *v1beta1.MediaPack {
	p := &v1beta1.MediaPack{ObjectMeta: w.meta(0 + 1)}
	p.Name = fmt.Sprint("p", w.r.IntN(4))
	p.Spec.BrandRef, p.Spec.DisplayName = w.ref("b", 2), pick(w.r, "", "holidays at sea", "moonlight")
	return p
}

func queue[O metav1.Object](w *stacks, all map[string]O, q int, h cache.ResourceEventHandler, o O, gone bool) {
	key := o.GetNamespace() + "/" + o.GetName()
	old, had := all[key]
	if gone {
		if had {
			delete(all, key)
			w.queues[q] = append(w.queues[q], func() { h.OnDelete(cache.DeletedFinalStateUnknown{Key: key, Obj: old}) })
		}
		return
	}
	w.version++
	o.SetResourceVersion(strconv.Itoa(w.version))
	all[key] = o
	w.queues[q] = append(w.queues[q], func() {
		if had {
			h.OnUpdate(old, o)
		} else {
			h.OnAdd(o, false)
		}
	})
}

func (w *stacks) step() {
	switch w.r.IntN(4) {
	case 0:
		queue(w, w.packs, 1, w.x.PackObjects(), w.pack(), w.r.IntN(3) == 0)
	default:
		queue(w, w.assets, 0, w.x.Assets(), w.asset(), w.r.IntN(4) == 0)
	}
}

// settle delivers all events.
func (w *stacks) settle() {
	for len(w.queues[0])+len(w.queues[1]) > 0 {
		q := w.r.IntN(2)
		if len(w.queues[q]) == 0 {
			q = 1 - q
		}
		w.queues[q][0]()
		w.queues[q] = w.queues[q][1:]
	}
}

// holders returns the objects of a namespace that own their ids, by id.
func holders[O interface {
	metav1.Object
	comparable
}](all map[string]O, namespace string, counts func(O) bool) map[string]O {
	out := map[string]O{}
	for _, o := range all {
		id := o.GetLabels()[v1beta1.LabelID]
		if o.GetNamespace() != namespace || id == "" || !counts(o) {
			continue
		}
		other, taken := out[id]
		s := o.GetCreationTimestamp()
		if taken {
			t := other.GetCreationTimestamp()
			if cmp.Or(s.Compare(t.Time), cmp.Compare(o.GetName(), other.GetName())) > 0 {
				continue
			}
		}
		out[id] = o
	}
	return out
}

// listed returns the expected lists of a brand, in order, from a scan of all objects.
func (w *stacks) listed(namespace, brand string, packed, common bool, f MediaFilter) (out []*v1beta1.MediaAsset) {
	sees := func(ref *v1beta1.LocalRef) bool { return ref == nil || ref.Name == brand }
	for _, a := range holders(w.assets, namespace, func(*v1beta1.MediaAsset) bool { return true }) {
		if a.DeletionTimestamp != nil || len(a.OwnerReferences) > 0 || !sees(a.Spec.BrandRef) {
			continue
		}
		var p *v1beta1.MediaPack
		if a.Spec.PackRef != nil {
			p = w.packs[namespace+"/"+a.Spec.PackRef.Name]
		}
		in := p != nil && p.DeletionTimestamp == nil && (sees(p.Spec.BrandRef) || a.Spec.BrandRef == nil)
		if in && !sees(p.Spec.BrandRef) {
			continue // only the brand of its pack can see it
		}
		if packed && !in || !packed && in && a.Spec.BrandRef == nil {
			continue
		}
		if common && brand != "" && namespace == commons {
			panic("the library has no other brands")
		}
		if f.Type != "" && view.MediaType(a) != f.Type {
			continue
		}
		if f.Query != nil {
			texts := a.Spec.Title + " " + a.Spec.Tags[0]
			if p != nil {
				texts += " " + view.PackTitle(p)
			}
			if !slices.Contains(strings.Fields(texts), "sea") {
				continue
			}
		}
		out = append(out, a)
	}
	return out
}

func sortNewest(all []*v1beta1.MediaAsset) []string {
	slices.SortFunc(all, func(a, b *v1beta1.MediaAsset) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(idOf(b), idOf(a)))
	})
	out := []string{}
	for _, a := range all {
		out = append(out, a.Namespace+"/"+a.Name)
	}
	return out
}

func names(items []MediaItem) []string {
	out := []string{}
	for _, i := range items {
		if i.Drawn != nil {
			out = append(out, i.Drawn.ID)
		} else {
			out = append(out, i.Asset.Namespace+"/"+i.Asset.Name)
		}
	}
	return out
}

func starterImages() (out []string) {
	for _, p := range starter.Packs() {
		for _, one := range p.Pictures {
			out = append(out, one.ID)
		}
	}
	return out
}

func every(n int) (int, int) { return 0, n }

// TestMedia_ListsMatchTheCluster creates random clusters and compares every list with a scan of all objects.
func TestMedia_ListsMatchTheCluster(t *testing.T) {
	sea := textsearch.Parse("seas")
	for seed := range uint64(60) {
		w := &stacks{
			r: rand.New(rand.NewPCG(seed, 5)), x: NewMedia(clock.RealClock{}, commons),
			assets: map[string]*v1beta1.MediaAsset{}, packs: map[string]*v1beta1.MediaPack{},
		}
		for range 12 {
			for range 15 {
				w.step()
			}
			w.settle()
			for _, namespace := range []string{"one", "two"} {
				for _, brand := range []string{"b0", "b1"} {
					for _, f := range []MediaFilter{{}, {Type: catalog.MediaProductDemo}, {Type: catalog.MediaPackImage}, {Query: &sea}} {
						what := fmt.Sprintf("seed %d, %s of %s, %+v", seed, brand, namespace, f)
						own := sortNewest(w.listed(namespace, brand, false, false, f))
						got := names(w.x.Own(namespace, brand, f, every))
						packed := w.listed(namespace, brand, true, true, f)
						for _, a := range w.listed(commons, "", true, true, f) {
							if a.Spec.BrandRef == nil {
								packed = append(packed, a)
							}
						}
						want, gotPacked := sortNewest(packed), names(w.x.Packed(namespace, brand, f, every))
						switch {
						case f.Query != nil: // the search determines the order, and drawn images are found too
							slices.Sort(own)
							slices.Sort(got)
							slices.Sort(want)
							gotPacked = slices.DeleteFunc(gotPacked, func(n string) bool { return strings.HasPrefix(n, "starter-") })
							slices.Sort(gotPacked)
						case f.Type != catalog.MediaProductDemo:
							want = append(want, starterImages()...)
						}
						if d := gocmp.Diff(own, got); d != "" {
							t.Fatalf("own, %s: %s", what, d)
						}
						if d := gocmp.Diff(want, gotPacked); d != "" {
							t.Fatalf("packs, %s: %s", what, d)
						}
					}
					if got, want := w.x.CountMine(namespace, brand, catalog.MediaProductDemo), w.mine(namespace, brand); got != want {
						t.Fatalf("seed %d: %d demos of %s in %s, want %d", seed, got, brand, namespace, want)
					}
				}
			}
			w.checkPacks(t, seed)
		}
		w.empty(t)
	}
}

func (w *stacks) mine(namespace, brand string) (n int) {
	for _, a := range w.listed(namespace, brand, false, false, MediaFilter{Type: catalog.MediaProductDemo}) {
		if a.Spec.BrandRef != nil {
			n++
		}
	}
	return n
}

func (w *stacks) checkPacks(t *testing.T, seed uint64) {
	t.Helper()
	sees := func(brand string) func(p *v1beta1.MediaPack) bool {
		return func(p *v1beta1.MediaPack) bool {
			return p.DeletionTimestamp == nil && (p.Spec.BrandRef == nil || p.Spec.BrandRef.Name == brand)
		}
	}
	var want, got []string
	for _, p := range holders(w.packs, "one", sees("b0")) {
		want = append(want, "one/"+p.Name)
	}
	for _, p := range holders(w.packs, commons, sees("")) {
		want = append(want, commons+"/"+p.Name)
	}
	all := w.x.Packs("one", "b0")
	for i, p := range all {
		if i > 0 && all[i-1].Common && !p.Common {
			t.Fatalf("seed %d: an own pack follows a shared one", seed)
		}
		if p.Object != nil {
			got = append(got, p.Object.Namespace+"/"+p.Object.Name)
			if p.Common != (p.Object.Namespace == commons) {
				t.Fatalf("seed %d: %s is reported as shared: %v", seed, p.Object.Name, p.Common)
			}
		}
		if same, ok := w.x.Pack("one", "b0", p.ID); !ok || same.Name() != p.Name() {
			t.Fatalf("seed %d: pack %d is missing", seed, p.ID)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := gocmp.Diff(want, got); d != "" {
		t.Fatalf("seed %d, packs: %s", seed, d)
	}
}

// empty deletes everything and checks that nothing is left.
func (w *stacks) empty(t *testing.T) {
	t.Helper()
	for _, a := range w.assets {
		queue(w, w.assets, 0, w.x.Assets(), a, true)
	}
	for _, p := range w.packs {
		queue(w, w.packs, 1, w.x.PackObjects(), p, true)
	}
	w.settle()
	if len(w.x.accounts) != 0 || w.x.Len() != 0 {
		t.Fatalf("entries are left: %+v", w.x.accounts)
	}
}

func asset(namespace, name string, id int, brand string) *v1beta1.MediaAsset {
	a := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, ResourceVersion: "9", Labels: map[string]string{v1beta1.LabelID: strconv.Itoa(id)},
		CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(id) * time.Second)),
	}}
	if brand != "" {
		a.Spec.BrandRef = &v1beta1.LocalRef{Name: brand}
	}
	return a
}

// TestMedia_PagesSpanPartitions pages through lists that span several partitions.
func TestMedia_PagesSpanPartitions(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 9))
		partitions := []*partition{newPartition(), newPartition(), newPartition()}
		n := r.IntN(400)
		for i := range n {
			s := partitions[min(r.IntN(6), 2)]
			s.add(&record{key: Key{int64(r.IntN(40)), int64(i)}, class: uint8(r.IntN(2)), asset: &v1beta1.MediaAsset{}})
		}
		// Two objects may have one id and one time.
		twin := Key{20, 5000}
		for _, s := range partitions {
			s.add(&record{key: twin, asset: &v1beta1.MediaAsset{}})
		}
		for _, of := range []Classes{Every, 1, 2, 0} {
			whole := newest(partitions, of, every)
			for i := 1; i < len(whole); i++ {
				if whole[i].key.before(whole[i-1].key) {
					t.Fatalf("seed %d: %v precedes %v", seed, whole[i-1].key, whole[i].key)
				}
			}
			var paged []*record
			total := 0
			for from := 0; from < n+20; from += 7 {
				paged = append(paged, newest(partitions, of, func(n int) (int, int) { total = n; return from, from + 7 })...)
			}
			if !slices.Equal(whole, paged) || total != len(whole) {
				t.Fatalf("seed %d: pages of 7 contain %d of %d records with a total of %d, or have another order",
					seed, len(paged), len(whole), total)
			}
		}
	}
}

// TestMedia_SearchIsIndependentOfTheTextIndex fills and empties a partition across the size at which it creates a text
// index.
func TestMedia_SearchIsIndependentOfTheTextIndex(t *testing.T) {
	s := newPartition()
	var on []*record
	q := textsearch.Parse("rose")
	check := func() {
		t.Helper()
		want := 0
		for _, r := range on {
			if r.asset.Spec.Title == "rose" {
				want++
			}
		}
		if got := search([]*partition{s}, q, Every, every); len(got) != want {
			t.Fatalf("got %d of %d among %d", len(got), want, len(on))
		}
	}
	kept := map[bool]bool{}
	for i := range 3 * fewRecords {
		r := &record{key: Key{1, int64(i)}, asset: &v1beta1.MediaAsset{Spec: v1beta1.MediaAssetSpec{Title: []string{"rose", "tulip"}[i%2]}}}
		s.add(r)
		on = append(on, r)
		check()
		kept[s.words != nil] = true
	}
	for len(on) > 0 {
		s.remove(on[0])
		on = on[1:]
		check()
	}
	if len(kept) != 2 || s.words != nil {
		t.Error("text indexes were never created, or exist for empty partitions")
	}
}

func TestMedia_UsableByABrand(t *testing.T) {
	x := NewMedia(clock.RealClock{}, commons)
	leaving := asset("one", "leaving", 6, "")
	leaving.DeletionTimestamp = &metav1.Time{Time: epoch}
	for _, a := range []*v1beta1.MediaAsset{
		asset("one", "mine", 1, "b"), asset("one", "other's", 2, "c"), asset("one", "shared", 3, ""), asset("two", "elsewhere", 4, ""),
		asset(commons, "common", 5, ""), asset(commons, "of a brand", 7, "b"), leaving,
	} {
		x.Assets().OnAdd(a, true)
	}
	for _, c := range []struct {
		id      int64
		own, of bool // found as one of the account, of the library
	}{{1, true, false}, {2, false, false}, {3, true, false}, {4, false, false}, {5, false, true}, {6, false, false}, {7, false, false}, {8, false, false}} {
		_, own := x.Get("one", "b", c.id)
		_, of := x.GetLibrary(c.id)
		if own != c.own || of != c.of {
			t.Errorf("%d: of the account %v, of the library %v", c.id, own, of)
		}
	}
}

// TestReadersWaitForMedia records a write and expects readers of that account, and no others, to wait for it.
func TestReadersWaitForMedia(t *testing.T) {
	x := NewMedia(clocktesting.NewFakeClock(epoch), commons)
	a := asset("one", "media-1", 1, "b")
	x.Wrote(a)
	if x.writes.count.Load() != 1 {
		t.Fatal("no write is awaited")
	}
	woken := make(chan error)
	go func() { woken <- x.Await(t.Context(), "one") }()
	if err := x.Await(t.Context(), "two"); err != nil {
		t.Error(err)
	}
	x.Assets().OnAdd(a, false)
	if err := <-woken; err != nil {
		t.Error(err)
	}
	if got := names(x.Own("one", "b", MediaFilter{}, every)); !slices.Equal(got, []string{"one/media-1"}) {
		t.Errorf("woken with %q", got)
	}
	x.Wrote(a) // already in the index
	x.Deleted(a)
	x.Assets().OnDelete(a)
	x.Wrote(&v1beta1.Brand{ObjectMeta: a.ObjectMeta})
	if x.writes.count.Load() != 0 {
		t.Error("a write is still awaited")
	}
}

// TestMedia_ReadsDuringEvents reads every list while events arrive, for the race detector.
func TestMedia_ReadsDuringEvents(t *testing.T) {
	w := &stacks{
		r: rand.New(rand.NewPCG(1, 5)), x: NewMedia(clock.RealClock{}, commons),
		assets: map[string]*v1beta1.MediaAsset{}, packs: map[string]*v1beta1.MediaPack{},
	}
	sea := textsearch.Parse("sea")
	var readers sync.WaitGroup
	over := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				w.x.Own("one", "b0", MediaFilter{Query: &sea}, every)
				w.x.Packed("two", "b1", MediaFilter{}, every)
				for _, p := range w.x.Packs("one", "b0") {
					w.x.Previews(p, 4)
				}
				w.x.Get("one", "b0", 3)
			}
		})
	}
	for range 300 {
		w.step()
		w.settle()
	}
	close(over)
	readers.Wait()
}
