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

// projector plays the footage of one scene. Each clip has one reel for its footage and one for its inset, each with a
// decoder of its own while it is played. The decoders of the next clip are started when a reel begins, so that no
// drawing waits for them at the cut.
type projector struct {
	tl    *timeline.Timeline
	paths map[string]string
	o     Options
	reels [][]*reel // by clip

	ctx   context.Context // set between begin and end
	stop  context.CancelFunc
	ahead sync.WaitGroup

	mu     sync.Mutex
	known  map[file]*fileInfo
	folder string // the working directory of the children, once created
	tables map[colour]string
}

func newProjector(tl *timeline.Timeline, paths map[string]string, o Options) *projector {
	return &projector{
		tl: tl, paths: paths, o: o, reels: make([][]*reel, len(tl.Clips)),
		known: map[file]*fileInfo{}, tables: map[colour]string{},
	}
}

// reel returns a reel that plays footage of a clip in an area of the canvas.
func (p *projector) reel(clip int, f timeline.Footage, area timeline.Canvas) *reel {
	r := &reel{of: p, clip: clip, footage: f, area: area, at: -1}
	r.moved.L = &r.mu
	p.reels[clip] = append(p.reels[clip], r)
	return r
}

func (p *projector) begin(ctx context.Context) {
	p.ctx, p.stop = context.WithCancel(ctx)
	for _, r := range slices.Concat(p.reels...) {
		context.AfterFunc(p.ctx, func() { r.fail(context.Cause(p.ctx)) })
	}
	for clip, reels := range p.reels { // a video that begins with footage
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

// prepare starts the decoders of a clip that will be shown soon.
func (p *projector) prepare(clip int) {
	if clip >= len(p.reels) {
		return
	}
	for _, r := range p.reels[clip] {
		p.ahead.Go(r.prepare)
	}
}

// finish closes the reels of a clip that is not shown any more.
func (p *projector) finish(clip int) {
	for _, r := range p.reels[clip] {
		r.close()
	}
}

// work returns the working directory of the children, and the colour table of a file in that directory if the file
// needs one.
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

// reel plays footage of one clip. The goroutines that draw the shots request its frames concurrently. The frames are
// read in the order of the shots, and every shot gets its own frame.
type reel struct {
	of      *projector
	clip    int
	footage timeline.Footage
	area    timeline.Canvas // the size of its frames

	mu    sync.Mutex
	moved sync.Cond
	turns []int // the shots that show the reel and are not drawn yet, in order
	err   error // why the reel has stopped

	child  *decoder
	at     int // index of the frame in now, -1 before the first one
	now    *frame
	spare  *frame // the buffer for the next frame
	begun  bool   // whether a frame was requested
	ended  bool   // whether the file has no more frames
	stderr string // the decoder's standard error at its end
}

// expect records that a shot shows the reel.
func (r *reel) expect(shot int) { r.turns = append(r.turns, shot) }

// show passes frame k to take for a shot; the frame is valid until take returns. It waits until all earlier shots have
// their frames.
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

// wind advances to frame k, or to the last frame of the file.
func (r *reel) wind(k int) error {
	if !r.begun {
		r.begun = true
		r.of.prepare(r.clip + 1)
	}
	if k < r.at { // the footage restarts
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
			r.stderr, r.ended, r.child = r.child.p.stderr(), true, nil
			break
		}
		r.now, r.spare = r.spare, r.now
		r.at++
	}
	if r.at < 0 {
		return badInput(r.footage.Input, errors.New(r.stderr), noPicture)
	}
	return nil
}

// start starts the decoder if it is not running.
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

// prepare starts the decoder before the first request for a frame.
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

// fail records the reason why the reel stops, and wakes all waiting goroutines.
func (r *reel) fail(reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = reason
	}
	r.moved.Broadcast()
}

// close stops the decoder and drops the frames.
func (r *reel) close() {
	r.fail(errReelClosed)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.child.stop()
	r.child, r.now, r.spare = nil, nil, nil
}
