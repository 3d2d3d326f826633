// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"sync"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// ledger indexes the posts of the sandbox by caption. Captions are unique.
type ledger struct {
	sandbox *sandbox.Sandbox

	mu      sync.Mutex
	indexed int
	by      map[string][]sandbox.Landing
}

func newLedger(s *sandbox.Sandbox) *ledger {
	return &ledger{sandbox: s, by: map[string][]sandbox.Landing{}}
}

// published returns the posts with a caption.
func (l *ledger) published(caption string) []sandbox.Landing {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.sandbox.Landed("") // appended to only: nothing is removed here
	for _, p := range all[l.indexed:] {
		l.by[p.Caption] = append(l.by[p.Caption], p)
	}
	l.indexed = len(all)
	return l.by[caption]
}
