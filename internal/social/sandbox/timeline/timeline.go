// SPDX-License-Identifier: Apache-2.0

// Package timeline keeps the posts of accounts in order, for stand-ins that list them: a page of thousands of posts is found without
// looking at, or copying, all of them. It judges nothing: private posts and drafts are in it too.
package timeline

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Timeline is safe for use by many goroutines, and calls nobody: it may be told of posts while locks are held.
type Timeline struct {
	mu   sync.Mutex
	byID map[string]*sandbox.Landing
	// sorted are accounts' posts, newest first; those of which something changed since are not in it.
	sorted map[string][]*sandbox.Landing
}

// New is one with the posts.
func New(posts []sandbox.Landing) *Timeline {
	s := &Timeline{}
	s.Clear()
	for _, l := range posts {
		s.Put(l)
	}
	return s
}

// Clear takes everything away.
func (s *Timeline) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID, s.sorted = map[string]*sandbox.Landing{}, map[string][]*sandbox.Landing{}
}

// Put adds a post, or replaces the one of its id.
func (s *Timeline) Put(l sandbox.Landing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[l.ID] = &l
	delete(s.sorted, l.Account)
}

// Take takes a post away.
func (s *Timeline) Take(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byID[id]; l != nil {
		delete(s.byID, id)
		delete(s.sorted, l.Account)
	}
}

// Find is the post of an id, which may not be changed; nil when there is none.
func (s *Timeline) Find(id string) *sandbox.Landing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// Of are the posts of an account, newest first. Neither the list nor what is in it may be changed; what happens later changes neither.
func (s *Timeline) Of(account string) []*sandbox.Landing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list, ok := s.sorted[account]; ok {
		return list
	}
	var list []*sandbox.Landing
	for _, l := range s.byID {
		if l.Account == account {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, NewestFirst)
	s.sorted[account] = list
	return list
}

// NewestFirst is the order of posts: those of the same moment by their ids, the greatest first.
func NewestFirst(a, b *sandbox.Landing) int {
	return cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
}
