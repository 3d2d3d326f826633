// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"container/list"
	"sync"
)

// item identifies what the cache holds: a block of the file with the key, or the opened file.
type item struct {
	key   string
	block int64
}

// opened is the block number of an opened file.
const opened = -1

// cache holds recently used opened files and blocks, up to a number of bytes. Files never change, so nothing in it
// becomes stale. It is safe for concurrent use.
type cache struct {
	most int64

	mu sync.Mutex
	// recent holds *cached values, most recently used first; items indexes them.
	recent *list.List
	items  map[item]*list.Element
	bytes  int64
}

type cached struct {
	item
	value any
	bytes int64
}

// overhead is the estimated size of an entry of the cache without its value, in bytes.
const overhead = 200

func newCache(most int64) *cache {
	return &cache{most: most, recent: list.New(), items: map[item]*list.Element{}}
}

// get returns a value, or nil if the cache does not hold it.
func (c *cache) get(i item) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[i]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached).value
}

// blocks returns the blocks of a run, or nil if the cache does not hold all of them.
func (c *cache) blocks(key string, r run) [][]byte {
	out := make([][]byte, r.n)
	for i := range out {
		b, ok := c.get(item{key, r.first + int64(i)}).([]byte)
		if !ok {
			return nil
		}
		out[i] = b
	}
	return out
}

// put adds a value, which must not change any more. It drops the least recently used values if there is no room.
func (c *cache) put(i item, value any, bytes int64) {
	bytes += overhead
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items[i] != nil || bytes > c.most {
		return
	}
	c.items[i] = c.recent.PushFront(&cached{i, value, bytes})
	for c.bytes += bytes; c.bytes > c.most; {
		last := c.recent.Remove(c.recent.Back()).(*cached)
		delete(c.items, last.item)
		c.bytes -= last.bytes
	}
}
