// SPDX-License-Identifier: Apache-2.0

package space

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	cgroupRoot = "/sys/fs/cgroup"
	// system is the control group of the node's own processes, next to its pods.
	system = "system"
	// controllers are the controllers to enable with cgroup version 2.
	controllers = "+cpuset +cpu +memory +pids"
	// removeLimit is how long the kernel may take to release a group whose processes were killed.
	removeLimit = 10 * time.Second
)

// unified reports whether the machine uses cgroup version 2.
func unified() bool {
	var s unix.Statfs_t
	return unix.Statfs(cgroupRoot, &s) == nil && s.Type == unix.CGROUP2_SUPER_MAGIC
}

// hierarchies returns the roots of the hierarchies in which groups are created. With version 1, symbolic links to other
// hierarchies are left out.
func hierarchies() ([]string, error) {
	if unified() {
		return []string{cgroupRoot}, nil
	}
	entries, err := os.ReadDir(cgroupRoot)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(cgroupRoot, e.Name())
		if _, err := os.Stat(filepath.Join(dir, "cgroup.procs")); err == nil && e.Type()&fs.ModeSymlink == 0 {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("no control groups mounted on %s", cgroupRoot)
	}
	return dirs, nil
}

func makeCgroups(name string) error {
	dirs, err := hierarchies()
	if err != nil {
		return err
	}
	for _, top := range dirs {
		if unified() {
			if err := os.WriteFile(filepath.Join(top, "cgroup.subtree_control"), []byte(controllers), 0); err != nil {
				return fmt.Errorf("enabling the controllers %s: %w", controllers, err)
			}
		}
		group := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Join(group, system), 0o755); err != nil {
			return fmt.Errorf("creating a control group: %w", err)
		}
		switch {
		case unified():
			err = os.WriteFile(filepath.Join(group, "cgroup.subtree_control"), []byte(controllers), 0)
		case filepath.Base(top) == "cpuset":
			err = errors.Join(inherit(group), inherit(filepath.Join(group, system)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inherit copies the processors and memory nodes of the parent group into a new group. Version 1 leaves them empty, and
// then no process may enter the group.
func inherit(group string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		raw, err := os.ReadFile(filepath.Join(filepath.Dir(group), file))
		if err == nil {
			err = os.WriteFile(filepath.Join(group, file), raw, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func enterCgroups(name string, pid int) error {
	dirs, err := hierarchies()
	if err != nil {
		return err
	}
	for _, top := range dirs {
		if err := os.WriteFile(filepath.Join(top, name, system, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			return fmt.Errorf("entering a control group: %w", err)
		}
	}
	return nil
}

// removeCgroups removes the groups, deepest first. Processes that are still in one of them are killed.
func removeCgroups(name string) error {
	dirs, err := hierarchies()
	if err != nil {
		return nil // no hierarchy is mounted, so no group exists
	}
	var errs []error
	for _, top := range dirs {
		errs = append(errs, removeTree(filepath.Join(top, name), time.Now().Add(removeLimit)))
	}
	return errors.Join(errs...)
}

func removeTree(dir string, until time.Time) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeTree(filepath.Join(dir, e.Name()), until); err != nil {
				return err
			}
		}
	}
	for {
		err := unix.Rmdir(dir)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || time.Now().After(until) {
			return fmt.Errorf("removing the control group %s: %w", dir, err)
		}
		raw, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		for _, line := range strings.Fields(string(raw)) {
			if pid, err := strconv.Atoi(line); err == nil && pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}
