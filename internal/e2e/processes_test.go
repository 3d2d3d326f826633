// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// process is an observed process. began distinguishes it from a later one with the same pid.
type process struct {
	pid, parent int
	name, began string
	zombie      bool
}

// processes returns all processes of this machine.
func processes() []process {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var out []process
	for _, path := range stats {
		if p, ok := readProcess(path); ok {
			out = append(out, p)
		}
	}
	return out
}

// readProcess reads "pid (name) state ppid ... starttime ...": the name may contain spaces and parentheses.
func readProcess(path string) (process, bool) {
	doc, err := os.ReadFile(path)
	if err != nil {
		return process{}, false // the process has just ended
	}
	open, shut := bytes.IndexByte(doc, '('), bytes.LastIndexByte(doc, ')')
	if open < 0 || shut < open {
		return process{}, false
	}
	fields := strings.Fields(string(doc[shut+1:]))
	if len(fields) < 20 {
		return process{}, false
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(doc[:open])))
	parent, _ := strconv.Atoi(fields[1])
	return process{pid: pid, parent: parent, name: string(doc[open+1 : shut]), began: fields[19], zombie: fields[0] == "Z"}, true
}

// below returns all descendants of a process.
func below(pid int) []process {
	all := processes()
	family := map[int]bool{pid: true}
	var out []process
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if family[p.parent] && !family[p.pid] {
				family[p.pid], grown = true, true
				out = append(out, p)
			}
		}
	}
	return out
}

// named returns the processes with a name that are no zombies.
func named(ps []process, name string) []process {
	return slices.DeleteFunc(slices.Clone(ps), func(p process) bool { return p.name != name || p.zombie })
}

// kill ends a process like a crash, without any chance to clean up.
func (p process) kill() {
	if p.isRunning() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // the process may have ended since the check
	}
}

// encodesVideo reports whether the process was started by a renderer of a video.
func (p process) encodesVideo() bool {
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.parent), "environ"))
	return err == nil && strings.Contains(string(environ), "/renders/")
}

// freeze suspends a process, so that a test can use the moment, and thaw continues it.
func (p process) freeze() { _ = syscall.Kill(p.pid, syscall.SIGSTOP) }
func (p process) resume() { _ = syscall.Kill(p.pid, syscall.SIGCONT) }

// isRunning reports whether the same process still runs. A zombie does not run, unless other threads of it are still
// ending: they hold its sockets until then.
func (p process) isRunning() bool {
	dir := filepath.Join("/proc", strconv.Itoa(p.pid))
	now, ok := readProcess(filepath.Join(dir, "stat"))
	if !ok || now.began != p.began {
		return false
	}
	threads, _ := os.ReadDir(filepath.Join(dir, "task"))
	return !now.zombie || len(threads) > 1
}
