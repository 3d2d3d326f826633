// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/reelops/reelops/internal/film/timeline"
)

var errReelClosed = errors.New("footage was asked for after its last frame")

// projector plays the footage of one scene: a reel for the footage of each clip and one for its inset, each with a decoder of its own
// while it is played. The decoders of the next clip are started when a reel begins, so that nobody waits for them at the cut.
type projector struct {
	tl    *timeline.Timeline
	paths map[string]string
	o     Options
	reels [][]*reel // by clip

	ctx   context.Context // between begin and end
	stop  context.CancelFunc
	ahead sync.WaitGroup

	mu     sync.Mutex
	known  map[file]*knowledge
	folder string // where the children work, once there is one
	tables map[colour]string
}

func newProjector(tl *timeline.Timeline, paths map[string]string, o Options) *projector {
	return &projector{
		tl: tl, paths: paths, o: o, reels: make([][]*reel, len(tl.Clips)),
		known: map[file]*knowledge{}, tables: map[colour]string{},
	}
}

// reel prepares to play footage of a clip in an area of the canvas.
func (p *projector) reel(clip int, f timeline.Footage, area timeline.Canvas) *reel {
	r := &reel{of: p, clip: clip, footage: f, area: area, at: -1}
	r.moved.L = &r.mu
	p.reels[clip] = append(p.reels[clip], r)
	return r
}

func (p *projector) begin(ctx context.Context) {
	p.ctx, p.stop = context.WithCancel(ctx)
	for _, r := range slices.Concat(p.reels...) {
		context.AfterFunc(p.ctx, func() { r.give(context.Cause(p.ctx)) })
	}
	for clip, reels := range p.reels { // a film that begins with it
		if slices.ContainsFunc(reels, func(r *reel) bool { return len(r.turns) > 0 && r.turns[0] == 0 }) {
			p.prepare(clip)
			return
		}
	}
}

func (p *projector) end() {
	if p.stop != nil {
		p.stop()
	}
	p.ahead.Wait()
	for _, r := range slices.Concat(p.reels...) {
		r.close()
	}
	if p.folder != "" {
		os.RemoveAll(p.folder)
	}
}

// prepare starts the decoders of a clip that will soon be seen.
func (p *projector) prepare(clip int) {
	if clip >= len(p.reels) {
		return
	}
	for _, r := range p.reels[clip] {
		p.ahead.Go(r.prepare)
	}
}

// finish closes the reels of a clip that is not seen any more.
func (p *projector) finish(clip int) {
	for _, r := range p.reels[clip] {
		r.close()
	}
}

// work is the folder the children work in, with the colour table of a file in it where that needs one.
func (p *projector) work(c colour) (folder, table string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.folder == "" {
		if p.folder, err = os.MkdirTemp(p.o.Scratch, "footage-"); err != nil {
			return "", "", err
		}
	}
	if !c.needsTable() {
		return p.folder, "", nil
	}
	name, made := p.tables[c]
	if !made {
		name = fmt.Sprintf("colour-%d.cube", len(p.tables))
		if err := toFile(filepath.Join(p.folder, name), c.writeTable); err != nil {
			return "", "", err
		}
		p.tables[c] = name
	}
	return p.folder, name, nil
}

// reel plays footage of one clip. Its pictures are asked for by whoever draws the shots, side by side; they are read in the
// order of the shots, and every shot gets the one it needs.
type reel struct {
	of      *projector
	clip    int
	footage timeline.Footage
	area    timeline.Canvas // the size of its pictures

	mu    sync.Mutex
	moved sync.Cond
	turns []int // the shots that show it and have not been drawn, in order
	err   error // why it gives no more

	child *decoder
	at    int // which picture now holds, -1 before the first one
	now   *frame
	spare *frame // is read into
	begun bool   // somebody has asked for a picture
	ended bool   // the file gives no more
	said  string // what the decoder said when it ended
}

// expect notes that a shot shows the reel.
func (r *reel) expect(shot int) { r.turns = append(r.turns, shot) }

// show hands over picture k for a shot, which is there until take returns. It waits until all shots before have theirs.
func (r *reel) show(shot, k int, take func(*frame)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.err == nil && len(r.turns) > 0 && r.turns[0] < shot {
		r.moved.Wait()
	}
	switch {
	case r.err != nil:
		return r.err
	case len(r.turns) == 0 || r.turns[0] != shot:
		return fmt.Errorf("shot %d was drawn before", shot)
	}
	if err := r.wind(k); err != nil {
		r.err = err
		r.moved.Broadcast()
		return err
	}
	take(r.now)
	r.turns = r.turns[1:]
	r.moved.Broadcast()
	return nil
}

// wind brings picture k into place, or the last one there is.
func (r *reel) wind(k int) error {
	if !r.begun {
		r.begun = true
		r.of.prepare(r.clip + 1)
	}
	if k < r.at { // the footage begins anew
		r.child.stop()
		r.child, r.at, r.ended = nil, -1, false
	}
	for r.at < k && !r.ended {
		if err := r.start(); err != nil {
			return err
		}
		more, err := r.child.next(r.spare)
		if err != nil {
			return blame(r.footage.Input, err, "The clip is damaged.")
		}
		if !more {
			r.said, r.ended, r.child = r.child.p.said(), true, nil
			break
		}
		r.now, r.spare = r.spare, r.now
		r.at++
	}
	if r.at < 0 {
		return badInput(r.footage.Input, errors.New(r.said), noPicture)
	}
	return nil
}

// start starts the decoder if it does not run.
func (r *reel) start() (err error) {
	if r.child != nil {
		return nil
	}
	if r.now == nil {
		w, h := r.area.Width, r.area.Height
		r.now, r.spare = newFrame(w, h), newFrame(w, h)
	}
	r.child, err = r.of.open(r.footage, r.area)
	return err
}

// prepare starts the decoder before anybody asks for a picture.
func (r *reel) prepare() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil || r.at >= 0 || len(r.turns) == 0 {
		return
	}
	if r.err = r.start(); r.err != nil {
		r.moved.Broadcast()
	}
}

// give makes everybody who waits give up for a reason.
func (r *reel) give(reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = reason
	}
	r.moved.Broadcast()
}

// close stops the decoder and drops the pictures.
func (r *reel) close() {
	r.give(errReelClosed)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.child.stop()
	r.child, r.now, r.spare = nil, nil, nil
}
