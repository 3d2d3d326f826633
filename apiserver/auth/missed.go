// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/read"
)

const (
	// missReads is the rate, per second, at which keys that are not in the cache are looked up in the cluster.
	// missBurst is the burst after a pause and missParallel the number of concurrent look-ups.
	missReads, missBurst, missParallel = 100, 200, 16
	// unknownTime is how long a key that the cluster does not hold is not looked up again. mostUnknown is how many such
	// keys are remembered.
	unknownTime, mostUnknown = 10 * time.Second, 10_000
	// cacheLag is longer than the cache's usual delay behind the cluster.
	cacheLag = 100 * time.Millisecond
)

// missedKeys looks up keys that the cache does not hold: they may be a few milliseconds old. A client that sends many
// random keys causes no more reads of the cluster than the limits above. Beyond them, only the cache is read, after
// cacheLag.
type missedKeys struct {
	mu      sync.Mutex
	unknown map[string]time.Time // hash of a key, and the time until which it is not looked up
	tokens  *rate.Limiter
	running chan struct{}

	reads singleflight.Group
}

// lookup is the part of read.Reader that missedKeys uses.
type lookup interface {
	KeyByHash(ctx context.Context, hash string) (*v1beta1.APIKey, error)
	LiveKeyByHash(ctx context.Context, hash string) (*v1beta1.APIKey, error)
}

// find returns the key whose secret has the hash. The error is read.ErrNotFound, or that of a read.
func (m *missedKeys) find(ctx context.Context, from lookup, hash string) (*v1beta1.APIKey, error) {
	reading := m.reads.DoChan(hash, func() (any, error) {
		release, ok := m.admit(hash)
		if !ok {
			return nil, errNotRead
		}
		defer release()
		// The read is shared, and the first caller may hang up.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		key, err := from.LiveKeyByHash(ctx, hash)
		if errors.Is(err, read.ErrNotFound) {
			m.remember(hash)
		}
		return key, err
	})
	var res singleflight.Result
	select {
	case res = <-reading:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !errors.Is(res.Err, errNotRead) {
		key, _ := res.Val.(*v1beta1.APIKey)
		return key, res.Err
	}
	select {
	case <-time.After(cacheLag):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return from.KeyByHash(ctx, hash)
}

// errNotRead means that the limits allow no read of the cluster now.
var errNotRead = errors.New("too many unknown keys are being looked up")

// admit reports whether the key may be looked up in the cluster now. The caller must call release once.
func (m *missedKeys) admit(hash string) (release func(), ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tokens == nil {
		m.unknown, m.tokens, m.running = map[string]time.Time{}, rate.NewLimiter(missReads, missBurst), make(chan struct{}, missParallel)
	}
	if until, ok := m.unknown[hash]; ok {
		if time.Now().Before(until) {
			return nil, false
		}
		delete(m.unknown, hash)
	}
	select {
	case m.running <- struct{}{}:
	default:
		return nil, false
	}
	if !m.tokens.Allow() {
		<-m.running
		return nil, false
	}
	return func() { <-m.running }, true
}

func (m *missedKeys) remember(hash string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.unknown) >= mostUnknown {
		clear(m.unknown)
	}
	m.unknown[hash] = time.Now().Add(unknownTime)
}
