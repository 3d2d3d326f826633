// SPDX-License-Identifier: Apache-2.0

// Package child runs programs on what a user brought: confined, bounded, and ended with everything they started. It reports how a
// program ended; what that means for the file or the text is for its callers.
//
// A program's confinement is its own, inside that of the pod: it may make only those calls of the kernel that programs like it need
// (a seccomp filter), open only the files that it was named, and the system's programs, libraries and fonts (Landlock), and gains no
// rights by what it executes. A decoder that a hostile file has taken over can read that file, and write pixels into a pipe.
//
// What it does not promise: an older kernel, or a runtime that forbids it, confines less (Lacks reports what is missing). A program can run
// the system's other programs, in the same confinement. It can find out whether a path exists and how large the file is: Landlock refuses
// opening alone. How much time and memory it takes is for Limits and the pod.
package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
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
	// Dir is the folder that it works in; empty means that of this process.
	Dir string
	// Stdin is what it reads; nil for nothing.
	Stdin io.Reader
	// Stdout takes what it writes; nil for nobody.
	Stdout io.Writer
	// Files are further open files of the program, from descriptor 3 on. The caller closes its own.
	Files []*os.File
	// Limits beside those that every child has: no core file, 64 open files.
	Limits Limits
	// May are the files that it may open.
	May Files
}

// Exit is the error of a program that failed by itself, or that a signal ended.
type Exit struct {
	// Signal that ended it; 0 when it ended by its own will.
	Signal syscall.Signal
	// Code is the exit code; -1 after a signal.
	Code int
	// OverTime reports whether it had used up the processor time of its Limits, or nearly. ffmpeg catches the signal for that and
	// is killed when it does not end, so that neither Signal nor Code shows it.
	OverTime bool
	// Err holds what it said; for logs.
	Err error
}

func (e *Exit) Error() string { return e.Err.Error() }
func (e *Exit) Unwrap() error { return e.Err }

// Run runs the program to its end and gives the last of what it said on standard error. The error is Stdout's own, the cause of the
// context's end, *Exit, or that of a program that could not be started.
func (c Child) Run(ctx context.Context) (said string, err error) {
	p, err := c.Start(ctx)
	if err != nil {
		return "", err
	}
	return p.Wait()
}

// Process is a program that was started. Wait has to be called in any case.
type Process struct {
	name string
	ctx  context.Context
	cmd  *exec.Cmd
	out  *noting
	errs Tail
	// seconds of processor time that it may use; 0 means any number.
	seconds uint64

	ended  <-chan struct{}
	mu     sync.Mutex
	reaped bool
}

// Start starts the program. When the context ends, the program is killed with all processes that it started.
func (c Child) Start(ctx context.Context) (*Process, error) {
	p := &Process{name: c.Name, ctx: ctx, seconds: c.Limits[unix.RLIMIT_CPU]}
	p.cmd = exec.CommandContext(ctx, c.Name, c.Args...)
	p.cmd.Dir, p.cmd.Env, p.cmd.ExtraFiles, p.cmd.Stdin, p.cmd.Stderr = c.Dir, Env(), c.Files, c.Stdin, &p.errs
	if c.Stdout != nil {
		p.cmd.Stdout = c.Stdout
	}
	if _, file := c.Stdout.(*os.File); c.Stdout != nil && !file { // a file is handed over as it is
		p.out = &noting{w: c.Stdout}
		p.cmd.Stdout = p.out
	}
	p.cmd.Cancel = p.kill
	p.cmd.WaitDelay = time.Second
	var err error
	if p.ended, err = start(p.cmd, c.May); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, fmt.Errorf("starting %s: %w", c.Name, err)
	}
	if err := c.Limits.set(p.cmd.Process.Pid); err != nil {
		_ = p.kill()
		_, _ = p.Wait()
		return nil, fmt.Errorf("limiting %s: %w", c.Name, err)
	}
	return p, nil
}

// Said returns the end of the program's standard error, after Wait.
func (p *Process) Said() string { return p.errs.String() }

// Wait waits for the end of the program and kills the processes that it left behind. It returns the end of what the program wrote
// on standard error. The errors are those of Run.
func (p *Process) Wait() (said string, err error) {
	<-p.ended
	_ = p.kill() // before it is reaped: until then no other group can have its number
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	err = p.cmd.Wait()
	said = p.Said()
	switch {
	case p.out != nil && p.out.err != nil:
		return said, p.out.err
	case err == nil:
		return said, nil
	case p.ctx.Err() != nil:
		return said, context.Cause(p.ctx)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return said, fmt.Errorf("waiting for %s: %w", p.name, err)
	}
	end := &Exit{Code: exit.ExitCode(), Err: fmt.Errorf("%s: %w: %s", p.name, err, said)}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		end.Signal = ws.Signal()
	}
	// The kernel counts time for the limit in another way than for its report, which may be a tenth of a second behind.
	used, most := exit.UserTime()+exit.SystemTime(), time.Duration(p.seconds)*time.Second
	end.OverTime = end.Signal == syscall.SIGXCPU || p.seconds > 0 && used >= most-most/5
	return said, end
}

// kill ends the program and all processes of its group.
func (p *Process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return os.ErrProcessDone
	}
	return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
}

// set bounds a program that has just been started. One that has ended already needs no bounds.
func (l Limits) set(pid int) error {
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
