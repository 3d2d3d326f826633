// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"sync"

	"github.com/reelops/reelops/internal/film/timeline"
)

// passings are the layers of one clip that come and go. Each is prepared when it is first seen, once for all spots that show the
// same picture in the same place, and dropped after the last shot that shows it.
type passings struct {
	of []*passing // by their index in the clip
	mu sync.Mutex
}

// passing is one such layer.
type passing struct {
	place timeline.Layer
	last  int // the last shot that shows it

	once    sync.Once
	err     error
	layer   *layer
	dropped bool
}

func newPassings(list []timeline.Spot) *passings {
	s := &passings{of: make([]*passing, len(list))}
	same := map[timeline.Layer]*passing{}
	for k := range list {
		one := same[list[k].Layer]
		if one == nil {
			one = &passing{place: list[k].Layer}
			same[one.place] = one
		}
		s.of[k] = one
	}
	return s
}

// expect notes that a shot shows spots. Shots are named in their order.
func (s *passings) expect(shot int, shown []int) {
	for _, k := range shown {
		s.of[k].last = shot
	}
}

// layer gives the prepared layer of spot k; nil when there is nothing to be seen on it.
func (s *passings) layer(k int, prepare func(*timeline.Layer) (*layer, error)) (*layer, error) {
	one := s.of[k]
	one.once.Do(func() { one.layer, one.err = prepare(&one.place) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.dropped {
		return nil, fmt.Errorf("spot %d was asked for after its last frame", k)
	}
	return one.layer, one.err
}

// forget drops the layers that no shot from the given one on shows.
func (s *passings) forget(before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.of {
		if one.last < before {
			one.layer, one.dropped = nil, true
		}
	}
}
