// SPDX-License-Identifier: Apache-2.0

package read

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sync/singleflight"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/store/blob"
)

// ErrLost means that a document is missing from the blob store or is damaged.
var ErrLost = errors.New("the document cannot be read")

// MostDocumentBytes is the default limit of the documents kept in process. It suffices for some dozen accounts with ten
// thousand posts, or for some thousand accounts with a hundred posts.
const MostDocumentBytes = 64 << 20

const (
	// atOnce is how many documents are read and decoded at the same time; others wait.
	atOnce = 4
	// readTime is the timeout of reading one document, independent of the callers.
	readTime = 15 * time.Second
)

// Documents reads analytics documents from the blob store. Recently used documents stay in process, decoded and in the
// requested sort orders. A refresh writes a document under a new name, so cached documents never become stale.
// Documents is safe for concurrent use.
type Documents struct {
	open func(ctx context.Context, key string) (io.ReadCloser, error)
	most int64

	reading singleflight.Group
	slots   chan struct{}

	mu sync.Mutex
	// recent holds *held values, most recently used first; byFolder indexes them. Each account has one folder, and one
	// document per folder is kept.
	recent   *list.List
	byFolder map[string]*list.Element
	bytes    int64
}

// held is a document kept in process.
type held struct {
	key   string
	doc   *analytics.Orders
	bytes int64
}

// NewDocuments returns a reader that keeps at most the given number of bytes in process, by estimate.
func NewDocuments(store *blob.Store, most int64) *Documents {
	return newDocuments(store.Get, most)
}

func newDocuments(open func(context.Context, string) (io.ReadCloser, error), most int64) *Documents {
	return &Documents{open: open, most: most, slots: make(chan struct{}, atOnce), recent: list.New(), byFolder: map[string]*list.Element{}}
}

// Get returns a document. It is shared and must not be changed. Concurrent calls for the same document share one read.
// The error is ErrLost if the document is missing or damaged, which a retry does not change. Otherwise it is the error
// of the store.
func (d *Documents) Get(ctx context.Context, key string) (*analytics.Orders, error) {
	if doc := d.kept(key); doc != nil {
		return doc, nil
	}
	// The caller that began the read may leave; the others still wait.
	result := d.reading.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
		defer cancel()
		// Another read may have finished since the check above.
		if doc := d.kept(key); doc != nil {
			return doc, nil
		}
		return d.read(ctx, key)
	})
	select {
	case r := <-result:
		doc, _ := r.Val.(*analytics.Orders)
		return doc, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (d *Documents) read(ctx context.Context, key string) (*analytics.Orders, error) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r, err := d.open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	in := &watchedReader{r: r}
	doc, err := analytics.Decode(in)
	switch {
	case in.err != nil: // the store failed; the bytes read so far prove nothing
		return nil, fmt.Errorf("reading %s: %w", key, in.err)
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", ErrLost, key, err)
	}
	h := &held{key: key, doc: analytics.NewOrders(doc), bytes: in.n + size(doc)}
	d.keep(h)
	return h.doc, nil
}

func (d *Documents) kept(key string) *analytics.Orders {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.byFolder[path.Dir(key)]
	if e == nil || e.Value.(*held).key != key {
		return nil
	}
	d.recent.MoveToFront(e)
	return e.Value.(*held).doc
}

func (d *Documents) keep(h *held) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.byFolder[path.Dir(h.key)]; e != nil {
		d.drop(e)
	}
	if h.bytes > d.most {
		return
	}
	d.byFolder[path.Dir(h.key)] = d.recent.PushFront(h)
	d.bytes += h.bytes
	for d.bytes > d.most {
		d.drop(d.recent.Back())
	}
}

func (d *Documents) drop(e *list.Element) {
	h := d.recent.Remove(e).(*held)
	delete(d.byFolder, path.Dir(h.key))
	d.bytes -= h.bytes
}

// size returns the estimated memory of a document beyond its texts. Texts take no more than their encoded size.
func size(d *analytics.Document) int64 {
	const numbers = 5 * 8 // of each row, behind pointers
	return int64(len(d.Rows))*int64(unsafe.Sizeof(analytics.Row{})+numbers+analytics.OrderBytes) + int64(len(d.History))*int64(unsafe.Sizeof(analytics.Day{})+numbers)
}

// watchedReader counts the bytes read and keeps the error of the store apart from that of the decoder.
type watchedReader struct {
	r   io.Reader
	n   int64
	err error
}

func (w *watchedReader) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	w.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
