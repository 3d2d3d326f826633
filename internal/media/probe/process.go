// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/work/child"
	"github.com/reelops/reelops/internal/work/outcome"
)

const (
	// processorTime is the limit of a child process in processor seconds, so that a busy node does not fail a valid file.
	processorTime = 2 * time.Minute
	// wallTime is the timeout of a child process.
	wallTime = 4 * time.Minute
	// overhead is the address space of programs and stacks.
	overhead = 256 << 20
)

// ErrKilled means that another process or the kernel killed a child process.
var ErrKilled = errors.New("the program that inspects the file was killed")

// reads returns the files of a program that reads one file.
func reads(path string) child.Files { return child.Files{Read: []string{path}} }

// run runs a child process to its end. It writes the output to stdout and returns the standard error. The error is a
// *Refusal of the file, ErrKilled, or the cause of the context.
func (t Tools) run(ctx context.Context, stdout io.Writer, may child.Files, name string, args ...string) (said string, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, wallTime, refuse(outcome.TooComplex, "Inspecting the file takes too long."))
	defer stop()
	limits := child.Limits{unix.RLIMIT_CPU: uint64(processorTime.Seconds())}
	if t.MemoryBytes > 0 {
		limits[unix.RLIMIT_AS] = uint64(t.MemoryBytes) + overhead
	}
	said, err = child.Child{Name: name, Args: args, Stdout: stdout, Limits: limits, May: may}.Run(ctx)
	var end *child.Exit
	if !errors.As(err, &end) {
		return said, err
	}
	switch {
	case end.OverTime:
		return said, &Refusal{Reason: outcome.TooComplex, Message: "Inspecting the file takes too long.", Err: end}
	case end.Signal == syscall.SIGKILL, end.Signal == syscall.SIGTERM:
		return said, fmt.Errorf("%w: %w", ErrKilled, end)
	case end.Signal != 0:
		return said, unreadable(end, "The file is damaged.") // the file crashed the decoder
	case strings.Contains(said, "exceeds specified max pixel"):
		return said, &Refusal{Reason: outcome.TooManyPixels, Message: "The frames of the clip are too large.", Err: end}
	case strings.Contains(said, "annot allocate memory") && !strings.Contains(said, "max_streams"):
		return said, &Refusal{Reason: outcome.TooComplex, Message: "Inspecting the file needs too much memory.", Err: end}
	case strings.Contains(said, "max_streams"):
		return said, &Refusal{Reason: outcome.TooManyTracks, Message: "The file has too many tracks.", Err: end}
	case strings.Contains(said, "not on whitelist"):
		return said, &Refusal{Reason: outcome.Unsupported, Message: "The file uses a codec that is not supported.", Err: end}
	}
	return said, unreadable(end, "The file is damaged, or its type is wrong.")
}
