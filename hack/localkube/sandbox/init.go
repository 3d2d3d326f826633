// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptors that Keeper passes to Init.
const (
	specFD  = 3
	errorFD = 4
)

var errMissing = errors.New("not found")

// Init runs in the child. It never returns.
func Init() {
	runtime.LockOSThread()
	report := os.NewFile(errorFD, "report")
	// Only standard input, output and error are passed to the program. The process that started the node may have left
	// other files open, which the program would inherit.
	if err := unix.CloseRange(specFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		_ = json.NewEncoder(report).Encode(failure{Step: "closing inherited files", Error: err.Error()})
		os.Exit(1)
	}
	step, err := become(os.NewFile(specFD, "spec"))
	_ = json.NewEncoder(report).Encode(failure{Step: step, Error: err.Error(), Missing: errors.Is(err, errMissing)})
	os.Exit(1)
}

// become returns only on failure, with the failed step and the error.
func become(in *os.File) (string, error) {
	var s Spec
	if err := json.NewDecoder(in).Decode(&s); err != nil {
		return "reading the process specification", err
	}
	procs, err := openAll(s.CgroupProcs)
	if err != nil {
		return "opening the control group", err
	}
	if s.Isolation == Namespaces {
		if err := unix.Sethostname([]byte(s.Host)); err != nil {
			return "setting the host name", err
		}
		if err := buildRoot(&s); err != nil {
			return "building the container's file system", err
		}
	}
	if err := os.Chdir(s.Dir); err != nil {
		return "entering the working directory", err
	}
	for _, f := range procs {
		if _, err := f.WriteString("0"); err != nil {
			return "joining the control group", err
		}
	}
	if s.Isolation == Users {
		if err := restrictFiles(&s); err != nil {
			return "restricting the program's files", err
		}
	}
	if err := dropRights(&s); err != nil {
		return "dropping privileges", err
	}
	// A change of user clears the parent-death signal, so set it afterwards. If the parent has died before that, the
	// other end of the spec pipe is closed.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return "tying the process to its parent", err
	}
	poll := []unix.PollFd{{Fd: specFD}}
	if n, _ := unix.Poll(poll, 0); n > 0 && poll[0].Revents&unix.POLLHUP != 0 {
		return "tying the process to its parent", errors.New("the parent has exited")
	}
	path, err := find(s.Argv[0], s.Env)
	if err != nil {
		return "finding the program", err
	}
	if err := syscall.Exec(path, s.Argv, s.Env); err != nil {
		return "starting the program", fmt.Errorf("%w: exec %s: %w", errMissing, path, err)
	}
	return "", nil
}

func openAll(files []string) ([]*os.File, error) {
	var out []*os.File
	for _, name := range files {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// find looks up a command like execvp, in the container's PATH.
func find(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := ""
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range filepath.SplitList(path) {
		full := filepath.Join(dir, name)
		if fi, err := os.Stat(full); err == nil && fi.Mode().IsRegular() && unix.Access(full, unix.X_OK) == nil {
			return full, nil
		}
	}
	return "", fmt.Errorf("%w: %q is not in PATH (%s)", errMissing, name, path)
}

// dropRights sets the user, groups and capabilities of the spec, and prevents gaining others.
func dropRights(s *Spec) error {
	keep := map[int]bool{}
	for _, c := range s.Capabilities {
		keep[c] = true
	}
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		if keep[c] {
			continue
		}
		// EINVAL: the kernel does not have this capability.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("dropping capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := syscall.Setgroups(s.Groups); err != nil {
		return fmt.Errorf("setgroups: %w", err)
	}
	if err := syscall.Setresgid(s.GID, s.GID, s.GID); err != nil {
		return fmt.Errorf("setgid: %w", err)
	}
	if err := syscall.Setresuid(s.UID, s.UID, s.UID); err != nil {
		return fmt.Errorf("setuid: %w", err)
	}
	var set [2]unix.CapUserData
	if s.UID == 0 {
		for c := range keep {
			set[c/32].Permitted |= 1 << (c % 32)
			set[c/32].Effective |= 1 << (c % 32)
		}
	}
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &set[0])
}
