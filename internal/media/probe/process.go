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
	// processorTime bounds one child. It is counted in processor seconds, so that a busy machine makes nobody's file bad.
	processorTime = 2 * time.Minute
	// wallTime bounds one child on the clock.
	wallTime = 4 * time.Minute
	// overhead is address space that holds programs and stacks rather than pictures.
	overhead = 256 << 20
)

// ErrKilled says that a child was ended from outside.
var ErrKilled = errors.New("the program that looks at the file was ended from outside")

// reads are a program's files where it reads one.
func reads(path string) child.Files { return child.Files{Read: []string{path}} }

// run runs a child to its end. Its output goes to stdout; what it says on standard error comes back. The errors are
// *Refusal for what the file did, ErrKilled, or the cause of the context's end.
func (t Tools) run(ctx context.Context, stdout io.Writer, may child.Files, name string, args ...string) (said string, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, wallTime, refuse(outcome.TooComplex, "Looking at the file takes too long."))
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
		return said, &Refusal{Reason: outcome.TooComplex, Message: "Looking at the file takes too long.", Err: end}
	case end.Signal == syscall.SIGKILL, end.Signal == syscall.SIGTERM:
		return said, fmt.Errorf("%w: %w", ErrKilled, end)
	case end.Signal != 0:
		return said, unreadable(end, "The file is damaged.") // the decoder fell over it
	case strings.Contains(said, "exceeds specified max pixel"):
		return said, &Refusal{Reason: outcome.TooManyPixels, Message: "The pictures of the clip are too large.", Err: end}
	case strings.Contains(said, "annot allocate memory") && !strings.Contains(said, "max_streams"):
		return said, &Refusal{Reason: outcome.TooComplex, Message: "Looking at the file needs too much memory.", Err: end}
	case strings.Contains(said, "max_streams"):
		return said, &Refusal{Reason: outcome.TooManyTracks, Message: "The file has too many tracks.", Err: end}
	case strings.Contains(said, "not on whitelist"):
		return said, &Refusal{Reason: outcome.Unsupported, Message: "The file uses a codec that is not taken.", Err: end}
	}
	return said, unreadable(end, "The file is damaged, or not what it claims to be.")
}
