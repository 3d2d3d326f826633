// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
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

func (w *world) video() *v1beta1.Video {
	r := w.r
	v := &v1beta1.Video{ObjectMeta: w.meta()}
	v.Spec.BrandRef.Name = pick(r, brandNames...)
	v.Spec.Suspend = r.IntN(4) == 0
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
func (w *world) want(namespace, brand string, f Filter) []row {
	var all []short
	for _, o := range w.shows {
		all = append(all, short{o, "Slideshow", o.Spec.BrandRef.Name, "SLIDESHOW", (&view.Short{Show: o}).Status()})
	}
	for _, o := range w.videos {
		all = append(all, short{o, "Video", o.Spec.BrandRef.Name, "UGC", (&view.Short{Video: o}).Status()})
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
			(f.After == nil || !s.at().Before(*f.After)) && (f.Before == nil || !s.at().After(*f.Before)) {
			listed = append(listed, s)
		}
	}
	slices.SortFunc(listed, func(a, b short) int { return cmp.Or(b.at().Compare(a.at()), cmp.Compare(idOf(b.o), idOf(a.o))) })
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
					all := w.want(namespace, brand, Filter{})
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

func compareLists(t *testing.T, seed uint64, w *world, namespace, brand string, f Filter) {
	t.Helper()
	want := w.want(namespace, brand, f)
	from := w.r.IntN(len(want) + 2)
	total := -1
	got := []row{}
	for _, s := range w.x.List(namespace, brand, f, func(n int) (int, int) {
		total = n
		return min(from, n), min(from+5, n)
	}) {
		got = append(got, rowOf(s))
	}
	if d := gocmp.Diff(want[min(from, len(want)):min(from+5, len(want))], got); d != "" || total != len(want) {
		t.Fatalf("seed %d: %s/%s %+v from %d: total %d, want %d: %s",
			seed, namespace, brand, f, from, total, len(want), d)
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
