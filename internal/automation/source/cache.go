// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/automation/feed"
)

const (
	// maxFeeds is the number of feeds whose items are kept in memory: at most about 1 MB each.
	maxFeeds = 20
	// fresh is how long a feed is not read again.
	fresh = 30 * time.Second
)

// cache holds the items of the feeds that were read last, so that an unchanged feed is not transferred again.
type cache struct {
	mu    sync.Mutex
	feeds []cached // the most recently used one last
}

type cached struct {
	url   string
	at    time.Time
	state feed.State
	items []feed.Item
}

// read returns the items of a feed.
func (c *Chooser) read(ctx context.Context, url string) ([]feed.Item, error) {
	known, ok := c.cache.get(url)
	now := c.Clock.Now()
	if age := now.Sub(known.at); ok && age >= 0 && age < fresh {
		return known.items, nil
	}
	f, err := c.Feeds.Read(ctx, url, known.state)
	if err != nil {
		return nil, err
	}
	if f.NotModified {
		f.Items = known.items
	}
	c.cache.put(cached{url: url, at: now, state: f.State, items: f.Items})
	return f.Items, nil
}

func (c *cache) get(url string) (cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.feeds, func(f cached) bool { return f.url == url })
	if i < 0 {
		return cached{}, false
	}
	return c.feeds[i], true
}

func (c *cache) put(f cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.feeds = append(slices.DeleteFunc(c.feeds, func(o cached) bool { return o.url == f.url }), f)
	c.feeds = slices.Delete(c.feeds, 0, max(0, len(c.feeds)-maxFeeds))
}
