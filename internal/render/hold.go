// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"errors"
	"io"

	"github.com/reelops/reelops/internal/render/h264"
	"github.com/reelops/reelops/internal/timeline"
)

// heldBits is the share of bits a picture gets that is shown for more than a moment. An encoder that sees every frame of a
// still refines the picture over time; one that sees it once has to do it right at once, and it is cheap to let it.
const heldBits = 4.0

// held is a film as the encoder sees it: every picture once, and how often each is shown again.
type held struct {
	shots []timeline.Shot
	// repeat holds h264.Drop for a picture that is encoded in vain.
	repeat []int
	keys   []int
	zones  []zone
}

// hold takes the repetitions out of a film.
//
// The encoder gives a key frame that follows moving pictures the quality of those, whatever share of bits it is promised. A
// held picture in such a place is encoded twice, as two key frames in a row: the second one follows a key frame and gets its
// share; the first one is dropped.
func hold(shots []timeline.Shot) held {
	var h held
	for i := 0; i < len(shots); {
		n := 1
		for i+n < len(shots) && !shots[i+n].Key && shots[i+n].Same(shots[i]) {
			n++
		}
		if moved := len(h.shots) > 0 && !h.shots[len(h.shots)-1].Key; n > 1 && moved && shots[i].Key {
			h.add(shots[i], h264.Drop)
		}
		h.add(shots[i], n-1)
		i += n
	}
	return h
}

func (h *held) add(s timeline.Shot, repeat int) {
	n := len(h.shots)
	h.shots, h.repeat = append(h.shots, s), append(h.repeat, repeat)
	if s.Key {
		h.keys = append(h.keys, n)
	}
	if repeat > 0 {
		h.zones = append(h.zones, zone{n, n, heldBits})
	}
}

// picture makes the H.264 stream of a film and tells how many frames were encoded for it.
func (o Options) picture(ctx context.Context, tl *timeline.Timeline, paths map[string]string, video string) (int, error) {
	all := tl.Shots()
	h := hold(all)
	if o.EveryFrame || len(h.shots) >= len(all) {
		return o.plain(ctx, tl, all, paths, video)
	}
	err := o.holding(ctx, tl, h, len(all), paths, video)
	if errors.Is(err, h264.ErrShape) { // another build of the encoder may write what we cannot lengthen
		return o.plain(ctx, tl, all, paths, video)
	}
	return len(h.shots), err
}

// plain encodes every frame.
func (o Options) plain(ctx context.Context, tl *timeline.Timeline, shots []timeline.Shot, paths map[string]string, video string) (int, error) {
	var keys []int
	for n, s := range shots {
		if s.Key {
			keys = append(keys, n)
		}
	}
	e := encoding{o.FFmpeg, tl.Canvas, tl.FPS, o.Preset, o.CRF, o.Threads, keys, nil}
	err := e.run(ctx, o.feed(ctx, tl, shots, paths, func(n int) { o.Progress(n+1, len(shots)) }), func(r io.Reader) error {
		return toFile(video, func(w io.Writer) error {
			_, err := io.Copy(w, r)
			return err
		})
	})
	return len(shots), err
}

// holding encodes every picture once and writes the repetitions itself.
func (o Options) holding(ctx context.Context, tl *timeline.Timeline, h held, total int, paths map[string]string, video string) error {
	e := encoding{o.FFmpeg, tl.Canvas, tl.FPS, o.Preset, o.CRF, o.Threads, h.keys, h.zones}
	done := 0
	feed := o.feed(ctx, tl, h.shots, paths, func(n int) {
		if h.repeat[n] != h264.Drop {
			done += 1 + h.repeat[n]
			o.Progress(done, total)
		}
	})
	plan := h264.Plan{KeyEvery: keyInterval * tl.FPS, Repeat: func(n int) int {
		if n >= len(h.repeat) {
			return 0
		}
		return h.repeat[n]
	}}
	return e.run(ctx, feed, func(r io.Reader) error {
		return toFile(video, func(w io.Writer) error {
			_, written, err := h264.Lengthen(w, r, plan)
			if err == nil && written != total && ctx.Err() == nil {
				return io.ErrUnexpectedEOF // the encoder broke off; what it says about that is the better reason
			}
			return err
		})
	})
}

// feed draws shots and writes them as raw frames.
func (o Options) feed(ctx context.Context, tl *timeline.Timeline, shots []timeline.Shot, paths map[string]string, told func(n int)) func(io.Writer) error {
	return func(w io.Writer) error {
		return newScene(tl, shots, paths, o).drawAll(ctx, func(n int, f *frame) error {
			if err := o.poster(n, f); err != nil {
				return err
			}
			if _, err := w.Write(f.pix); err != nil {
				return err
			}
			told(n)
			return nil
		})
	}
}
