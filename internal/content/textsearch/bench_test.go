// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// library returns typical records: a title, tags, a description and a unique file name. Words are as unequal in
// frequency as those of a language.
func library(n int) [][]Field {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 8, 20_000)
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu sta pre con lan ter min por")
	word := func() string {
		n := zipf.Uint64()
		out := ""
		for k := n + 30; k > 0; k /= uint64(len(syllables)) {
			out += syllables[k%uint64(len(syllables))]
		}
		return out
	}
	phrase := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = word()
		}
		return strings.Join(out, " ")
	}
	out := make([][]Field, n)
	for i := range out {
		out[i] = []Field{{fmt.Sprintf("%s IMG_%06d", phrase(2+r.IntN(3)), i), 4}, {phrase(3 + r.IntN(4)), 3}, {phrase(8 + r.IntN(8)), 1}}
	}
	return out
}

func fill(records [][]Field) *Index[int] {
	x := &Index[int]{}
	for i, f := range records {
		x.Add(Rank{Major: int64(i)}, i, f...)
	}
	return x
}

// heap returns the used heap in bytes.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first one found to be free is free now
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkFill(b *testing.B) {
	records := library(100_000)
	before := heap()
	var x *Index[int]
	for b.Loop() {
		x = fill(records)
	}
	after := heap()
	b.ReportMetric(float64(after-before)/float64(x.Len()), "B/record")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(records)), "µs/record")
	b.ReportMetric(float64(x.terms.Len()), "terms")
	runtime.KeepAlive(records)
}

// BenchmarkFillSmall fills many small indexes, as for many brands.
func BenchmarkFillSmall(b *testing.B) {
	records := library(20_000)
	before := heap()
	var all []*Index[int]
	for b.Loop() {
		all = nil
		for i := 0; i < len(records); i += 20 {
			all = append(all, fill(records[i:i+20]))
		}
	}
	after := heap()
	b.ReportMetric(float64(after-before)/float64(len(records)), "B/record")
	runtime.KeepAlive(all)
	runtime.KeepAlive(records)
}

func BenchmarkSearch(b *testing.B) {
	records := library(100_000)
	x := fill(records)
	frequent := strings.Fields(records[0][2].Text)
	for name, q := range map[string]string{
		"one word": frequent[0], "three words": strings.Join(frequent[:3], " "), "one letter": "s", "a file": "img_012345",
		"twelve words": records[7][2].Text + " " + records[9][2].Text, "nothing": "qqqqq",
	} {
		for _, page := range []int{0, 1000} {
			b.Run(fmt.Sprintf("%s/from %d", name, page), func(b *testing.B) {
				total := 0
				for b.Loop() {
					Search([]*Index[int]{x}, Parse(q), nil, func(n int) (int, int) { total = n; return min(page, n), min(page+25, n) })
				}
				b.ReportMetric(float64(total), "found")
			})
		}
	}
}

func BenchmarkChange(b *testing.B) {
	records := library(100_000)
	x := fill(records)
	i := 0
	for b.Loop() {
		x.Remove(Slot(i), records[i]...)
		x.Add(Rank{Major: int64(i)}, i, records[i]...)
		i = (i + 1) % len(records)
	}
}
