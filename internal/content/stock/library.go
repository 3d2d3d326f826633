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
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/meaning"
)

// Config configures a Library.
type Config struct {
	// BaseURL is the front end's public address, under which it serves rendered backgrounds.
	BaseURL string
	// Shared returns the items that the installation shares with every account, newest first; nil for none. It is
	// called for every search and must be fast.
	Shared func() []Item
	// Words are the relations for the search by meaning; nil for the built-in relations only.
	Words *meaning.Words
	// Vectors ranks by an embedding model; nil if none is configured.
	Vectors Vectors
	// Providers are searched as well, in this order.
	Providers []Provider
	// Store stores the items of providers by ID.
	Store Store
	Clock clock.PassiveClock
	Log   *slog.Logger
}

// Library searches all sources of stock items. It is safe for concurrent use.
type Library struct {
	local   *local
	sources []*source
	records *records
	log     *slog.Logger
}

// New returns a library.
func New(c Config) *Library {
	l := &Library{
		local:   &local{base: strings.TrimSuffix(c.BaseURL, "/"), shared: c.Shared, words: c.Words, vectors: c.Vectors},
		records: &records{store: c.Store, clock: c.Clock, log: c.Log, seen: map[int64]time.Time{}},
		log:     c.Log,
	}
	for _, p := range c.Providers {
		l.sources = append(l.sources, newSource(p, c.Clock, c.Log))
	}
	return l
}

// Share sets the function that returns the shared items. It must be called before the first search.
func (l *Library) Share(items func() []Item) { l.local.shared = items }

// Run fetches the embeddings of the catalog, if a model is configured, until the context ends.
func (l *Library) Run(ctx context.Context) {
	if l.local.vectors != nil {
		l.local.vectors.Want(textsOf(l.local.items()))
		l.local.vectors.Run(ctx)
	}
}

// Providers reports whether any provider is configured.
func (l *Library) Providers() bool { return len(l.sources) > 0 }

// resultList is one of the lists that a search merges: the local items, or one kind of a provider's items.
type resultList struct {
	here   []Item // local items, if source is nil
	source *source
	kind   string
	text   string
	total  int
	failed bool
}

// Search returns a page of results.
//
// It merges the lists of local items and of each provider's images and clips in turn: the first of each, then the
// second of each. A provider that fails or does not respond in time is left out, and does not count in the total. Every
// item of the page can be read by its ID afterwards.
func (l *Library) Search(ctx context.Context, q Query) (Page, error) {
	if q.Page < 1 || q.PerPage < 1 || q.PerPage > MaxPerPage {
		return Page{}, fmt.Errorf("page %d of %d items", q.Page, q.PerPage)
	}
	text := strings.Join(strings.Fields(strings.ToLower(q.Text)), " ")
	out := Page{Method: MethodSemantic}
	if text == "" {
		out.Method = MethodRecent
	}
	lists := []*resultList{{here: l.local.search(ctx, text, q.MediaType)}}
	lists[0].total = len(lists[0].here)
	for _, s := range l.sources {
		for _, kind := range s.Kinds() {
			if q.MediaType == "" || q.MediaType == typeOf(kind) {
				lists = append(lists, &resultList{source: s, kind: kind, text: text})
			}
		}
	}
	from := (q.Page - 1) * q.PerPage
	each(lists[1:], func(s *resultList) { s.open(ctx) })
	// Drop a list whose later page fails, and compute the page again from the remaining lists.
	for {
		lengths := make([]int, len(lists))
		for i, s := range lists {
			lengths[i] = s.total
		}
		out.Total = sum(lengths)
		places := interleave(lengths, from, q.PerPage)
		items, ok := l.fill(ctx, lists, places)
		if ok {
			out.Items = items
			break
		}
	}
	l.records.keep(ctx, out.Items)
	return out, ctx.Err()
}

// fill returns the items at the given places. It returns false if a list failed and was emptied.
func (l *Library) fill(ctx context.Context, lists []*resultList, places []place) ([]Item, bool) {
	wanted := map[int][]int{} // page numbers by list
	for _, p := range places {
		if s := lists[p.list]; s.source != nil {
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
		s := lists[a.list]
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
		s := lists[p.list]
		if s.source == nil {
			items = append(items, s.here[p.at])
			continue
		}
		size := s.source.PageSize()
		// A provider's page without its unusable items is shorter, so places at its end may have no item.
		if of := pages[got{p.list, p.at/size + 1}].Items; p.at%size < len(of) {
			items = append(items, of[p.at%size])
		}
	}
	return items, true
}

// open fetches the first page and the length of the list.
func (s *resultList) open(ctx context.Context) {
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

// each calls do for all values concurrently and waits for all calls.
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

// ByID returns an item by the ID that a search returned. It returns false for an unknown ID. The ID of a provider's
// item is unknown until a search returned the item, and again when it was not used for RecordTime.
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

// ByRef returns a rendered background or a provider's item by its reference in a slide. If the provider is configured,
// ByRef requests the item from the provider, also if no search returned the item. If that fails or the provider is not
// configured, ByRef returns the recorded item. It returns false if the item does not exist, and an error if that cannot
// be determined now.
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
	var lookErr error
	if s := l.source(provider); s != nil {
		// URLs expire, Pixabay's after a day, so use the current item.
		i, err := s.look(ctx, externalID)
		if err == nil {
			l.records.keep(ctx, []Item{i})
			return i, true, nil
		}
		if errors.Is(err, ErrGone) {
			return Item{}, false, nil
		}
		lookErr = err
	}
	i, ok, err := l.records.read(ctx, IDOf(provider, externalID))
	if err == nil && !ok && lookErr != nil {
		err = lookErr
	}
	return i, ok, err
}

// Used reports the use of an item to its provider if the provider requires that. A failure is logged and does not
// affect the caller.
func (l *Library) Used(ctx context.Context, i Item) {
	s := l.source(i.Provider)
	if s == nil {
		return
	}
	if err := s.Used(ctx, i); err != nil {
		l.log.Warn("reporting the use of a stock item failed", "provider", i.Provider, "item", i.ExternalID, "error", err.Error())
	}
}

// Offer returns up to n images of each provider that fit a text, merged in turn. It serves to choose an image, so the
// items are not recorded.
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
	for _, p := range interleave(lengths, 0, sum(lengths)) {
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
