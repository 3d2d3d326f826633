// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/textsearch"
)

// Media holds the media items and packs of all accounts. It is safe for concurrent use. A reader delays only the events
// of the accounts it reads.
type Media struct {
	// library is the namespace whose items every account can see.
	library string
	// drawn holds the images of the starter set in their packs. It never changes.
	drawn *partition

	// feed serializes events. It is acquired before any other lock.
	feed     sync.Mutex
	mu       sync.RWMutex // guards accounts
	accounts map[string]*stock

	writes writes
}

// stock holds the items and packs of one namespace.
type stock struct {
	mu         sync.RWMutex
	items      map[string]*record
	claims     map[int64][]*record // records by id; the first one of each is listed
	packs      map[string]*pack
	partitions map[place]*partition
}

// pack is a MediaPack, or a placeholder for a pack that is referenced but does not exist (yet).
type pack struct {
	object  *v1beta1.MediaPack // nil for a placeholder
	drawn   *starter.Pack      // set instead of object for a pack of the starter set
	members map[*record]struct{}
}

func (p *pack) title() string {
	switch {
	case p.drawn != nil:
		return p.drawn.Title
	case p.object == nil:
		return ""
	}
	return view.PackTitle(p.object)
}

// place identifies a partition of an account: who can see its items, and by which source.
type place struct {
	// brand that alone can see the items; empty for all brands of the account.
	brand string
	// packed items are listed by their packs. mine means that they are also the brand's own.
	packed, mine bool
}

// mediaClasses is the number of classes. The class of a record combines its type and whether it is ready.
var mediaClasses = 2 * len(catalog.ListedMediaTypes)

func mediaClass(typ string, ready bool) uint8 {
	class := max(slices.Index(catalog.ListedMediaTypes, typ), 0) * 2
	if ready {
		class++
	}
	return uint8(class)
}

// usable returns the classes of ready records, of one type or of all.
func usable(typ string) Classes { return classesOf(typ) & 0xaaaaaaaaaaaaaaaa }

// classesOf returns the classes of a type, or all.
func classesOf(typ string) Classes {
	if typ == "" {
		return Every
	}
	i := slices.Index(catalog.ListedMediaTypes, typ)
	if i < 0 {
		return 0
	}
	return 3 << (2 * i)
}

// MediaItem is an item of a list. The objects it points to must not be changed.
type MediaItem struct {
	ID int64
	// Asset is set, or Drawn for an image of the starter set.
	Asset *v1beta1.MediaAsset
	Drawn *starter.Picture
	// PackID is the id of its pack; 0 for none.
	PackID int64
}

func (r *record) item() MediaItem {
	out := MediaItem{ID: r.key.ID, Asset: r.asset, Drawn: r.drawn}
	if r.pack != nil {
		out.PackID = r.pack.id()
	}
	return out
}

func (p *pack) id() int64 {
	switch {
	case p.drawn != nil:
		return p.drawn.ID
	case p.object == nil:
		return 0
	}
	return idOf(p.object)
}

// MediaFilter selects items. The zero value selects all.
type MediaFilter struct {
	// Type of media; empty means any.
	Type string
	// Query searches by words and sorts the best matches first. If nil, the newest are first.
	Query *textsearch.Query
}

// NewMedia returns an index that holds only the images of the starter set. library is the namespace whose items every
// account can see.
func NewMedia(c clock.Clock, library string) *Media {
	x := &Media{library: library, drawn: newPartition(), accounts: map[string]*stock{}}
	x.writes.clock, x.writes.kind, x.writes.held = c, mediaKind, x.held
	x.drawn.words = &textsearch.Index[*record]{}
	n := int64(0)
	for _, of := range starter.Packs() {
		p := &pack{drawn: &of}
		for i := range of.Pictures {
			n--
			// They have no date: they sort after all dated items, in their own order.
			x.drawn.add(&record{key: Key{Created: n, ID: of.Pictures[i].Number}, class: mediaClass(catalog.MediaPackImage, true), drawn: &of.Pictures[i], pack: p})
		}
	}
	return x
}

// Len returns the number of media items.
func (x *Media) Len() (n int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.accounts {
		s.mu.RLock()
		n += len(s.items)
		s.mu.RUnlock()
	}
	return n
}

