// SPDX-License-Identifier: Apache-2.0

package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Files are what a program may open beside itself and the system's programs, libraries, data and fonts. Pipes that it is given need
// not be named.
type Files struct {
	// Read are files and folders that it may read.
	Read []string
	// Write are files that it may write and read again. Those that are missing are made, empty: a program makes none itself.
	Write []string
}

// Start starts a command as cmd.Start does, confined: it gains no rights by what it executes, it calls nothing of the kernel but what the
// programs of the renderer need (no sockets, no other processes' memory, no namespaces, no mounts), and it opens no files but those named.
// Where the kernel cannot confine it so, it is started with what there is; Lacks tells.
//
// The confinement is that of one thread of this process, which the command inherits; the thread ends with the command. So a command that is
// to be killed with its parent (Pdeathsig) is killed when this process ends, and not sooner.
func Start(cmd *exec.Cmd, may Files) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	for _, path := range may.Write {
		if err := makeEmpty(path); err != nil {
			return err
		}
	}
	_, _ = os.FindProcess(os.Getpid()) // what the first start finds out of the system is found out by a thread that may
	begun := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if _, err := confine(cmd.Path, may); err != nil {
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
			continue // until it has ended, which its waiter may find out first
		}
	}()
	return <-begun
}

// Lacks are the parts of the confinement that this system does not have, for the log. It is empty where everything is there.
func Lacks() []error {
	said := make(chan []error)
	go func() {
		runtime.LockOSThread() // and never unlocked
		lacks, err := confine("", Files{})
		if err != nil {
			lacks = append(lacks, err)
		}
		said <- lacks
	}()
	return <-said
}

// confine confines the calling thread, and whatever it starts, for good.
func confine(program string, may Files) (lacks []error, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("giving up new privileges: %w", err)
	}
	version, err := confineFiles(program, may)
	switch {
	case absent(err):
		lacks = append(lacks, fmt.Errorf("files are not confined: there is no Landlock: %w", err))
	case err != nil:
		return nil, err
	}
	switch err := confineCalls(version >= scoping); {
	case absent(err):
		lacks = append(lacks, fmt.Errorf("calls of the kernel are not confined: there are no seccomp filters: %w", err))
	case err != nil:
		return nil, err
	}
	return lacks, nil
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
