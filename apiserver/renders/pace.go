// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Bounds of pace.
const (
	// progressEvery is the least time between two writes of one render's progress.
	progressEvery = time.Second
	// forgetAfter drops a render that has not reported for so long; many of them are looked at only when there are many.
	forgetAfter = 10 * time.Minute
	manyRenders = 1024
)

// pace remembers when each render's progress was written last.
type pace struct {
	mu   sync.Mutex
	last map[types.UID]time.Time
}

// allow says whether progress may be written now, and if so takes note of it.
func (p *pace) allow(uid types.UID, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.last[uid]; ok && now.Sub(t) < progressEvery {
		return false
	}
	if p.last == nil {
		p.last = map[types.UID]time.Time{}
	}
	if len(p.last) >= manyRenders {
		for u, t := range p.last {
			if now.Sub(t) > forgetAfter {
				delete(p.last, u)
			}
		}
	}
	p.last[uid] = now
	return true
}

func (p *pace) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, uid)
}
