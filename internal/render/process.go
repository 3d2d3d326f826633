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
	"strings"
	"syscall"
	"time"

	"github.com/reelops/reelops/internal/child"
)

// stopGrace is how long a stopped ffmpeg may take to end before it is killed.
const stopGrace = 2 * time.Second

// process is one run of ffmpeg or ffprobe.
type process struct {
	cmd    *exec.Cmd
	files  child.Files
	stderr child.Tail
	ctx    context.Context
}

// command prepares a run. It ends with the context, and with this program even when that is killed.
func command(ctx context.Context, name string, args ...string) *process {
	p := &process{cmd: exec.CommandContext(ctx, name, args...), ctx: ctx}
	p.cmd.Stderr = &p.stderr
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = stopGrace
	p.cmd.Env = child.Env()
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return p
}

// may names the files that the process may read and write; pipes need no name.
func (p *process) may(read []string, write ...string) *process {
	p.files = child.Files{Read: read, Write: write}
	return p
}

// output runs the process to its end and gives what it wrote.
func (p *process) output() ([]byte, error) {
	var out bytes.Buffer
	p.cmd.Stdout = &out
	if err := child.Start(p.cmd, p.files); err != nil {
		return nil, p.failed(err)
	}
	err := p.failed(p.cmd.Wait())
	return out.Bytes(), err
}

// failed turns the end of a process into one of our errors; nil stays nil.
func (p *process) failed(err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(p.ctx); cause != nil {
		return cause
	}
	said := p.stderr.String()
	cause := fmt.Errorf("%s: %w: %s", p.cmd.Args[0], err, said)
	if strings.Contains(said, "No space left on device") || strings.Contains(said, "File too large") ||
		strings.Contains(said, "Disk quota exceeded") {
		return noSpace(cause)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			if ws.Signal() == syscall.SIGXFSZ {
				return noSpace(cause)
			}
			return &Error{Kind: EncoderKilled, Message: "The video encoder was ended from outside, most often for want of memory.", Err: cause}
		}
		if exit.ExitCode() == 255 { // ffmpeg's answer to a polite signal
			return &Error{Kind: EncoderKilled, Message: "The video encoder was ended from outside.", Err: cause}
		}
	}
	return &Error{Kind: EncoderFailed, Message: "The video encoder stopped with an error.", Err: cause}
}

// isClosedPipe tells that the reader of a pipe has gone: the reason is what its process says, not the write. Once the
// process has been waited for, our own end is closed as well and a late write says so.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}
