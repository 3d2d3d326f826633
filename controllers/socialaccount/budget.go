// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	headroomEvery = 6 * time.Hour
	identityEvery = 24 * time.Hour
	// creatorEvery is the time between reads of the options that the platform offers the account.
	creatorEvery = time.Hour
	// retryAfterError is the time after which a failed read is repeated.
	retryAfterError = time.Hour
	// minSpacing is the minimum time between reads of different accounts.
	minSpacing = time.Second
)

// budget keeps the times of the last reads in memory. After a restart every account is read once, one a second.
type budget struct {
	mu       sync.Mutex
	lastRead map[types.UID]*times
	next     time.Time
}

type times struct{ headroom, identity, creator time.Time }

type reads struct{ headroom, identity, creator bool }

// acquire returns the reads that are due and admitted for an account, and the time until the next. Admitted reads count
// as done. The profile of an account that was just connected is known. creator reports whether the platform describes a
// creator.
func (b *budget) acquire(uid types.UID, now, connected time.Time, creator bool) (reads, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lastRead == nil {
		b.lastRead = map[types.UID]*times{}
	}
	t := b.lastRead[uid]
	if t == nil {
		t = &times{identity: connected.Add(identityEvery)}
		b.lastRead[uid] = t
	}
	q := reads{headroom: !now.Before(t.headroom), identity: !now.Before(t.identity), creator: creator && !now.Before(t.creator)}
	if q != (reads{}) {
		// Ignore a next time far in the future: the clock was set back.
		if wait := b.next.Sub(now); wait > 0 && wait <= time.Duration(len(b.lastRead))*minSpacing {
			return reads{}, wait
		}
		b.next = now.Add(minSpacing)
	}
	if q.headroom {
		t.headroom = now.Add(headroomEvery)
	}
	if q.identity {
		t.identity = now.Add(identityEvery)
	}
	if q.creator {
		t.creator = now.Add(creatorEvery)
	}
	next := t.headroom
	if creator && t.creator.Before(next) {
		next = t.creator
	}
	if t.identity.Before(next) {
		next = t.identity
	}
	return q, min(next.Sub(now), headroomEvery)
}

// postpone schedules the headroom for retryAfterError.
func (b *budget) postpone(uid types.UID, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.lastRead[uid]; t != nil {
		t.headroom = now.Add(retryAfterError)
	}
}

func (b *budget) forget(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.lastRead, uid)
}
