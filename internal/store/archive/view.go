// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/reelops/reelops/internal/store/blob"
)

const (
	// gap is the number of blocks up to which two ranges are read as one with the blocks between them: they take less
	// time than another request.
	gap = 4
	// atOnce is the maximum number of concurrent requests of one view.
	atOnce = 8
	// sharedTime is the timeout of a read that callers share. It does not depend on the context of any of them.
	sharedTime = 30 * time.Second
)

// span is a range of the body of a file in bytes.
type span struct{ offset, end int64 }

// view reads the body of one file for one call. Every byte that it returns is verified. It is an io.ReaderAt, whose
// calls need no request for spans that were loaded before. It is not safe for concurrent use.
type view struct {
	ctx   context.Context
	store *Store
	key   string
	layout
	// shared views use the cache, and share requests with other callers.
	shared bool
	// blocks are the loaded blocks by their numbers.
	blocks map[int64][]byte
	// tail is the part of the file after the body, if the view is of a file that is being opened.
	tail []byte
	// err is the error of the first failed load.
	err error
}

// view returns a shared view of an opened file.
func (s *Store) view(ctx context.Context, f *file) *view {
	return &view{ctx: ctx, store: s, key: f.key, layout: f.layout, shared: true, blocks: map[int64][]byte{}}
}

// decode calls f, which decodes the file. Its errors and panics are ErrDamaged, except if the file could not be loaded.
// The Parquet library panics for some invalid files. For others it needs unbounded memory, so it receives only bytes
// with the right checksum.
func (v *view) decode(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if v.err != nil {
			err = v.err
		} else if err != nil {
			err = damaged(v.key, err)
		}
	}()
	return f()
}

// damaged returns ErrDamaged with the cause.
func damaged(key string, err error) error { return fmt.Errorf("%w: %s: %w", ErrDamaged, key, err) }

// readError returns the error of a read of the store. A missing file is ErrDamaged.
func readError(key string, err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return damaged(key, err)
	}
	return err
}

// ReadAt implements io.ReaderAt.
func (v *view) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset >= v.body && len(v.tail) > 0 {
		n = copy(p, v.tail[min(offset-v.body, int64(len(v.tail))):])
	} else if end := min(offset+int64(len(p)), v.body); offset < end {
		if err := v.load(span{offset, end}); err != nil {
			return 0, err
		}
		for n < int(end-offset) {
			at := offset + int64(n)
			n += copy(p[n:end-offset], v.blocks[at/blockBytes][at%blockBytes:])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// load loads the blocks of spans, with few concurrent requests.
func (v *view) load(spans ...span) error {
	runs := v.missing(spans)
	if len(runs) == 0 {
		return nil
	}
	loaded := make([][][]byte, len(runs))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, r := range runs {
		group.Go(func() (err error) {
			loaded[i], err = v.fetch(r)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		if v.err == nil {
			v.err = err
		}
		return err
	}
	for i, r := range runs {
		v.add(r.first, loaded[i])
	}
	return nil
}

// run is a range of blocks.
type run struct{ first, n int64 }

// missing returns the runs of blocks to request for spans. It takes the other ones from the cache.
func (v *view) missing(spans []span) (runs []run) {
	var numbers []int64
	for _, s := range spans {
		for b := s.offset / blockBytes; b*blockBytes < s.end; b++ {
			if v.blocks[b] == nil && !v.recall(b) {
				numbers = append(numbers, b)
			}
		}
	}
	slices.Sort(numbers)
	for _, b := range slices.Compact(numbers) {
		if last := len(runs) - 1; last >= 0 && b-runs[last].first-runs[last].n <= gap {
			runs[last].n = b - runs[last].first + 1
		} else {
			runs = append(runs, run{b, 1})
		}
	}
	return runs
}

// recall takes a block from the cache and reports whether it is there.
func (v *view) recall(block int64) bool {
	if !v.shared {
		return false
	}
	b, ok := v.store.cache.get(item{v.key, block}).([]byte)
	if ok {
		v.blocks[block] = b
	}
	return ok
}

func (v *view) add(first int64, blocks [][]byte) {
	for i, b := range blocks {
		v.blocks[first+int64(i)] = b
	}
}

// fetch returns the blocks of a run, read with one request.
func (v *view) fetch(r run) ([][]byte, error) {
	if !v.shared {
		return v.request(v.ctx, r)
	}
	out, err := v.store.share(v.ctx, fmt.Sprintf("%s %d %d", v.key, r.first, r.n), func(ctx context.Context) (any, error) {
		// Another read may have finished since the check of the cache.
		if blocks := v.store.cache.blocks(v.key, r); blocks != nil {
			return blocks, nil
		}
		blocks, err := v.request(ctx, r)
		for i, b := range blocks {
			v.store.cache.put(item{v.key, r.first + int64(i)}, b, int64(len(b)))
		}
		return blocks, err
	})
	blocks, _ := out.([][]byte)
	return blocks, err
}

// request reads and verifies the blocks of a run.
func (v *view) request(ctx context.Context, r run) ([][]byte, error) {
	offset := r.first * blockBytes
	end := min(offset+r.n*blockBytes, v.body)
	in, err := v.store.openRange(ctx, v.key, offset, end-offset)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	out := make([][]byte, 0, r.n)
	for b := r.first; b < r.first+r.n; b++ {
		block := make([]byte, v.blockLen(b))
		if err := in.full(block); err != nil {
			return nil, err
		}
		if err := v.verify(b, block); err != nil {
			return nil, damaged(v.key, err)
		}
		out = append(out, block)
	}
	return out, nil
}

// share calls f once for concurrent callers with the same key, and returns its result to all of them. A caller whose
// context ends leaves; f continues for the others.
func (s *Store) share(ctx context.Context, key string, f func(ctx context.Context) (any, error)) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	result := s.reading.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sharedTime)
		defer cancel()
		return f(ctx)
	})
	select {
	case r := <-result:
		return r.Val, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rangeReader reads a range of a file.
type rangeReader struct {
	io.ReadCloser
	key string
	// err is an error of the store.
	err error
}

func (s *Store) openRange(ctx context.Context, key string, offset, n int64) (*rangeReader, error) {
	if err := ctx.Err(); err != nil { // a folder does not check it
		return nil, err
	}
	r, err := s.blobs.OpenRange(ctx, key, offset, n)
	if err != nil {
		return nil, readError(key, err)
	}
	return &rangeReader{ReadCloser: r, key: key}, nil
}

// Read implements io.Reader.
func (r *rangeReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// full fills p. An end of the file before that is ErrDamaged.
func (r *rangeReader) full(p []byte) error {
	_, err := io.ReadFull(r, p)
	switch {
	case err == nil:
		return nil
	case r.err != nil:
		return fmt.Errorf("reading %s: %w", r.key, r.err)
	default:
		return damaged(r.key, err)
	}
}
