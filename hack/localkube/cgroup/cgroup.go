// SPDX-License-Identifier: Apache-2.0

// Package cgroup limits the memory and CPU of process trees with control groups. It uses version 1 or 2, depending on
// which one is mounted and writable.
//
// If neither is writable, a Group does not limit CPU, and limits memory by polling the resident memory of the tree. The
// package never moves processes itself: Procs returns the files to which a process writes to join a group.
package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	mountPoint = "/sys/fs/cgroup"
	cpuPeriod  = 100000 // microseconds, as in the kubelet
	watchEvery = 200 * time.Millisecond
)

// Limits are the limits of one container; 0 means no limit.
type Limits struct {
	MemoryBytes, MilliCPU int64
	// MilliCPURequest is the relative CPU weight.
	MilliCPURequest int64
}

// Manager creates groups below one parent group.
type Manager struct {
	parent  string
	version int
}

// New returns a Manager for the usable version of control groups. It removes groups that remain of an earlier process
// with the same name.
func New(name string) *Manager {
	m := &Manager{parent: "localkube-" + name}
	for _, v := range []int{1, 2} {
		m.version = v
		if m.usable() {
			return m
		}
		m.Close()
	}
	m.version = 0
	return m
}

// usable creates the parent group and reports whether limits can be set below it.
func (m *Manager) usable() bool {
	marks := []string{"memory.limit_in_bytes", "cpu.shares"}
	if m.version == 2 {
		marks = []string{"memory.max"}
		if _, err := os.Stat(filepath.Join(mountPoint, "cgroup.controllers")); err != nil {
			return false
		}
		// If this write is not permitted, memory.max is missing below.
		_ = os.WriteFile(filepath.Join(mountPoint, "cgroup.subtree_control"), []byte("+memory +cpu"), 0)
	}
	for i, dir := range m.dirs("") {
		if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "cgroup.procs")); err != nil {
			return false
		}
		sweep(dir)
		_ = os.Mkdir(dir, 0o755)
		if m.version == 2 {
			_ = os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+memory +cpu"), 0)
		}
		if unix.Access(filepath.Join(dir, marks[i]), unix.W_OK) != nil {
			return false
		}
	}
	return true
}

// Describe returns a sentence about how limits are enforced on this machine.
func (m *Manager) Describe() string {
	switch m.version {
	case 0:
		return "no writable control groups: memory limits are enforced by polling, CPU limits are not enforced"
	default:
		return "control groups v" + strconv.Itoa(m.version)
	}
}

// Close removes the parent group. All groups in it must have been removed.
func (m *Manager) Close() {
	for _, d := range m.dirs("") {
		_ = os.Remove(d)
	}
}

func (m *Manager) dirs(name string) []string {
	switch m.version {
	case 1:
		return []string{filepath.Join(mountPoint, "memory", m.parent, name), filepath.Join(mountPoint, "cpu", m.parent, name)}
	case 2:
		return []string{filepath.Join(mountPoint, m.parent, name)}
	}
	return nil
}

// Group is the control group of one container.
type Group struct {
	m      *Manager
	dirs   []string
	limits Limits
	// over reports whether the guard killed the tree because of the memory limit.
	over  bool
	done  chan struct{}
	guard sync.WaitGroup
}

