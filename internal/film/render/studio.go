// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"slices"
	"sync"

	"github.com/reelops/reelops/internal/film/timeline"
)

const (
	// heldFirst is how much better a picture is coded that begins a segment and is shown for more than a moment. An encoder that
	// sees every frame of a still refines the picture over time; one that sees it once has to do it right at once, and it is
	// cheap to let it. x264 heeds either the one or the other, by whether its preset looks ahead.
	heldFirst = 2.2
	heldBits  = 2.0
	// fadeBits is the share of the usual bits that blended pictures get. Everything changes in each of them, which makes them
	// the dearest pictures there are, and each is seen for a thirtieth of a second.
	fadeBits = 0.6
	// fadeFirst is how much better the first one is than the others.
	fadeFirst = 1.0
)

// studio draws and codes the parts of one film.
type studio struct {
	o     Options
	tl    *timeline.Timeline
	paths map[string]string
	dir   string // of the parts
	total int    // frames of the film

	parts  []string // keys, each once
	reused int      // how many of them came from a pack

	mu       sync.Mutex
	done     int // frames that are there
	postered bool
}

// progress tells that frames are there.
func (s *studio) progress(frames int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = min(s.done+frames, s.total)
	if frames > 0 {
		s.o.Progress(s.done, s.total)
	}
}

// code codes segments, several at a time.
func (s *studio) code(ctx context.Context, segments []*segment) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	for _, l := range spread(segments, s.tl, s.o.Threads) {
		wg.Go(func() {
			if err := s.lane(ctx, l); err != nil {
				stop(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// lane draws the pictures of a lane in their order and hands them to one encoder process after the other.
func (s *studio) lane(ctx context.Context, l lane) error {
	var shots []timeline.Shot
	var frames []int // how many frames of the film there are with each picture
	var ends []int   // the pictures at which batches begin, but the first
	all := l.batches()
	for _, b := range all {
		for _, one := range b {
			shots = append(shots, one.shots...)
			for _, r := range one.repeat {
				frames = append(frames, 1+r)
			}
		}
		ends = append(ends, len(shots))
	}
	e := encoding{s.o.FFmpeg, s.tl.Canvas, s.tl.FPS, s.o.Preset, s.o.CRF}
	first := l[0].first
	var enc *encoder
	batch := 0
	err := newScene(s.tl, shots, s.paths, s.o).drawAll(ctx, func(n int, f *frame) (err error) {
		if enc == nil {
			if enc, err = e.start(ctx, s.stretches(all[batch])); err != nil {
				return err
			}
		}
		if n == 0 && first == 0 {
			if err := s.poster(f); err != nil {
				return err
			}
		}
		if err := enc.write(f.pix); err != nil {
			return err
		}
		s.progress(frames[n])
		if n+1 == ends[batch] {
			done := enc
			enc, batch = nil, batch+1
			return done.finish(nil)
		}
		return nil
	})
	if enc != nil {
		return enc.finish(err)
	}
	return err
}

// stretches describe segments to the encoder.
func (s *studio) stretches(batch []*segment) []stretch {
	var all []stretch
	for _, one := range batch {
		st := stretch{frames: len(one.shots), threads: 1, out: partPath(s.dir, one.key)}
		switch {
		case one.repeat[0] > 0:
			st.first = heldFirst
			st.zones = []zone{{0, 0, heldBits}}
		case one.shots[0].Mix > 0:
			st.first = fadeFirst
			st.zones = []zone{{0, len(one.shots) - 1, fadeBits}}
		}
		all = append(all, st)
	}
	return all
}

// poster keeps the first frame when it is wanted.
func (s *studio) poster(f *frame) error {
	if s.o.Poster == "" || s.postered {
		return nil
	}
	s.postered = true
	return s.o.poster(f)
}

// drawPoster draws the first frame when no part was coded that begins with it.
func (s *studio) drawPoster(ctx context.Context, first timeline.Shot) error {
	if s.o.Poster == "" || s.postered {
		return nil
	}
	return newScene(s.tl, []timeline.Shot{first}, s.paths, s.o).drawAll(ctx, func(_ int, f *frame) error { return s.poster(f) })
}

// have makes the parts of segments available: from a pack, or by coding them. It gives how many pictures were coded.
func (s *studio) have(ctx context.Context, segments []*segment, from pack) (coded int, err error) {
	var reused, need []*segment
	shown := 0 // frames that need no coding
	seen := map[string]bool{}
	for _, one := range segments {
		switch {
		case seen[one.key]:
			shown += one.frames()
		case from.take(one.key, partPath(s.dir, one.key)):
			shown += one.frames()
			reused = append(reused, one)
		default:
			need = append(need, one)
		}
		if !seen[one.key] {
			seen[one.key] = true
			s.parts = append(s.parts, one.key)
		}
	}
	s.progress(shown)
	s.reused = len(reused)
	if len(need) == 0 {
		return 0, nil
	}
	if err := s.code(ctx, need); err != nil {
		return 0, err
	}
	// The encoder itself says which build it is. What another one made is made anew, or the film would not be the one that is
	// made from nothing.
	note := encoderNote(s.dir, need[0].key)
	old := slices.DeleteFunc(reused, func(one *segment) bool { return encoderNote(s.dir, one.key) == note })
	s.reused -= len(old)
	if err := s.code(ctx, old); err != nil {
		return 0, err
	}
	for _, one := range append(need, old...) {
		coded += len(one.shots)
	}
	return coded, nil
}
