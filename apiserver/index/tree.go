// SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"
)

// Key places a record in a list: newest first, of one second the higher id first.
type Key struct {
	// Created in seconds since 1970.
	Created int64
	ID      int64
}

// before says that k stands nearer to the beginning of the list.
func (k Key) before(o Key) bool {
	return k.Created > o.Created || k.Created == o.Created && k.ID > o.ID
}

// Classes is a set of classes, the n-th bit for the class n.
type Classes uint64

// Every holds all classes.
const Every = ^Classes(0)

// Has says whether a class is in the set.
func (c Classes) Has(class uint8) bool { return c>>class&1 != 0 }

// MaxClasses is how many classes a Tree can tell apart.
const MaxClasses = 64

// Tree is an ordered list of records of one type. Finding a place, counting what stands before it, adding and removing take
// time in the logarithm of its length. It is not safe for concurrent use.
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

// width is how many items or kids a node has at most, half of it how few; the root may have fewer.
const width = 64

// node is a leaf with items or, above, has kids.
type node[V any] struct {
	// counts of the items at or below, by class.
	counts []uint32
	items  []item[V]
	kids   []*node[V]
	// firsts are the first keys of the kids.
	firsts []Key
}

type item[V any] struct {
	key   Key
	class uint8
	value V
}

func (t *Tree[V]) node() *node[V] { return &node[V]{counts: make([]uint32, t.classes)} }

// Count of the records of the classes.
func (t *Tree[V]) Count(c Classes) int { return t.root.count(c) }

// Before counts the records of the classes that stand before a place, whether or not a record is at it.
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

// Each calls visit with the records of the classes in order, from the one with the number from (counted from 0 among these
// classes), until it returns false.
func (t *Tree[V]) Each(c Classes, from int, visit func(V) bool) {
	t.root.each(c, max(from, 0), visit)
}

// each returns how many records are still to be passed over, and whether to go on.
func (n *node[V]) each(c Classes, skip int, visit func(V) bool) (int, bool) {
	for _, kid := range n.kids {
		// A part without any record of the classes is passed over as a whole, at the end of the list as well as before.
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
		case !visit(n.items[i].value):
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

// find is where an item is, or where it would be.
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

// kid is the one below which a key is, or would be.
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
