// SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"
)

// Key is the position of a record in a list: newest first, and within a second the higher id first.
type Key struct {
	// Created in seconds since 1970.
	Created int64
	ID      int64
}

// before reports whether k is closer to the beginning of the list.
func (k Key) before(o Key) bool {
	return k.Created > o.Created || k.Created == o.Created && k.ID > o.ID
}

// Classes is a set of classes; bit n represents class n.
type Classes uint64

// Every holds all classes.
const Every = ^Classes(0)

// Has reports whether a class is in the set.
func (c Classes) Has(class uint8) bool { return c>>class&1 != 0 }

// MaxClasses is the maximum number of classes in a Tree.
const MaxClasses = 64

// Tree is an ordered list of records of one type. Searching, counting, adding and removing take logarithmic time. It is
// not safe for concurrent use.
type Tree[V any] struct {
	classes int
	root    *node[V]
}

// NewTree returns an empty list of records of the classes 0 to classes-1.
func NewTree[V any](classes int) *Tree[V] {
	t := &Tree[V]{classes: min(classes, MaxClasses)}
	t.root = t.node()
	return t
}

// width is the maximum number of items or kids of a node. Nodes other than the root have at least half of it.
const width = 64

// node is a leaf with items, or an inner node with kids.
type node[V any] struct {
	// counts of the items at or below the node, by class.
	counts []uint32
	items  []item[V]
	kids   []*node[V]
	// firsts are the first keys of the kids.
	firsts []Key
}

// item is a record. The order of the fields lets a value of 4 bytes share a word with the class.
type item[V any] struct {
	key   Key
	value V
	class uint8
}

func (t *Tree[V]) node() *node[V] { return &node[V]{counts: make([]uint32, t.classes)} }

// Count returns the number of records of the classes.
func (t *Tree[V]) Count(c Classes) int { return t.root.count(c) }

// Before returns the number of records of the classes before a key, whether or not a record has that key.
func (t *Tree[V]) Before(k Key, c Classes) int {
	passed, n := 0, t.root
	for n.kids != nil {
		i := n.kid(k)
		for _, kid := range n.kids[:i] {
			passed += kid.count(c)
		}
		n = n.kids[i]
	}
	i, _ := n.find(k)
	for _, it := range n.items[:i] {
		if c.Has(it.class) {
			passed++
		}
	}
	return passed
}

// Each calls visit with the records of the classes in order, until visit returns false. It starts at the record with
// the number from, counted from 0 among these classes.
func (t *Tree[V]) Each(c Classes, from int, visit func(V) bool) {
	t.each(c, from, func(it *item[V]) bool { return visit(it.value) })
}

// each is like Each, with the keys and classes of the records.
func (t *Tree[V]) each(c Classes, from int, visit func(*item[V]) bool) {
	t.root.each(c, max(from, 0), visit)
}

// each returns how many records remain to be skipped, and whether to continue.
func (n *node[V]) each(c Classes, skip int, visit func(*item[V]) bool) (int, bool) {
	for _, kid := range n.kids {
		// Skip a subtree without records of the classes, before and after the start.
		here := kid.count(c)
		if skip >= here {
			skip -= here
			continue
		}
		var more bool
		if skip, more = kid.each(c, skip, visit); !more {
			return 0, false
		}
	}
	for i := range n.items {
		switch {
		case !c.Has(n.items[i].class):
		case skip > 0:
			skip--
		case !visit(&n.items[i]):
			return 0, false
		}
	}
	return skip, true
}

func (n *node[V]) count(c Classes) int {
	sum := 0
	for class, k := range n.counts {
		if c.Has(uint8(class)) {
			sum += int(k)
		}
	}
	return sum
}

// find returns the index of an item, or where it would be inserted.
func (n *node[V]) find(k Key) (int, bool) {
	return slices.BinarySearchFunc(n.items, k, func(it item[V], k Key) int {
		switch {
		case it.key == k:
			return 0
		case it.key.before(k):
			return -1
		}
		return 1
	})
}

// kid returns the index of the kid below which a key is, or would be.
func (n *node[V]) kid(k Key) int {
	i, found := slices.BinarySearchFunc(n.firsts, k, func(first, k Key) int {
		switch {
		case first == k:
			return 0
		case first.before(k):
			return -1
		}
		return 1
	})
	if !found && i > 0 {
		i--
	}
	return i
}

func (n *node[V]) size() int { return len(n.items) + len(n.kids) }

func (n *node[V]) first() Key {
	if n.kids != nil {
		return n.firsts[0]
	}
	return n.items[0].key
}
