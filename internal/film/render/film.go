// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/reelops/reelops/internal/film/render/h264"
	"github.com/reelops/reelops/internal/film/timeline"
)

// Options configure a render. The zero value of each field means its default.
type Options struct {
	// FFmpeg and FFprobe are the programs to run; default ffmpeg and ffprobe in PATH.
	FFmpeg, FFprobe string
	// Scratch is an existing directory for intermediate files; default the directory of the output.
	Scratch string
	// Threads is how many encoders run at a time; default the number of processors that this program may use. It does
	// not change the result.
	Threads int
	// Preset is the encoder's effort; default DefaultPreset.
	Preset Preset
	// CRF is the constant quality, lower is better; default DefaultCRF.
	CRF float64
	// EveryFrame encodes repeated images again instead of writing skipped pictures.
	EveryFrame bool
	// Poster is a file for a JPEG of the first frame; empty means none.
	Poster string
	// Digests are the SHA-256 digests of the inputs by key, in hexadecimal; missing ones are computed.
	Digests map[string]string
	// OldPack is the segment cache of an earlier video. Segments that this video shares with the cache are not encoded
	// again; the result is the same with and without a cache. An empty path, and a missing or damaged cache or one of
	// another build, mean that there is none.
	OldPack string
	// NewPack is the file for the segment cache of this video; empty means none. No cache is written for a video above
	// MaxPackBytes.
	NewPack string
	// Progress is called for every encoded frame. It must return quickly.
	Progress func(done, total int)
}

// Defaults of Options.
const (
	DefaultPreset = Superfast
	DefaultCRF    = 24.0
)

// Result describes a finished video.
type Result struct {
	Probe  Probe
	Bytes  int64
	SHA256 string // lower-case hexadecimal
	// Encoded is how many frames were coded, by the encoder or as displacements of another; the others repeat the frame
	// before them or come from a segment cache.
	Encoded int
	// Reused is how many of the Parts were read from the old segment cache.
	Reused, Parts int
}

// Film renders the video of a timeline. paths are the files of the inputs by key. It removes intermediate files before
// it returns, and the output too if it fails. Errors that a user or an operator can fix are *Error. If the context
// ends, it returns the cause of the context.
func Film(ctx context.Context, tl *timeline.Timeline, paths map[string]string, out string, o Options) (*Result, error) {
	if err := tl.Validate(); err != nil {
		return nil, badTimeline(err)
	}
	if err := complete(tl, paths); err != nil {
		return nil, err
	}
	o = o.withDefaults(out)
	dir, err := os.MkdirTemp(o.Scratch, "film-")
	if err != nil {
		return nil, localError("creating a scratch folder", err)
	}
	defer os.RemoveAll(dir)
	r, err := o.film(ctx, tl, paths, dir, out)
	if err != nil {
		os.Remove(out)
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, localError("rendering the video", err)
	}
	return r, nil
}

func (o Options) withDefaults(out string) Options {
	if o.FFmpeg == "" {
		o.FFmpeg = "ffmpeg"
	}
	if o.FFprobe == "" {
		o.FFprobe = "ffprobe"
	}
	if o.Scratch == "" {
		o.Scratch = filepath.Dir(out)
	}
	if o.Threads <= 0 {
		o.Threads = workers()
	}
	if o.Preset == "" {
		o.Preset = DefaultPreset
	}
	if o.CRF <= 0 {
		o.CRF = DefaultCRF
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

// film renders video and sound concurrently and joins them.
func (o Options) film(ctx context.Context, tl *timeline.Timeline, paths map[string]string, dir, out string) (*Result, error) {
	r, err := o.joined(ctx, tl, paths, dir, out)
	if errors.Is(err, h264.ErrShape) { // another build of the encoder may write streams that cannot be joined
		o.EveryFrame = true
		r, err = o.joined(ctx, tl, paths, dir, out)
	}
	if err != nil {
		return nil, err
	}
	if err := r.Probe.check(tl); err != nil {
		return nil, err
	}
	r.Bytes, r.SHA256, err = digest(out)
	return r, err
}

// poster stores a frame as the video's poster.
func (o Options) poster(f *frame) error {
	return toFile(o.Poster, func(w io.Writer) error { return writePoster(w, f) })
}

// toFile writes a new file. It also returns an error of the last write and of the close.
func toFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	err = write(w)
	if ferr := w.Flush(); err == nil {
		err = ferr
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

func digest(path string) (int64, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// complete returns an error for the first input of a timeline without a file.
func complete(tl *timeline.Timeline, paths map[string]string) error {
	for field, key := range tl.Inputs() {
		if paths[key] == "" {
			return &Error{Kind: BadTimeline, Field: field, Message: fmt.Sprintf("There is no input named %s.", key)}
		}
	}
	return nil
}

func badTimeline(err error) error {
	e := &Error{Kind: BadTimeline, Message: err.Error(), Err: err}
	if f := timeline.FieldErrors(err); len(f) > 0 {
		e.Field, e.Message = f[0].Field, f[0].Message
	}
	return e
}

// localError returns an error for a failure on this machine: NoSpace for a full disk, otherwise err with its operation.
func localError(doing string, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	if isNoSpace(err) {
		return noSpace(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
