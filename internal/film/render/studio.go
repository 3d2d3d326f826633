// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/reelops/reelops/internal/film/render/h264"
	"github.com/reelops/reelops/internal/film/timeline"
)

const (
	// heldFirst is the quality factor of the first image of a segment if the image is shown for more than one frame. An
	// encoder that sees every frame of a still refines the image over time. An encoder that sees the image once must
	// code it well at once, which is cheap. x264 uses either heldFirst or heldBits, depending on whether its preset
	// looks ahead.
	heldFirst = 2.2
	heldBits  = 2.0
	// fadeBits is the share of the usual bits for blended images. Everything changes in each of them, which makes them
	// the most expensive images, and each is shown for only a thirtieth of a second.
	fadeBits = 0.6
	// fadeFirst is the quality of the first blended image relative to the others.
	fadeFirst = 1.0
)

// studio draws and encodes the parts of one video.
type studio struct {
	o     Options
	tl    *timeline.Timeline
	paths map[string]string
	dir   string // of the parts
	total int    // frames of the video

	parts  []string // keys, each once
	reused int      // how many of the parts were read from a cache

	mu       sync.Mutex
	done     int // finished frames
	postered bool
}

// progress reports finished frames.
func (s *studio) progress(frames int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = min(s.done+frames, s.total)
	if frames > 0 {
		s.o.Progress(s.done, s.total)
	}
}

// code encodes segments, several at a time.
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

// lane draws the images of a lane in order and passes them to one encoder process after the other.
func (s *studio) lane(ctx context.Context, l lane) error {
	var shots []timeline.Shot
	var after []written
	var frames []int // how many frames of the video each image and those written after it fill
	var ends []int   // the number of images up to the end of each batch
	all := l.batches()
	for _, b := range all {
		for _, one := range b {
			shots, after = append(shots, one.shots...), append(after, one.written...)
			for i, r := range one.repeat {
				frames = append(frames, 1+r+one.written[i].count())
			}
		}
		ends = append(ends, len(shots))
	}
	e := encoding{s.o.FFmpeg, s.tl.Canvas, s.tl.FPS, s.o.Preset, s.o.CRF}
	first := l[0].first
	var enc *encoder
	batch := 0
	// While an encoder finishes, the next one receives images.
	finishing, ctx := errgroup.WithContext(ctx)
	finishing.SetLimit(1)
	// An encoder starts before its first image is drawn, because both take equally long.
	start := func() (err error) {
		enc, err = e.start(ctx, s.stretches(all[batch]))
		return err
	}
	if err := start(); err != nil {
		return err
	}
	var units [][][]byte // of the batch
	sc := newScene(s.tl, shots, s.paths, s.o)
	sc.follow(after, min(int(s.o.CRF+0.5)+movedQP, 51))
	err := sc.drawAll(ctx, func(n int, f *frame, after [][]byte) error {
		if n == 0 && first == 0 {
			if err := s.poster(f); err != nil {
				return err
			}
		}
		if err := enc.write(f.pix); err != nil {
			return err
		}
		units = append(units, after)
		s.progress(frames[n])
		if n+1 < ends[batch] {
			return nil
		}
		done, segments, written := enc, all[batch], units
		enc, batch, units = nil, batch+1, nil
		finishing.Go(func() error {
			if err := done.finish(nil); err != nil {
				return err
			}
			return s.insert(segments, written)
		})
		if batch == len(all) {
			return nil
		}
		return start()
	})
	if enc != nil {
		err = enc.finish(err)
	}
	if ended := finishing.Wait(); err == nil {
		err = ended
	}
	return err
}

// insert adds the images that are written after others to the streams of segments. units has one entry for each image of
// the segments.
func (s *studio) insert(segments []*segment, units [][][]byte) error {
	for _, one := range segments {
		own := units[:len(one.shots)]
		units = units[len(one.shots):]
		if !slices.ContainsFunc(own, func(u [][]byte) bool { return len(u) > 0 }) {
			continue
		}
		part := partPath(s.dir, one.key)
		anchors := part + ".anchors"
		if err := os.Rename(part, anchors); err != nil {
			return err
		}
		err := withFile(anchors, func(r io.Reader) error {
			return toFile(part, func(w io.Writer) error { return h264.Insert(w, r, own) })
		})
		if err != nil {
			return err
		}
		if err := os.Remove(anchors); err != nil {
			return err
		}
	}
	return nil
}

// stretches returns the encoder settings of segments.
func (s *studio) stretches(batch []*segment) []stretch {
	var all []stretch
	for _, one := range batch {
		st := stretch{frames: len(one.shots), threads: 1, out: partPath(s.dir, one.key)}
		moves := zooms(s.tl.Clips[one.shots[0].A.Clip].Motion)
		st.anchors = moves && one.images() > len(one.shots)
		switch {
		case one.repeat[0] > 0, one.fades() && !moves:
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

// poster stores the first frame if a poster is requested.
func (s *studio) poster(f *frame) error {
	if s.o.Poster == "" || s.postered {
		return nil
	}
	s.postered = true
	return s.o.poster(f)
}

// drawPoster draws the first frame if no encoded part begins with it.
func (s *studio) drawPoster(ctx context.Context, first timeline.Shot) error {
	if s.o.Poster == "" || s.postered {
		return nil
	}
	return newScene(s.tl, []timeline.Shot{first}, s.paths, s.o).drawAll(ctx, func(_ int, f *frame, _ [][]byte) error { return s.poster(f) })
}

// obtain provides the parts of segments: from a cache, or by encoding them. It returns how many images were encoded.
func (s *studio) obtain(ctx context.Context, segments []*segment, from segmentCache) (coded int, err error) {
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
	// The encoder's build is in its stream. Parts of another build are encoded again, because the video must be
	// identical to one that is rendered without a cache.
	note := encoderNote(s.dir, need[0].key)
	old := slices.DeleteFunc(reused, func(one *segment) bool { return encoderNote(s.dir, one.key) == note })
	s.reused -= len(old)
	if err := s.code(ctx, old); err != nil {
		return 0, err
	}
	for _, one := range append(need, old...) {
		coded += one.images()
	}
	return coded, nil
}
