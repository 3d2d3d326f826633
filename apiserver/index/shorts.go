// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textsearch"
	"github.com/reelops/reelops/internal/film/renders"
)

// Short is a short from the cache, without the content of its slides or video. It must not be changed.
type Short struct {
	ID int64
	// Show is a slideshow, Video a video of an avatar and demos. Exactly one is set; none for an archived short whose row
	// has not been read.
	Show  *v1beta1.Slideshow
	Video *v1beta1.Video
	// Renders of the short, newest first.
	Renders []v1beta1.RenderJob
	// Archived is the row of a short in the archive; nil for one in the cluster.
	Archived *Row
}

// Of returns the Short for an object, which is a Slideshow or a Video.
func Of(id int64, o client.Object, renders []v1beta1.RenderJob) Short {
	s := Short{ID: id, Renders: renders}
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		s.Show = o
	case *v1beta1.Video:
		s.Video = o
	}
	return s
}

// OfUnit is like Of, with the renders among all of them that have the object as their source.
func OfUnit(id int64, o client.Object, all []v1beta1.RenderJob) Short {
	mine, _ := divide(all, o)
	renders.Sort(mine)
	return Of(id, o, mine)
}

// Object returns the slideshow or the video.
func (s *Short) Object() client.Object {
	if s.Video != nil {
		return s.Video
	}
	return s.Show
}

// Filter selects shorts of a brand. The zero value selects all of them.
type Filter struct {
	// Type and raw Status; empty means any.
	Type, Status string
	// After and Before limit the time of creation, both inclusive.
	After, Before *time.Time
	// Query selects the shorts that have every one of its words in title, caption or slides. If nil, all are selected.
	Query *textsearch.Query
	// Order of the list: CreatedDesc, CreatedAsc or Relevance.
	Order Order
	// Live selects the shorts in the cluster only.
	Live bool
}

// types and statuses in the order of their classes.
var (
	types    = []string{catalog.ShortSlideshow, catalog.ShortUGC}
	statuses = []string{view.StatusDraft, view.StatusProcessing, view.StatusSuccessSlideshow, view.StatusSuccess, view.StatusFailed}
)

// Shorts holds the shorts of all accounts. It is safe for concurrent use. A reader blocks events only while it selects
// its page.
type Shorts struct {
	mu       sync.RWMutex
	accounts map[string]*account // by namespace
	total    int
	archived archives

	writes  writes
	watches watches
	took    durations
}

// account holds the shorts of one namespace.
type account struct {
	shorts map[int64]*entry
	brands map[string]*shelf[*entry]
	// duplicates are objects whose id an older object has.
	duplicates map[int64][]client.Object
	// orphaned are renders whose short is not in the index (yet), newest first.
	orphaned map[int64][]v1beta1.RenderJob
}

// entry is a short in the list of its brand.
type entry struct {
	key     Key
	brand   string
	class   uint8
	object  client.Object       // a Slideshow or a Video
	renders []v1beta1.RenderJob // replaced as a whole and never modified, because readers keep it
	slot    textsearch.Slot     // in the text index of the brand's shelf
	// segment is set instead of object for an archived short in a text index. row is its number there.
	segment *Segment
	row     uint32
}

func (e *entry) position() (Key, uint8) { return e.key, e.class }

func (e *entry) slotted() *textsearch.Slot { return &e.slot }

// fields returns the texts by which the short is found. They are those of the object that was added to the shelf.
func (e *entry) fields() []textsearch.Field { return fieldsOf(e.object) }

func (e *entry) short() Short {
	if e.segment != nil {
		return archivedShort(e.segment, int(e.row))
	}
	return Of(e.key.ID, e.object, e.renders)
}

func archivedShort(s *Segment, n int) Short { return Short{ID: s.rows[n].id, Archived: s.row(n)} }

// listed reports whether the entry is in the lists.
func (e *entry) listed() bool { return e.segment == nil || e.segment.listed(int(e.row)) }

// New returns an empty index.
func New(c clock.Clock) *Shorts {
	x := &Shorts{accounts: map[string]*account{}}
	x.writes.clock, x.writes.kind, x.writes.held = c, shortKind, x.held
	x.archived = archives{
		mu: &x.mu, classes: len(types) * len(statuses), of: map[string]*archivedRows{},
		live: func(namespace string, id int64) bool {
			a := x.accounts[namespace]
			return a != nil && a.shorts[id] != nil
		},
		lives: func(namespace string) iter.Seq[int64] {
			if a := x.accounts[namespace]; a != nil {
				return maps.Keys(a.shorts)
			}
			return func(func(int64) bool) {}
		},
	}
	return x
}

// SetArchive replaces the archived shorts of a namespace in the lists. Calls for one namespace must not be concurrent.
// While it runs, each short is listed as before or as after the change. The segments belong to the index afterwards.
func (x *Shorts) SetArchive(namespace string, parts []ArchivePart) error {
	return x.archived.set(namespace, parts)
}

// DropArchive removes the archived shorts of a namespace from the lists.
func (x *Shorts) DropArchive(namespace string) { x.archived.drop(namespace) }

// Archived returns the row of an archived short and the name of its brand, whether or not there is a live object with
// this id.
func (x *Shorts) Archived(namespace string, id int64) (row *Row, brand string, ok bool) {
	return x.archived.find(namespace, id)
}

