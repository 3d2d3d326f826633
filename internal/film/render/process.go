// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/work/child"
)

const (
	// mostMemory bounds the address space of a process that reads a user's file, in bytes. The largest accepted images
	// need less; a file whose decoder needs more is rejected to protect the pod.
	mostMemory = 3 << 30
	// mostTime bounds the process's processor time: as much as the whole render may take in real time.
	mostTime = catalog.VideoDeadline
	// mostSoundMemory and mostSoundTime are the same bounds for a file with sound only.
	mostSoundMemory = 1 << 30
	mostSoundTime   = 2 * time.Minute
	// maxAnswer bounds the stored output of a process, in bytes. internal/media/probe has the same bound.
	maxAnswer = 1 << 20
)

// process is one run of ffmpeg or ffprobe. It ends with its context, and with this program even if the program is
// killed.
type process struct {
	child   child.Child
	ctx     context.Context
	running *child.Process
}

// command returns a process that is not started yet.
func command(ctx context.Context, name string, args ...string) *process {
	return &process{child: child.Child{Name: name, Args: args}, ctx: ctx}
}

// may sets the files that the process may read and write; pipes are always allowed.
func (p *process) may(read []string, write ...string) *process {
	p.child.May = child.Files{Read: read, Write: write}
	return p
}

// boundedFor limits a process that reads a user's file of the type.
func (p *process) boundedFor(contentType string) *process {
	p.child.Limits = child.Limits{unix.RLIMIT_AS: mostMemory, unix.RLIMIT_CPU: uint64(mostTime.Seconds())}
	if strings.HasPrefix(contentType, "audio/") {
		p.child.Limits = child.Limits{unix.RLIMIT_AS: mostSoundMemory, unix.RLIMIT_CPU: uint64(mostSoundTime.Seconds())}
	}
	return p
}

// start starts the process; the caller must then call wait.
func (p *process) start() (err error) {
	p.running, err = p.child.Start(p.ctx)
	return p.failed(err)
}

// wait waits for the end of the process.
func (p *process) wait() error {
	_, err := p.running.Wait()
	return err
}

// stderr returns the end of the process's standard error.
func (p *process) stderr() string { return p.running.Stderr() }

// output runs the process to its end and returns its output. An output above maxAnswer bytes is an error.
func (p *process) output() ([]byte, error) {
	out := &child.Bounded{Limit: maxAnswer}
	p.child.Stdout = out
	if err := p.start(); err != nil {
		return nil, err
	}
	err := p.failed(p.wait())
	return out.Bytes, err
}

// errTooComplex is the cause of an Error of a process that exceeded its limits. A retry with the same file exceeds them
// again.
var errTooComplex = errors.New("the process is over its limits")

// failed returns the *Error or other cause for the end of a process; nil stays nil.
func (p *process) failed(err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(p.ctx); cause != nil {
		return cause
	}
	if errors.Is(err, child.ErrTooMuch) {
		return &Error{Kind: EncoderFailed, Message: "The file has more metadata than is accepted.", Err: fmt.Errorf("%w: %w", errTooComplex, err)}
	}
	text := err.Error()
	if strings.Contains(text, "No space left on device") || strings.Contains(text, "File too large") ||
		strings.Contains(text, "Disk quota exceeded") {
		return noSpace(err)
	}
	var end *child.Exit
	limited := len(p.child.Limits) > 0
	switch {
	case !errors.As(err, &end):
	case end.Signal == syscall.SIGXFSZ:
		return noSpace(err)
	case limited && end.OverTime:
		return &Error{Kind: EncoderFailed, Message: "The file takes too long to decode.", Err: fmt.Errorf("%w: %w", errTooComplex, err)}
	case end.Signal == syscall.SIGKILL, end.Signal == syscall.SIGTERM, end.Signal != 0 && !limited:
		return &Error{Kind: EncoderKilled, Message: "The video encoder was killed, most likely because the memory limit was exceeded.", Err: err}
	case end.Code == 255: // ffmpeg's exit code after SIGTERM or SIGINT
		return &Error{Kind: EncoderKilled, Message: "The video encoder was killed.", Err: err}
	case limited && strings.Contains(text, "annot allocate memory"):
		return &Error{Kind: EncoderFailed, Message: "The file needs too much memory to decode.", Err: fmt.Errorf("%w: %w", errTooComplex, err)}
	}
	return &Error{Kind: EncoderFailed, Message: "The video encoder stopped with an error.", Err: err}
}

// blame returns a bad input for the failure of a process that read an input, unless the process was killed from
// outside. damaged is the message for an unreadable file; a file over the limits has its own message.
func blame(key string, err error, damaged string) error {
	var e *Error
	if !errors.As(err, &e) || e.Kind != EncoderFailed {
		return err
	}
	if errors.Is(err, errTooComplex) {
		damaged = e.Message
	}
	return badInput(key, e.Err, "%s", damaged)
}

// isClosedPipe reports whether a write failed because the reader of a pipe has closed it. The cause is then in the
// reader's own error. After the process has been waited for, the write end is closed as well and a late write returns
// such an error.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}
