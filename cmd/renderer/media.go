// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/media/probe"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/starter/avatar"
	"github.com/reelops/reelops/internal/starter/music"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// maker creates an item of the starter set in a local file.
type maker func(ctx context.Context, ffmpeg, name, out string) error

var makers = map[order.Kind]maker{
	order.StarterClip:  avatar.Render,
	order.StarterTrack: music.Render,
}

// makeError is a failure to create an item of the starter set.
type makeError struct{ err error }

func (e *makeError) Error() string { return "generating the item: " + e.err.Error() }
func (e *makeError) Unwrap() error { return e.err }

// errOtherFile means that the type of the file has changed since the order was written.
var errOtherFile = errors.New("type of the file differs from the order")

// look downloads or creates the file, inspects it, and stores the created files.
func (r *run) look(ctx context.Context, o *order.Order, dir string) (*outcome.Media, error) {
	if len(o.Passages) > 0 {
		return r.passages(ctx, o, dir)
	}
	path, contentType, err := r.file(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	result := &outcome.Media{ContentType: contentType, Bytes: info.Size()}
	l := o.Limits
	t := r.tools(l)
	may := probe.Limits{
		Duration: time.Duration(l.DurationMilliseconds) * time.Millisecond, Tracks: l.Tracks,
		Pixels: l.Pixels, Side: l.Side, Frames: l.Frames, FrameRate: l.FrameRate,
	}
	switch {
	case o.Kind.Clip():
		err = r.clip(ctx, t, may, o, path, dir, result)
	case o.Kind.Spoken():
		err = r.listen(ctx, t, may, o.Speech.Text, path, result)
	default:
		err = r.track(ctx, t, may, path, result)
	}
	if err == nil && o.File != nil {
		err = r.store(ctx, o.File, path, contentType, "file")
	}
	return result, err
}

func (r *run) tools(l order.Limits) probe.Tools {
	return probe.Tools{FFmpeg: r.ffmpeg, FFprobe: r.ffprobe, Threads: l.Threads, MemoryBytes: l.MemoryBytes}
}

// file downloads the stored file, creates the item of the starter set, or speaks the text.
func (r *run) file(ctx context.Context, o *order.Order, dir string) (path, contentType string, err error) {
	path = filepath.Join(dir, "file")
	switch {
	case o.Kind == order.Speak:
		if err := r.speak(ctx, o.Speech, dir, path); err != nil {
			return "", "", err
		}
	case o.Kind.Inspects():
		if err := r.web.download(ctx, o.Input.URL, o.Input.MaxBytes, path, sha256.New()); err != nil {
			return "", "", &inputError{"file", errors.Is(err, errTooLarge), err}
		}
	default:
		if err := makers[o.Kind](ctx, r.ffmpeg, o.Starter, path); err != nil {
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
	if o.Kind.Clip() || o.Kind == order.Listen && strings.HasPrefix(o.Input.ContentType, "video/") {
		contentType = sniff.ContentType(head)
	}
	if o.Input != nil && contentType != o.Input.ContentType {
		return "", "", errOtherFile
	}
	return path, contentType, nil
}

func (r *run) clip(ctx context.Context, t probe.Tools, l probe.Limits, o *order.Order, path, dir string, into *outcome.Media) error {
	c, err := t.Clip(ctx, path, into.ContentType, l)
	if err != nil {
		return err
	}
	into.DurationMilliseconds, into.Width, into.Height = c.Duration.Milliseconds(), c.Width, c.Height
	into.FrameRate, into.VideoCodec, into.AudioCodec = c.FrameRate, c.VideoCodec, c.AudioCodec
	thumbnail := filepath.Join(dir, "thumbnail.jpg")
	if err := t.Thumbnail(ctx, path, into.ContentType, c, o.Limits.ThumbnailWidth, l, thumbnail); err != nil {
		return err
	}
	into.Thumbnail = true
	return r.store(ctx, o.Thumbnail, thumbnail, "image/jpeg", "thumbnail")
}

func (r *run) track(ctx context.Context, t probe.Tools, l probe.Limits, path string, into *outcome.Media) error {
	k, err := t.Track(ctx, path, into.ContentType, l)
	if err != nil {
		return err
	}
	into.DurationMilliseconds, into.AudioCodec = k.Duration.Milliseconds(), k.AudioCodec
	into.Loudness, err = t.Loudness(ctx, path, into.ContentType, k, l)
	return err
}
