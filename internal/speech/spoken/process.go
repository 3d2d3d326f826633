// SPDX-License-Identifier: Apache-2.0

package spoken

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/mediawork"
)

const (
	// processorTime bounds one child in processor seconds, wallTime on the clock. A hook takes a tenth of a second.
	processorTime = 20
	wallTime      = 90 * time.Second
	// addressSpace of one child in bytes.
	addressSpace = 512 << 20
	// maxOutput bounds the speech in bytes: five minutes of it. A file may be larger: espeak-ng makes one in memory for the
	// sound server that it looks for, and is ended where it may not.
	maxOutput = 16 << 20
	maxFile   = 80 << 20
	// tailBytes of what it says on standard error are kept.
	tailBytes = 2048
)

// ErrKilled says that a child was ended from outside.
var ErrKilled = errors.New("the program that speaks was ended from outside")

var errTooMuch = errors.New("the program says too much")

func (t Tools) run(ctx context.Context, stdin io.Reader, name string, args ...string) error {
	return t.runTo(ctx, stdin, io.Discard, name, args...)
}

// runTo runs a child to its end.
func (t Tools) runTo(ctx context.Context, stdin io.Reader, stdout io.Writer, name string, args ...string) error {
	ctx, stop := context.WithTimeoutCause(ctx, wallTime, tooLong())
	defer stop()
	said, out := &bounded{limit: tailBytes, cut: true}, &noting{w: stdout}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, out, said
	// Nothing of ours reaches it. Its home can hold no folders: espeak-ng would make some for the sound server that it looks for.
	cmd.Env = []string{"LC_ALL=C", "HOME=/dev/null"}
	// A group of its own, so that it ends with everything it may have started; and an end with this program, however that ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	if err := limit(cmd.Process.Pid); err != nil {
		_ = cmd.Cancel()
		_ = cmd.Wait()
		return fmt.Errorf("limiting %s: %w", name, err)
	}
	err := cmd.Wait()
	switch {
	case out.err != nil:
		return out.err
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	cause := fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(said.b)))
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			switch ws.Signal() {
			case syscall.SIGXCPU, syscall.SIGXFSZ:
				return tooLong()
			case syscall.SIGKILL, syscall.SIGTERM:
				return fmt.Errorf("%w: %w", ErrKilled, cause)
			}
		}
	}
	return cause
}

func tooLong() *Refusal {
	return &Refusal{mediawork.TooComplex, "Saying the text takes too long."}
}

// limit bounds a child that has just been started.
func limit(pid int) error {
	for resource, n := range map[int]uint64{
		unix.RLIMIT_CPU: processorTime, unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 64, unix.RLIMIT_AS: addressSpace, unix.RLIMIT_FSIZE: maxFile,
	} {
		hard := n
		if resource == unix.RLIMIT_CPU {
			hard++ // the soft limit's signal tells why it ended
		}
		if err := unix.Prlimit(pid, resource, &unix.Rlimit{Cur: n, Max: hard}, nil); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// bounded keeps what a child writes, up to a limit.
type bounded struct {
	b     []byte
	limit int
	cut   bool // what is more is dropped; otherwise it is an error
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - len(b.b); len(p) > room {
		if !b.cut {
			return 0, errTooMuch
		}
		b.b = append(b.b, p[:room]...)
		return len(p), nil
	}
	b.b = append(b.b, p...)
	return len(p), nil
}

// noting remembers the error of a writer: a child whose output nobody takes ends by a signal that does not say why.
type noting struct {
	w   io.Writer
	err error
}

func (n *noting) Write(p []byte) (int, error) {
	k, err := n.w.Write(p)
	if err != nil {
		n.err = err
	}
	return k, err
}
