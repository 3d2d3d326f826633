// SPDX-License-Identifier: Apache-2.0

// Package timeline keeps posts sorted per account, for platforms that list them. A page of thousands of posts is
// returned without scanning or copying all of them. Private posts and drafts are included.
package timeline

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Timeline is safe for concurrent use. It makes no outgoing calls, so its methods may be called with locks held.
type Timeline struct {
	mu   sync.Mutex
	byID map[string]*sandbox.Landing
	// sorted caches the posts of accounts, newest first. A change invalidates the account's entry.
	sorted map[string][]*sandbox.Landing
}

// New returns a timeline with the given posts.
func New(posts []sandbox.Landing) *Timeline {
	s := &Timeline{}
	s.Clear()
	for _, l := range posts {
		s.Put(l)
	}
	return s
}

// Clear removes all posts.
func (s *Timeline) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID, s.sorted = map[string]*sandbox.Landing{}, map[string][]*sandbox.Landing{}
}

// Put adds a post, or replaces the post with the same ID.
func (s *Timeline) Put(l sandbox.Landing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[l.ID] = &l
	delete(s.sorted, l.Account)
}

// Take removes a post.
func (s *Timeline) Take(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byID[id]; l != nil {
		delete(s.byID, id)
		delete(s.sorted, l.Account)
	}
}

// Find returns the post with an ID, or nil. The caller must not change the post.
func (s *Timeline) Find(id string) *sandbox.Landing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// Of returns the posts of an account, newest first. The caller must not change the list or the posts; later updates do
// not change them either.
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

// NewestFirst compares posts by time, newest first, and then by ID in descending order.
func NewestFirst(a, b *sandbox.Landing) int {
	return cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
}
