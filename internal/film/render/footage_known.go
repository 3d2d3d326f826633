// SPDX-License-Identifier: Apache-2.0

package render

import (
	"sync"

	"github.com/reelops/reelops/internal/film/timeline"
)

// file names a file of moving pictures, and the type as which it is read.
type file struct{ input, contentType string }

// knowledge is what is found out about a file before it is played. Each part is found out once in a scene, for all clips that play
// the file.
type knowledge struct {
	facts  func() (*facts, error)
	first  func() (float64, error)
	screen func() bool

	mu    sync.Mutex
	focus map[sight]func() timeline.Point
}

// sight is what the search for a focus depends on beside the file: the shape of the area, and the frame of the film at which the
// part of the file ends that is played.
type sight struct {
	area timeline.Canvas
	end  int
}

// know returns the knowledge of a file. It does not read the file.
func (p *projector) know(f timeline.Footage) *knowledge {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := file{f.Input, f.ContentType}
	k := p.known[id]
	if k == nil {
		k = &knowledge{
			facts: sync.OnceValues(func() (*facts, error) { return p.look(f) }),
			focus: map[sight]func() timeline.Point{},
		}
		k.first = sync.OnceValues(func() (float64, error) {
			known, err := k.facts()
			if err != nil {
				return 0, err
			}
			return p.first(f, known)
		})
		k.screen = sync.OnceValue(func() bool {
			known, err := k.facts()
			return err == nil && p.screen(f, known)
		})
		p.known[id] = k
	}
	return k
}

// show decides how footage is shown in an area.
func (p *projector) show(f timeline.Footage, area timeline.Canvas) (*showing, error) {
	k := p.know(f)
	known, err := k.facts()
	if err != nil {
		return nil, err
	}
	s := &showing{facts: known, area: area, fps: p.tl.FPS, start: f.Start}
	if s.seeks() {
		if s.first, err = k.first(); err != nil {
			return nil, err
		}
	}
	switch f.Fit {
	case timeline.Contain:
		s.whole = true
	case timeline.FitAuto:
		s.whole = known.cropped(area) > screenMatters && k.screen()
	}
	switch {
	case s.whole:
	case f.Focus != nil:
		s.focus = *f.Focus
	default:
		s.focus = k.focusIn(sight{area, f.Start + f.Frames}, func() timeline.Point { return p.focus(f, known, area) })
	}
	return s, nil
}

// focusIn returns the focus that find gives, which is called once for each sight.
func (k *knowledge) focusIn(at sight, find func() timeline.Point) timeline.Point {
	k.mu.Lock()
	found := k.focus[at]
	if found == nil {
		found = sync.OnceValue(find)
		k.focus[at] = found
	}
	k.mu.Unlock()
	return found()
}
