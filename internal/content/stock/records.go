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
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/store/blob"
)

// Store stores records; *blob.Store implements it.
type Store interface {
	Stat(ctx context.Context, key string) (blob.Object, error)
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, r io.Reader) error
}

// Records is the key prefix of the records in the store.
const Records = "stock/records/"

// RecordTime is how long a record is kept after its item was listed or read last.
const RecordTime = 30 * 24 * time.Hour

const (
	// freshTime is the age at which a record of an item in use is written again. It is well below RecordTime, so that no
	// record in use is deleted.
	freshTime = RecordTime / 2
	// knownTime is how long this process relies on a record that it has seen.
	knownTime = 24 * time.Hour
	// maxRecord is the maximum size of a record in bytes.
	maxRecord = 64 << 10
	// maxSeen is the maximum number of cached IDs that are known to be recorded.
	maxSeen = 50_000
	// parallelRecords is the number of concurrent writes.
	parallelRecords = 16
)

// records stores items by their ID, so that every replica and the controllers can resolve an ID from a response.
type records struct {
	store Store
	clock clock.PassiveClock
	log   *slog.Logger

	mu sync.Mutex
	// seen has the times at which the record of an ID was known to be in the store.
	seen map[int64]time.Time
}

// RecordKey returns the key of the record of an item.
func RecordKey(id int64) string { return fmt.Sprintf("%s%d.json", Records, id) }

// keep writes the records that are missing or not fresh. An item that could not be recorded is returned nevertheless;
// its ID cannot be resolved until a later search returns the item again.
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
	at, ok := r.seen[id]
	return ok && r.clock.Since(at) < knownTime
}

func (r *records) note(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) >= maxSeen {
		clear(r.seen)
	}
	r.seen[id] = r.clock.Now()
}

// forget makes the next search write a record that is missing.
func (r *records) forget(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen, id)
}

func (r *records) write(ctx context.Context, i Item) error {
	key := RecordKey(i.ID)
	o, err := r.store.Stat(ctx, key)
	missing := errors.Is(err, blob.ErrNotFound)
	if err != nil && !missing {
		return err
	}
	if missing || r.clock.Since(o.Modified) > freshTime {
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

// read returns a recorded item, or false if there is none with that ID. It keeps the record fresh.
func (r *records) read(ctx context.Context, id int64) (Item, bool, error) {
	body, err := r.store.Get(ctx, RecordKey(id))
	if errors.Is(err, blob.ErrNotFound) {
		r.forget(id)
		return Item{}, false, nil
	}
	if err != nil {
		return Item{}, false, err
	}
	defer func() { _ = body.Close() }()
	var i Item
	if err := json.NewDecoder(io.LimitReader(body, maxRecord)).Decode(&i); err != nil {
		return Item{}, false, fmt.Errorf("reading %s: %w", RecordKey(id), err)
	}
	if !clean(&i) || i.ID != id {
		return Item{}, false, fmt.Errorf("%s is about another item", RecordKey(id))
	}
	r.keep(ctx, []Item{i})
	return i, true, nil
}
