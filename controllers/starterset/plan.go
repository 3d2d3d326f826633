// SPDX-License-Identifier: Apache-2.0

package starterset

import (
	"strings"
	"time"

	"github.com/reelops/reelops/internal/starter/starterset"
)

type kind string

const (
	nothing kind = "nothing"
	create  kind = "create"
	patch   kind = "patch"
	remove  kind = "remove"
)

// step is what a pass does.
type step struct {
	kind kind
	item starterset.Item
	// again is when to look again though nothing of the set changes; 0 means never.
	again time.Duration
}

// plan gives the one next thing to do.
func plan(items []starterset.Item, s seen, m memory, now time.Time) step {
	// One at a time. An object that is being made or removed says when it is done.
	for _, o := range s.objects {
		if !o.settled || o.leaving() {
			return step{kind: nothing}
		}
	}
	st := next(items, s, m)
	if st.kind == nothing {
		return st
	}
	if wait := m.begun.Add(patience).Sub(now); wait > 0 {
		return step{kind: nothing, again: wait}
	}
	// What people wait for comes first.
	if s.busy {
		return step{kind: nothing, again: again}
	}
	return st
}

// next is the first item, in the set's order, whose object is not as it should be.
func next(items []starterset.Item, s seen, m memory) step {
	for _, i := range items {
		o, there := s.objects[i.Name]
		_, replaced := m.replaced[i.Name]
		switch want := i.Version(); {
		case !there && (!m.met[i.Name] || replaced):
			return step{kind: create, item: i}
		case !there, o.version == want:
		case made(o.version) != made(want):
			return step{kind: remove, item: i}
		default:
			return step{kind: patch, item: i}
		}
	}
	return step{kind: nothing}
}

// made is the part of a version that says how the item is made.
func made(version string) string {
	before, _, _ := strings.Cut(version, "-")
	return before
}
