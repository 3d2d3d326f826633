// SPDX-License-Identifier: Apache-2.0

// Package child runs programs on input from users. It confines and limits them, and kills all processes that they
// started. It reports how a program ended. The callers decide what that means for the input.
//
// Each program is confined within the confinement of the pod. It may make only the system calls that programs like it
// need (a seccomp filter). It may open only the listed files, and the system's programs, libraries and fonts
// (Landlock). It gains no privileges by executing other programs. A decoder that a hostile file has taken over can read
// that file and write pixels into a pipe.
//
// Limits of the confinement: an older kernel, or a container runtime that forbids it, confines less (Lacks returns the
// missing parts). A program can run the system's other programs, in the same confinement. It can find out whether a
// path exists and how large the file is, because Landlock only refuses opening files. Time and memory are bounded by
// Limits and the pod.
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

// TailBytes is how many of the last bytes on standard error are kept.
const TailBytes = 4096

// ErrTooMuch means that a program wrote more than the Limit of Bounded.
var ErrTooMuch = errors.New("the output of the program is too large")

// Env returns the complete environment of a program. HOME can hold no directories, because some programs would create
// one for a sound server.
func Env() []string { return []string{"LC_ALL=C", "HOME=/dev/null"} }

// Limits bound a program: values by resource, as in setrlimit(2).
type Limits map[int]uint64

// Child is a program to run.
type Child struct {
	Name string
	Args []string
	// Dir is the working directory; empty means that of this process.
	Dir string
	// Stdin is the input; nil means none.
	Stdin io.Reader
	// Stdout receives the output; nil discards it.
	Stdout io.Writer
	// Files are additional open files of the program, from descriptor 3 on. The caller closes its own copies.
	Files []*os.File
	// Limits apply in addition to those of every child: no core file, 64 open files.
	Limits Limits
	// May lists the files that the program may open.
	May Files
}

// Exit is the error of a program that failed or was ended by a signal.
type Exit struct {
	// Signal is the signal that ended the program; 0 if no signal did.
	Signal syscall.Signal
	// Code is the exit code; -1 after a signal.
	Code int
	// OverTime reports whether the program used up the processor time of its Limits, or at least 80% of it. ffmpeg
	// catches the signal for that and is killed if it does not end, so that neither Signal nor Code shows the cause.
	OverTime bool
	// Err includes the end of standard error; for logs.
	Err error
}

func (e *Exit) Error() string { return e.Err.Error() }
func (e *Exit) Unwrap() error { return e.Err }

// Run runs the program to its end and returns the end of its standard error. The error is Stdout's own, the cause of
// the context's end, an *Exit, or the error of a program that could not be started.
func (c Child) Run(ctx context.Context) (stderr string, err error) {
	p, err := c.Start(ctx)
	if err != nil {
		return "", err
	}
	return p.Wait()
}

// Process is a started program. Wait must always be called.
type Process struct {
	name string
	ctx  context.Context
	cmd  *exec.Cmd
	out  *errorRecorder
	errs Tail
	// seconds is the limit of processor time; 0 means none.
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
	if _, file := c.Stdout.(*os.File); c.Stdout != nil && !file { // a file is passed to the program directly
		p.out = &errorRecorder{w: c.Stdout}
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

// Stderr returns the end of the program's standard error, after Wait.
func (p *Process) Stderr() string { return p.errs.String() }

// Wait waits for the end of the program and kills the processes that it left behind. It returns the end of what the
// program wrote on standard error. The errors are those of Run.
func (p *Process) Wait() (stderr string, err error) {
	<-p.ended
	_ = p.kill() // before the program is reaped: until then no other group can have its number
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	err = p.cmd.Wait()
	stderr = p.Stderr()
	switch {
	case p.out != nil && p.out.err != nil:
		return stderr, p.out.err
	case err == nil:
		return stderr, nil
	case p.ctx.Err() != nil:
		return stderr, context.Cause(p.ctx)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return stderr, fmt.Errorf("waiting for %s: %w", p.name, err)
	}
	end := &Exit{Code: exit.ExitCode(), Err: fmt.Errorf("%s: %w: %s", p.name, err, stderr)}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		end.Signal = ws.Signal()
	}
	// The kernel accounts the time for the limit differently from the reported time, which may lag by a tenth of a
	// second.
	used, most := exit.UserTime()+exit.SystemTime(), time.Duration(p.seconds)*time.Second
	end.OverTime = end.Signal == syscall.SIGXCPU || p.seconds > 0 && used >= most-most/5
	return stderr, end
}

// kill kills all processes of the program's group.
func (p *Process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return os.ErrProcessDone
	}
	return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
}

// set limits a program that was just started. A program that has already ended needs no limits.
func (l Limits) set(pid int) error {
	all := Limits{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 64}
	for resource, n := range l {
		all[resource] = n
	}
	for resource, n := range all {
		hard := n
		if resource == unix.RLIMIT_CPU {
			hard++ // the signal of the soft limit shows why the program ended
		}
		if err := unix.Prlimit(pid, resource, &unix.Rlimit{Cur: n, Max: hard}, nil); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// Tail keeps the last TailBytes bytes written to it.
type Tail struct{ b []byte }

// Write appends p and drops the oldest bytes beyond TailBytes.
func (t *Tail) Write(p []byte) (int, error) {
	n := len(p)
	t.b = append(t.b, p[max(0, n-TailBytes):]...)
	if over := len(t.b) - TailBytes; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return n, nil
}

func (t *Tail) String() string { return strings.TrimSpace(string(t.b)) }

// Bounded keeps what a program writes, up to Limit bytes; a longer output is ErrTooMuch. Bounded has no ReadFrom
// method, unlike bytes.Buffer, so that io.Copy cannot bypass Write.
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

// errorRecorder records the error of a writer. A program whose output is not read is ended by a signal, which does not
// show the cause.
type errorRecorder struct {
	w   io.Writer
	err error
}

func (n *errorRecorder) Write(p []byte) (int, error) {
	k, err := n.w.Write(p)
	if err != nil {
		n.err = err
	}
	return k, err
}
