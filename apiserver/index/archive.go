// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
)

// Row is the place of a record in the archive.
type Row struct {
	// Segment that holds the record, as it was when it was loaded: only its name is sure.
	Segment *v1beta1.ArchiveSegment
	// Number of the row in the file of the segment.
	Number int
	// ArchivedAt is when the record was archived. The lists do not know it: it is zero until the row has been read.
	ArchivedAt time.Time
}

// Segment holds the keys of the archived shorts, or of the archived posts, of one segment of an archive.
type Segment struct {
	entry *v1beta1.ArchiveSegment
	// base is the number of the first row among all rows of the archive.
	base uint32
	// places are the lists of the rows.
	places []listKey
	rows   []archivedRow
	// oldest and newest are the bounds of the times of creation.
	oldest, newest int64
	// removed are the ids of the shorts whose rows are not valid.
	removed map[int64]struct{}

	// Columns of posts; nil for shorts. due are their due times, shorts the ids of their shorts, and byShort the numbers
	// of the rows in the order of these ids.
	due, shorts []int64
	byShort     []uint32
}

// archivedRow is the key of an archived record. There are many: it has no pointers and no padding but two bytes.
type archivedRow struct {
	id, created int64
	place       uint32
	class       uint8
	flags       uint8
}

// Flags of a row.
const (
	// rowRemoved means that the row is not valid.
	rowRemoved uint8 = 1 << iota
	// rowListed means that the row is in the lists.
	rowListed
)

// noClass is the class of a row that is in no list.
const noClass uint8 = 255

// Memory of an archived record in the lists, in bytes, as BenchmarkArchive measures it for records that are archived one
// by one.
const (
	archivedShortBytes = 60
	archivedPostBytes  = 200
)

// Bytes returns the estimated memory of the segment and of its rows in the lists.
func (s *Segment) Bytes() int64 {
	if s.shorts != nil {
		return int64(len(s.rows)) * archivedPostBytes
	}
	return int64(len(s.rows)) * archivedShortBytes
}

// Len returns the number of rows.
func (s *Segment) Len() int { return len(s.rows) }

// Entry returns the entry of the segment in its Archive, as it was when the segment was loaded.
func (s *Segment) Entry() *v1beta1.ArchiveSegment { return s.entry }

// errUnordered means that the rows of a file are not in the order of their ids.
var errUnordered = errors.New("the rows are not in the order of their ids")

// check returns an error unless the rows are in order. It sets the bounds of their times.
func (s *Segment) check() error {
	s.oldest, s.newest = math.MaxInt64, math.MinInt64
	for i := range s.rows {
		if i > 0 && s.rows[i-1].id >= s.rows[i].id {
			return fmt.Errorf("segment %s: row %d: %w", s.entry.Name, i, errUnordered)
		}
		s.oldest, s.newest = min(s.oldest, s.rows[i].created), max(s.newest, s.rows[i].created)
	}
	return nil
}

// Has reports whether the segment has a row with an id, valid or not.
func (s *Segment) Has(id int64) bool {
	_, ok := s.find(id)
	return ok
}

// find returns the number of the row with an id.
func (s *Segment) find(id int64) (int, bool) {
	if len(s.rows) == 0 || id < s.rows[0].id || id > s.rows[len(s.rows)-1].id {
		return 0, false
	}
	return slices.BinarySearchFunc(s.rows, id, func(r archivedRow, id int64) int { return cmp.Compare(r.id, id) })
}

// shortOf returns the id of the short of a row.
func (s *Segment) shortOf(n int) int64 {
	if s.shorts != nil {
		return s.shorts[n]
	}
	return s.rows[n].id
}

// ofShort returns the numbers of the rows of a short, in order.
func (s *Segment) ofShort(short int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		if s.shorts == nil {
			if n, ok := s.find(short); ok {
				yield(n)
			}
			return
		}
		at, _ := slices.BinarySearchFunc(s.byShort, short, func(n uint32, short int64) int {
			return cmp.Compare(s.shorts[n], short)
		})
		for ; at < len(s.byShort) && s.shorts[s.byShort[at]] == short; at++ {
			if !yield(int(s.byShort[at])) {
				return
			}
		}
	}
}

func (s *Segment) listed(n int) bool { return s.rows[n].flags&rowListed != 0 }

