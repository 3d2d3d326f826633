// SPDX-License-Identifier: Apache-2.0

package spoken

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/work/child"
	"github.com/reelops/reelops/internal/work/outcome"
)

const (
	// processorTime and wallTime are the limits of a child process. A hook takes a tenth of a second.
	processorTime = 20
	wallTime      = 90 * time.Second
	// addressSpace of one child in bytes.
	addressSpace = 512 << 20
	// maxOutput is the size limit of the speech in bytes: five minutes. The limit of a file must be larger, because
	// espeak-ng creates a file in memory for a sound server and would otherwise be killed.
	maxOutput = 16 << 20
	maxFile   = 80 << 20
)

// ErrKilled means that another process or the kernel killed a child process.
var ErrKilled = errors.New("the speech program was killed")

func (t Tools) run(ctx context.Context, stdin io.Reader, may child.Files, name string, args ...string) error {
	return t.runTo(ctx, stdin, io.Discard, may, name, args...)
}

// runTo runs a child process to its end.
func (t Tools) runTo(ctx context.Context, stdin io.Reader, stdout io.Writer, may child.Files, name string, args ...string) error {
	ctx, stop := context.WithTimeoutCause(ctx, wallTime, tooLong())
	defer stop()
	_, err := child.Child{
		Name: name, Args: args, Stdin: stdin, Stdout: stdout,
		Limits: child.Limits{unix.RLIMIT_CPU: processorTime, unix.RLIMIT_AS: addressSpace, unix.RLIMIT_FSIZE: maxFile}, May: may,
	}.Run(ctx)
	var end *child.Exit
	if !errors.As(err, &end) {
		return err
	}
	switch {
	case end.OverTime, end.Signal == syscall.SIGXFSZ:
		return tooLong()
	case end.Signal == syscall.SIGKILL, end.Signal == syscall.SIGTERM:
		return fmt.Errorf("%w: %w", ErrKilled, end)
	}
	return err
}

func tooLong() *Refusal {
	return &Refusal{outcome.TooComplex, "Speaking the text takes too long."}
}
