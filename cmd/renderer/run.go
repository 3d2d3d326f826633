// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/film/render"
	"github.com/reelops/reelops/internal/film/renderwork"
	"github.com/reelops/reelops/internal/work/mediawork"
)

var (
	errStopped = errors.New("the renderer was asked to stop")
	errExpired = errors.New("the order's deadline has passed")
	// errUnconfined ends work that has to be confined on a system that cannot.
	errUnconfined = errors.New("programs that open files of users are not confined here")
)

// sayTimeout bounds telling the outcome, which has to work after the order's own deadline too.
const sayTimeout = 30 * time.Second

// run is one render from the order to its outcome.
type run struct {
	options
	log *slog.Logger
	web *web
	now func() time.Time
	// unconfined are the parts of the confinement that the system does not have.
	unconfined []string
}

// confined returns errUnconfined when the order or the options require a confinement that the system does not have.
func (r *run) confined(required bool) error {
	if (required || r.requireConfinement) && len(r.unconfined) > 0 {
		return errUnconfined
	}
	return nil
}

func newRun(o options, log *slog.Logger) *run {
	return &run{options: o, log: log, web: newWeb(log, o.authorities), now: time.Now}
}

// do does what the order asks for and gives the exit code.
func (r *run) do(ctx context.Context) int {
	doc, err := r.web.get(ctx, r.orderURL, renderwork.MaxOrderBytes)
	if err == nil && mediawork.KindOf(doc) != "" {
		return r.doMedia(ctx, doc)
	}
	order, result, err := r.work(ctx, doc, err)
	out := outcome(result, err)
	out.Unconfined = r.unconfined
	if err != nil {
		r.log.Error("render failed", "code", out.Error.Code, "details", out.Error.Details, "error", err)
	} else {
		r.log.Info("render succeeded", "bytes", result.Bytes, "frames", result.Frames, "encoded", result.Encoded,
			"seconds", result.RenderSeconds)
	}
	said := r.say(ctx, order, out)
	switch {
	case errors.Is(context.Cause(ctx), errStopped):
		return exitStopped
	case !said:
		return exitUnsaid
	case err != nil:
		return exitFailed
	}
	return exitOK
}

// work does everything but telling the outcome, with the order that was fetched or the error of that. The order is nil when it
// could not be read. Nothing is left in the scratch folder afterwards.
func (r *run) work(ctx context.Context, doc []byte, err error) (*renderwork.Order, *renderwork.Result, error) {
	if err != nil {
		return nil, nil, fmt.Errorf("fetching the order: %w", err)
	}
	order, err := renderwork.ParseOrder(doc)
	if err != nil {
		return order, nil, err
	}
	if err := r.confined(order.RequireConfinement); err != nil {
		return order, nil, err
	}
	if d := order.Limits.Deadline; !d.IsZero() {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadlineCause(ctx, d, errExpired)
		defer stop()
	}
	threads := r.limit(order.Limits)
	if err := order.Timeline.Validate(); err != nil {
		return order, nil, err
	}
	dir, err := os.MkdirTemp(r.scratch, "render-")
	if err != nil {
		return order, nil, fmt.Errorf("creating a scratch folder: %w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			r.log.Error("scratch folder not removed", "error", err)
		}
	}()
	result, err := r.film(ctx, order, dir, threads)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // whatever broke, it broke because time was up
	}
	return order, result, err
}

// film fetches, renders and uploads inside one folder.
func (r *run) film(ctx context.Context, order *renderwork.Order, dir string, threads int) (*renderwork.Result, error) {
	var old, fresh string
	var fetched sync.WaitGroup
	if order.Pack != nil {
		fetched.Go(func() { old = r.oldPack(ctx, order.Pack, dir) })
	}
	paths, digests, err := r.inputs(ctx, order, dir)
	fetched.Wait()
	if err != nil {
		return nil, err
	}
	if order.Pack != nil && order.Pack.Keep != nil {
		fresh = filepath.Join(dir, "pack")
	}
	video, poster := filepath.Join(dir, "film.mp4"), ""
	if order.Outputs.Poster != nil {
		poster = filepath.Join(dir, "poster.jpg")
	}
	began := r.now()
	r.log.Info("film begun", "frames", order.Timeline.Frames())
	p := newProgress(r.web, order.Callback.ProgressURL, r.now)
	made, err := render.Film(ctx, &order.Timeline, paths, video, render.Options{
		FFmpeg: r.ffmpeg, FFprobe: r.ffprobe, Scratch: dir, Threads: threads, Poster: poster, Progress: p.set,
		Digests: digests, OldPack: old, NewPack: fresh,
	})
	p.close()
	if err != nil {
		return nil, err
	}
	took := r.now().Sub(began)
	r.log.Info("film made", "bytes", made.Bytes, "frames", made.Probe.Frames, "encoded", made.Encoded, "reused", made.Reused, "parts", made.Parts)
	if err := r.web.put(ctx, order.Outputs.Video, video, "video/mp4"); err != nil {
		return nil, &uploadError{"video", err}
	}
	if poster != "" {
		if err := r.web.put(ctx, *order.Outputs.Poster, poster, "image/jpeg"); err != nil {
			return nil, &uploadError{"poster", err}
		}
	}
	r.keepPack(ctx, order.Pack, fresh)
	b := made.Probe
	return &renderwork.Result{
		Bytes: made.Bytes, SHA256: made.SHA256, DurationSeconds: b.DurationSeconds, Width: b.Width, Height: b.Height,
		Frames: b.Frames, Encoded: made.Encoded, Reused: made.Reused, Parts: made.Parts, RenderSeconds: float64(took.Milliseconds()) / 1000, Poster: poster != "",
		Probe: fmt.Sprintf("%s %s %s %dx%d %s, %s %d Hz %d ch, fast start",
			b.VideoCodec, b.Profile, b.PixelFormat, b.Width, b.Height, b.FrameRate, b.AudioCodec, b.SampleRate, b.Channels),
	}, nil
}

// limit keeps this program within the order's limits and gives the number of threads. Half of the memory is the encoder's.
func (r *run) limit(l renderwork.Limits) int {
	if l.MemoryBytes > 0 {
		debug.SetMemoryLimit(l.MemoryBytes / 2)
	}
	if l.Threads > 0 && l.Threads < runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(l.Threads)
	}
	if l.Threads > 0 {
		return l.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// say tells the outcome to the callback and to the termination message. It gives false when neither took it.
func (r *run) say(ctx context.Context, order *renderwork.Order, out *renderwork.Outcome) bool {
	doc, err := out.Encode()
	if err != nil {
		r.log.Error("outcome not understandable", "error", err)
		return false
	}
	said := r.leave(doc)
	if order == nil || order.Callback.OutcomeURL == "" || ctx.Err() != nil {
		return said // a stopped pod has no time for calls; its Job tells the rest
	}
	ctx, stop := context.WithTimeout(ctx, sayTimeout)
	defer stop()
	if err := r.web.post(ctx, order.Callback.OutcomeURL, doc); err != nil {
		r.log.Error("outcome callback failed", "error", err)
		return said
	}
	return true
}

// leave writes the container's last words and tells whether that could be done.
func (r *run) leave(doc []byte) bool {
	if err := os.WriteFile(r.terminationLog, doc, 0o644); err != nil {
		r.log.Info("no termination message written", "error", err)
		return false
	}
	return true
}