// valid reports whether a row is part of the archive.
func (s *Segment) valid(n int) bool {
	return s.rows[n].flags&rowRemoved == 0 && s.rows[n].class != noClass
}

func (s *Segment) setValid(n int, valid bool) {
	s.rows[n].flags |= rowRemoved
	if valid {
		s.rows[n].flags &^= rowRemoved
	}
}

// invalidate makes all rows invalid.
func (s *Segment) invalidate() {
	for n := range s.rows {
		s.rows[n].flags = rowRemoved
	}
}

func (s *Segment) key(n int) Key { return Key{Created: s.rows[n].created, ID: s.rows[n].id} }

func (s *Segment) dueKey(n int) Key { return Key{Created: s.due[n], ID: s.rows[n].id} }

func (s *Segment) row(n int) *Row { return &Row{Segment: s.entry, Number: n} }

// brand returns the name of the brand of a row.
func (s *Segment) brand(n int) string { return s.places[s.rows[n].place].brand }

// has reports whether the segment has rows of a brand.
func (s *Segment) has(brand string) bool {
	return slices.ContainsFunc(s.places, func(of listKey) bool { return of.brand == brand })
}

// overlaps reports whether a time of creation may be between two bounds; nil means no bound.
func (s *Segment) overlaps(after, before *time.Time) bool {
	return within(s.newest, after, nil) && within(s.oldest, nil, before)
}

// lists returns the lists that a row is in.
func (s *Segment) lists(n int) []listKey { return s.places[s.rows[n].place].lists() }

// lists returns the lists that a record of a place is in: that of its brand, and for a post that of its account.
func (k listKey) lists() []listKey {
	if k.account == "" {
		return []listKey{k}
	}
	return []listKey{{brand: k.brand}, k}
}

// placing returns a function that returns the number of a list in places. It adds a list that is new.
func (s *Segment) placing() func(listKey) uint32 {
	numbers := map[listKey]uint32{}
	return func(of listKey) uint32 {
		n, ok := numbers[of]
		if !ok {
			n = uint32(len(s.places))
			numbers[of], s.places = n, append(s.places, of)
		}
		return n
	}
}

// ArchivePart is a segment that an archive consists of. Removed are the ids of the shorts whose rows in it are not valid.
type ArchivePart struct {
	Segment *Segment
	Removed map[int64]struct{}
}

// archivedRows are the rows of one namespace. A row is in the lists if it is valid and the lists have no live record with
// its id.
type archivedRows struct {
	classes int
	// segments in the order of base. Of several valid rows with one id, the first is listed.
	segments []*Segment
	lists    map[listKey]*archivedList
}

// archivedList holds rows in the order of creation, and posts also in the order of the due time. The values are numbers
// of rows among all rows of the archive.
type archivedList struct{ created, due *Tree[uint32] }

// newArchivedRows returns an archive with all valid rows in the lists.
func newArchivedRows(classes int, parts []ArchivePart) (*archivedRows, error) {
	a := &archivedRows{classes: classes, lists: map[listKey]*archivedList{}}
	for _, p := range parts {
		p.Segment.removed = p.Removed
		for n := range p.Segment.rows {
			p.Segment.rows[n].flags = 0
			_, removed := p.Removed[p.Segment.shortOf(n)]
			p.Segment.setValid(n, !removed)
		}
		if err := a.join(p.Segment); err != nil {
			return nil, err
		}
	}
	for of, rows := range a.listing() {
		if len(*rows) > 0 {
			a.lists[of] = a.listOf(*rows)
		}
	}
	return a, nil
}

// listing marks the rows that belong into the lists. It returns the numbers of the rows of each list.
func (a *archivedRows) listing() map[listKey]*[]uint32 {
	rows := map[listKey]*[]uint32{}
	for i, s := range a.segments {
		lists := make([][]*[]uint32, len(s.places)) // by place
		for p, place := range s.places {
			for _, of := range place.lists() {
				if rows[of] == nil {
					rows[of] = new([]uint32)
				}
				lists[p] = append(lists[p], rows[of])
			}
		}
		for n := range s.rows {
			if _, _, earlier := findIn(a.segments[:i], s.rows[n].id); earlier || !s.valid(n) {
				continue
			}
			s.rows[n].flags |= rowListed
			for _, of := range lists[s.rows[n].place] {
				*of = append(*of, s.base+uint32(n))
			}
		}
	}
	return rows
}

