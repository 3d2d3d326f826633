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
	replace kind = "replace"
)

// decision is the outcome of decide.
type decision struct {
	kind kind
	item starterset.Item
	// requeue is the time to the next reconcile without an event; 0 means none.
	requeue time.Duration
}

// decide returns the next action.
func decide(items []starterset.Item, s observed, m state, now time.Time) decision {
	// Create one object at a time. The watch triggers a reconcile when the object has settled or was deleted.
	for _, o := range s.objects {
		if !o.settled || o.deleting() {
			return decision{kind: nothing}
		}
	}
	d := next(items, s, m)
	if d.kind == nothing {
		return d
	}
	if wait := m.startedAt.Add(startDelay).Sub(now); wait > 0 {
		return decision{kind: nothing, requeue: wait}
	}
	// Work of users comes first.
	if s.busy {
		return decision{kind: nothing, requeue: busyWait}
	}
	return d
}

// next returns the action for the first item, in the set's order, whose object is missing or outdated.
func next(items []starterset.Item, s observed, m state) decision {
	for _, i := range items {
		o, there := s.objects[i.Name]
		_, replaced := m.replaced[i.Name]
		switch want := i.Version(); {
		case !there && (!m.known[i.Name] || replaced):
			return decision{kind: create, item: i}
		case !there, o.version == want:
		case contentVersion(o.version) != contentVersion(want):
			return decision{kind: replace, item: i}
		default:
			return decision{kind: patch, item: i}
		}
	}
	return decision{kind: nothing}
}

// contentVersion returns the part of a version that changes with the content.
func contentVersion(version string) string {
	before, _, _ := strings.Cut(version, "-")
	return before
}
