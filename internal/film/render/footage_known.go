// SPDX-License-Identifier: Apache-2.0

package render

import (
	"sync"

	"github.com/reelops/reelops/internal/film/timeline"
)

// file identifies a video file and the type as which it is read.
type file struct{ input, contentType string }

// fileInfo holds the results of the analysis of a file before playback. Each result is computed once in a scene, for
// all clips that play the file.
type fileInfo struct {
	facts  func() (*facts, error)
	first  func() (float64, error)
	screen func() bool

	mu    sync.Mutex
	focus map[focusKey]func() timeline.Point
}

// focusKey holds the inputs of the focus detection other than the file: the shape of the area, and the frame of the
// video at which the played part of the file ends.
type focusKey struct {
	area timeline.Canvas
	end  int
}

// fileInfo returns the analysis of a file. It does not read the file.
func (p *projector) fileInfo(f timeline.Footage) *fileInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := file{f.Input, f.ContentType}
	k := p.known[id]
	if k == nil {
		k = &fileInfo{
			facts: sync.OnceValues(func() (*facts, error) { return p.inspect(f) }),
			focus: map[focusKey]func() timeline.Point{},
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
	k := p.fileInfo(f)
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
		s.focus = k.focusIn(focusKey{area, f.Start + f.Frames}, func() timeline.Point { return p.focus(f, known, area) })
	}
	return s, nil
}

// focusIn returns the result of find, which is called once for each key.
func (k *fileInfo) focusIn(at focusKey, find func() timeline.Point) timeline.Point {
	k.mu.Lock()
	found := k.focus[at]
	if found == nil {
		found = sync.OnceValue(find)
		k.focus[at] = found
	}
	k.mu.Unlock()
	return found()
}
