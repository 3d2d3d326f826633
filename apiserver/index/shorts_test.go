// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/content/textsearch"
	"github.com/reelops/reelops/internal/film/renders"
)

var epoch = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// world is a fake cluster: its objects, and the events that have not been delivered yet. Events of one kind arrive in
// order, those of different kinds in any order.
type world struct {
	r       *rand.Rand
	x       *Shorts
	shows   map[string]*v1beta1.Slideshow // by namespace/name
	videos  map[string]*v1beta1.Video
	renders map[string]*v1beta1.RenderJob
	queues  [3][]func()
	version int
}

var (
	namespaces = []string{"one", "two"}
	brandNames = []string{"a", "b"}
)

func newWorld(seed uint64) *world {
	return &world{
		r: rand.New(rand.NewPCG(seed, 7)), x: New(clock.RealClock{}),
		shows: map[string]*v1beta1.Slideshow{}, videos: map[string]*v1beta1.Video{}, renders: map[string]*v1beta1.RenderJob{},
	}
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (w *world) next() string { w.version++; return strconv.Itoa(w.version) }

// put creates or replaces an object and queues its event.
func put[O interface {
	metav1.Object
	comparable
}](w *world, all map[string]O, queue int, h cache.ResourceEventHandler, o O) {
	o.SetResourceVersion(w.next())
	key := o.GetNamespace() + "/" + o.GetName()
	old, had := all[key]
	all[key] = o
	w.queues[queue] = append(w.queues[queue], func() {
		if had {
			h.OnUpdate(old, o)
		} else {
			h.OnAdd(o, false)
		}
	})
}

// drop deletes a random object and queues its event, sometimes as a missed deletion that is detected later.
func drop[O metav1.Object](w *world, all map[string]O, queue int, h cache.ResourceEventHandler) {
	keys := make([]string, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return
	}
	slices.Sort(keys)
	key := pick(w.r, keys...)
	o := all[key]
	delete(all, key)
	late := w.r.IntN(2) == 0
	w.queues[queue] = append(w.queues[queue], func() {
		if late {
			h.OnDelete(cache.DeletedFinalStateUnknown{Key: key, Obj: o})
			return
		}
		h.OnDelete(o)
	})
}

// meta returns the metadata of a random short. There are few names and ids, so that objects change, lose their id and
// claim another's, of either kind.
func (w *world) meta() metav1.ObjectMeta {
	r := w.r
	m := metav1.ObjectMeta{
		Namespace: pick(r, namespaces...), Name: fmt.Sprint("show", r.IntN(40)), Labels: map[string]string{},
		CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(r.IntN(30)) * time.Second)),
	}
	if r.IntN(10) > 0 {
		m.Labels[v1beta1.LabelID] = strconv.Itoa(1 + r.IntN(30))
	}
	return m
}

// text returns a text of a few words, or nil.
func (w *world) text() *string {
	if w.r.IntN(3) == 0 {
		return nil
	}
	text := pick(w.r, "Café", "rain", "Ünder", "") + " " + pick(w.r, "cafe!", "TEA", "storms")
	return &text
}

// folded returns the words of a text in a plain form, as this test's texts and queries need it.
func folded(text string) []string {
	text = strings.NewReplacer("é", "e", "ü", "u", "!", "", "storms", "storm").Replace(strings.ToLower(text))
	return strings.Fields(text)
}

func (w *world) video() *v1beta1.Video {
	r := w.r
	v := &v1beta1.Video{ObjectMeta: w.meta()}
	v.Spec.BrandRef.Name = pick(r, brandNames...)
	v.Spec.Suspend = r.IntN(4) == 0
	v.Spec.Caption, v.Spec.HookText = w.text(), w.text()
	if state := pick(r, "", v1beta1.WorkQueued, v1beta1.WorkSucceeded, v1beta1.WorkFailed); state != "" {
		v.Status.Work = &v1beta1.Work{State: state}
		if state == v1beta1.WorkSucceeded {
			v.Status.Output = &v1beta1.RenderOutput{}
		}
	}
	return v
}

func (w *world) show() *v1beta1.Slideshow {
	r := w.r
	s := &v1beta1.Slideshow{ObjectMeta: w.meta()}
	s.Spec.BrandRef.Name = pick(r, brandNames...)
	s.Spec.Suspend = r.IntN(4) == 0
	s.Spec.Title, s.Spec.Context = w.text(), ptr.Deref(w.text(), "") // the context holds the texts of the slides
	s.Status.Text = &v1beta1.Text{Title: "storm", Caption: ptr.Deref(w.text(), "")}
	if state := pick(r, "", v1beta1.WorkQueued, v1beta1.WorkProcessing, v1beta1.WorkSucceeded, v1beta1.WorkFailed); state != "" {
		s.Status.Work = &v1beta1.Work{State: state}
	}
	return s
}

