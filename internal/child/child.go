// SPDX-License-Identifier: Apache-2.0

// Package child runs programs on what somebody brought: confined, bounded, and ended with everything they started. It says how a
// program ended; what that means for the file or the text is for its callers.
//
// A program's confinement is its own, inside that of the pod: it may make only those calls of the kernel that programs like it need
// (a seccomp filter), open only the files that it was named, and the system's programs, libraries and fonts (Landlock), and gains no
// rights by what it executes. A decoder that a hostile file has taken over can read that file, and write pixels into a pipe.
//
// What it does not promise: an older kernel, or a runtime that forbids it, confines less (Lacks says what is missing); a program can run
// the system's other programs, in the same confinement; how much time and memory it takes is for Limits and the pod.
package child

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
)

// TailBytes of what a program says on standard error are kept.
const TailBytes = 4096

// ErrTooMuch says that a program wrote more than Bounded takes.
var ErrTooMuch = errors.New("the program says too much")

// Env is all that a program sees of our environment. Its home can hold no folders: some would make one for a sound server.
func Env() []string { return []string{"LC_ALL=C", "HOME=/dev/null"} }

// Limits bound a program: values by resource, as of setrlimit(2).
type Limits map[int]uint64

// Child is a program to be run.
type Child struct {
	Name string
	Args []string
	// Stdin is what it reads; nil for nothing.
	Stdin io.Reader
	// Stdout takes what it writes; nil for nobody.
	Stdout io.Writer
	// Limits beside those that every child has: no core file, 64 open files.
	Limits Limits
	// May are the files that it may open.
	May Files
}

// Exit says that a program failed by itself.
type Exit struct {
	// Signal that ended it; 0 when it ended by its own will.
	Signal syscall.Signal
	// Err holds what it said; for logs.
	Err error
}

func (e *Exit) Error() string { return e.Err.Error() }
func (e *Exit) Unwrap() error { return e.Err }

// Run runs the program to its end and gives the last of what it said on standard error. The error is Stdout's own, the cause of the
// context's end, *Exit, or that of a program that could not be started.
func (c Child) Run(ctx context.Context) (said string, err error) {
	var errs Tail
	out := &noting{w: io.Discard}
	if c.Stdout != nil {
		out.w = c.Stdout
	}
	cmd := exec.CommandContext(ctx, c.Name, c.Args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = c.Stdin, out, &errs, Env()
	// A group of its own, so that it ends with everything it may have started; and an end with this program, however that ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := Start(cmd, c.May); err != nil {
		return "", fmt.Errorf("starting %s: %w", c.Name, err)
	}
	if err := c.Limits.Set(cmd.Process.Pid); err != nil {
		_ = cmd.Cancel()
		_ = cmd.Wait()
		return "", fmt.Errorf("limiting %s: %w", c.Name, err)
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
	end := &Exit{Err: fmt.Errorf("%s: %w: %s", c.Name, err, said)}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return said, fmt.Errorf("waiting for %s: %w", c.Name, err)
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		end.Signal = ws.Signal()
	}
	return said, end
}

// Set bounds a program that has just been started. One that has ended already needs no bounds.
func (l Limits) Set(pid int) error {
	all := Limits{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 64}
	for resource, n := range l {
		all[resource] = n
	}
	for resource, n := range all {
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

// Tail keeps the last part of what a program says.
type Tail struct{ b []byte }

// Write keeps p's end and drops what is older.
func (t *Tail) Write(p []byte) (int, error) {
	n := len(p)
	t.b = append(t.b, p[max(0, n-TailBytes):]...)
	if over := len(t.b) - TailBytes; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return n, nil
}

func (t *Tail) String() string { return strings.TrimSpace(string(t.b)) }

// Bounded keeps what a program writes, up to a limit: more is ErrTooMuch. It is no bytes.Buffer: that would read past Write by
// itself.
type Bounded struct {
	Bytes []byte
	Limit int
}

func (b *Bounded) Write(p []byte) (int, error) {
	if len(b.Bytes)+len(p) > b.Limit {
		return 0, ErrTooMuch
	}
	b.Bytes = append(b.Bytes, p...)
	return len(p), nil
}

// noting remembers the error of a writer: a program whose output nobody takes ends by a signal that does not say why.
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
