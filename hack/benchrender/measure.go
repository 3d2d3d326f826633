// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usage is the resource usage of one run.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // peak resident memory of all processes, in bytes
	film      int64 // bytes
}

func (u usage) wallSeconds() float64 { return u.wall.Seconds() }
func (u usage) cpuSeconds() float64  { return u.cpu.Seconds() }
func (u usage) peakMB() float64      { return float64(u.peak) / (1 << 20) }
func (u usage) filmKB() float64      { return float64(u.film) / 1000 }

// sampleEvery is the shortest sampling interval of the memory of a process tree. Sampling takes at most 1/sampleShare of a
// processor.
const (
	sampleEvery = 20 * time.Millisecond
	sampleShare = 50
)

// measure runs a command that writes a film. Processor time includes that of all descendants of the process. Memory is the
// largest sampled sum of the resident memory of the process and its descendants.
func measure(cmd *exec.Cmd, film string) (usage, error) {
	// Processes whose parent ended before them become children of this one, which then knows their processor time.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return usage{}, err
	}
	os.Remove(film)
	var said bytes.Buffer
	cmd.Stderr = &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var u usage
	tick := time.NewTimer(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			sampled := time.Now()
			u.peak = max(u.peak, resident(cmd.Process.Pid))
			tick.Reset(max(sampleEvery, sampleShare*time.Since(sampled)))
		case err := <-ended:
			u.wall = time.Since(began)
			if err != nil {
				return u, fmt.Errorf("%w: %s", err, said.String())
			}
			u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() + orphans()
			info, err := os.Stat(film)
			if err != nil {
				return u, err
			}
			u.film = info.Size()
			return u, nil
		}
	}
}

// orphans waits for the descendants that a process has left behind, and returns their processor time.
func orphans() (cpu time.Duration) {
	for {
		var r unix.Rusage
		switch _, err := unix.Wait4(-1, nil, 0, &r); {
		case errors.Is(err, unix.EINTR):
		case err != nil: // there are no more
			return cpu
		default:
			cpu += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
}

// resident returns the resident memory of a process and its descendants, in bytes. Pages that several processes share
// are counted once.
func resident(pid int) int64 {
	sum := proportional(pid)
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		b, _ := os.ReadFile(l)
		for _, f := range strings.Fields(string(b)) {
			if child, err := strconv.Atoi(f); err == nil && !sameMemory(pid, child) {
				sum += resident(child)
			}
		}
	}
	return sum
}

// proportional returns the resident memory of a process, in bytes. Of a page that n processes share, it counts one nth.
func proportional(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	_, pss, _ := strings.Cut(string(b), "\nPss:")
	pss, _, _ = strings.Cut(pss, "kB")
	kib, _ := strconv.ParseInt(strings.TrimSpace(pss), 10, 64)
	return kib << 10
}

// sameMemory reports whether two processes have one address space, as a parent and its child do until the child runs a
// program of its own.
func sameMemory(a, b int) bool {
	const vm = 1 // KCMP_VM
	order, _, err := unix.Syscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), vm, 0, 0, 0)
	return err == 0 && order == 0
}