func (w *world) render() *v1beta1.RenderJob {
	r := w.r
	j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: pick(r, namespaces...), Name: fmt.Sprint("render", r.IntN(40)), Labels: map[string]string{},
		CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(r.IntN(5)) * time.Second)),
	}}
	if r.IntN(10) > 0 {
		j.Labels[v1beta1.LabelShort] = strconv.Itoa(1 + r.IntN(30))
	}
	j.Spec.Source = v1beta1.RenderSource{Kind: pick(r, "", "Slideshow", "Video"), Name: fmt.Sprint("show", r.IntN(40))}
	return j
}

func (w *world) step() {
	switch n := w.r.IntN(13); {
	case n >= 12:
		drop(w, w.videos, 2, w.x.Videos())
	case n >= 10:
		put(w, w.videos, 2, w.x.Videos(), w.video())
	case n < 4:
		put(w, w.shows, 0, w.x.Slideshows(), w.show())
	case n < 6:
		put(w, w.renders, 1, w.x.RenderJobs(), w.render())
	case n < 7:
		drop(w, w.shows, 0, w.x.Slideshows())
	case n < 8:
		drop(w, w.renders, 1, w.x.RenderJobs())
	default:
		w.deliver(w.r.IntN(3))
	}
}

func (w *world) deliver(queue int) {
	if q := w.queues[queue]; len(q) > 0 {
		q[0]()
		w.queues[queue] = q[1:]
	}
}

func (w *world) settle() {
	for len(w.queues[0])+len(w.queues[1])+len(w.queues[2]) > 0 {
		w.deliver(w.r.IntN(3))
	}
}

// row holds the compared fields of a short.
type row struct {
	ID      int64
	Name    string
	Version string
	Renders []string
}

// want returns the expected list from a scan of all objects.
func (w *world) want(namespace, brand string, f Filter, query string) []row {
	var all []short
	for _, o := range w.shows {
		title, caption := ptr.Deref(o.Spec.Title, o.Status.Text.Title), o.Status.Text.Caption
		all = append(all, short{o, "Slideshow", o.Spec.BrandRef.Name, "SLIDESHOW", (&view.Short{Show: o}).Status(), title + " " + caption + " " + o.Spec.Context})
	}
	for _, o := range w.videos {
		text := ptr.Deref(o.Spec.Caption, "") + " " + ptr.Deref(o.Spec.HookText, "")
		all = append(all, short{o, "Video", o.Spec.BrandRef.Name, "UGC", (&view.Short{Video: o}).Status(), text})
	}
	owners := map[int64]short{}
	for _, s := range all {
		id := idOf(s.o)
		if s.o.GetNamespace() != namespace || id == 0 {
			continue
		}
		o, ok := owners[id]
		if !ok || cmp.Or(s.at().Compare(o.at()), cmp.Compare(s.o.GetName(), o.o.GetName()), cmp.Compare(s.kind, o.kind)) < 0 {
			owners[id] = s
		}
	}
	var listed []short
	for _, s := range owners {
		if s.brand == brand && (f.Type == "" || f.Type == s.typ) && (f.Status == "" || f.Status == s.status) &&
			(f.After == nil || !s.at().Before(*f.After)) && (f.Before == nil || !s.at().After(*f.Before)) && has(s.text, query) {
			listed = append(listed, s)
		}
	}
	slices.SortFunc(listed, func(a, b short) int { return cmp.Or(b.at().Compare(a.at()), cmp.Compare(idOf(b.o), idOf(a.o))) })
	if f.Order == CreatedAsc {
		slices.Reverse(listed)
	}
	out := []row{}
	for _, s := range listed {
		var mine []v1beta1.RenderJob
		for _, j := range w.renders {
			if src := j.Spec.Source; j.Namespace == namespace && idOf(j) == idOf(s.o) && src.Name == s.o.GetName() && cmp.Or(src.Kind, "Slideshow") == s.kind {
				mine = append(mine, *j)
			}
		}
		renders.Sort(mine)
		out = append(out, rowOf(Of(idOf(s.o), s.o, mine)))
	}
	return out
}

// short is a short of either kind.
type short struct {
	o                        client.Object
	kind, brand, typ, status string
	text                     string
}

// has reports whether a text has every word of a query.
func has(text, query string) bool {
	in := folded(text)
	return !slices.ContainsFunc(folded(query), func(word string) bool { return !slices.Contains(in, word) })
}

