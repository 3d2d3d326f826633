// SPDX-License-Identifier: Apache-2.0

package pacing

import (
	"sync"
	"time"
)

// Cap is how many may go within a moving window; Max 0 is no cap.
type Cap struct {
	Max    int
	Window time.Duration
}

// Scope is who shares a cap: an account, or all accounts of a platform.
type Scope string

// Share is a cap with who shares it.
type Share struct {
	Scope Scope
	Cap   Cap
	// Elsewhere is how many the platform counts that went out other than through here, Frees when the last of them has left the window; zero
	// where nobody knows.
	Elsewhere int
	Frees     time.Time
}

// keep is how long what went out is remembered: the longest window a platform has.
const keep = 24 * time.Hour

// fewest are remembered before anything is dropped.
const fewest = 100

// Caps counts what went out. Make it with NewCaps; it is safe for use by many goroutines.
type Caps[K comparable] struct {
	mu     sync.Mutex
	counts map[Scope]*count[K]
}

type count[K comparable] struct {
	went map[K]time.Time
	// until is the platform's word: nothing before it, and from then on what went before it is no hindrance.
	until time.Time
	// latest is when the last one went, window the longest that was asked for, and bound how many are remembered until the old are dropped.
	latest time.Time
	window time.Duration
	bound  int
}

// NewCaps makes caps under which nothing went out.
func NewCaps[K comparable]() *Caps[K] { return &Caps[K]{counts: map[Scope]*count[K]{}} }

// Take counts the post as going now for all of the shares, or for none and says from when it can be taken.
func (c *Caps[K]) Take(key K, now time.Time, shares ...Share) (from time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range shares {
		if until := c.of(s.Scope).free(key, now, s); until.After(now) && until.After(from) {
			from = until
		}
	}
	if !from.IsZero() {
		return from, false
	}
	for _, s := range shares {
		n := c.of(s.Scope)
		n.window = max(n.window, s.Cap.Window)
		n.add(key, now)
	}
	return now, true
}

// From says from when the post can be taken: now, or later.
func (c *Caps[K]) From(key K, now time.Time, shares ...Share) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := now
	for _, s := range shares {
		if until := c.of(s.Scope).free(key, now, s); until.After(from) {
			from = until
		}
	}
	return from
}

// Went counts a post that went out, or may have. Of several times the latest counts.
func (c *Caps[K]) Went(key K, at time.Time, scopes ...Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range scopes {
		if n := c.of(s); at.After(n.went[key]) {
			n.add(key, at)
		}
	}
}

// Return takes back what was taken for a post that did not go out.
func (c *Caps[K]) Return(key K, scopes ...Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range scopes {
		delete(c.of(s).went, key)
	}
}

// Refused keeps the platform's word that it takes nothing until a time.
func (c *Caps[K]) Refused(scope Scope, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.of(scope); until.After(n.until) {
		n.until = until
	}
}

// Used is how many went out within the window that ended at the time.
func (c *Caps[K]) Used(scope Scope, now time.Time, window time.Duration) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	used, _ := c.of(scope).used(*new(K), now, window, false)
	return used
}

// Len is how many are remembered, in every scope.
func (c *Caps[K]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := 0
	for _, n := range c.counts {
		all += len(n.went)
	}
	return all
}

func (c *Caps[K]) of(s Scope) *count[K] {
	n := c.counts[s]
	if n == nil {
		n = &count[K]{went: map[K]time.Time{}, bound: fewest}
		c.counts[s] = n
	}
	return n
}

// add remembers one. Nobody may ever count those of a scope, so it drops what is too old itself, each time when twice as many are there
// as were left.
func (n *count[K]) add(key K, at time.Time) {
	n.went[key] = at
	if at.After(n.latest) {
		n.latest = at
	}
	if len(n.went) <= n.bound {
		return
	}
	for k, at := range n.went {
		if n.latest.Sub(at) >= max(keep, n.window) {
			delete(n.went, k)
		}
	}
	n.bound = max(2*len(n.went), fewest)
}

// free is when the post can be taken.
func (n *count[K]) free(key K, now time.Time, s Share) time.Time {
	if n.until.After(now) {
		return n.until
	}
	if s.Cap.Max <= 0 {
		return now
	}
	used, oldest := n.used(key, now, s.Cap.Window, true)
	if used+s.Elsewhere < s.Cap.Max {
		return now
	}
	from := oldest.Add(s.Cap.Window)
	if oldest.IsZero() { // all of it went out elsewhere: nobody here knows when
		from = now.Add(s.Cap.Window)
	}
	if used < s.Cap.Max && s.Frees.After(now) && s.Frees.Before(from) {
		return s.Frees
	}
	return from
}

// used counts others than the key, and tells the oldest of them. What is too old for every window is dropped.
func (n *count[K]) used(key K, now time.Time, window time.Duration, others bool) (used int, oldest time.Time) {
	for k, at := range n.went {
		switch age := now.Sub(at); {
		case age >= max(keep, window):
			delete(n.went, k)
		case age >= window, others && k == key, at.Before(n.until), !others && age < 0:
		default:
			used++
			if oldest.IsZero() || at.Before(oldest) {
				oldest = at
			}
		}
	}
	return used, oldest
}
