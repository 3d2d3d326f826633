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

// ErrLost says that a document is not in the blob store, or that what is there is none.
var ErrLost = errors.New("the document cannot be read")

// MostDocumentBytes is what Documents keep in memory where nothing else is said: some dozen accounts with ten thousand posts, or some
// thousand with a hundred.
const MostDocumentBytes = 64 << 20

const (
	// atOnce documents are read and decoded at the same time; others wait.
	atOnce = 4
	// readTime bounds the reading of one, whoever waits for it.
	readTime = 15 * time.Second
)

// Documents reads what is known of accounts from the blob store. What was asked for lately stays in memory, decoded and in the orders
// that it was asked for in. A refresh makes a document of a new name: what is kept never becomes stale. It is safe for concurrent use.
type Documents struct {
	open func(ctx context.Context, key string) (io.ReadCloser, error)
	most int64

	reading singleflight.Group
	slots   chan struct{}

	mu sync.Mutex
	// recent are *held, those used last at the front; byFolder finds them. All of an account lie in one folder, and one is kept of it.
	recent   *list.List
	byFolder map[string]*list.Element
	bytes    int64
}

// held is a document in memory.
type held struct {
	key   string
	doc   *analytics.Orders
	bytes int64
}

// NewDocuments keeps at most so many bytes, by estimate, in memory.
func NewDocuments(store *blob.Store, most int64) *Documents {
	return newDocuments(store.Get, most)
}

func newDocuments(open func(context.Context, string) (io.ReadCloser, error), most int64) *Documents {
	return &Documents{open: open, most: most, slots: make(chan struct{}, atOnce), recent: list.New(), byFolder: map[string]*list.Element{}}
}

// Get reads a document. It is shared and must not be changed. Many who ask for one at the same time wait for one reading. The error is
// ErrLost when it is not there or damaged, which another try does not change, else that of the store.
func (d *Documents) Get(ctx context.Context, key string) (*analytics.Orders, error) {
	if doc := d.kept(key); doc != nil {
		return doc, nil
	}
	// Whoever began to read may go; the others still wait.
	result := d.reading.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
		defer cancel()
		// Another reading may have ended between the look above and this.
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
	case in.err != nil: // the store broke off; what was read until then says nothing
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

// size is about what a document takes beyond its texts: those take no more than their file.
func size(d *analytics.Document) int64 {
	const numbers = 5 * 8 // each row's, behind pointers
	return int64(len(d.Rows))*int64(unsafe.Sizeof(analytics.Row{})+numbers+analytics.OrderBytes) + int64(len(d.History))*int64(unsafe.Sizeof(analytics.Day{})+numbers)
}

// watchedReader counts what it gives and keeps the error of the store apart from that of the decoder.
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
