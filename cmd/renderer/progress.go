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

const (
	// progressEvery is the time between the starts of two reports.
	progressEvery = time.Second
	// progressTimeout is the timeout of one report.
	progressTimeout = 5 * time.Second
)

// progress reports the progress of a render. Reports never delay the render and never fail it. A report that cannot be
// delivered is dropped, because the next one supersedes it.
type progress struct {
	web     *web
	address string
	now     func() time.Time
	began   time.Time
	every   time.Duration

	mu    sync.Mutex
	done  int
	total int

	changed chan struct{} // has one token if there is progress to report
	stop    context.CancelFunc
	wg      sync.WaitGroup
}

// newProgress starts reporting until close. Without an address, nothing is reported.
func newProgress(w *web, address string, now func() time.Time) *progress {
	p := &progress{web: w, address: address, now: now, began: now(), every: progressEvery, changed: make(chan struct{}, 1)}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	if address != "" {
		p.wg.Go(func() { p.loop(ctx) })
	}
	return p
}

// set records that done of total frames are rendered.
func (p *progress) set(done, total int) {
	p.mu.Lock()
	p.done, p.total = max(p.done, done), total // a second attempt with plain encoding starts at 0, the report must not
	p.mu.Unlock()
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// close stops the reports and waits for one in flight. Only the report of completion may follow.
func (p *progress) close() {
	p.stop()
	p.wg.Wait()
}

// loop sends a report after each change, but starts at most one report in an interval.
func (p *progress) loop(ctx context.Context) {
	for {
		select {
		case <-p.changed:
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
			p.web.log.Info("reporting progress failed", "error", bare(err))
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return
		}
	}
}

// report returns the current progress.
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

// complete reports that the video and the outcome are stored. If this fails, the controller waits for the end of the
// pod.
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
		r.log.Info("reporting completion failed", "error", bare(err))
	}
}
