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

// Files are the files that a program may open in addition to itself and the system's programs, libraries, data and
// fonts. Inherited pipes need not be listed.
type Files struct {
	// Read are the files and folders that the program may read.
	Read []string
	// Write are the files that the program may write and read. Missing ones are created empty, because the program
	// cannot create files.
	Write []string
}

// start starts a command like cmd.Start, confined and as the leader of a new process group. The program gains no
// privileges by executing other programs. It can make only the system calls that the programs of the renderer need: no
// sockets, no memory of other processes, no namespaces, no mounts. The program and its children cannot leave the
// process group. They can open only the listed files. If the kernel lacks a part of the confinement, the program is
// started without this part; Lacks returns the missing parts. ended is closed after the program has ended and before it
// is reaped.
//
// The command inherits the confinement of one thread of this process, which ends with the command. A command with
// Pdeathsig is therefore killed when this process ends, and not before.
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
	_, _ = rand.Read(secret[:]) // rand.Read never fails
	group := binary.NativeEndian.Uint32(secret[:]) | 1
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: int(uint64(group) << groupBits), Pdeathsig: syscall.SIGKILL}
	_, _ = os.FindProcess(os.Getpid()) // the first call probes the system, which a confined thread cannot do
	begun, over := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends with the goroutine
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
	// Err is the error of the kernel.
	Err error
}

// Parts of the confinement.
const (
	// Landlock restricts the files that a program opens.
	Landlock = outcome.Landlock
	// Seccomp restricts the system calls of a program: sockets, signals to other processes, process groups.
	Seccomp = outcome.Seccomp
)

func (l Lack) Error() string {
	return fmt.Sprintf("programs are not confined by %s: %v", l.Part, l.Err)
}
func (l Lack) Unwrap() error { return l.Err }

// Lacks returns the parts of the confinement that this system does not have or denies to this process. It returns none
// if programs are fully confined. An error means that no program can be started.
func Lacks() ([]Lack, error) {
	type answer struct {
		lacks []Lack
		err   error
	}
	found := make(chan answer)
	go func() {
		runtime.LockOSThread() // never unlocked
		lacks, err := confine("", Files{}, 0)
		found <- answer{lacks, err}
	}()
	a := <-found
	return a.lacks, a.err
}

// confine permanently confines the calling thread and its children. group is the secret with which a process may once
// become the leader of a process group.
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

// closeOnExec ensures that programs inherit only the files that are passed to them. Go opens no inheritable file, but
// the parent of this process may have passed some.
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

// absent reports whether an error means that the kernel, or the confinement of this process, does not support a call.
func absent(err error) bool {
	for _, e := range []syscall.Errno{unix.ENOSYS, unix.EOPNOTSUPP, unix.EINVAL, unix.EPERM, unix.EACCES} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// makeEmpty creates an empty file unless the path exists.
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
