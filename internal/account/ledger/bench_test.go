// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/testkit"
)

// BenchmarkHold reserves and releases, in one goroutine and in many.
func BenchmarkHold(b *testing.B) {
	for i, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d callers", callers), func(b *testing.B) {
			ns := fmt.Sprintf("bench-%d-%d", i, b.N)
			a := testkit.Account(ns)
			a.Spec.Plan.SlideshowLimit = ptr.To[int32](1e6)
			for _, o := range []client.Object{testkit.Namespace(ns), a} {
				if err := cluster.Client.Create(b.Context(), o); err != nil {
					b.Fatal(err)
				}
			}
			rec, err := cluster.Recorder(nil)
			if err != nil {
				b.Fatal(err)
			}
			book := ledger.New(rec, rec, tick)
			var n atomic.Int64
			b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
			one := func() {
				hold, err := book.Hold(b.Context(), ns, fmt.Sprintf("slideshow-%d", n.Add(1)), one)
				if err == nil {
					err = hold.Release(b.Context())
				}
				if err != nil {
					b.Error(err)
				}
			}
			b.ResetTimer()
			if callers == 1 {
				for b.Loop() {
					one()
				}
			} else {
				b.RunParallel(func(p *testing.PB) {
					for p.Next() {
						one()
					}
				})
			}
			b.ReportMetric(float64(len(rec.Writes))/float64(2*n.Load()), "writes/change")
		})
	}
}
