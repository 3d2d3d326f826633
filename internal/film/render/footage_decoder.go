// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/timeline"
	files "github.com/reelops/reelops/internal/media/probe"
)

const (
	// childThreads bounds the threads of a child that opens a user's file: encoding the video takes longer than
	// decoding its parts.
	childThreads = 4
	// pipeBytes is how much a decoder may write ahead, in bytes, if the system allows it.
	pipeBytes = 1 << 20
)

// decoder is a child process that decodes one file to raw frames of the video.
type decoder struct {
	p    *process
	kill context.CancelFunc
	out  io.ReadCloser
}

// guarded returns the options that precede a file of a user: its demuxer, the accepted decoders, local files only, and
// limits.
func (p *projector) guarded(f timeline.Footage) ([]string, error) {
	guard, ok := files.Guard(f.ContentType, p.threads(), catalog.MaxMediaTracks)
	if !ok {
		return nil, badInput(f.Input, nil, "The type of the clip is not supported.")
	}
	return guard, nil
}

func (p *projector) threads() int { return min(max(p.o.Threads, 1), childThreads) }

// reading returns the options that read the images of a file, with further options before the file, and the file's
// path.
func (p *projector) reading(f timeline.Footage, known *facts, before ...string) (args []string, path string, err error) {
	guard, err := p.guarded(f)
	if err != nil {
		return nil, "", err
	}
	if path, err = filepath.Abs(p.paths[f.Input]); err != nil {
		return nil, "", err
	}
	args = append(append([]string{"-nostdin"}, guard...), before...)
	return append(args, "-i", "file:"+path, "-map", "0:"+strconv.Itoa(known.stream), "-an", "-sn", "-dn"), path, nil
}

// first decodes the first frame of a file and returns its timestamp in the file, in seconds.
func (p *projector) first(f timeline.Footage, known *facts) (float64, error) {
	args, path, err := p.reading(f, known, "-copyts")
	if err != nil {
		return 0, err
	}
	args = append(args, "-frames:v", "1", "-fps_mode", "passthrough", "-enc_time_base", "1:1000000", "-f", "framecrc", "pipe:1")
	c := command(p.ctx, p.o.FFmpeg, args...).may([]string{path}).boundedFor(f.ContentType)
	out, err := c.confined()
	if err != nil {
		return 0, blame(f.Input, err, damagedClip)
	}
	for line := range strings.Lines(string(out)) { // stream, decoding time, time, ...
		if numbers := strings.Split(line, ","); !strings.HasPrefix(line, "#") && len(numbers) > 2 {
			if micros, err := strconv.ParseInt(strings.TrimSpace(numbers[2]), 10, 64); err == nil {
				return float64(micros) / 1e6, nil
			}
		}
	}
	return 0, badInput(f.Input, errors.New(c.stderr()), noPicture)
}

// noPicture is the message for a clip without a decodable frame from its start on.
const noPicture = "The clip contains no frame that can be decoded."

// open starts a decoder at the first frame that is shown in an area.
func (p *projector) open(f timeline.Footage, area timeline.Canvas) (*decoder, error) {
	shown, err := p.show(f, area)
	if err != nil {
		return nil, err
	}
	folder, table, err := p.work(shown.colour)
	if err != nil {
		return nil, err
	}
	before := shown.seek()
	if d := shown.transparentDecoder(); d != "" {
		before = append(before, "-c:v", d)
	}
	args, path, err := p.reading(f, shown.facts, before...)
	if err != nil {
		return nil, err
	}
	args = append(args, "-filter_threads", strconv.Itoa(p.threads()), "-vf", shown.filters(table),
		"-frames:v", strconv.Itoa(f.Frames), "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-c:v", "rawvideo", "-f", "rawvideo", "pipe:1")
	ctx, kill := context.WithCancel(p.ctx)
	from, to, err := os.Pipe()
	if err != nil {
		kill()
		return nil, err
	}
	d := &decoder{p: command(ctx, p.o.FFmpeg, args...).may([]string{path, filepath.Join(folder, table)}).boundedFor(f.ContentType), kill: kill, out: from}
	d.p.child.Dir, d.p.child.Stdout = folder, to
	widen(from)
	err = d.p.start()
	to.Close()
	if err != nil {
		from.Close()
		kill()
		return nil, err
	}
	return d, nil
}

// widen enlarges the buffer of a pipe, so that its two ends switch less often.
func widen(r io.Reader) {
	if f, ok := r.(*os.File); ok {
		if raw, err := f.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) })
		}
	}
}

// next reads the next frame. more is false when the file has no more frames, or none that can be decoded.
func (d *decoder) next(f *frame) (more bool, err error) {
	if _, err := io.ReadFull(d.out, f.pix); err == nil {
		return true, nil
	}
	_, _ = io.Copy(io.Discard, d.out)
	_ = d.out.Close()
	err = d.p.broken(d.p.wait())
	d.kill()
	return false, err
}

// stop ends a decoder that is not needed any more. d may be nil.
func (d *decoder) stop() {
	if d == nil {
		return
	}
	d.kill()
	_ = d.out.Close()
	_ = d.p.wait()
}

// broken returns the error of a child that read a user's file and ended too early. It returns nil if the file was the
// cause, unless the file exceeds the limits.
func (p *process) broken(err error) error { return blameless(p.failed(err)) }

// blameless drops the error of a process that could not read more of a file within its limits.
func blameless(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Kind == EncoderFailed && !errors.Is(err, errTooComplex) {
		return nil
	}
	return err
}

// confined runs a child that reads a user's file to its end and returns its output. An early end because of the file is
// no error.
func (p *process) confined() ([]byte, error) {
	out, err := p.output()
	return out, blameless(err)
}
