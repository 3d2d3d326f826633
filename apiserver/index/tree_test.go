// SPDX-License-Identifier: Apache-2.0

package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plain is the naive implementation of the list: sorted on each use, counted and skipped one by one.
type plain map[Key]item[int]

func (p plain) list(c Classes) []item[int] {
	var out []item[int]
	for _, it := range p {
		if c.Has(it.class) {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(a, b item[int]) int {
		if a.key.before(b.key) {
			return -1
		}
		return 1
	})
	return out
}

// TestTree_EqualsASortedList makes random changes, small and large, and compares random reads of the tree and of the
// list.
func TestTree_EqualsASortedList(t *testing.T) {
	const classes = 10
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		// Few times create many records of one second; few keys cause many replacements.
		times, ids := 1+r.Int64N(400), 1+r.Int64N(400)
		key := func() Key { return Key{r.Int64N(times), r.Int64N(ids)} }
		tree, want := NewTree[int](classes), plain{}
		for phase, growth := range []int{80, 50, 20, 90, 5} { // percent of additions
			for n := range 3000 {
				k := key()
				if r.IntN(100) < growth {
					it := item[int]{key: k, class: uint8(r.IntN(classes)), value: n}
					tree.Set(it.key, it.class, it.value)
					want[k] = it
				} else {
					if growth < 30 { // most random keys match nothing, so a list would hardly shrink
						for k = range want {
							break
						}
					}
					_, there := want[k]
					if tree.Delete(k) != there {
						t.Fatalf("seed %d: deleting %v did not return %v", seed, k, there)
					}
					delete(want, k)
				}
			}
			shape(t, tree.root, true)
			for range 40 {
				one, other := Classes(r.Uint64()), Classes(r.Uint64())
				c := one & other
				if r.IntN(4) == 0 {
					c = Every
				}
				compare(t, r, tree, want.list(c), c, key())
			}
			if t.Failed() {
				t.Fatalf("seed %d, phase %d", seed, phase)
			}
		}
	}
}

// TestTreeOf_EqualsATreeFilledOneByOne builds trees of many sizes at once, and then changes them.
func TestTreeOf_EqualsATreeFilledOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{0, 1, width, width + 1, 2 * width, width*width - 1, width * width, width*width + 1, 3*width*width + 7} {
		var items []item[int]
		want := plain{}
		for i := range n {
			it := item[int]{key: Key{int64(-i / 3), int64(-i)}, class: uint8(r.IntN(10)), value: i}
			items, want[it.key] = append(items, it), it
		}
		tree := treeOf(10, items)
		shape(t, tree.root, true)
		compare(t, r, tree, want.list(Every), Every, Key{int64(-n / 6), 0})
		for i := range n / 2 {
			delete(want, items[2*i].key)
			tree.Delete(items[2*i].key)
			added := item[int]{key: Key{int64(-i / 3), int64(i + 1)}, class: 3, value: -i}
			want[added.key] = added
			tree.Set(added.key, added.class, added.value)
		}
		shape(t, tree.root, true)
		compare(t, r, tree, want.list(0b1010), 0b1010, Key{int64(-n / 6), 0})
	}
}

func compare(t *testing.T, r *rand.Rand, tree *Tree[int], want []item[int], c Classes, k Key) {
	t.Helper()
	if got := tree.Count(c); got != len(want) {
		t.Errorf("got %d records of the classes %b, want %d", got, c, len(want))
	}
	before := 0
	for _, it := range want {
		if it.key.before(k) {
			before++
		}
	}
	if got := tree.Before(k, c); got != before {
		t.Errorf("%d records precede %v, want %d", got, k, before)
	}
	from := r.IntN(len(want) + 3)
	var got, page []int
	tree.Each(c, from, func(v int) bool { got = append(got, v); return len(got) < 25 })
	for _, it := range want[min(from, len(want)):min(from+25, len(want))] {
		page = append(page, it.value)
	}
	if d := cmp.Diff(page, got); d != "" {
		t.Errorf("page from %d: %s", from, d)
	}
}

// shape checks the invariants of the tree: node widths, equal depth of all leaves, counts and first keys.
func shape(t *testing.T, n *node[int], root bool) (depth int) {
	t.Helper()
	if s := n.size(); s > width || !root && s < width/2 || root && n.kids != nil && s < 2 {
		t.Fatalf("a node has %d entries", s)
	}
	counts := slices.Clone(n.counts)
	n.recount()
	if !slices.Equal(counts, n.counts) {
		t.Fatalf("counts %v, want %v", counts, n.counts)
	}
	for i, kid := range n.kids {
		d := shape(t, kid, false)
		if i > 0 && d != depth {
			t.Fatal("leaves at different depths")
		}
		depth = d
		if n.firsts[i] != kid.first() {
			t.Fatalf("the first record of child %d is %v, want %v", i, kid.first(), n.firsts[i])
		}
	}
	return depth + 1
}

// TestRareClassIsFoundWithoutAWalk removes every part of the tree that a page of a rare class must not visit. A visit
// there fails.
func TestRareClassIsFoundWithoutAWalk(t *testing.T) {
	tree := NewTree[int](2)
	for i := range 300_000 {
		class := uint8(0)
		if i%100_000 == 50_000 {
			class = 1
		}
		tree.Set(Key{int64(i), int64(i)}, class, i)
	}
	var hollow func(n *node[int])
	hollow = func(n *node[int]) {
		if n.count(1<<1) == 0 {
			n.items, n.kids = nil, []*node[int]{nil}
			return
		}
		for _, kid := range n.kids {
			hollow(kid)
		}
	}
	hollow(tree.root)
	var got []int
	tree.Each(1<<1, 0, func(v int) bool { got = append(got, v); return true })
	if d := cmp.Diff([]int{250_000, 150_000, 50_000}, got); d != "" {
		t.Error(d)
	}
}

func BenchmarkPage(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"10k", 10_000}, {"1M", 1_000_000}} {
		tree := NewTree[int](10)
		for i := range size.n {
			tree.Set(Key{int64(i / 3), int64(i)}, uint8(i%10), i)
		}
		b.Run(size.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				c := Classes(0b1010101)
				total := tree.Count(c)
				seen := 0
				tree.Each(c, r.IntN(total), func(int) bool { seen++; return seen < 25 })
			}
		})
	}
}
