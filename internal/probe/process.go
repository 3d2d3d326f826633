// SPDX-License-Identifier: Apache-2.0

package probe

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
	// processorTime bounds one child. It is counted in processor seconds, so that a busy machine makes nobody's file bad.
	processorTime = 2 * time.Minute
	// wallTime bounds one child on the clock.
	wallTime = 4 * time.Minute
	// overhead is address space that holds programs and stacks rather than pictures.
	overhead = 256 << 20
	// tailBytes of what a child says are kept.
	tailBytes = 4096
)

// ErrKilled says that a child was ended from outside.
var ErrKilled = errors.New("the program that looks at the file was ended from outside")

// run runs a child to its end. Its output goes to stdout; what it says on standard error comes back. The errors are
// *Refusal for what the file did, ErrKilled, or the cause of the context's end.
func (t Tools) run(ctx context.Context, stdout io.Writer, name string, args ...string) (said string, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, wallTime, refuse(mediawork.TooComplex, "Looking at the file takes too long."))
	defer stop()
	var errs tail
	cmd := exec.CommandContext(ctx, name, args...)
	out := &noting{w: io.Discard}
	if stdout != nil {
		out.w = stdout
	}
	cmd.Stdout, cmd.Stderr = out, &errs
	cmd.Env = []string{"LC_ALL=C", "HOME=/nonexistent"} // nothing of ours reaches it
	// A group of its own, so that it ends with everything it may have started; and an end with this program, however that ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("starting %s: %w", name, err)
	}
	if err := t.limit(cmd.Process.Pid); err != nil {
		_ = cmd.Cancel()
		_ = cmd.Wait()
		return "", fmt.Errorf("limiting %s: %w", name, err)
	}
	err = cmd.Wait()
	said = errs.String()
	switch {
	case out.err != nil:
		return said, out.err
	case err == nil:
		return said, nil
	case ctx.Err() != nil:
		return said, context.Cause(ctx)
	}
	cause := fmt.Errorf("%s: %w: %s", name, err, said)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return said, fmt.Errorf("waiting for %s: %w", name, err)
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		switch ws.Signal() {
		case syscall.SIGXCPU:
			return said, &Refusal{Reason: mediawork.TooComplex, Message: "Looking at the file takes too long.", Err: cause}
		case syscall.SIGKILL, syscall.SIGTERM:
			return said, fmt.Errorf("%w: %w", ErrKilled, cause)
		}
		return said, unreadable(cause, "The file is damaged.") // the decoder fell over it
	}
	switch {
	case strings.Contains(said, "exceeds specified max pixel"):
		return said, &Refusal{Reason: mediawork.TooManyPixels, Message: "The pictures of the clip are too large.", Err: cause}
	case strings.Contains(said, "annot allocate memory") && !strings.Contains(said, "max_streams"):
		return said, &Refusal{Reason: mediawork.TooComplex, Message: "Looking at the file needs too much memory.", Err: cause}
	case strings.Contains(said, "max_streams"):
		return said, &Refusal{Reason: mediawork.TooManyTracks, Message: "The file has too many tracks.", Err: cause}
	case strings.Contains(said, "not on whitelist"):
		return said, &Refusal{Reason: mediawork.Unsupported, Message: "The file uses a codec that is not taken.", Err: cause}
	}
	return said, unreadable(cause, "The file is damaged, or not what it claims to be.")
}

// limit bounds a child that has just been started.
func (t Tools) limit(pid int) error {
	limits := map[int]uint64{unix.RLIMIT_CPU: uint64(processorTime.Seconds()), unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 64}
	if t.MemoryBytes > 0 {
		limits[unix.RLIMIT_AS] = uint64(t.MemoryBytes) + overhead
	}
	for resource, n := range limits {
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

// tail keeps the last part of what a child says.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	t.b = append(t.b, p[max(0, n-tailBytes):]...)
	if over := len(t.b) - tailBytes; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return n, nil
}

func (t *tail) String() string { return strings.TrimSpace(string(t.b)) }

// bounded keeps what a child writes, up to a limit. It is no bytes.Buffer: that would read past Write by itself.
type bounded struct {
	b     []byte
	limit int
}

var errTooMuch = errors.New("the program says too much")

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.b)+len(p) > b.limit {
		return 0, errTooMuch
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
