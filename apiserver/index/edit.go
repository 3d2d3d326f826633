// SPDX-License-Identifier: Apache-2.0

package index

import (
	"iter"
	"slices"
)

// treeOf returns a list of items that are in order and have different keys. Its nodes are full, so that it takes less
// memory than a list to which the items are added one by one.
func treeOf[V any](classes int, items []item[V]) *Tree[V] {
	t := NewTree[V](classes)
	var level []*node[V]
	for part := range evenly(items) {
		n := t.node()
		n.items = slices.Clone(part)
		n.recount()
		level = append(level, n)
	}
	for len(level) > 1 {
		var above []*node[V]
		for part := range evenly(level) {
			n := t.node()
			n.kids = slices.Clone(part)
			for _, kid := range part {
				n.firsts = append(n.firsts, kid.first())
			}
			n.recount()
			above = append(above, n)
		}
		level = above
	}
	if len(level) == 1 {
		t.root = level[0]
	}
	return t
}

// evenly returns the parts of a slice: as few as possible with at most width elements, of about equal length.
func evenly[T any](all []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		parts := (len(all) + width - 1) / width
		for i := range parts {
			if !yield(all[i*len(all)/parts : (i+1)*len(all)/parts]) {
				return
			}
		}
	}
}

// Set inserts a record, or replaces the one with the same key.
func (t *Tree[V]) Set(k Key, class uint8, v V) {
	t.Delete(k)
	if right := t.insert(t.root, item[V]{key: k, class: class, value: v}); right != nil {
		root := t.node()
		root.kids, root.firsts = []*node[V]{t.root, right}, []Key{t.root.first(), right.first()}
		root.recount()
		t.root = root
	}
}

// Delete removes a record, and reports whether there was one.
func (t *Tree[V]) Delete(k Key) bool {
	_, ok := t.remove(t.root, k)
	for len(t.root.kids) == 1 {
		t.root = t.root.kids[0]
	}
	return ok
}

// insert adds an item that is not there yet. A node that exceeds the width keeps its left half; insert returns the
// other half.
func (t *Tree[V]) insert(n *node[V], it item[V]) (right *node[V]) {
	n.counts[it.class]++
	if n.kids == nil {
		i, _ := n.find(it.key)
		n.items = slices.Insert(n.items, i, it)
	} else {
		i := n.kid(it.key)
		split := t.insert(n.kids[i], it)
		n.firsts[i] = n.kids[i].first()
		if split != nil {
			n.kids = slices.Insert(n.kids, i+1, split)
			n.firsts = slices.Insert(n.firsts, i+1, split.first())
		}
	}
	if n.size() <= width {
		return nil
	}
	right = t.node()
	n.give(right, n.size()/2)
	return right
}

// remove removes an item and returns its class.
func (t *Tree[V]) remove(n *node[V], k Key) (class uint8, ok bool) {
	if n.kids == nil {
		i, found := n.find(k)
		if !found {
			return 0, false
		}
		class = n.items[i].class
		n.items = slices.Delete(n.items, i, i+1)
		n.counts[class]--
		return class, true
	}
	i := n.kid(k)
	if class, ok = t.remove(n.kids[i], k); !ok {
		return 0, false
	}
	n.counts[class]--
	if n.kids[i].size() < width/2 {
		n.mend(i)
	} else {
		n.firsts[i] = n.kids[i].first()
	}
	return class, true
}

// mend merges a kid that has become too small with its neighbour, or balances the two. Every inner node has at least
// two kids, so there is a neighbour.
func (n *node[V]) mend(i int) {
	if i > 0 {
		i--
	}
	left, right := n.kids[i], n.kids[i+1]
	left.items, left.kids, left.firsts = append(left.items, right.items...), append(left.kids, right.kids...), append(left.firsts, right.firsts...)
	right.items, right.kids, right.firsts = nil, nil, nil
	if left.size() <= width {
		left.recount()
		n.kids, n.firsts = slices.Delete(n.kids, i+1, i+2), slices.Delete(n.firsts, i+1, i+2)
	} else {
		left.give(right, left.size()/2)
		n.firsts[i+1] = right.first()
	}
	n.firsts[i] = left.first()
}

// give moves everything from the i-th item or kid on to an empty node. It copies and clears, so that the old array does
// not keep the moved entries alive.
func (n *node[V]) give(to *node[V], i int) {
	if n.kids == nil {
		to.items = slices.Clone(n.items[i:])
		clear(n.items[i:])
		n.items = n.items[:i]
	} else {
		to.kids, to.firsts = slices.Clone(n.kids[i:]), slices.Clone(n.firsts[i:])
		clear(n.kids[i:])
		n.kids, n.firsts = n.kids[:i], n.firsts[:i]
	}
	n.recount()
	to.recount()
}

func (n *node[V]) recount() {
	clear(n.counts)
	for i := range n.items {
		n.counts[n.items[i].class]++
	}
	for _, kid := range n.kids {
		for class, k := range kid.counts {
			n.counts[class] += k
		}
	}
}
