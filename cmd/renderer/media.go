// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/film/renderwork"
	"github.com/reelops/reelops/internal/media/probe"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/starter/avatar"
	"github.com/reelops/reelops/internal/starter/music"
	"github.com/reelops/reelops/internal/work/mediawork"
)

// maker makes an item of the starter set into a local file.
type maker func(ctx context.Context, ffmpeg, name, out string) error

var makers = map[mediawork.Kind]maker{
	mediawork.StarterClip:  avatar.Render,
	mediawork.StarterTrack: music.Render,
}

// makeError is a failed making of a starter item.
type makeError struct{ err error }

func (e *makeError) Error() string { return "making the item: " + e.err.Error() }
func (e *makeError) Unwrap() error { return e.err }

// errOtherFile says that the file is not of the type it had when the order was written.
var errOtherFile = errors.New("the file is of another type than was ordered")

// doMedia does the media work of an order and gives the exit code.
func (r *run) doMedia(ctx context.Context, doc []byte) int {
	result, err := r.media(ctx, doc)
	out := mediaOutcome(result, err)
	out.Unconfined = r.unconfined
	if err != nil {
		r.log.Error("media work failed", "code", out.Error.Code, "reason", out.Error.Reason, "error", err)
	} else {
		r.log.Info("media work succeeded", "type", result.ContentType, "bytes", result.Bytes, "milliseconds", result.DurationMilliseconds)
	}
	said := false
	if doc, eerr := out.Encode(); eerr != nil {
		r.log.Error("outcome not understandable", "error", eerr)
	} else {
		said = r.leave(doc)
	}
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

// media does everything but telling the outcome. Nothing is left in the scratch folder afterwards.
func (r *run) media(ctx context.Context, doc []byte) (*mediawork.Result, error) {
	order, err := mediawork.ParseOrder(doc)
	if err != nil {
		return nil, err
	}
	if err := r.confined(order.RequireConfinement); err != nil {
		return nil, err
	}
	ctx, stop := context.WithDeadlineCause(ctx, order.Limits.Deadline, errExpired)
	defer stop()
	r.limit(renderwork.Limits{MemoryBytes: order.Limits.MemoryBytes, Threads: order.Limits.Threads})
	dir, err := os.MkdirTemp(r.scratch, "media-")
	if err != nil {
		return nil, fmt.Errorf("creating a scratch folder: %w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			r.log.Error("scratch folder not removed", "error", err)
		}
	}()
	result, err := r.look(ctx, order, dir)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // whatever broke, it broke because time was up
	}
	return result, err
}

// look gets or makes the file, looks at it, and stores what was made.
func (r *run) look(ctx context.Context, order *mediawork.Order, dir string) (*mediawork.Result, error) {
	if len(order.Passages) > 0 {
		return r.passages(ctx, order, dir)
	}
	path, contentType, err := r.file(ctx, order, dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	result := &mediawork.Result{ContentType: contentType, Bytes: info.Size()}
	l := order.Limits
	t := r.tools(l)
	may := probe.Limits{
		Duration: time.Duration(l.DurationMilliseconds) * time.Millisecond, Tracks: l.Tracks,
		Pixels: l.Pixels, Side: l.Side, Frames: l.Frames, FrameRate: l.FrameRate,
	}
	switch {
	case order.Kind.Clip():
		err = r.clip(ctx, t, may, order, path, dir, result)
	case order.Kind.Spoken():
		err = r.listen(ctx, t, may, order.Speech.Text, path, result)
	default:
		err = r.track(ctx, t, may, path, result)
	}
	if err == nil && order.File != nil {
		err = r.store(ctx, order.File, path, contentType, "file")
	}
	return result, err
}

func (r *run) tools(l mediawork.Limits) probe.Tools {
	return probe.Tools{FFmpeg: r.ffmpeg, FFprobe: r.ffprobe, Threads: l.Threads, MemoryBytes: l.MemoryBytes}
}

// file fetches the file that is there already, makes the item of the starter set, or says the text.
func (r *run) file(ctx context.Context, order *mediawork.Order, dir string) (path, contentType string, err error) {
	path = filepath.Join(dir, "file")
	switch {
	case order.Kind == mediawork.Speak:
		if err := r.speak(ctx, order.Speech, dir, path); err != nil {
			return "", "", err
		}
	case order.Kind.Brought():
		if err := r.web.download(ctx, order.Input.URL, order.Input.MaxBytes, path, sha256.New()); err != nil {
			return "", "", &inputError{"file", errors.Is(err, errTooLarge), err}
		}
	default:
		if err := makers[order.Kind](ctx, r.ffmpeg, order.Starter, path); err != nil {
			return "", "", &makeError{err}
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, sniff.Bytes))
	if err != nil {
		return "", "", err
	}
	contentType = sniff.Audio(head)
	if order.Kind.Clip() || order.Kind == mediawork.Listen && strings.HasPrefix(order.Input.ContentType, "video/") {
		contentType = sniff.ContentType(head)
	}
	if order.Input != nil && contentType != order.Input.ContentType {
		return "", "", errOtherFile
	}
	return path, contentType, nil
}

func (r *run) clip(ctx context.Context, t probe.Tools, l probe.Limits, order *mediawork.Order, path, dir string, into *mediawork.Result) error {
	c, err := t.Clip(ctx, path, into.ContentType, l)
	if err != nil {
		return err
	}
	into.DurationMilliseconds, into.Width, into.Height = c.Duration.Milliseconds(), c.Width, c.Height
	into.FrameRate, into.VideoCodec, into.AudioCodec = c.FrameRate, c.VideoCodec, c.AudioCodec
	thumbnail := filepath.Join(dir, "thumbnail.jpg")
	if err := t.Thumbnail(ctx, path, into.ContentType, c, order.Limits.ThumbnailWidth, l, thumbnail); err != nil {
		return err
	}
	into.Thumbnail = true
	return r.store(ctx, order.Thumbnail, thumbnail, "image/jpeg", "thumbnail")
}

func (r *run) track(ctx context.Context, t probe.Tools, l probe.Limits, path string, into *mediawork.Result) error {
	k, err := t.Track(ctx, path, into.ContentType, l)
	if err != nil {
		return err
	}
	into.DurationMilliseconds, into.AudioCodec = k.Duration.Milliseconds(), k.AudioCodec
	into.Loudness, err = t.Loudness(ctx, path, into.ContentType, k, l)
	return err
}

func (r *run) store(ctx context.Context, to *mediawork.Target, path, contentType, what string) error {
	if err := r.web.put(ctx, *to, path, contentType); err != nil {
		return &uploadError{what, err}
	}
	return nil
}
