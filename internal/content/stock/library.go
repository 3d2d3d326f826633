// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/meaning"
)

// Config of a Library.
type Config struct {
	// BaseURL is the front end's public address, under which it serves drawn backgrounds.
	BaseURL string
	// Shared lists what the installation shares with every account, newest first; nil for nothing. It is called for every
	// search and has to be quick.
	Shared func() []Item
	// Words finds by meaning; nil for the relations made by hand alone.
	Words *meaning.Words
	// Vectors finds by a model where one is configured; nil otherwise.
	Vectors Vectors
	// Providers are asked as well, in this order.
	Providers []Provider
	// Store keeps what providers gave, by id.
	Store Store
	Clock clock.PassiveClock
	Log   *slog.Logger
}

// Library is all stock together; it is safe for concurrent use.
type Library struct {
	local   *local
	sources []*source
	records *records
	log     *slog.Logger
}

// New makes a library.
func New(c Config) *Library {
	l := &Library{
		local:   &local{base: strings.TrimSuffix(c.BaseURL, "/"), shared: c.Shared, words: c.Words, vectors: c.Vectors},
		records: &records{store: c.Store, log: c.Log, written: map[int64]bool{}},
		log:     c.Log,
	}
	for _, p := range c.Providers {
		l.sources = append(l.sources, newSource(p, c.Clock, c.Log))
	}
	return l
}

// Share tells where the items come from that the installation shares; before the first search.
func (l *Library) Share(items func() []Item) { l.local.shared = items }

// Run has the catalog learned by the model, where one is configured, until the context ends.
func (l *Library) Run(ctx context.Context) {
	if l.local.vectors != nil {
		l.local.vectors.Want(textsOf(l.local.items()))
		l.local.vectors.Run(ctx)
	}
}

// Providers says whether there is any provider to ask.
func (l *Library) Providers() bool { return len(l.sources) > 0 }

// shelf is one of the lists that a search joins: what is here, or one kind of a provider's items.
type shelf struct {
	here   []Item // when source is nil
	source *source
	kind   string
	text   string
	total  int
	failed bool
}

// Search gives a page.
//
// The lists of what is here and of each provider's pictures and clips take turns: the best of each, then the second best of
// each. A provider that does not answer in time is left out, of the total too. Every item of the page can be found by its id
// from then on.
func (l *Library) Search(ctx context.Context, q Query) (Page, error) {
	if q.Page < 1 || q.PerPage < 1 || q.PerPage > MaxPerPage {
		return Page{}, fmt.Errorf("page %d of %d items", q.Page, q.PerPage)
	}
	text := strings.Join(strings.Fields(strings.ToLower(q.Text)), " ")
	out := Page{Method: MethodSemantic}
	if text == "" {
		out.Method = MethodRecent
	}
	shelves := []*shelf{{here: l.local.search(ctx, text, q.MediaType)}}
	shelves[0].total = len(shelves[0].here)
	for _, s := range l.sources {
		for _, kind := range s.Kinds() {
			if q.MediaType == "" || q.MediaType == typeOf(kind) {
				shelves = append(shelves, &shelf{source: s, kind: kind, text: text})
			}
		}
	}
	from := (q.Page - 1) * q.PerPage
	each(shelves[1:], func(s *shelf) { s.open(ctx) })
	// A shelf whose later page fails is taken away, and what is left closes ranks.
	for {
		lengths := make([]int, len(shelves))
		for i, s := range shelves {
			lengths[i] = s.total
		}
		out.Total = sum(lengths)
		places := turns(lengths, from, q.PerPage)
		items, ok := l.fill(ctx, shelves, places)
		if ok {
			out.Items = items
			break
		}
	}
	l.records.keep(ctx, out.Items)
	return out, ctx.Err()
}

// fill takes items from their places; false when a shelf failed and was emptied.
func (l *Library) fill(ctx context.Context, shelves []*shelf, places []place) ([]Item, bool) {
	wanted := map[int][]int{} // pages by shelf
	for _, p := range places {
		if s := shelves[p.list]; s.source != nil {
			if page := p.at/s.source.PageSize() + 1; !slices.Contains(wanted[p.list], page) {
				wanted[p.list] = append(wanted[p.list], page)
			}
		}
	}
	type got struct{ list, page int }
	var mu sync.Mutex
	pages := map[got]Found{}
	ok := true
	var asks []got
	for list, of := range wanted {
		for _, page := range of {
			asks = append(asks, got{list, page})
		}
	}
	each(asks, func(a got) {
		s := shelves[a.list]
		f, err := s.source.page(ctx, s.kind, s.text, a.page)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			s.total, s.failed, ok = 0, true, false
			return
		}
		pages[a] = f
	})
	if !ok {
		return nil, false
	}
	items := make([]Item, 0, len(places))
	for _, p := range places {
		s := shelves[p.list]
		if s.source == nil {
			items = append(items, s.here[p.at])
			continue
		}
		size := s.source.PageSize()
		// What could not be used of a provider's page is missing at its end.
		if of := pages[got{p.list, p.at/size + 1}].Items; p.at%size < len(of) {
			items = append(items, of[p.at%size])
		}
	}
	return items, true
}

