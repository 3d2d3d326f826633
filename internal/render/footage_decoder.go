// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/child"
	files "github.com/reelops/reelops/internal/probe"
	"github.com/reelops/reelops/internal/timeline"
)

const (
	// childMemory bounds the address space of a child that opens somebody's file. The largest pictures that are taken need
	// less; a file that makes its decoder ask for more is not worth the pod.
	childMemory = 3 << 30
	// childThreads bounds its threads: coding the film takes longer than decoding what it is made of.
	childThreads = 4
	// pipeBytes is how much a decoder may write ahead, as far as the system allows.
	pipeBytes = 1 << 20
)

// decoder is a child that decodes one file to raw frames of the film.
type decoder struct {
	p    *process
	kill context.CancelFunc
	out  io.ReadCloser
}

// guarded are the options before a file that somebody brought: its pinned demuxer, the decoders that are taken, local files
// alone, and bounds.
func (p *projector) guarded(f timeline.Footage) ([]string, error) {
	guard, ok := files.Guard(f.ContentType, p.threads(), catalog.MaxMediaTracks)
	if !ok {
		return nil, badInput(f.Input, nil, "The clip is of a type that is not taken.")
	}
	return append(guard, "-max_pixels", strconv.Itoa(catalog.MaxClipPixels+catalog.MaxClipPixels/4)), nil
}

func (p *projector) threads() int { return min(max(p.o.Threads, 1), childThreads) }

// open starts a decoder at the first picture.
func (p *projector) open(f timeline.Footage) (*decoder, error) {
	known, focus, err := p.know(f)
	if err != nil {
		return nil, err
	}
	args, err := p.guarded(f)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(p.paths[f.Input])
	if err != nil {
		return nil, err
	}
	folder, table, err := p.work(known.colour)
	if err != nil {
		return nil, err
	}
	args = append([]string{"-nostdin"}, args...)
	if d := known.transparentDecoder(); d != "" {
		args = append(args, "-c:v", d)
	}
	args = append(args, "-i", "file:"+path, "-map", "0:"+strconv.Itoa(known.stream), "-an", "-sn", "-dn",
		"-filter_threads", strconv.Itoa(p.threads()),
		"-vf", known.filters(p.tl.Canvas, p.tl.FPS, focus, table),
		"-frames:v", strconv.Itoa(f.Frames), "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-c:v", "rawvideo", "-f", "rawvideo", "pipe:1")
	ctx, kill := context.WithCancel(p.ctx)
	d := &decoder{p: command(ctx, p.o.FFmpeg, args...).may([]string{path, filepath.Join(folder, table)}), kill: kill}
	d.p.cmd.Dir = folder
	d.p.cmd.Cancel = func() error { return d.p.cmd.Process.Kill() } // it has nothing to finish
	if d.out, err = d.p.cmd.StdoutPipe(); err != nil {
		kill()
		return nil, err
	}
	widen(d.out)
	if err := d.p.begin(); err != nil {
		kill()
		return nil, err
	}
	return d, nil
}

// begin starts a child and bounds what it may use.
func (p *process) begin() error {
	if err := child.Start(p.cmd, p.files); err != nil {
		return p.failed(err)
	}
	if err := (child.Limits{unix.RLIMIT_AS: childMemory}).Set(p.cmd.Process.Pid); err != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		return fmt.Errorf("limiting %s: %w", p.cmd.Args[0], err)
	}
	return nil
}

// widen lets a pipe hold more, so that its two ends need not take turns for every few rows.
func widen(r io.Reader) {
	if f, ok := r.(*os.File); ok {
		if raw, err := f.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) })
		}
	}
}

// next reads the next picture. more is false when the file gives none any more, for whatever reason lies in the file.
func (d *decoder) next(f *frame) (more bool, err error) {
	if _, err := io.ReadFull(d.out, f.pix); err == nil {
		return true, nil
	}
	_, _ = io.Copy(io.Discard, d.out)
	err = d.p.broken(d.p.cmd.Wait())
	d.kill()
	return false, err
}

// stop ends a decoder that nobody needs any more.
func (d *decoder) stop() {
	if d == nil {
		return
	}
	d.kill()
	_ = d.out.Close()
	_ = d.p.cmd.Wait()
}

// broken tells why a child that read somebody's file ended too early, when that was not the file's fault.
func (p *process) broken(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case context.Cause(p.ctx) != nil, !errors.As(err, &exit):
		return p.failed(err)
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() && (ws.Signal() == syscall.SIGKILL || ws.Signal() == syscall.SIGTERM) {
		return p.failed(err)
	}
	if exit.ExitCode() == 255 { // ffmpeg's answer to a polite signal
		return p.failed(err)
	}
	return nil
}

// confined runs a child that reads somebody's file to its end and gives what it wrote. It is no error when the file made it
// end early.
func (p *process) confined() ([]byte, error) {
	var out bytes.Buffer
	p.cmd.Stdout = &out
	if err := p.begin(); err != nil {
		return nil, err
	}
	err := p.broken(p.cmd.Wait())
	return out.Bytes(), err
}
