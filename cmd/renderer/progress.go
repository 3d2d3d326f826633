// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/outcome"
)

// How often progress is told, and how long one telling may take.
const (
	progressEvery   = time.Second
	progressTimeout = 5 * time.Second
)

// progress tells how far a render is. Telling it never holds up the render and never fails it: what cannot be delivered is
// dropped, the next report says more anyway.
type progress struct {
	web     *web
	address string
	now     func() time.Time
	began   time.Time
	every   time.Duration

	mu    sync.Mutex
	done  int
	total int

	news chan struct{} // holds one token when there is something to tell
	stop context.CancelFunc
	wg   sync.WaitGroup
}

// newProgress starts telling; without an address nothing is told. close ends it.
func newProgress(w *web, address string, now func() time.Time) *progress {
	p := &progress{web: w, address: address, now: now, began: now(), every: progressEvery, news: make(chan struct{}, 1)}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	if address != "" {
		p.wg.Go(func() { p.tell(ctx) })
	}
	return p
}

// set notes that done of total frames are made.
func (p *progress) set(done, total int) {
	p.mu.Lock()
	p.done, p.total = max(p.done, done), total // a second attempt with plain encoding starts over, the report does not
	p.mu.Unlock()
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// close stops telling and waits until no report is under way, so that only the one of complete can follow.
func (p *progress) close() {
	p.stop()
	p.wg.Wait()
}

// tell sends a report whenever there is news, but begins no two of them within the interval.
func (p *progress) tell(ctx context.Context) {
	for {
		select {
		case <-p.news:
		case <-ctx.Done():
			return
		}
		pause := time.NewTimer(p.every)
		doc, err := json.Marshal(p.report())
		if err == nil {
			once, done := context.WithTimeout(ctx, progressTimeout)
			err = p.web.postOnce(once, p.address, doc)
			done()
		}
		if err != nil && ctx.Err() == nil {
			p.web.log.Info("progress not delivered", "error", bare(err))
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return
		}
	}
}

func (p *progress) report() callback.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := callback.Progress{Version: callback.Version, Frame: p.done, Frames: p.total}
	if p.total > 0 {
		r.Percent = min(100*p.done/p.total, 99)
	}
	if s := p.now().Sub(p.began).Seconds(); s > 0 {
		r.FPS = math.Round(10*float64(p.done)/s) / 10
	}
	return r
}

// complete reports that the video and the outcome of a render are stored. If that fails, the controller waits for the end of the pod.
func (r *run) complete(ctx context.Context, address string, f *outcome.Film) {
	if address == "" {
		return
	}
	p := callback.Progress{Version: callback.Version, Percent: callback.Complete, Frame: f.Frames, Frames: f.Frames}
	if f.RenderSeconds > 0 {
		p.FPS = math.Round(10*float64(f.Frames)/f.RenderSeconds) / 10
	}
	doc, err := json.Marshal(p)
	if err == nil {
		once, done := context.WithTimeout(ctx, progressTimeout)
		defer done()
		err = r.web.postOnce(once, address, doc)
	}
	if err != nil {
		r.log.Info("completion not delivered", "error", bare(err))
	}
}
