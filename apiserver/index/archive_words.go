// SPDX-License-Identifier: Apache-2.0

package index

import (
	"github.com/reelops/reelops/internal/content/textsearch"
	"github.com/reelops/reelops/internal/store/archive"
)

// Words is a text index of the archived shorts of a brand in one segment.
type Words struct {
	index textsearch.Index[*entry]
	bytes int64
}

// wordBytes is the estimated memory of Words for each byte of text, and entryBytes that of each short beside it. They are
// about twice what BenchmarkWords measures, for texts with more different words.
const (
	wordBytes  = 2
	entryBytes = 250
)

// WordsOf returns the text index of a brand. texts are those of all rows of the segment, in order.
func WordsOf(s *Segment, brand string, texts []archive.Text) *Words {
	w := &Words{}
	for n := range min(len(s.rows), len(texts)) {
		if s.brand(n) != brand || s.rows[n].class == noClass {
			continue
		}
		e := &entry{key: s.key(n), brand: brand, class: s.rows[n].class, segment: s, row: uint32(n)}
		t := &texts[n]
		w.index.Add(textsearch.Rank{Major: e.key.Created, Minor: e.key.ID}, e, fieldsOfTexts(t.Title, t.Text, t.Caption)...)
		w.bytes += entryBytes + wordBytes*int64(len(t.Title)+len(t.Text)+len(t.Caption))
	}
	return w
}

// Bytes returns the estimated memory of the index.
func (w *Words) Bytes() int64 { return w.bytes }