// Make creates a group. name must be unique in the manager.
func (m *Manager) Make(name string, l Limits) (*Group, error) {
	g := &Group{m: m, dirs: m.dirs(name), limits: l, done: make(chan struct{})}
	for _, d := range g.dirs {
		if err := os.Mkdir(d, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
	for file, value := range g.settings() {
		if err := os.WriteFile(file, []byte(value), 0); err != nil {
			if strings.Contains(file, "memsw") || strings.Contains(file, "swap") { // no swap accounting
				continue
			}
			g.remove()
			return nil, err
		}
	}
	return g, nil
}

func (g *Group) settings() map[string]string {
	s := map[string]string{}
	l := g.limits
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	switch g.m.version {
	case 1:
		mem, cpu := g.dirs[0], g.dirs[1]
		if l.MemoryBytes > 0 {
			s[mem+"/memory.limit_in_bytes"] = num(l.MemoryBytes)
		}
		if l.MilliCPU > 0 {
			s[cpu+"/cpu.cfs_period_us"] = num(cpuPeriod)
			s[cpu+"/cpu.cfs_quota_us"] = num(max(l.MilliCPU*cpuPeriod/1000, 1000))
		}
		s[cpu+"/cpu.shares"] = num(max(l.MilliCPURequest*1024/1000, 2))
	case 2:
		dir := g.dirs[0]
		if l.MemoryBytes > 0 {
			s[dir+"/memory.max"] = num(l.MemoryBytes)
			s[dir+"/memory.swap.max"] = "0"
			s[dir+"/memory.oom.group"] = "1"
		}
		if l.MilliCPU > 0 {
			s[dir+"/cpu.max"] = num(max(l.MilliCPU*cpuPeriod/1000, 1000)) + " " + num(cpuPeriod)
		}
		shares := max(l.MilliCPURequest*1024/1000, 2)
		s[dir+"/cpu.weight"] = num(min(1+(shares-2)*9999/262142, 10000))
	}
	return s
}

// Procs returns the files to which a process writes "0" to join the group.
func (g *Group) Procs() []string {
	var out []string
	for _, d := range g.dirs {
		out = append(out, d+"/cgroup.procs")
	}
	return out
}

// Guard calls kill once when the process tree of pid exceeds its memory limit and the kernel does not kill the whole
// tree by itself. Close ends the guard.
func (g *Group) Guard(pid int, kill func()) {
	if g.limits.MemoryBytes == 0 || g.m.version == 2 {
		return
	}
	if g.m.version == 1 {
		if f, err := oomEvents(g.dirs[0]); err == nil {
			g.guard.Go(func() {
				// The kernel sends the event before it selects a process to kill. If this kill is first, the kernel
				// selects none and does not count an oom_kill. Close removes the group, which also sends the event, after
				// this goroutine has ended.
				if _, err := f.Read(make([]byte, 8)); err == nil {
					g.over = true
					kill()
				}
			})
			go func() { <-g.done; f.Close() }()
			return
		}
	}
	g.guard.Go(func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-g.done:
				return
			case <-tick.C:
			}
			if treeRSS(pid) > g.limits.MemoryBytes {
				g.over = true
				kill()
				return
			}
		}
	})
}

// Close ends the guard, removes the group and reports whether a process was killed because of the memory limit. All
// processes must have ended.
func (g *Group) Close() (oom bool) {
	close(g.done)
	g.guard.Wait()
	oom = g.over
	for _, f := range []string{"memory.oom_control", "memory.events"} {
		if len(g.dirs) == 0 {
			break
		}
		raw, _ := os.ReadFile(filepath.Join(g.dirs[0], f))
		oom = oom || oomKills(string(raw)) > 0
	}
	g.remove()
	return oom
}

func (g *Group) remove() {
	for _, d := range g.dirs {
		_ = os.Remove(d)
	}
}

// oomKills returns the oom_kill counter of memory.oom_control or memory.events.
func oomKills(text string) int {
	for _, line := range strings.Split(text, "\n") {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			v, _ := strconv.Atoi(strings.TrimSpace(n))
			return v
		}
	}
	return 0
}

func oomEvents(dir string) (*os.File, error) {
	control, err := os.Open(filepath.Join(dir, "memory.oom_control"))
	if err != nil {
		return nil, err
	}
	defer control.Close()
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "oom events")
	line := strconv.Itoa(fd) + " " + strconv.Itoa(int(control.Fd()))
	if err := os.WriteFile(filepath.Join(dir, "cgroup.event_control"), []byte(line), 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// treeRSS returns the resident memory of pid and its descendants, in bytes.
func treeRSS(pid int) int64 {
	proc := "/proc/" + strconv.Itoa(pid)
	var sum int64
	if raw, err := os.ReadFile(proc + "/statm"); err == nil {
		if f := strings.Fields(string(raw)); len(f) > 1 {
			pages, _ := strconv.ParseInt(f[1], 10, 64)
			sum = pages * int64(os.Getpagesize())
		}
	}
	threads, _ := filepath.Glob(proc + "/task/*/children")
	for _, t := range threads {
		raw, _ := os.ReadFile(t)
		for _, c := range strings.Fields(string(raw)) {
			if n, err := strconv.Atoi(c); err == nil {
				sum += treeRSS(n)
			}
		}
	}
	return sum
}

// sweep removes a group and all groups below it. A group with processes is not removed.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			sweep(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir)
}
