// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/utils/clock"
)

const (
	// pause is how long no request is sent to a provider that failed. busyPause applies to a rate limit without a
	// reported wait time.
	pause, busyPause = 30 * time.Second, time.Minute
	// maxKept is the maximum number of a provider's items in the memory cache, about 1 kB each.
	maxKept = 8000
)

// source calls a provider, caches its responses as long as the provider allows, and pauses after failures.
type source struct {
	Provider
	clock clock.PassiveClock
	log   *slog.Logger

	flight singleflight.Group

	mu     sync.Mutex
	resume time.Time // no request is sent before this time
	last   error     // the error that caused the pause
	pages  map[string]*list.Element
	order  *list.List // least-recently-used list of *kept, the most recent at the front
	items  int
}

type kept struct {
	key   string
	found Found
	until time.Time
}

func newSource(p Provider, c clock.PassiveClock, log *slog.Logger) *source {
	return &source{Provider: p, clock: c, log: log, pages: map[string]*list.Element{}, order: list.New()}
}

// page returns a page of the provider's results. If the request fails, an expired page from the cache is returned.
func (s *source) page(ctx context.Context, kind, text string, page int) (Found, error) {
	key := kind + "\x00" + strconv.Itoa(page) + "\x00" + text
	old, fresh := s.remembered(key)
	if fresh {
		return old.found, nil
	}
	found, err := s.fetch(ctx, key, func(ctx context.Context) (any, error) { return s.Search(ctx, kind, text, page) })
	if err != nil {
		if old != nil {
			return old.found, nil
		}
		return Found{}, err
	}
	f := found.(Found)
	s.remember(key, f)
	return f, nil
}

// look returns one item from the cache or the provider.
func (s *source) look(ctx context.Context, externalID string) (Item, error) {
	key := "\x00" + externalID
	old, fresh := s.remembered(key)
	if fresh {
		return old.found.Items[0], nil
	}
	i, err := s.fetch(ctx, key, func(ctx context.Context) (any, error) { return s.Look(ctx, externalID) })
	if err != nil {
		return Item{}, err
	}
	s.remember(key, Found{Items: []Item{i.(Item)}})
	return i.(Item), nil
}

// fetch merges concurrent requests for the same key into one. The request continues for the other callers if one of
// them leaves.
func (s *source) fetch(ctx context.Context, key string, ask func(context.Context) (any, error)) (any, error) {
	if err := s.resting(); err != nil {
		return nil, err
	}
	done := s.flight.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
		defer cancel()
		out, err := ask(ctx)
		s.note(err)
		return out, err
	})
	select {
	case r := <-done:
		return r.Val, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *source) resting() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clock.Now().Before(s.resume) {
		return s.last
	}
	return nil
}

// note records a failure, pauses the provider and logs that once for each pause.
func (s *source) note(err error) {
	if err == nil || errors.Is(err, ErrGone) {
		return
	}
	// A rejected request does not predict the outcome of the next one.
	var refused *AnswerError
	if errors.As(err, &refused) && (refused.Status == http.StatusBadRequest || refused.Status == http.StatusUnprocessableEntity) {
		return
	}
	wait := pause
	var busy *BusyError
	if errors.As(err, &busy) {
		if wait = busy.For; wait <= 0 {
			wait = busyPause
		}
	}
	s.mu.Lock()
	s.resume, s.last = s.clock.Now().Add(wait), err
	s.mu.Unlock()
	s.log.Warn("pausing requests to stock provider", "provider", s.Name(), "for", wait.String(), "error", err.Error())
}

func (s *source) remembered(key string) (k *kept, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.pages[key]
	if !ok {
		return nil, false
	}
	s.order.MoveToFront(e)
	k = e.Value.(*kept)
	return k, s.clock.Now().Before(k.until)
}

func (s *source) remember(key string, f Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.pages[key]; ok {
		s.drop(e)
	}
	s.pages[key] = s.order.PushFront(&kept{key, f, s.clock.Now().Add(s.Keep())})
	s.items += weight(f)
	for s.items > maxKept && s.order.Len() > 1 {
		s.drop(s.order.Back())
	}
}

func (s *source) drop(e *list.Element) {
	k := s.order.Remove(e).(*kept)
	delete(s.pages, k.key)
	s.items -= weight(k.found)
}

// weight counts 1 for the page itself, because there may be many empty pages.
func weight(f Found) int { return 1 + len(f.Items) }
