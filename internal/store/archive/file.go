// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// tailBytes is what the first request for a file reads at its end. It contains the footer, the page index and the
	// checksums of all but the largest files.
	tailBytes = 64 << 10
	// smallest is below the size of any file.
	smallest = 64
	// fileMemory and indexMemory estimate the memory of an opened file in bytes: the first, and the second for each byte
	// of the footer and the page index in the file. TestOpen_Memory measures it.
	fileMemory, indexMemory = 20 << 10, 4
)

// file is an opened file: its layout, and its footer and page index in decoded form. It never changes.
type file struct {
	layout
	key     string
	rows    int
	columns map[string]column
	// indexOffset is where the page index begins.
	indexOffset int64
}

// file returns the opened file with a key, which has count rows.
func (s *Store) file(ctx context.Context, key string, count int32) (*file, error) {
	id := item{key, opened}
	if f, ok := s.cache.get(id).(*file); ok {
		return f, f.check(count)
	}
	out, err := s.share(ctx, key, func(ctx context.Context) (any, error) {
		// Another read may have finished since the check of the cache.
		if f, ok := s.cache.get(id).(*file); ok {
			return f, nil
		}
		f, v, err := s.open(ctx, key)
		if err != nil {
			return nil, err
		}
		s.cache.put(id, f, f.memory())
		for n, b := range v.blocks { // they are parts of one buffer
			if n*blockBytes < f.indexOffset {
				s.cache.put(item{key, n}, bytes.Clone(b), int64(len(b)))
			}
		}
		return f, nil
	})
	if err != nil {
		return nil, err
	}
	f := out.(*file)
	return f, f.check(count)
}

// memory returns the estimated size of the opened file in memory in bytes.
func (f *file) memory() int64 {
	return fileMemory + indexMemory*(f.size-f.indexOffset) + sumBytes*int64(len(f.sums))
}

// check returns ErrDamaged if the file has not count rows, as the entry of its segment states.
func (f *file) check(count int32) error {
	if f.rows != int(count) {
		return damaged(f.key, fmt.Errorf("%d rows instead of %d", f.rows, count))
	}
	return nil
}

// open opens a file. It also returns a view of the file, which does not use the cache.
func (s *Store) open(ctx context.Context, key string) (*file, *view, error) {
	size, err := s.blobs.Size(ctx, key)
	if err != nil {
		return nil, nil, readError(key, err)
	}
	if size < smallest {
		return nil, nil, damaged(key, fmt.Errorf("%d bytes", size))
	}
	v, err := s.openTail(ctx, key, size)
	if err != nil {
		return nil, nil, err
	}
	f := &file{layout: v.layout, key: key}
	if err := v.decode(func() error { return f.decode(v) }); err != nil {
		return nil, nil, err
	}
	return f, v, nil
}

// openTail returns a view of a file of size bytes with its verified tail, and the blocks before it that were read with
// it.
func (s *Store) openTail(ctx context.Context, key string, size int64) (*view, error) {
	start := max(0, size-tailBytes) / blockBytes * blockBytes
	end, err := s.readRange(ctx, key, start, size)
	if err != nil {
		return nil, err
	}
	body, err := bodySize(end, size)
	if err != nil {
		return nil, damaged(key, err)
	}
	if body < start {
		start = body / blockBytes * blockBytes
		if end, err = s.readRange(ctx, key, start, size); err != nil {
			return nil, err
		}
	}
	tail := end[body-start:]
	l, err := parseTail(tail, size)
	if err != nil {
		return nil, damaged(key, err)
	}
	v := &view{ctx: ctx, store: s, key: key, layout: l, blocks: map[int64][]byte{}, tail: tail}
	for b := start / blockBytes; b < int64(len(l.sums)); b++ {
		block := end[b*blockBytes-start:][:l.blockLen(b)]
		if err := l.verify(b, block); err != nil {
			return nil, damaged(key, err)
		}
		v.blocks[b] = block
	}
	return v, nil
}

func (s *Store) readRange(ctx context.Context, key string, start, end int64) ([]byte, error) {
	r, err := s.openRange(ctx, key, start, end-start)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	out := make([]byte, end-start)
	return out, r.full(out)
}

// decode reads the footer and the page index.
func (f *file) decode(v *view) error {
	// The opened file must not refer to the view, whose blocks would stay in memory.
	source := &struct{ io.ReaderAt }{v}
	p, err := parquet.OpenFile(source, f.size, parquet.SkipMagicBytes(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	source.ReaderAt = nil
	groups := p.RowGroups()
	if len(groups) == 0 {
		return nil
	}
	if len(groups) > 1 {
		return errors.New("more than one row group")
	}
	f.rows, f.columns = int(p.NumRows()), map[string]column{}
	for i, c := range p.Root().Columns() {
		chunk, meta := groups[0].ColumnChunks()[i].(*parquet.FileColumnChunk), &p.Metadata().RowGroups[0].Columns[i].MetaData
		// Decoders of other codecs can allocate any amount of memory for content that is not theirs.
		if meta.Codec != format.Uncompressed && meta.Codec != format.Zstd {
			return fmt.Errorf("column %s has the codec %s", c.Name(), meta.Codec)
		}
		pages, err := chunk.OffsetIndex()
		if err != nil {
			return err
		}
		col := column{chunk: chunk, pages: pages}
		if d := meta.DictionaryPageOffset; d > 0 {
			col.dictionary = span{d, meta.DataPageOffset}
		}
		f.columns[c.Name()] = col
		f.indexOffset = max(f.indexOffset, cmp.Or(meta.DictionaryPageOffset, meta.DataPageOffset)+meta.TotalCompressedSize)
	}
	return nil
}

// column returns a column of a type. Without rows there are no columns.
func (f *file) column(name string, t parquet.Type) (column, error) {
	c, ok := f.columns[name]
	if !ok || c.chunk.Type().Kind() != t.Kind() {
		return c, fmt.Errorf("no column %s of type %s", name, t)
	}
	return c, nil
}

// column is a column of a file.
type column struct {
	chunk      *parquet.FileColumnChunk
	pages      parquet.OffsetIndex
	dictionary span
}

// spans returns the ranges of the file with the given rows, which are in ascending order.
func (c *column) spans(rows []int) []span {
	out := []span{c.dictionary}
	for p := range c.pages.NumPages() {
		n := len(rows)
		if p+1 < c.pages.NumPages() {
			n, _ = slices.BinarySearch(rows, int(c.pages.FirstRowIndex(p+1)))
		}
		if n > 0 {
			out = append(out, span{c.pages.Offset(p), c.pages.Offset(p) + c.pages.CompressedPageSize(p)})
		}
		rows = rows[n:]
	}
	return out
}
