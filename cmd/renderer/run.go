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
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

var (
	errStopped = errors.New("the renderer was stopped")
	errExpired = errors.New("the order's deadline has passed")
	// errUnconfined means that the work requires a confinement that the system does not have.
	errUnconfined = errors.New("programs that open files of users are not confined")
)

// reportTimeout bounds the report of the outcome, which has to succeed after the deadline of the order as well.
const reportTimeout = 30 * time.Second

// run executes one order.
type run struct {
	options
	log *slog.Logger
	web *web
	now func() time.Time
	// unconfined are the missing parts of the confinement of the system.
	unconfined []string
}

// confined returns errUnconfined if the order or the options require a confinement that the system does not have.
func (r *run) confined(required bool) error {
	if (required || r.requireConfinement) && len(r.unconfined) > 0 {
		return errUnconfined
	}
	return nil
}

// newRun returns a run with the options.
func newRun(o options, log *slog.Logger) *run {
	return &run{options: o, log: log, web: newWeb(log, o.authorities), now: time.Now}
}

// do executes the order, reports the outcome and returns the exit code.
func (r *run) do(ctx context.Context) int {
	var o *order.Order
	doc, err := r.web.get(ctx, r.orderURL, order.MaxBytes)
	if err != nil {
		err = fmt.Errorf("fetching the order: %w", err)
	} else {
		o, err = order.Parse(doc)
	}
	out := &outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Unconfined: r.unconfined}
	if o != nil {
		out.Order = o.ID
		out.Film, out.Media, err = r.work(ctx, o)
	}
	switch {
	case err != nil:
		out.State, out.Film, out.Media, out.Error = outcome.Failed, nil, nil, failureOf(o, err)
		r.log.Error("work failed", "code", out.Error.Code, "reason", out.Error.Reason, "field", out.Error.Field, "error", err)
	case out.Film != nil:
		f := out.Film
		r.log.Info("render succeeded", "bytes", f.Bytes, "frames", f.Frames, "encoded", f.Encoded, "seconds", f.RenderSeconds)
	default:
		m := out.Media
		r.log.Info("media work succeeded", "type", m.ContentType, "bytes", m.Bytes, "milliseconds", m.DurationMilliseconds)
	}
	reported := r.report(ctx, o, out)
	switch {
	case errors.Is(context.Cause(ctx), errStopped):
		return exitStopped
	case !reported:
		return exitUnreported
	case err != nil:
		return exitFailed
	}
	return exitOK
}

// failureOf returns the failure for an error. The order is nil if it could not be read.
func failureOf(o *order.Order, err error) *outcome.Failure {
	if o != nil && o.Kind != order.Film {
		return mediaFailure(err)
	}
	return failure(err)
}

// work executes the order. It removes all its files from the scratch folder.
func (r *run) work(ctx context.Context, o *order.Order) (film *outcome.Film, media *outcome.Media, err error) {
	if err := r.confined(o.RequireConfinement); err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithDeadlineCause(ctx, o.Limits.Deadline, errExpired)
	defer stop()
	r.limit(o.Limits)
	dir, err := os.MkdirTemp(r.scratch, "work-")
	if err != nil {
		return nil, nil, fmt.Errorf("creating a scratch folder: %w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			r.log.Error("removing scratch directory failed", "error", err)
		}
	}()
	if o.Kind == order.Film {
		film, err = r.film(ctx, o, dir)
	} else {
		media, err = r.look(ctx, o, dir)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // the error is a consequence of the cancellation
	}
	return film, media, err
}