func (s short) at() time.Time { return s.o.GetCreationTimestamp().Time }

func rowOf(s Short) row {
	o := s.Object()
	out := row{ID: s.ID, Name: shortKind(o) + " " + o.GetName(), Version: o.GetResourceVersion()}
	for i := range s.Renders {
		out.Renders = append(out.Renders, s.Renders[i].Name+"@"+s.Renders[i].ResourceVersion)
	}
	return out
}

func (w *world) filter() Filter {
	var f Filter
	f.Type = pick(w.r, "", "", "SLIDESHOW", "UGC")
	f.Status = pick(w.r, "", "", "draft", "processing", "success_slideshow", "success", "failed")
	bound := func() *time.Time {
		if w.r.IntN(2) == 0 {
			return nil
		}
		t := epoch.Add(time.Duration(w.r.IntN(64)-2) * 500 * time.Millisecond)
		return &t
	}
	f.After, f.Before = bound(), bound()
	f.Order = pick(w.r, "", CreatedDesc, CreatedAsc)
	return f
}

// TestShorts_ListsMatchTheCluster delivers random events in random order and then compares random lists.
func TestShorts_ListsMatchTheCluster(t *testing.T) {
	for seed := range uint64(40) {
		w := newWorld(seed)
		for range 8 {
			for range 150 {
				w.step()
			}
			w.settle()
			total := 0
			for _, namespace := range namespaces {
				for _, brand := range brandNames {
					all := w.want(namespace, brand, Filter{}, "")
					total += len(all)
					for _, want := range all {
						got, owner, ok := w.x.Get(namespace, want.ID)
						if !ok || owner != brand || !gocmp.Equal(rowOf(got), want) {
							t.Fatalf("seed %d: short %d: %v %v", seed, want.ID, got, ok)
						}
					}
					for range 20 {
						compareLists(t, seed, w, namespace, brand, w.filter())
					}
				}
			}
			if w.x.Len() != total {
				t.Fatalf("seed %d: got %d shorts, want %d", seed, w.x.Len(), total)
			}
		}
		// Nothing may be left of deleted objects.
		for len(w.shows)+len(w.videos)+len(w.renders) > 0 {
			drop(w, w.shows, 0, w.x.Slideshows())
			drop(w, w.videos, 2, w.x.Videos())
			drop(w, w.renders, 1, w.x.RenderJobs())
		}
		w.settle()
		if len(w.x.accounts) > 0 || w.x.total != 0 {
			t.Fatalf("seed %d: %d accounts are left", seed, len(w.x.accounts))
		}
	}
}

// liveShorts returns a page of shorts without an archive, also for a filter with a query.
func liveShorts(x *Shorts, namespace, brand string, f Filter, c cut) []Short {
	if f.Query == nil {
		return x.List(namespace, brand, f, c)
	}
	page, _ := x.Search(namespace, brand, f, nil, c)
	return page
}

func compareLists(t *testing.T, seed uint64, w *world, namespace, brand string, f Filter) {
	t.Helper()
	query := pick(w.r, "", "", "cafe", "STORM", "tea café", "rain storms", "nothing")
	if query != "" {
		q := textsearch.Parse(query)
		f.Query = &q
	}
	want := w.want(namespace, brand, f, query)
	from := w.r.IntN(len(want) + 2)
	total := -1
	got := []row{}
	for _, s := range liveShorts(w.x, namespace, brand, f, func(n int) (int, int) {
		total = n
		return min(from, n), min(from+5, n)
	}) {
		got = append(got, rowOf(s))
	}
	if d := gocmp.Diff(want[min(from, len(want)):min(from+5, len(want))], got); d != "" || total != len(want) {
		t.Fatalf("seed %d: %s/%s %+v %q from %d: total %d, want %d: %s",
			seed, namespace, brand, f, query, from, total, len(want), d)
	}
}