// listOf returns the list of at least one row. rows are their numbers, in ascending order.
func (a *archivedRows) listOf(rows []uint32) *archivedList {
	items := make([]item[uint32], len(rows))
	tree := func(key func(*Segment, int) Key) *Tree[uint32] {
		s, _ := a.at(rows[0])
		for i, number := range rows {
			n := int(number - s.base)
			if n >= len(s.rows) {
				s, n = a.at(number)
			}
			items[i] = item[uint32]{key: key(s, n), class: s.rows[n].class, value: number}
		}
		slices.SortFunc(items, func(a, b item[uint32]) int {
			if a.key.before(b.key) {
				return -1
			}
			return 1
		})
		return treeOf(a.classes, items)
	}
	list := &archivedList{created: tree((*Segment).key)}
	if s, _ := a.at(rows[0]); s.due != nil {
		list.due = tree((*Segment).dueKey)
	}
	return list
}

// errTooLarge means that an archive has more rows than can be numbered.
var errTooLarge = errors.New("the archive of a namespace has too many rows")

// join adds segments in gaps of the numbers of rows: all of them, or none on an error.
func (a *archivedRows) join(segments ...*Segment) error {
	all := slices.Clone(a.segments)
	for _, s := range segments {
		next, at := uint64(0), len(all)
		for i, other := range all {
			if next+uint64(len(s.rows)) <= uint64(other.base) {
				at = i
				break
			}
			next = uint64(other.base) + uint64(len(other.rows))
		}
		if next+uint64(len(s.rows)) > math.MaxUint32 {
			return errTooLarge
		}
		s.base = uint32(next)
		all = slices.Insert(all, at, s)
	}
	a.segments = all
	return nil
}

// at returns the row with a number among all rows of the archive.
func (a *archivedRows) at(number uint32) (*Segment, int) {
	i, _ := slices.BinarySearchFunc(a.segments, number, func(s *Segment, number uint32) int {
		switch {
		case number < s.base:
			return 1
		case uint64(number) >= uint64(s.base)+uint64(len(s.rows)):
			return -1
		}
		return 0
	})
	return a.segments[i], int(number - a.segments[i].base)
}

// find returns the valid row with an id.
func (a *archivedRows) find(id int64) (*Segment, int, bool) { return findIn(a.segments, id) }

func findIn(segments []*Segment, id int64) (*Segment, int, bool) {
	for _, s := range segments {
		if n, ok := s.find(id); ok && s.valid(n) {
			return s, n, true
		}
	}
	return nil, 0, false
}

// show puts the valid row with an id into the lists, and removes it and other rows with the id if live is true.
func (a *archivedRows) show(id int64, live bool) {
	winner, at, found := a.find(id)
	found = found && !live
	for _, s := range a.segments {
		// Rows of one id may have the same key in a list: remove first, then add.
		if n, ok := s.find(id); ok && s.listed(n) && (!found || s != winner) {
			a.unlist(s, n)
		}
	}
	if found && !winner.listed(at) {
		a.list(winner, at)
	}
}

func (a *archivedRows) list(s *Segment, n int) {
	r, number := &s.rows[n], s.base+uint32(n)
	r.flags |= rowListed
	for _, of := range s.lists(n) {
		list := a.lists[of]
		if list == nil {
			list = &archivedList{created: NewTree[uint32](a.classes)}
			if s.due != nil {
				list.due = NewTree[uint32](a.classes)
			}
			a.lists[of] = list
		}
		list.created.Set(s.key(n), r.class, number)
		if s.due != nil {
			list.due.Set(s.dueKey(n), r.class, number)
		}
	}
}

func (a *archivedRows) unlist(s *Segment, n int) {
	s.rows[n].flags &^= rowListed
	for _, of := range s.lists(n) {
		list := a.lists[of]
		list.created.Delete(s.key(n))
		if s.due != nil {
			list.due.Delete(s.dueKey(n))
		}
		if list.created.Count(Every) == 0 {
			delete(a.lists, of)
		}
	}
}

// change is what differs between an archive and the parts that it is to consist of.
type change struct {
	// parts are the new ones by segment, ended the segments that are not among them.
	parts map[*Segment]ArchivePart
	ended map[*Segment]bool
	// ids are the records whose rows become valid or invalid.
	ids []int64
}