// Own returns items of the brand itself and those shared by all brands of its account. It excludes items shared through
// packs.
func (x *Media) Own(namespace, brand string, f MediaFilter, c func(total int) (from, to int)) []MediaItem {
	return x.pick(namespace, false, func(s *stock) []*partition {
		return s.at(place{}, place{brand: brand}, place{brand: brand, packed: true, mine: true})
	}, f, classesOf(f.Type), c)
}

// Packed returns items of the packs that a brand may use: its own, those of the account, the library's, and the starter
// set.
func (x *Media) Packed(namespace, brand string, f MediaFilter, c func(total int) (from, to int)) []MediaItem {
	return x.pick(namespace, true, func(s *stock) []*partition {
		return s.at(place{packed: true}, place{brand: brand, packed: true}, place{brand: brand, packed: true, mine: true})
	}, f, classesOf(f.Type), c)
}

// CountMine returns the number of items of a type that belong to the brand alone.
func (x *Media) CountMine(namespace, brand, typ string) (n int) {
	s := x.account(namespace)
	if s == nil {
		return 0
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, partition := range s.at(place{brand: brand}, place{brand: brand, packed: true, mine: true}) {
		n += partition.tree.Count(classesOf(typ))
	}
	return n
}

// Library returns the usable library items that are in no pack, newest first.
func (x *Media) Library() []MediaItem {
	return x.pick(x.library, false, func(s *stock) []*partition { return s.at(place{}) }, MediaFilter{}, usable(""), func(n int) (int, int) { return 0, n })
}

// pick returns a page of the chosen partitions of an account and, if common is true, of the packs that all accounts
// have.
func (x *Media) pick(namespace string, common bool, choose func(*stock) []*partition, f MediaFilter, of Classes, c cut) []MediaItem {
	var partitions []*partition
	if s := x.account(namespace); s != nil {
		s.mu.RLock()
		defer s.mu.RUnlock()
		partitions = choose(s)
	}
	if common {
		if s := x.account(x.library); s != nil && namespace != x.library {
			s.mu.RLock()
			defer s.mu.RUnlock()
			partitions = append(partitions, s.at(place{packed: true})...)
		}
		partitions = append(partitions, x.drawn)
	}
	var picked []*record
	if f.Query == nil {
		picked = newest(partitions, of, c)
	} else {
		picked = search(partitions, *f.Query, of, c)
	}
	out := make([]MediaItem, len(picked))
	for i, r := range picked {
		out[i] = r.item()
	}
	return out
}

func (x *Media) account(namespace string) *stock {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.accounts[namespace]
}

func (s *stock) at(places ...place) (out []*partition) {
	for _, p := range places {
		if partition := s.partitions[p]; partition != nil {
			out = append(out, partition)
		}
	}
	return out
}

// Get returns an item by id, listed or not, if it belongs to the brand or to all brands of its account.
func (x *Media) Get(namespace, brand string, id int64) (MediaItem, bool) {
	s := x.account(namespace)
	if s == nil {
		return MediaItem{}, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, r := range s.claims[id] {
		if ref := r.asset.Spec.BrandRef; (ref == nil || ref.Name == brand) && r.asset.DeletionTimestamp.IsZero() {
			return r.item(), true
		}
	}
	return MediaItem{}, false
}

// GetLibrary returns a library item that every account may use, by id.
func (x *Media) GetLibrary(id int64) (MediaItem, bool) { return x.Get(x.library, "", id) }

// Named returns an item of an account by the name of its object.
func (x *Media) Named(namespace, name string) (MediaItem, bool) {
	s := x.account(namespace)
	if s == nil {
		return MediaItem{}, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := s.items[name]
	if r == nil {
		return MediaItem{}, false
	}
	return r.item(), true
}

// Wrote records that this process wrote an object, as returned by the cluster: readers of the account wait for its
// event. Kinds that are in no list are ignored.
func (x *Media) Wrote(o client.Object) { x.writes.wrote(o) }

// Deleted records that this process deleted an object.
func (x *Media) Deleted(o client.Object) { x.writes.deleted(o) }

// Await returns once the lists include what this process wrote in an account before the call, or after Patience. The
// error is that of the context.
func (x *Media) Await(ctx context.Context, namespace string) error {
	return x.writes.await(ctx, namespace)
}

// older compares two objects with the same id: the listed one sorts first.
func older(a, b client.Object) int {
	s, t := v1beta1.CreatedAt(a), v1beta1.CreatedAt(b)
	return cmp.Or(s.Compare(t.Time), cmp.Compare(a.GetName(), b.GetName()))
}
