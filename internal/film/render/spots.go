// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"sync"

	"github.com/reelops/reelops/internal/film/timeline"
)

// timedLayers are the layers of one clip that are shown for a part of the clip. Each is prepared when it is first
// shown, once for all spots with the same image in the same place, and dropped after the last shot that shows it.
type timedLayers struct {
	of []*timedLayer // by their index in the clip
	mu sync.Mutex
}

// timedLayer is one such layer.
type timedLayer struct {
	place timeline.Layer
	last  int // the last shot that shows it

	once    sync.Once
	err     error
	layer   *layer
	dropped bool
}

func newTimedLayers(list []timeline.Spot) *timedLayers {
	s := &timedLayers{of: make([]*timedLayer, len(list))}
	same := map[timeline.Layer]*timedLayer{}
	for k := range list {
		one := same[list[k].Layer]
		if one == nil {
			one = &timedLayer{place: list[k].Layer}
			same[one.place] = one
		}
		s.of[k] = one
	}
	return s
}

// expect records that a shot shows spots.
func (s *timedLayers) expect(shot int, shown []int) {
	for _, k := range shown {
		s.of[k].last = max(s.of[k].last, shot)
	}
}

// layer returns the prepared layer of spot k; nil if the layer has no visible pixel.
func (s *timedLayers) layer(k int, prepare func(*timeline.Layer) (*layer, error)) (*layer, error) {
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
func (s *timedLayers) forget(before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.of {
		if one.last < before {
			one.layer, one.dropped = nil, true
		}
	}
}
