// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/posting"
)

// postWorld is what there is, and an index that heard of all of it.
type postWorld struct {
	r       *rand.Rand
	x       *Posts
	posts   map[string]*v1beta1.Post
	version int
}

func (w *postWorld) post(i int) *v1beta1.Post {
	w.version++
	platform := pick(w.r, postPlatforms...)
	p := &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pick(w.r, namespaces...), Name: fmt.Sprintf("p%d", i), ResourceVersion: fmt.Sprint(w.version),
			CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(w.r.IntN(5)) * time.Second)),
		},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: pick(w.r, brandNames...)}, Platform: v1beta1.Platform(platform), Account: platform + pick(w.r, "-1", "-2"),
			ShortID: int64(1 + w.r.IntN(3)), ScheduledAt: metav1.NewMicroTime(epoch.Add(time.Duration(w.r.IntN(200)-100) * time.Minute)), Hold: w.r.IntN(5) == 0, Immediate: w.r.IntN(4) == 0,
		},
	}
	if w.r.IntN(10) > 0 { // two objects may claim one id, and one has none
		p.Labels = map[string]string{v1beta1.LabelID: fmt.Sprint(1 + w.r.IntN(30))}
	}
	if w.r.IntN(3) > 0 {
		p.Status.State = pick(w.r, postStates...)
	}
	return p
}

func (w *postWorld) step() {
	i := w.r.IntN(40)
	key := fmt.Sprint(i)
	old := w.posts[key]
	h := w.x.Events()
	switch {
	case old == nil:
		p := w.post(i)
		w.posts[key] = p
		h.OnAdd(p, false)
	case w.r.IntN(3) == 0:
		delete(w.posts, key)
		if w.r.IntN(2) == 0 {
			h.OnDelete(cache.DeletedFinalStateUnknown{Obj: old})
		} else {
			h.OnDelete(old)
		}
	default:
		p := w.post(i)
		p.Namespace, p.CreationTimestamp = old.Namespace, old.CreationTimestamp
		w.posts[key] = p
		h.OnUpdate(old, p)
	}
}

// known are the posts of a namespace that have their id, the newest first.
func (w *postWorld) known(namespace string) (out []*v1beta1.Post) {
	owners := map[int64]*v1beta1.Post{}
	for _, p := range w.posts {
		id := idOf(p)
		if id == 0 || p.Namespace != namespace {
			continue
		}
		o := owners[id]
		if o == nil || cmp.Or(p.CreationTimestamp.Compare(o.CreationTimestamp.Time), cmp.Compare(p.Name, o.Name)) < 0 {
			owners[id] = p
		}
	}
	for _, p := range owners {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *v1beta1.Post) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(idOf(b), idOf(a)))
	})
	return out
}

func namesOf(posts []*v1beta1.Post) []string {
	out := []string{}
	for _, p := range posts {
		out = append(out, p.Name)
	}
	return out
}

func objects(page []Post) (out []*v1beta1.Post) {
	for _, p := range page {
		out = append(out, p.Object)
	}
	return out
}

// filters returns filters of every kind, each in every order.
func (w *postWorld) filters() (out []PostFilter) {
	at := func() *time.Time {
		t := epoch.Add(time.Duration(w.r.IntN(200)-100)*time.Minute + pick(w.r, 0, time.Nanosecond))
		return &t
	}
	for _, f := range []PostFilter{
		{},
		{Short: 2},
		{Platform: "tiktok"},
		{Status: v1beta1.PostScheduled},
		{Short: 1, Platform: "youtube", Status: v1beta1.PostSuccess},
		{Account: "tiktok-1"},
		{Account: "tiktok-1", Short: 1},
		{After: at()},
		{Before: at()},
		{After: at(), Before: at()},
		{After: at(), Account: "youtube-2", Status: v1beta1.PostScheduled},
		{After: at(), Short: 3},
	} {
		for _, o := range []Order{"", CreatedDesc, CreatedAsc, DueDesc, DueAsc} {
			f.Order = o
			out = append(out, f)
		}
	}
	return out
}

