// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"sync"
	"time"

	"github.com/reelops/reelops/internal/work/callback"
)

// Bounds of pace.
const (
	// progressEvery is the shortest time between two writes of the progress of an attempt.
	progressEvery = time.Second
	// forgetAfter is the age at which an entry is removed. Entries are removed only while there are at least manyRenders.
	forgetAfter = 10 * time.Minute
	manyRenders = 1024
)

// paced has the key of a rate limit. A pod whose attempt has ended must not delay the reports of the next attempt, and
// progress must not delay the report of completion.
type paced struct {
	attempt  callback.Attempt
	complete bool
}

// pace limits progress reports to one a second. A malicious pod could send more, and each report needs a request to the
// API server. The zero value is ready for use.
type pace struct {
	mu   sync.Mutex
	last map[paced]time.Time // of the last allowed report
}

// allow reports whether a report may be taken now. If so, it records the time.
func (p *pace) allow(r paced, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.last[r]; ok && now.Sub(t) < progressEvery {
		return false
	}
	if p.last == nil {
		p.last = map[paced]time.Time{}
	}
	if len(p.last) >= manyRenders {
		for old, t := range p.last {
			if now.Sub(t) > forgetAfter {
				delete(p.last, old)
			}
		}
	}
	p.last[r] = now
	return true
}