// open finds out how long the list is.
func (s *shelf) open(ctx context.Context) {
	f, err := s.source.page(ctx, s.kind, s.text, 1)
	if err != nil {
		s.failed = true
		return
	}
	s.total = f.Total
	if len(f.Items) == 0 {
		s.total = 0
	}
}

func typeOf(kind string) string {
	if kind == KindVideo {
		return TypeVideo
	}
	return TypeImage
}

// each does something for all at once.
func each[T any](of []T, do func(T)) {
	var wg sync.WaitGroup
	for _, v := range of {
		wg.Go(func() { do(v) })
	}
	wg.Wait()
}

func sum(of []int) int {
	n := 0
	for _, v := range of {
		n += v
	}
	return n
}

// ByID finds an item by the id that a search gave it; false when nobody was ever shown it.
func (l *Library) ByID(ctx context.Context, id int64) (Item, bool, error) {
	if p, ok := starter.ByNumber(id); ok {
		return StarterItem(l.local.base, p), true, nil
	}
	if l.local.shared != nil {
		for _, i := range l.local.shared() {
			if i.ID == id {
				return i, true, nil
			}
		}
	}
	return l.records.read(ctx, id)
}

// ByRef finds an item of a drawn background or a provider by how a slide names it. One that was never shown is asked for
// where its provider is configured. False when there is none; an error when nobody can tell now.
func (l *Library) ByRef(ctx context.Context, ref string) (Item, bool, error) {
	provider, externalID, ok := ParseRef(ref)
	if !ok {
		return Item{}, false, nil
	}
	if provider == ProviderStarter {
		p, ok := starter.ByID(externalID)
		if !ok {
			return Item{}, false, nil
		}
		return StarterItem(l.local.base, p), true, nil
	}
	var asked error
	if s := l.source(provider); s != nil {
		// Addresses end, Pixabay's after a day: who wants to use an item needs it as it is now.
		i, err := s.look(ctx, externalID)
		if err == nil {
			l.records.keep(ctx, []Item{i})
			return i, true, nil
		}
		if errors.Is(err, ErrGone) {
			return Item{}, false, nil
		}
		asked = err
	}
	i, ok, err := l.records.read(ctx, IDOf(provider, externalID))
	if err == nil && !ok && asked != nil {
		err = asked
	}
	return i, ok, err
}

// Used tells the provider of an item that it is used, where it wants to know. That it could not be told is logged: it stops
// nobody.
func (l *Library) Used(ctx context.Context, i Item) {
	s := l.source(i.Provider)
	if s == nil {
		return
	}
	if err := s.Used(ctx, i); err != nil {
		l.log.Warn("a stock provider could not be told that an item is used", "provider", i.Provider, "item", i.ExternalID, "error", err.Error())
	}
}

// Offer gives up to n pictures of each provider that fit a text, taking turns. It is for choosing: nothing is recorded.
func (l *Library) Offer(ctx context.Context, text string, n int) []Item {
	lists := make([][]Item, len(l.sources))
	var asks []int
	for i, s := range l.sources {
		if slices.Contains(s.Kinds(), KindImage) {
			asks = append(asks, i)
		}
	}
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	each(asks, func(i int) {
		if f, err := l.sources[i].page(ctx, KindImage, text, 1); err == nil {
			lists[i] = f.Items[:min(n, len(f.Items))]
		}
	})
	lengths := make([]int, len(lists))
	for i := range lists {
		lengths[i] = len(lists[i])
	}
	var out []Item
	for _, p := range turns(lengths, 0, sum(lengths)) {
		out = append(out, lists[p.list][p.at])
	}
	return out
}

func (l *Library) source(provider string) *source {
	for _, s := range l.sources {
		if s.Name() == provider {
			return s
		}
	}
	return nil
}
