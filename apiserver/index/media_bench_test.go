// SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textsearch"
)

var benchWords = strings.Fields("morning evening sunset beach sea sand mountain forest city street coffee desk laptop office team happy smile running shoes " +
	"bottle product unboxing review demo before after kitchen recipe garden flower autumn winter snow rain light dark blue red golden vintage modern minimal travel")

// shelvesOf returns n ready items of one brand, a tenth of them in packs.
func shelvesOf(namespace string, n int, r *rand.Rand) []*v1beta1.MediaAsset {
	phrase := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = benchWords[r.IntN(len(benchWords))]
		}
		return strings.Join(out, " ")
	}
	out := make([]*v1beta1.MediaAsset, n)
	for i := range out {
		a := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: fmt.Sprint("media-", i), Labels: map[string]string{v1beta1.LabelID: strconv.Itoa(i + 1)},
			ResourceVersion: strconv.Itoa(i), CreationTimestamp: metav1.NewTime(epoch.Add(time.Duration(i) * time.Second)),
		}}
		a.Spec = v1beta1.MediaAssetSpec{
			BrandRef: &v1beta1.LocalRef{Name: "b"}, MediaType: catalog.MediaTypes[i%2], Title: fmt.Sprintf("%s IMG_%06d", phrase(3), i),
			Tags: strings.Fields(phrase(4)), Description: phrase(10),
		}
		if i%10 == 0 {
			a.Spec.PackRef = &v1beta1.LocalRef{Name: fmt.Sprint("p", i%50)}
		}
		a.Status.Probe, a.Status.BlobKey = &v1beta1.MediaProbe{Kind: "image"}, "k"
		out[i] = a
	}
	return out
}

func BenchmarkMedia(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1_000, 100_000} {
		x := NewMedia(clock.RealClock{}, commons)
		assets := shelvesOf("one", n, r)
		before := heapInUse()
		began := time.Now()
		feed := x.Assets()
		for _, a := range assets {
			feed.OnAdd(a, true)
		}
		took := time.Since(began)
		size := float64(heapInUse()-before) / float64(n)
		b.Run(fmt.Sprintf("%d/ingested", n), func(b *testing.B) {
			for b.Loop() { // it was done above
			}
			b.ReportMetric(size, "B/item")
			b.ReportMetric(float64(took.Microseconds())/float64(n), "µs/item")
		})
		for i := range 5 {
			x.PackObjects().OnAdd(&v1beta1.MediaPack{ObjectMeta: metav1.ObjectMeta{Namespace: "one", Name: fmt.Sprint("p", i*10), Labels: map[string]string{v1beta1.LabelID: strconv.Itoa(i + 1)}}}, true)
		}
		page := func(from int) func(int) (int, int) {
			return func(total int) (int, int) { return min(from, total), min(from+25, total) }
		}
		query := func(s string) *textsearch.Query { q := textsearch.Parse(s); return &q }
		for name, ask := range map[string]func(){
			"newest":      func() { x.Own("one", "b", MediaFilter{}, page(0)) },
			"a late page": func() { x.Own("one", "b", MediaFilter{}, page(n/2)) },
			"of one type": func() { x.Own("one", "b", MediaFilter{Type: catalog.MediaProductDemo}, page(n/4)) },
			"of packs":    func() { x.Packed("one", "b", MediaFilter{}, page(n/20)) },
			"one word":    func() { x.Own("one", "b", MediaFilter{Query: query("sunset")}, page(0)) },
			"three words": func() { x.Own("one", "b", MediaFilter{Query: query("golden beach runn")}, page(0)) },
			"a file":      func() { x.Own("one", "b", MediaFilter{Query: query("img_000777")}, page(0)) },
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					ask()
				}
			})
		}
		b.Run(fmt.Sprintf("%d/a change", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				now := assets[i%n].DeepCopy()
				now.Spec.Title, now.ResourceVersion = fmt.Sprint("changed ", i), strconv.Itoa(n+i)
				feed.OnUpdate(assets[i%n], now)
				assets[i%n] = now
				i++
			}
		})
		runtime.KeepAlive(assets)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