// matching returns the posts of a brand that match a filter, in its order.
func (w *postWorld) matching(known []*v1beta1.Post, brand string, f PostFilter) []*v1beta1.Post {
	out := []*v1beta1.Post{}
	for _, p := range known {
		at := p.Spec.ScheduledAt.Time
		timed := f.After == nil && f.Before == nil || !p.Spec.Immediate
		if p.Spec.BrandRef.Name == brand && (f.Short == 0 || p.Spec.ShortID == f.Short) && (f.Platform == "" || p.Spec.Platform == f.Platform) &&
			(f.Status == "" || posting.State(p, epoch) == f.Status) && (f.Account == "" || p.Spec.Account == f.Account) && timed &&
			(f.After == nil || !at.Before(*f.After)) && (f.Before == nil || !at.After(*f.Before)) {
			out = append(out, p)
		}
	}
	if f.Order == DueDesc || f.Order == DueAsc {
		slices.SortFunc(out, func(a, b *v1beta1.Post) int {
			return cmp.Or(b.Spec.ScheduledAt.Compare(a.Spec.ScheduledAt.Time), cmp.Compare(idOf(b), idOf(a)))
		})
	}
	if f.Order == CreatedAsc || f.Order == DueAsc {
		slices.Reverse(out)
	}
	return out
}

func TestPosts(t *testing.T) {
	for seed := range uint64(20) {
		w := &postWorld{r: rand.New(rand.NewPCG(seed, 3)), x: NewPosts(clocktesting.NewFakeClock(epoch)), posts: map[string]*v1beta1.Post{}}
		for range 300 {
			w.step()
		}
		for _, ns := range namespaces {
			known := w.known(ns)
			for _, brand := range brandNames {
				for _, f := range w.filters() {
					want := w.matching(known, brand, f)
					total := -1
					got := w.x.List(ns, brand, f, func(n int) (int, int) { total = n; return min(1, n), min(4, n) })
					if total != len(want) || w.x.Count(ns, brand, f) != len(want) {
						t.Fatalf("seed %d, %s/%s %+v: %d of %d", seed, ns, brand, f, total, len(want))
					}
					if diff := gocmp.Diff(namesOf(want[min(1, len(want)):min(4, len(want))]), namesOf(objects(got))); diff != "" {
						t.Fatalf("seed %d, %s/%s %+v: %s", seed, ns, brand, f, diff)
					}
				}
			}
			for _, p := range known {
				if got := w.x.Get(ns, idOf(p)); got != p {
					t.Fatalf("seed %d: id %d finds %v", seed, idOf(p), got)
				}
			}
			for _, name := range []string{"tiktok-1", "instagram-2"} {
				a := &v1beta1.SocialAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
				a.Spec.Platform = v1beta1.Platform(name[:len(name)-2])
				from, to := epoch.Add(-time.Hour), epoch.Add(20*time.Minute)
				want := 0
				for _, p := range known {
					if at, ok := posting.Use(p); ok && p.Spec.Account == name && at.After(from) && !at.After(to) {
						want++
					}
				}
				if got := w.x.Uses(a, from, to); len(got) != want {
					t.Fatalf("seed %d, %s: %d uses of %d", seed, name, len(got), want)
				}
			}
		}
		for key, p := range w.posts {
			delete(w.posts, key)
			w.x.Events().OnDelete(p)
		}
		if len(w.x.accounts) != 0 || len(w.x.shared) != 0 {
			t.Fatalf("seed %d: entries of %d accounts and %d platforms are left",
				seed, len(w.x.accounts), len(w.x.shared))
		}
	}
}

func BenchmarkPostsPage(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		x := NewPosts(clocktesting.NewFakeClock(epoch))
		h := x.Events()
		for i := range n {
			h.OnAdd(&v1beta1.Post{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: "one", Name: fmt.Sprint(i), ResourceVersion: "1", CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(i) * time.Second)),
					Labels: map[string]string{v1beta1.LabelID: fmt.Sprint(i + 1)},
				},
				Spec: v1beta1.PostSpec{BrandRef: v1beta1.LocalRef{Name: "a"}, Platform: "tiktok", Account: "tiktok-1", ShortID: 1, ScheduledAt: metav1.NewMicroTime(epoch)},
			}, true)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				x.List("one", "a", PostFilter{Status: v1beta1.PostPending}, func(total int) (int, int) { return total / 2, total/2 + 25 })
			}
		})
	}
}
