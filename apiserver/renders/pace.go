// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"sync"
	"time"

	"github.com/reelops/reelops/internal/work/callback"
)

// Bounds of pace.
const (
	// progressEvery is the least time between two writes of one attempt's progress.
	progressEvery = time.Second
	// forgetAfter drops an attempt that has not reported for so long; many of them are looked at only when there are many.
	forgetAfter = 10 * time.Minute
	manyRenders = 1024
)

// pace remembers when each attempt's progress was written last. Attempts do not share an entry: a pod whose attempt is over must not hold
// back the reports of the next one.
type pace struct {
	mu   sync.Mutex
	last map[callback.Attempt]time.Time
}

// allow says whether progress may be written now, and if so takes note of it.
func (p *pace) allow(a callback.Attempt, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.last[a]; ok && now.Sub(t) < progressEvery {
		return false
	}
	if p.last == nil {
		p.last = map[callback.Attempt]time.Time{}
	}
	if len(p.last) >= manyRenders {
		for old, t := range p.last {
			if now.Sub(t) > forgetAfter {
				delete(p.last, old)
			}
		}
	}
	p.last[a] = now
	return true
}
