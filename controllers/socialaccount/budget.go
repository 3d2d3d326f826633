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
	// creatorEvery is how often a platform is read for what it lets an account choose.
	creatorEvery = time.Hour
	// afterError is when a question that failed is asked again.
	afterError = time.Hour
	// apart is how far questions of different accounts are apart.
	apart = time.Second
)

// budget remembers when platforms were asked, in memory: after a restart every account is asked once more, one a second.
type budget struct {
	mu    sync.Mutex
	asked map[types.UID]*times
	next  time.Time
}

type times struct{ headroom, identity, creator time.Time }

type questions struct{ headroom, identity, creator bool }

// take says what may be asked of an account now, and when to come back for more. What is taken counts as asked. An account that was
// connected just now has said how it is called.
//
// creator reports whether the platform describes a creator.
func (b *budget) take(uid types.UID, now, connected time.Time, creator bool) (questions, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked == nil {
		b.asked = map[types.UID]*times{}
	}
	t := b.asked[uid]
	if t == nil {
		t = &times{identity: connected.Add(identityEvery)}
		b.asked[uid] = t
	}
	q := questions{headroom: !now.Before(t.headroom), identity: !now.Before(t.identity), creator: creator && !now.Before(t.creator)}
	if q != (questions{}) {
		// A clock that was set back must not hold up everybody.
		if wait := b.next.Sub(now); wait > 0 && wait <= time.Duration(len(b.asked))*apart {
			return questions{}, wait
		}
		b.next = now.Add(apart)
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

// postpone has the headroom asked for again sooner than otherwise.
func (b *budget) postpone(uid types.UID, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.asked[uid]; t != nil {
		t.headroom = now.Add(afterError)
	}
}

func (b *budget) forget(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.asked, uid)
}
