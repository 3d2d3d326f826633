// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"testing"
)

// A query with cached words, and one with words that are not cached.
func BenchmarkSearch(b *testing.B) {
	d := dictionary(b)
	fail := func(err error) { b.Error(err) }
	b.Run("known", func(b *testing.B) {
		x := NewIndex(NewWords(d, fail), catalog())
		b.ReportAllocs()
		for b.Loop() {
			x.Search("calm evening by the sea")
		}
	})
	b.Run("fresh", func(b *testing.B) {
		docs := catalog()
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			x := NewIndex(NewWords(d, fail), docs)
			b.StartTimer()
			x.Search("calm evening by the sea")
		}
	})
}
