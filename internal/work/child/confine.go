// SPDX-License-Identifier: Apache-2.0

package child

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/work/outcome"
)

// Files are what a program may open beside itself and the system's programs, libraries, data and fonts. Pipes that it is given need
// not be named.
type Files struct {
	// Read are files and folders that it may read.
	Read []string
	// Write are files that it may write and read again. Those that are missing are made, empty: a program makes none itself.
	Write []string
}

// start starts a command as cmd.Start does, confined and at the head of a process group of its own. The program gains no rights by what
// it executes, calls nothing of the kernel but what the programs of the renderer need (no sockets, no other processes' memory, no
// namespaces, no mounts), leaves the process group neither itself nor with what it starts, and opens no files but those named. Where the
// kernel cannot confine it so, it is started with what there is; Lacks reports that. ended is closed when the program has ended and
// before anything has reaped it.
//
// The confinement is that of one thread of this process, which the command inherits; the thread ends with the command. So a command that is
// to be killed with its parent (Pdeathsig) is killed when this process ends, and not sooner.
func start(cmd *exec.Cmd, may Files) (ended <-chan struct{}, err error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	for _, path := range may.Write {
		if err := makeEmpty(path); err != nil {
			return nil, err
		}
	}
	var secret [4]byte
	_, _ = rand.Read(secret[:]) // it never fails
	group := binary.NativeEndian.Uint32(secret[:]) | 1
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: int(uint64(group) << groupBits), Pdeathsig: syscall.SIGKILL}
	_, _ = os.FindProcess(os.Getpid()) // what the first start finds out of the system is found out by a thread that may
	begun, over := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if _, err := confine(cmd.Path, may, group); err != nil {
			begun <- fmt.Errorf("confining %s: %w", filepath.Base(cmd.Path), err)
			return
		}
		if err := cmd.Start(); err != nil {
			begun <- err
			return
		}
		pid := cmd.Process.Pid
		begun <- nil
		for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
			continue
		}
		close(over)
	}()
	return over, <-begun
}

// Lack is a part of the confinement that this system does not have.
type Lack struct {
	// Part is Landlock or Seccomp.
	Part string
	// Err is what the kernel answered.
	Err error
}

// The parts of the confinement.
const (
	// Landlock confines which files a program opens.
	Landlock = outcome.Landlock
	// Seccomp confines which calls of the kernel a program makes: sockets, signals to others, process groups.
	Seccomp = outcome.Seccomp
)

func (l Lack) Error() string {
	return fmt.Sprintf("programs are not confined by %s: %v", l.Part, l.Err)
}
func (l Lack) Unwrap() error { return l.Err }

// Lacks returns the parts of the confinement that this system does not have, or that something refuses to this process. It returns
// none where programs are confined in full. An error means that no program can be started at all.
func Lacks() ([]Lack, error) {
	type answer struct {
		lacks []Lack
		err   error
	}
	found := make(chan answer)
	go func() {
		runtime.LockOSThread() // and never unlocked
		lacks, err := confine("", Files{}, 0)
		found <- answer{lacks, err}
	}()
	a := <-found
	return a.lacks, a.err
}

// confine confines the calling thread and its children for good. group is the secret with which a process may once put itself at
// the head of a process group.
func confine(program string, may Files, group uint32) (lacks []Lack, err error) {
	if err := closeOnExec(); err != nil {
		return nil, fmt.Errorf("keeping open files to this process: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("giving up new privileges: %w", err)
	}
	version, err := confineFiles(program, may)
	switch {
	case absent(err):
		lacks = append(lacks, Lack{Landlock, err})
	case err != nil:
		return nil, err
	}
	switch err := confineCalls(version >= scoping, group); {
	case absent(err):
		lacks = append(lacks, Lack{Seccomp, err})
	case err != nil:
		return nil, err
	}
	return lacks, nil
}

// closeOnExec makes sure that programs inherit no open file of this process but those that they are handed. Go opens none that they
// would inherit; what started this process may have.
func closeOnExec() error {
	err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if !absent(err) {
		return err
	}
	open, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return err
	}
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// absent says that the kernel, or what this process itself is confined by, does not know a thing.
func absent(err error) bool {
	for _, e := range []syscall.Errno{unix.ENOSYS, unix.EOPNOTSUPP, unix.EINVAL, unix.EPERM, unix.EACCES} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func makeEmpty(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
