// SPDX-License-Identifier: Apache-2.0

package pacing

import (
	"sync"
	"time"
)

// Cap is a rate limit: at most Max posts within a sliding window. Max 0 means no limit.
type Cap struct {
	Max    int
	Window time.Duration
}

// Scope identifies who shares a cap: an account, or all accounts of a platform.
type Scope string

// Share is a cap and its scope.
type Share struct {
	Scope Scope
	Cap   Cap
	// Elsewhere is the number of posts that the platform counts but that this installation did not publish. Frees is
	// when the last of them leaves the window. Both are zero when unknown.
	Elsewhere int
	Frees     time.Time
}

// keep is how long published posts are counted: the longest window of any platform.
const keep = 24 * time.Hour

// fewest is the number of entries below which nothing is dropped.
const fewest = 100

// Caps counts published posts. Create it with NewCaps. It is safe for concurrent use.
type Caps[K comparable] struct {
	mu     sync.Mutex
	counts map[Scope]*count[K]
}

type count[K comparable] struct {
	went map[K]time.Time
	// until is the time before which the platform accepts no post. Posts before until no longer count afterwards.
	until time.Time
	// latest is when the last post was published, window the longest window of a request, and bound the number of
	// entries at which old ones are dropped.
	latest time.Time
	window time.Duration
	bound  int
}

// NewCaps returns caps without any published posts.
func NewCaps[K comparable]() *Caps[K] { return &Caps[K]{counts: map[Scope]*count[K]{}} }

// Take counts the post as published now for all of the shares. If one of the caps is reached, Take counts nothing and
// returns the time from which the post can be taken.
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

// From returns the time from which the post can be taken: now, or later.
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

// Went counts a post that was published, or may have been. The latest of several times counts.
func (c *Caps[K]) Went(key K, at time.Time, scopes ...Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range scopes {
		if n := c.of(s); at.After(n.went[key]) {
			n.add(key, at)
		}
	}
}

// Return undoes Take for a post that was not published.
func (c *Caps[K]) Return(key K, scopes ...Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range scopes {
		delete(c.of(s).went, key)
	}
}

// Refused records that the platform accepts no post before a time.
func (c *Caps[K]) Refused(scope Scope, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.of(scope); until.After(n.until) {
		n.until = until
	}
}

// Used returns the number of posts published within the window that ends at now.
func (c *Caps[K]) Used(scope Scope, now time.Time, window time.Duration) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	used, _ := c.of(scope).used(*new(K), now, window, false)
	return used
}

// Len returns the number of entries in all scopes.
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

// add records a post. A scope may never be counted, so add itself drops expired entries, whenever the number of entries
// has doubled since the last time.
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

// free returns when the post can be taken.
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
	if oldest.IsZero() { // all posts were published elsewhere, at unknown times
		from = now.Add(s.Cap.Window)
	}
	if used < s.Cap.Max && s.Frees.After(now) && s.Frees.Before(from) {
		return s.Frees
	}
	return from
}

// used returns the number of posts in the window and the time of the oldest one; with others it leaves out the key's
// own post. It drops entries that are too old for every window.
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