// Wrote records that this process wrote an object, as returned by the cluster: readers of the account wait for its
// event. Kinds that are in no list are ignored.
func (x *Shorts) Wrote(o client.Object) { x.writes.wrote(o) }

// Deleted records that this process deleted an object.
func (x *Shorts) Deleted(o client.Object) { x.writes.deleted(o) }

// Await returns once the lists include what this process wrote in an account before the call, or after Patience. The
// error is that of the context.
func (x *Shorts) Await(ctx context.Context, namespace string) error {
	return x.writes.await(ctx, namespace)
}

// Kinds of shorts.
const (
	kindSlideshow = "Slideshow"
	kindVideo     = "Video"
)

// shortKind returns the name of a kind that is in the lists of shorts; otherwise an empty string.
func shortKind(o client.Object) string {
	switch o.(type) {
	case *v1beta1.Slideshow:
		return kindSlideshow
	case *v1beta1.Video:
		return kindVideo
	case *v1beta1.RenderJob:
		return "RenderJob"
	}
	return ""
}

// Len returns the number of shorts.
func (x *Shorts) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.total
}

// Get returns a short of an account and the name of its brand.
func (x *Shorts) Get(namespace string, id int64) (s Short, brand string, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a := x.accounts[namespace]
	if a == nil {
		return Short{}, "", false
	}
	e := a.shorts[id]
	if e == nil {
		return Short{}, "", false
	}
	return e.short(), e.brand, true
}

// Renders returns the renders of a short, newest first, even if the index does not hold the short itself. source is its
// object.
func (x *Shorts) Renders(namespace string, id int64, source client.Object) []v1beta1.RenderJob {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a := x.accounts[namespace]
	if a == nil {
		return nil
	}
	if e := a.shorts[id]; e != nil && same(e.object, source) {
		return e.renders
	}
	mine, _ := divide(a.orphaned[id], source)
	return mine
}

// List returns shorts of a brand in the order of a filter without a query. cut receives the number of matching shorts
// and returns the half-open range of those wanted.
func (x *Shorts) List(namespace, brand string, f Filter, cut func(total int) (from, to int)) []Short {
	classes := f.classes()
	x.mu.RLock()
	defer x.mu.RUnlock()
	var parts []part[Short]
	if list := x.shelf(namespace, brand); list != nil {
		parts = append(parts, partOf(between(list.tree, classes, f.After, f.Before), (*entry).short))
	}
	if a := x.archived.of[namespace]; a != nil && !f.Live && a.lists[listKey{brand: brand}] != nil {
		parts = append(parts, partOf(between(a.lists[listKey{brand: brand}].created, classes, f.After, f.Before), func(n uint32) Short {
			return archivedShort(a.at(n))
		}))
	}
	from, to := cut(length(parts))
	return merged(parts, f.Order, from, to)
}

// shelf returns the live shorts of a brand, or nil.
func (x *Shorts) shelf(namespace, brand string) *shelf[*entry] {
	if a := x.accounts[namespace]; a != nil {
		return a.brands[brand]
	}
	return nil
}

// Search is like List, for a filter with a query. words are the text indexes of archived shorts of the brand. If some
// are missing that the filter needs, Search returns their segments, no shorts, and does not call cut.
func (x *Shorts) Search(namespace, brand string, f Filter, words map[*Segment]*Words, cut func(total int) (from, to int)) (page []Short, missing []*Segment) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var in []*textsearch.Index[*entry]
	if list := x.shelf(namespace, brand); list != nil {
		in = append(in, list.reading())
	}
	if a := x.archived.of[namespace]; a != nil && !f.Live {
		for _, s := range a.segments {
			switch w := words[s]; {
			case !s.has(brand) || !s.overlaps(f.After, f.Before):
			case w == nil:
				missing = append(missing, s)
			default:
				in = append(in, &w.index)
			}
		}
	}
	if missing != nil {
		return nil, missing
	}
	return shortsOf(searchShorts(in, f, cut)), nil
}

// searchShorts returns shorts that have every word of the query of a filter, in its order.
func searchShorts(in []*textsearch.Index[*entry], f Filter, c cut) []*entry {
	classes := f.classes()
	keep := func(e *entry) bool {
		return classes.Has(e.class) && within(e.key.Created, f.After, f.Before) && e.listed()
	}
	q := f.Query.All()
	if f.Order == Relevance {
		return values(textsearch.Search(in, q, keep, c))
	}
	all := values(textsearch.Find(in, q, keep))
	slices.SortFunc(all, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.key.Created, a.key.Created), cmp.Compare(b.key.ID, a.key.ID))
	})
	from, to := c(len(all))
	if from >= to {
		return nil
	}
	return turned(f.Order, all)[from:to]
}

func shortsOf(entries []*entry) []Short {
	out := make([]Short, len(entries))
	for i, e := range entries {
		out[i] = e.short()
	}
	return out
}

func (f Filter) classes() Classes {
	var out Classes
	for i, t := range types {
		for j, s := range statuses {
			if (f.Type == "" || f.Type == t) && (f.Status == "" || f.Status == s) {
				out |= 1 << classOf(i, j)
			}
		}
	}
	return out
}

func classOf(typ, status int) uint8 { return uint8(typ*len(statuses) + status) }
