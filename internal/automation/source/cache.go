// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/process/fairqueue"
)

const (
	// maxFeeds is the number of feeds whose items are kept in memory. The items of a feed are usually below 1 MB, and at
	// most about 6 MB: 500 items with long texts of four-byte characters.
	maxFeeds = 10
	// maxFailures is the number of feeds whose failed reads are remembered. Beyond it, a feed may be read too early.
	maxFailures = 1000
	// fresh is how long a feed is not read again.
	fresh = 30 * time.Second
	// maxReads is the number of feeds that are read at the same time, and maxOwnReads that of one namespace. Slow servers
	// therefore neither occupy all workers of the controller nor delay the feeds of other accounts for long.
	maxReads, maxOwnReads = 4, 2
)

// delays are the times between the reads of a feed that cannot be read. The last one repeats. It is also the delay
// after an error that only a user can correct: the feed's server may correct it, too.
var delays = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// ErrBusy means that too many other feeds are being read. The read can be tried again after seconds.
var ErrBusy = errors.New("too many feeds are being read")

// UnreadableError is a feed that cannot be read.
type UnreadableError struct {
	// Err is the failure of the last read.
	Err *feed.Error
	// Again is when the feed is read again. Until then, Next returns this error without a read.
	Again time.Time

	failures int
}

// Error returns one sentence that a user can act on, with a full stop.
func (e *UnreadableError) Error() string { return e.Err.Error() }

// Unwrap returns the failure of the last read.
func (e *UnreadableError) Unwrap() error { return e.Err }

// cache holds the items of the feeds that were read last, so that an unchanged feed is not transferred again, and the
// failures of the feeds that cannot be read.
type cache struct {
	mu       sync.Mutex
	feeds    []cached // the most recently used one last
	failures map[string]*UnreadableError
	once     sync.Once
	slots    *fairqueue.Slots
}

type cached struct {
	url   string
	at    time.Time
	state feed.State
	items []feed.Item
}

// read returns the items of a feed of a namespace.
func (c *Chooser) read(ctx context.Context, namespace, url string) ([]feed.Item, error) {
	now := c.Clock.Now()
	known, failure := c.cache.get(url)
	if age := now.Sub(known.at); known.url != "" && age >= 0 && age < fresh {
		return known.items, nil
	}
	// A failure that is further ahead than the longest delay is from before the clock was set back.
	if failure != nil && now.Before(failure.Again) && failure.Again.Sub(now) <= delays[len(delays)-1] {
		return nil, failure
	}
	c.cache.once.Do(func() { c.cache.slots = fairqueue.NewSlots(maxReads, maxOwnReads) })
	release, ok := c.cache.slots.TryAcquire(namespace)
	if !ok {
		return nil, ErrBusy
	}
	defer release()
	f, err := c.Feeds.Read(ctx, url, known.state)
	if unreadable, ok := errors.AsType[*feed.Error](err); ok {
		return nil, c.cache.fail(url, unreadable, now)
	}
	if err != nil {
		return nil, err
	}
	if f.NotModified {
		f.Items = known.items
	}
	c.cache.put(cached{url: url, at: now, state: f.State, items: f.Items})
	return f.Items, nil
}

// get returns what is known about a feed: its last items, which have no url if there are none, and its failure or nil.
func (c *cache) get(url string) (cached, *UnreadableError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.feeds, func(f cached) bool { return f.url == url })
	if i < 0 {
		return cached{}, c.failures[url]
	}
	return c.feeds[i], c.failures[url]
}

// put records a successful read.
func (c *cache) put(f cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.failures, f.url)
	c.feeds = append(slices.DeleteFunc(c.feeds, func(o cached) bool { return o.url == f.url }), f)
	c.feeds = slices.Delete(c.feeds, 0, max(0, len(c.feeds)-maxFeeds))
}

// fail records a failed read and returns it with the time of the next one.
func (c *cache) fail(url string, err *feed.Error, now time.Time) *UnreadableError {
	c.mu.Lock()
	defer c.mu.Unlock()
	failures := 0
	if last := c.failures[url]; last != nil {
		failures = last.failures
	}
	delay := delays[min(failures, len(delays)-1)]
	if !err.Retryable() {
		delay = delays[len(delays)-1]
	}
	if c.failures == nil || len(c.failures) >= maxFailures {
		c.failures = map[string]*UnreadableError{}
	}
	e := &UnreadableError{Err: err, Again: now.Add(delay), failures: failures + 1}
	c.failures[url] = e
	return e
}