// TestShorts_SearchManyShorts searches a brand that has a text index, while texts change and shorts are deleted.
func TestShorts_SearchManyShorts(t *testing.T) {
	x := New(clock.RealClock{})
	found := func(query string, o Order) (ids []int64) {
		q := textsearch.Parse(query)
		for _, s := range liveShorts(x, "n", "b", Filter{Query: &q, Order: o}, func(n int) (int, int) { return 0, n }) {
			ids = append(ids, s.ID)
		}
		return ids
	}
	show := func(id, version int, title, slides string) *v1beta1.Slideshow {
		s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{
			Namespace: "n", Name: fmt.Sprint(id), ResourceVersion: fmt.Sprint(version), CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(id) * time.Second)),
			Labels: map[string]string{v1beta1.LabelID: fmt.Sprint(id)},
		}}
		s.Spec.BrandRef.Name, s.Spec.Title, s.Spec.Context = "b", &title, slides
		return s
	}
	h, all := x.Slideshows(), []*v1beta1.Slideshow{}
	for i := range 3 * fewRecords {
		all = append(all, show(i+1, 1, "Morning walk", fmt.Sprintf("Slide number%d about a café", i+1)))
		h.OnAdd(all[i], true)
	}
	if got := found("CAFE number7x", CreatedDesc); len(got) != 0 {
		t.Errorf("a word that no short has finds %v", got)
	}
	if got := found("walks cafe number77", CreatedDesc); !slices.Equal(got, []int64{77}) {
		t.Errorf("got %v", got)
	}
	if got := found("cafe", CreatedAsc); len(got) != len(all) || got[0] != 1 || !slices.IsSorted(got) {
		t.Errorf("got %d shorts, from %v", len(got), got[:min(3, len(got))])
	}
	changed := show(77, 2, "Number 8 café café", "Another text")
	h.OnUpdate(all[76], changed)
	all[76] = changed
	if got := found("number77", CreatedDesc); len(got) != 0 {
		t.Errorf("an old text finds %v", got)
	}
	if got := found("cafe", Relevance); len(got) != len(all) || got[0] != 77 {
		t.Errorf("the best match is %v", got[:min(3, len(got))])
	}
	for i, s := range all {
		h.OnDelete(s)
		if i%50 == 0 {
			if got := found("cafe", CreatedDesc); len(got) != len(all)-i-1 {
				t.Fatalf("got %d of %d shorts", len(got), len(all)-i-1)
			}
		}
	}
	if len(x.accounts) != 0 {
		t.Error("an account is left")
	}
}

// BenchmarkShortsSearch searches the shorts of one brand.
func BenchmarkShortsSearch(b *testing.B) {
	x := New(clock.RealClock{})
	r := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 2000)
	for i := range words {
		words[i] = strconv.FormatInt(int64(i*i+10_000), 36)
	}
	text := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[r.IntN(1+r.IntN(len(words)))]
		}
		return strings.Join(out, " ")
	}
	for i := range 10_000 {
		title := text(6)
		s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{
			Namespace: "n", Name: fmt.Sprint(i), ResourceVersion: "1", CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(i) * time.Second)),
			Labels: map[string]string{v1beta1.LabelID: fmt.Sprint(i + 1)},
		}}
		s.Spec.BrandRef.Name, s.Spec.Title, s.Spec.Context = "b", &title, text(80)
		x.Slideshows().OnAdd(s, true)
	}
	for name, query := range map[string]string{"rare": words[1900], "frequent": words[0], "three words": strings.Join(words[:3], " ")} {
		for _, o := range []Order{CreatedDesc, Relevance} {
			b.Run(name+"/"+string(o), func(b *testing.B) {
				q, total := textsearch.Parse(query), 0
				for b.Loop() {
					liveShorts(x, "n", "b", Filter{Query: &q, Order: o}, func(n int) (int, int) { total = n; return 0, min(25, n) })
				}
				b.ReportMetric(float64(total), "found")
			})
		}
	}
}

func TestShorts_ResultsDoNotChange(t *testing.T) {
	x := New(clock.RealClock{})
	show := func(version string) *v1beta1.Slideshow {
		return &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "s", ResourceVersion: version, Labels: map[string]string{v1beta1.LabelID: "7"}}}
	}
	render := func(name, version string) *v1beta1.RenderJob {
		j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, ResourceVersion: version, Labels: map[string]string{v1beta1.LabelShort: "7"}}}
		j.Spec.Source.Name = "s"
		return j
	}
	x.Slideshows().OnAdd(show("1"), true)
	x.RenderJobs().OnAdd(render("r1", "2"), true)
	x.RenderJobs().OnAdd(render("r2", "3"), true)
	before, _, _ := x.Get("n", 7)
	want := rowOf(before)
	x.RenderJobs().OnUpdate(render("r1", "2"), render("r1", "4"))
	x.RenderJobs().OnDelete(render("r2", "3"))
	x.RenderJobs().OnAdd(render("r3", "5"), false)
	x.Slideshows().OnUpdate(show("1"), show("6"))
	if d := gocmp.Diff(want, rowOf(before)); d != "" {
		t.Errorf("the result of a reader changed: %s", d)
	}
	after, _, _ := x.Get("n", 7)
	if d := gocmp.Diff(row{7, "Slideshow s", "6", []string{"r3@5", "r1@4"}}, rowOf(after)); d != "" {
		t.Error(d)
	}
}
