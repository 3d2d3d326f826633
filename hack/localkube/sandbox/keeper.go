// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrProgram marks a start that failed because the program does not exist or cannot be executed.
var ErrProgram = errors.New("cannot run the program")

// Keeper starts programs. Its thread lives as long as the process, because the kernel kills the children when the
// thread that created them ends. The thread has its own mount namespace, so that mounts for pods end with the process
// too.
type Keeper struct {
	work      chan func()
	self      string
	isolation Isolation
}

// NewKeeper starts the thread. It fails if the system does not permit the isolation.
func NewKeeper(isolation Isolation) (*Keeper, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	k := &Keeper{work: make(chan func()), self: self, isolation: Namespaces}
	if isolation == Users {
		return k, k.withUsers()
	}
	err = k.withNamespaces()
	if err == nil || isolation == Namespaces {
		return k, err
	}
	k.work = make(chan func())
	if other := k.withUsers(); other != nil {
		return nil, fmt.Errorf("%w; %w", err, other)
	}
	return k, nil
}

// Isolation returns the isolation in use: Namespaces or Users.
func (k *Keeper) Isolation() Isolation { return k.isolation }

func (k *Keeper) withUsers() error {
	if err := checkUsers(); err != nil {
		return err
	}
	k.isolation = Users
	go func() {
		runtime.LockOSThread() // forever
		for f := range k.work {
			f()
		}
	}()
	return nil
}

func (k *Keeper) withNamespaces() error {
	ready, work := make(chan error), k.work
	go func() {
		runtime.LockOSThread() // forever
		err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		ready <- err
		for f := range work {
			f()
		}
	}()
	if err := <-ready; err != nil {
		close(work)
		return fmt.Errorf("isolation by namespaces requires root and CAP_SYS_ADMIN (docker run --privileged): %w", err)
	}
	return nil
}

// Tmpfs mounts a tmpfs on dir, which only containers see. size is in bytes; 0 means the kernel's default.
func (k *Keeper) Tmpfs(dir string, size int64, mode os.FileMode) error {
	opts := fmt.Sprintf("mode=%o", unixMode(mode))
	if size > 0 {
		opts += fmt.Sprintf(",size=%d", size)
	}
	return k.do(func() error {
		return unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, opts)
	})
}

// Release unmounts dir, if it is a mount.
func (k *Keeper) Release(dir string) {
	_ = k.do(func() error { return unix.Unmount(dir, unix.MNT_DETACH) })
}

func (k *Keeper) do(f func() error) error {
	done := make(chan error, 1)
	k.work <- func() { done <- f() }
	return <-done
}

// Process is a started program.
type Process struct {
	cmd *exec.Cmd
	// end kills what the program left; nil if the kernel does.
	end func() error
}

// Start starts the program with its output going to stdout and stderr. It returns when the program has been executed,
// or failed to.
func (k *Keeper) Start(s Spec, stdout, stderr *os.File) (*Process, error) {
	specR, specW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer specW.Close()
	errR, errW, err := os.Pipe()
	if err != nil {
		specR.Close()
		return nil, err
	}
	defer errR.Close()
	cmd := exec.Command(k.self, InitArg)
	cmd.Env = []string{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.ExtraFiles = []*os.File{specR, errW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	p := &Process{cmd: cmd}
	if s.Isolation = k.isolation; s.Isolation == Users {
		if s.UID < FirstUser || s.UID > LastUser {
			return nil, fmt.Errorf("user %d is not a user for one program", s.UID)
		}
		p.end = func() error { return k.EndUser(s.UID) }
	} else {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC
	}
	err = k.do(cmd.Start)
	specR.Close()
	errW.Close()
	if err != nil {
		return nil, fmt.Errorf("starting a process: %w", err)
	}
	_ = json.NewEncoder(specW).Encode(s) // a child that died reports the reason below
	raw, _ := io.ReadAll(errR)
	if len(raw) == 0 {
		return p, nil
	}
	_ = cmd.Wait()
	var f failure
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("starting the container: %s", raw)
	}
	if f.Missing {
		return nil, fmt.Errorf("%w: %s: %s", ErrProgram, f.Step, f.Error)
	}
	return nil, fmt.Errorf("%s: %s", f.Step, f.Error)
}

// Signal sends a signal to the program only, like a container runtime.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Pid returns the process ID on the host.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Wait returns the exit code, or 128 + n for signal n. When it returns, all descendants of the program have ended.
func (p *Process) Wait() int {
	_ = p.cmd.Wait()
	if p.end != nil {
		if err := p.end(); err != nil {
			fmt.Fprintln(os.Stderr, "localkube:", err)
		}
	}
	return ExitCode(p.cmd.ProcessState)
}

// ExitCode returns the exit code that a shell or a kubelet reports.
func ExitCode(st *os.ProcessState) int {
	if st == nil {
		return 137
	}
	ws := st.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

func unixMode(m os.FileMode) uint32 {
	n := uint32(m.Perm())
	if m&os.ModeSticky != 0 {
		n |= unix.S_ISVTX
	}
	return n
}
