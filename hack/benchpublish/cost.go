// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc.
const tick = 10 * time.Millisecond

// spent maps programs to processor time.
type spent map[string]time.Duration

// cpu returns the processor time of each child of this process.
func cpu() spent {
	out := spent{}
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		doc, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		if name, parent, time, ok := statOf(string(doc)); ok && parent == os.Getpid() {
			out[name] += time
		}
	}
	return out
}

// statOf parses a line of /proc/PID/stat. The name is in parentheses and may contain any character.
func statOf(doc string) (name string, parent int, took time.Duration, ok bool) {
	from, to := strings.Index(doc, "("), strings.LastIndex(doc, ")")
	if from < 0 || to < from {
		return "", 0, 0, false
	}
	fields := strings.Fields(doc[to+1:])
	if len(fields) < 13 {
		return "", 0, 0, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	user, err2 := strconv.Atoi(fields[11])
	system, err3 := strconv.Atoi(fields[12])
	return doc[from+1 : to], parent, time.Duration(user+system) * tick, err1 == nil && err2 == nil && err3 == nil
}

// minus returns the processor time since an earlier call of cpu.
func (s spent) minus(before spent) spent {
	out := spent{}
	for name, d := range s {
		out[name] = d - before[name]
	}
	return out
}

// milliseconds returns the share of one of n things.
func milliseconds(d time.Duration, n int) float64 { return d.Seconds() * 1000 / float64(n) }

// printCost prints the processor time of each program per post, for n posts. It depends less on other load of the
// machine than the lateness does.
func printCost(cost spent, n int) {
	var parts []string
	for name, d := range cost {
		if each := milliseconds(d, n); each >= 0.05 {
			parts = append(parts, fmt.Sprintf("%s %.1f ms", name, each))
		}
	}
	slices.Sort(parts)
	logf("CPU time per post: %s", strings.Join(parts, ", "))
}

func printLoad() {
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		logf("load average: %s", strings.TrimSpace(string(load)))
	}
}
