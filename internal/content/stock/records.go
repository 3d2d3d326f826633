// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/reelops/reelops/internal/store/blob"
)

// Store stores records; *blob.Store implements it.
type Store interface {
	Exists(ctx context.Context, key string) (bool, error)
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, r io.Reader) error
}

const (
	// maxRecord is the maximum size of a record in bytes.
	maxRecord = 64 << 10
	// maxWritten is the maximum number of cached IDs that are known to be recorded.
	maxWritten = 50_000
	// parallelRecords is the number of concurrent writes.
	parallelRecords = 16
)

// records stores items by their ID, so that every replica and the controllers can resolve an ID from a response.
type records struct {
	store Store
	log   *slog.Logger

	mu      sync.Mutex
	written map[int64]bool
}

func recordKey(id int64) string { return fmt.Sprintf("stock/records/%d.json", id) }

// keep writes the missing records. An item that could not be recorded is returned nevertheless; its ID cannot be
// resolved until a later search returns the item again.
func (r *records) keep(ctx context.Context, items []Item) {
	var g errgroup.Group
	g.SetLimit(parallelRecords)
	var lost sync.Map
	for _, i := range items {
		if i.Provider == ProviderStarter || i.Provider == ProviderLibrary || r.known(i.ID) {
			continue
		}
		g.Go(func() error {
			if err := r.write(ctx, i); err != nil {
				lost.Store(i.ID, err)
			}
			return nil
		})
	}
	_ = g.Wait()
	n := 0
	var why error
	lost.Range(func(_, err any) bool { n, why = n+1, err.(error); return true })
	if n > 0 {
		r.log.Warn("recording stock items failed: their ids are unknown until they are listed again", "items", n, "error", why.Error())
	}
}

func (r *records) known(id int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.written[id]
}

func (r *records) note(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.written) >= maxWritten {
		clear(r.written)
	}
	r.written[id] = true
}

func (r *records) write(ctx context.Context, i Item) error {
	key := recordKey(i.ID)
	there, err := r.store.Exists(ctx, key)
	if err != nil {
		return err
	}
	if !there {
		text, err := json.Marshal(i)
		if err != nil {
			return err
		}
		if err := r.store.Put(ctx, key, "application/json", bytes.NewReader(text)); err != nil {
			return err
		}
	}
	r.note(i.ID)
	return nil
}

// read returns a recorded item, or false if there is none with that ID.
func (r *records) read(ctx context.Context, id int64) (Item, bool, error) {
	body, err := r.store.Get(ctx, recordKey(id))
	if errors.Is(err, blob.ErrNotFound) {
		return Item{}, false, nil
	}
	if err != nil {
		return Item{}, false, err
	}
	defer func() { _ = body.Close() }()
	var i Item
	if err := json.NewDecoder(io.LimitReader(body, maxRecord)).Decode(&i); err != nil {
		return Item{}, false, fmt.Errorf("reading %s: %w", recordKey(id), err)
	}
	if !clean(&i) || i.ID != id {
		return Item{}, false, fmt.Errorf("%s is about another item", recordKey(id))
	}
	return i, true, nil
}
