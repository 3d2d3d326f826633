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

// Media are the media items and packs of all accounts. It is safe for concurrent use; a reader holds up the events of the
// account it reads and of no other.
type Media struct {
	// library is the namespace whose items every account sees.
	library string
	// drawn are the pictures of the starter set, as packs show them. It never changes.
	drawn *shelf

	// feed is held while an event is taken in; it is taken before any other lock.
	feed     sync.Mutex
	mu       sync.RWMutex // guards accounts
	accounts map[string]*stock

	writes writes
}

// stock holds what one namespace has.
type stock struct {
	mu      sync.RWMutex
	items   map[string]*record
	claims  map[int64][]*record // who bears an id; the first of them has it
	packs   map[string]*pack
	shelves map[place]*shelf
}

// pack is a MediaPack, or the name of one that is not there (yet).
type pack struct {
	object  *v1beta1.MediaPack // nil while it is not there
	drawn   *starter.Pack      // instead, for a pack of the starter set
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

// place is a shelf of an account: who sees what stands on it, and by which source.
type place struct {
	// brand that sees it alone; empty for all brands of the account.
	brand string
	// packed items are listed by their packs; mine says that they are the brand's own as well.
	packed, mine bool
}

// The class of a record is its type and whether it can be used.
var mediaClasses = 2 * len(catalog.ListedMediaTypes)

func mediaClass(typ string, ready bool) uint8 {
	class := max(slices.Index(catalog.ListedMediaTypes, typ), 0) * 2
	if ready {
		class++
	}
	return uint8(class)
}

// usable are the classes of records that can be used, of a type or of any.
func usable(typ string) Classes { return classesOf(typ) & 0xaaaaaaaaaaaaaaaa }

// classesOf are those of a type, or all.
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

// MediaItem is an item of a list. What it points to must not be changed.
type MediaItem struct {
	ID int64
	// Asset, or Drawn for a picture of the starter set.
	Asset *v1beta1.MediaAsset
	Drawn *starter.Picture
	// PackID of the pack that it is in; 0 for none.
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

// MediaFilter says which items are meant. The zero value means all.
type MediaFilter struct {
	// Type of media; empty means any.
	Type string
	// Query asks for words, and the best come first; nil asks for none, and the newest do.
	Query *textsearch.Query
}

// NewMedia returns an index that holds the pictures of the starter set and nothing else. library is the namespace whose
// items every account sees.
func NewMedia(c clock.Clock, library string) *Media {
	x := &Media{library: library, drawn: newShelf(), accounts: map[string]*stock{}}
	x.writes.clock, x.writes.kind, x.writes.held = c, mediaKind, x.held
	x.drawn.words = &textsearch.Index[*record]{}
	n := int64(0)
	for _, of := range starter.Packs() {
		p := &pack{drawn: &of}
		for i := range of.Pictures {
			n--
			// They have no date: after everything that has one, in their own order.
			x.drawn.add(&record{key: Key{Created: n, ID: of.Pictures[i].Number}, class: mediaClass(catalog.MediaPackImage, true), drawn: &of.Pictures[i], pack: p})
		}
	}
	return x
}

// Len is the number of media items.
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

// Own picks items of a brand's own and those that its account shares among all its brands, except for what is shared in
// packs.
func (x *Media) Own(namespace, brand string, f MediaFilter, c func(total int) (from, to int)) []MediaItem {
	return x.pick(namespace, false, func(s *stock) []*shelf {
		return s.at(place{}, place{brand: brand}, place{brand: brand, packed: true, mine: true})
	}, f, classesOf(f.Type), c)
}

// Packed picks items of the packs that a brand may use: its own, those of the account, the library's, and the starter set.
func (x *Media) Packed(namespace, brand string, f MediaFilter, c func(total int) (from, to int)) []MediaItem {
	return x.pick(namespace, true, func(s *stock) []*shelf {
		return s.at(place{packed: true}, place{brand: brand, packed: true}, place{brand: brand, packed: true, mine: true})
	}, f, classesOf(f.Type), c)
}

// CountMine counts items of a type that belong to a brand and to no other.
func (x *Media) CountMine(namespace, brand, typ string) (n int) {
	s := x.account(namespace)
	if s == nil {
		return 0
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, shelf := range s.at(place{brand: brand}, place{brand: brand, packed: true, mine: true}) {
		n += shelf.tree.Count(classesOf(typ))
	}
	return n
}

// Library lists what every account can use of the library beside its packs, newest first.
func (x *Media) Library() []MediaItem {
	return x.pick(x.library, false, func(s *stock) []*shelf { return s.at(place{}) }, MediaFilter{}, usable(""), func(n int) (int, int) { return 0, n })
}

// pick from the shelves of an account and, if asked to, the packs that all accounts have.
func (x *Media) pick(namespace string, common bool, choose func(*stock) []*shelf, f MediaFilter, of Classes, c cut) []MediaItem {
	var shelves []*shelf
	if s := x.account(namespace); s != nil {
		s.mu.RLock()
		defer s.mu.RUnlock()
		shelves = choose(s)
	}
	if common {
		if s := x.account(x.library); s != nil && namespace != x.library {
			s.mu.RLock()
			defer s.mu.RUnlock()
			shelves = append(shelves, s.at(place{packed: true})...)
		}
		shelves = append(shelves, x.drawn)
	}
	var picked []*record
	if f.Query == nil {
		picked = newest(shelves, of, c)
	} else {
		picked = search(shelves, *f.Query, of, c)
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

func (s *stock) at(places ...place) (out []*shelf) {
	for _, p := range places {
		if shelf := s.shelves[p]; shelf != nil {
			out = append(out, shelf)
		}
	}
	return out
}

// Get finds an item that a brand may use by its id, whether or not it is listed: its own, or one of its account.
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

// GetLibrary finds an item that every account has by its id.
func (x *Media) GetLibrary(id int64) (MediaItem, bool) { return x.Get(x.library, "", id) }

// Named finds an item of an account by the name of its object.
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

// Wrote notes that this process wrote an object, as the cluster gave it back: readers of the account wait for its event.
// Other kinds than those of the lists are passed over.
func (x *Media) Wrote(o client.Object) { x.writes.wrote(o) }

// Deleted notes that this process deleted an object.
func (x *Media) Deleted(o client.Object) { x.writes.deleted(o) }

// Await returns when the lists show what this process wrote in an account before the call, or when waiting has taken
// Patience. The error is that of the context.
func (x *Media) Await(ctx context.Context, namespace string) error {
	return x.writes.await(ctx, namespace)
}

// older puts the object that has an id before those that only bear it.
func older(a, b client.Object) int {
	s, t := v1beta1.CreatedAt(a), v1beta1.CreatedAt(b)
	return cmp.Or(s.Compare(t.Time), cmp.Compare(a.GetName(), b.GetName()))
}
