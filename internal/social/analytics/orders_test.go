// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
)

// TestOrders_MatchTheDocument compares both results, with ties, unknown numbers, posts at the edges of a period and
// posts with a future date.
func TestOrders_MatchTheDocument(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(7, 11))
	number := func() *int64 {
		if random.IntN(4) == 0 {
			return nil
		}
		n := random.Int64N(5)
		return &n
	}
	for _, size := range []int{0, 1, 60} {
		d := &Document{}
		for i := range size {
			r := Row{Post: Post{ID: fmt.Sprintf("%03d", i), PostedAt: now.Add(-time.Duration(random.IntN(120)-4) * time.Hour)}}
			r.Views, r.Likes, r.Comments, r.Shares, r.Favorites = number(), number(), number(), number(), number()
			r.OurPost = random.Int64N(3)
			d.Rows = append(d.Rows, r)
		}
		put(d.Rows)
		o := NewOrders(d)
		var all sync.WaitGroup
		for _, column := range append(catalog.AnalyticsSorts(), "") {
			for i := range 48 {
				q := Query{
					Sort: column, Ascending: i%2 == 0, OursOnly: i/2%2 == 0,
					Period: []time.Duration{0, time.Hour, 24 * time.Hour, 90 * 24 * time.Hour}[i/4%4],
				}
				from, n := []int{0, 7, 1000}[i/16], 11
				all.Go(func() {
					want, wantTotal := d.Part(q, now, from, n)
					got, total := o.Part(q, now, from, n)
					if diff := cmp.Diff(want, got); diff != "" || total != wantTotal {
						t.Errorf("%d rows, %+v from %d: got %d of %d\n%s", size, q, from, total, wantTotal, diff)
					}
				})
			}
		}
		all.Wait()
		if size > 0 && len(o.all) != 14 {
			t.Errorf("got %d cached orders", len(o.all))
		}
	}
}