// film downloads the inputs, renders the video and uploads it. Its files are in dir.
func (r *run) film(ctx context.Context, o *order.Order, dir string) (*outcome.Film, error) {
	work, film := o.Render, &timeline.Timeline{}
	if err := order.Decode(work.Timeline, order.MaxBytes, film); err != nil {
		return nil, order.Wrong("timeline", "The timeline cannot be read.")
	}
	if err := film.Validate(); err != nil {
		return nil, err
	}
	var old, fresh string
	var fetched sync.WaitGroup
	if work.Pack != nil {
		fetched.Go(func() { old = r.oldPack(ctx, work.Pack, dir) })
	}
	paths, digests, err := r.inputs(ctx, film.Inputs(), work.Inputs, dir)
	fetched.Wait()
	if err != nil {
		return nil, err
	}
	if work.Pack != nil && work.Pack.Keep != nil {
		fresh = filepath.Join(dir, "pack")
	}
	video, poster := filepath.Join(dir, "film.mp4"), ""
	if work.Poster != nil {
		poster = filepath.Join(dir, "poster.jpg")
	}
	began := r.now()
	r.log.Info("render started", "frames", film.Frames())
	p := newProgress(r.web, o.ProgressURL, r.now)
	rendered, err := render.Film(ctx, film, paths, video, render.Options{
		FFmpeg: r.ffmpeg, FFprobe: r.ffprobe, Scratch: dir, Threads: o.Limits.Threads, Poster: poster, Progress: p.set,
		Digests: digests, OldPack: old, NewPack: fresh,
	})
	p.close()
	if err != nil {
		return nil, err
	}
	took := r.now().Sub(began)
	r.log.Info("video rendered", "bytes", rendered.Bytes, "frames", rendered.Probe.Frames, "encoded", rendered.Encoded, "reused", rendered.Reused, "parts", rendered.Parts)
	if err := r.store(ctx, &work.Video, video, "video/mp4", "video"); err != nil {
		return nil, err
	}
	if poster != "" {
		if err := r.store(ctx, work.Poster, poster, "image/jpeg", "poster"); err != nil {
			return nil, err
		}
	}
	r.keepPack(ctx, work.Pack, fresh)
	b := rendered.Probe
	return &outcome.Film{
		Bytes: rendered.Bytes, SHA256: rendered.SHA256, DurationSeconds: b.DurationSeconds, Width: b.Width, Height: b.Height,
		Frames: b.Frames, Encoded: rendered.Encoded, Reused: rendered.Reused, Parts: rendered.Parts, RenderSeconds: float64(took.Milliseconds()) / 1000, Poster: poster != "",
		Probe: fmt.Sprintf("%s %s %s %dx%d %s, %s %d Hz %d ch, fast start",
			b.VideoCodec, b.Profile, b.PixelFormat, b.Width, b.Height, b.FrameRate, b.AudioCodec, b.SampleRate, b.Channels),
	}, nil
}

// store uploads a file of the work.
func (r *run) store(ctx context.Context, to *order.Target, path, contentType, what string) error {
	if err := r.web.put(ctx, *to, path, contentType); err != nil {
		return &uploadError{what, err}
	}
	return nil
}

// limit applies the limits of the order to this process. Half of the memory is for the encoder.
func (r *run) limit(l order.Limits) {
	debug.SetMemoryLimit(l.MemoryBytes / 2)
	runtime.GOMAXPROCS(min(l.Threads, runtime.GOMAXPROCS(0)))
}

// report writes the outcome to the termination message and stores it at the URL of the order. It reports whether at
// least one of them succeeded.
func (r *run) report(ctx context.Context, o *order.Order, out *outcome.Outcome) bool {
	reported := false
	if message, err := out.EncodeMessage(); err != nil {
		r.log.Error("encoding the termination message failed", "error", err)
	} else {
		reported = r.leave(message)
	}
	if o == nil || ctx.Err() != nil {
		return reported // a stopped pod has no time for requests; the controller reads the state of its Job
	}
	doc, err := out.Encode()
	if err != nil {
		r.log.Error("encoding the outcome failed", "error", err)
		return reported
	}
	ctx, stop := context.WithTimeout(ctx, reportTimeout)
	defer stop()
	if err := r.web.putDocument(ctx, o.Outcome, doc); err != nil {
		r.log.Error("storing the outcome failed", "host", order.Redact(o.Outcome.URL), "error", bare(err))
		return reported
	}
	if out.Film != nil {
		r.complete(ctx, o.ProgressURL, out.Film)
	}
	return true
}

// leave writes the termination message and reports whether that succeeded.
func (r *run) leave(doc []byte) bool {
	if err := os.WriteFile(r.terminationLog, doc, 0o644); err != nil {
		r.log.Info("writing termination message failed", "error", err)
		return false
	}
	return true
}
