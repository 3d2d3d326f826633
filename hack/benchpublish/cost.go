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

// tick is how Linux counts processor time.
const tick = 10 * time.Millisecond

// spent is processor time by program.
type spent map[string]time.Duration

// cpu reads what each child of this process has spent.
func cpu() spent {
	out := spent{}
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		doc, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if name, parent, time, ok := statOf(string(doc)); ok && parent == os.Getpid() {
			out[name] += time
		}
	}
	return out
}

// statOf reads a line of /proc/PID/stat: the name stands in parentheses and may hold anything.
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

// tellCost says what each program spent on one of n posts: that moves less with what else a machine does than how late they are.
func tellCost(before, after spent, n int) {
	var parts []string
	for name, d := range after {
		if each := (d - before[name]) / time.Duration(n); each >= 50*time.Microsecond {
			parts = append(parts, fmt.Sprintf("%s %.1f ms", name, each.Seconds()*1000))
		}
	}
	slices.Sort(parts)
	say("processor time per post: %s", strings.Join(parts, ", "))
}

func tellLoad() {
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		say("the machine's load: %s", strings.TrimSpace(string(load)))
	}
}
