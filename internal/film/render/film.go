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

// Options say how a film is made. The zero value of each field means its default.
type Options struct {
	// FFmpeg and FFprobe are the programs to run; default ffmpeg and ffprobe of the path.
	FFmpeg, FFprobe string
	// Scratch is an existing folder for intermediate files; default the folder of the output.
	Scratch string
	// Threads is how many encoders work at a time; default the number of processors this program may use. The film is the same
	// with any number of them.
	Threads int
	// Preset is the encoder's effort; default DefaultPreset.
	Preset Preset
	// CRF is the constant quality, lower is better; default DefaultCRF.
	CRF float64
	// EveryFrame encodes repeated pictures again and again instead of writing them as skipped ones.
	EveryFrame bool
	// Poster is a file for a JPEG of the first frame; empty means none.
	Poster string
	// Digests are the SHA-256 digests of the inputs by key, in hexadecimal; those that are missing are computed.
	Digests map[string]string
	// OldPack is a file with the coded parts of an earlier film. What this film shares with it is not coded again; the film is the
	// same with it and without. Empty, missing, damaged and of another build all mean that there is none.
	OldPack string
	// NewPack is a file for the coded parts of this film; empty means none. None is written of a film that weighs too much.
	NewPack string
	// Progress hears of every encoded frame. It must return quickly.
	Progress func(done, total int)
}

// Defaults of Options.
const (
	DefaultPreset = Superfast
	DefaultCRF    = 24.0
)

// Result describes a finished film.
type Result struct {
	Probe  Probe
	Bytes  int64
	SHA256 string // lower-case hexadecimal
	// Encoded is how many of the frames went through the encoder; the others repeat the frame before them or come from a pack.
	Encoded int
	// Reused is how many parts came from the old pack, of Parts.
	Reused, Parts int
}

// Film makes the film of a timeline. paths are the files of the inputs by key. Intermediate files are removed before it
// returns, and the output too when it fails. Errors that somebody can do something about are *Error; an ended context gives
// its cause.
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
		return nil, localError("making the film", err)
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

// film makes picture and sound at the same time and joins them.
func (o Options) film(ctx context.Context, tl *timeline.Timeline, paths map[string]string, dir, out string) (*Result, error) {
	r, err := o.joined(ctx, tl, paths, dir, out)
	if errors.Is(err, h264.ErrShape) { // another build of the encoder may write what we cannot join
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

// poster keeps a frame as the film's poster.
func (o Options) poster(f *frame) error {
	return toFile(o.Poster, func(w io.Writer) error { return writePoster(w, f) })
}

// toFile writes a new file and reports a failed last write as well.
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

// complete tells which input of a timeline has no file.
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

// localError names what failed on this machine, and tells a full disk apart.
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