// changeTo returns the change to other parts. The fresh segments among them have joined already, without valid rows.
func (a *archivedRows) changeTo(parts []ArchivePart, fresh []*Segment) *change {
	c := &change{parts: map[*Segment]ArchivePart{}, ended: map[*Segment]bool{}}
	for _, p := range parts {
		c.parts[p.Segment] = p
	}
	for _, s := range a.segments {
		p, kept := c.parts[s]
		c.ended[s] = !kept
		if !kept || slices.Contains(fresh, s) {
			for n := range s.rows {
				c.ids = append(c.ids, s.rows[n].id)
			}
			continue
		}
		for short := range symmetricDifference(s.removed, p.Removed) {
			for n := range s.ofShort(short) {
				c.ids = append(c.ids, s.rows[n].id)
			}
		}
	}
	return c
}

// symmetricDifference returns the elements that are in one of two sets only.
func symmetricDifference(a, b map[int64]struct{}) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, of := range [][2]map[int64]struct{}{{a, b}, {b, a}} {
			for id := range of[0] {
				if _, both := of[1][id]; !both && !yield(id) {
					return
				}
			}
		}
	}
}

// apply sets the validity of all rows with an id.
func (a *archivedRows) apply(c *change, id int64) {
	for _, s := range a.segments {
		if n, ok := s.find(id); ok {
			_, removed := c.parts[s].Removed[s.shortOf(n)]
			s.setValid(n, !removed && !c.ended[s])
		}
	}
}

// archives holds the archived records of all namespaces beside the live ones.
type archives struct {
	// mu is the lock of the lists.
	mu      *sync.RWMutex
	classes int
	// live reports whether the lists have a live record, and lives returns the ids of all live records of a namespace.
	live  func(namespace string, id int64) bool
	lives func(namespace string) iter.Seq[int64]
	of    map[string]*archivedRows
}

// shownAtOnce is the number of records that change under one lock, so that readers do not wait for large changes.
const shownAtOnce = 256

// set replaces the archive of a namespace. Calls for one namespace must not be concurrent. While the archive changes,
// each record is listed as before or as after the change. On an error the archive is not changed.
func (x *archives) set(namespace string, parts []ArchivePart) error {
	x.mu.RLock()
	a := x.of[namespace]
	x.mu.RUnlock()
	if a == nil {
		return x.open(namespace, parts)
	}
	var fresh []*Segment
	for _, p := range parts {
		if !slices.Contains(a.segments, p.Segment) {
			p.Segment.invalidate()
			fresh = append(fresh, p.Segment)
		}
	}
	x.mu.Lock()
	err := a.join(fresh...)
	x.mu.Unlock()
	if err != nil {
		return err
	}
	c := a.changeTo(parts, fresh)
	for ids := range slices.Chunk(c.ids, shownAtOnce) {
		x.mu.Lock()
		for _, id := range ids {
			a.apply(c, id)
			a.show(id, x.live(namespace, id))
		}
		x.mu.Unlock()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	a.segments = slices.DeleteFunc(a.segments, func(s *Segment) bool { return c.ended[s] })
	for _, p := range parts {
		p.Segment.removed = p.Removed
	}
	return nil
}

// open adds the archive of a namespace that has none.
func (x *archives) open(namespace string, parts []ArchivePart) error {
	a, err := newArchivedRows(x.classes, parts)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range x.lives(namespace) {
		a.show(id, true)
	}
	x.of[namespace] = a
	return nil
}

// drop removes the archive of a namespace from the lists.
func (x *archives) drop(namespace string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.of, namespace)
}

// show updates the row of a record that became live or is not live any more. The caller holds the lock.
func (x *archives) show(namespace string, id int64) {
	if a := x.of[namespace]; a != nil && id != 0 {
		a.show(id, x.live(namespace, id))
	}
}

// find returns the valid row with an id and its brand, whether or not there is a live record with this id.
func (x *archives) find(namespace string, id int64) (*Row, string, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a := x.of[namespace]
	if a == nil {
		return nil, "", false
	}
	s, n, ok := a.find(id)
	if !ok {
		return nil, "", false
	}
	return s.row(n), s.brand(n), true
}
