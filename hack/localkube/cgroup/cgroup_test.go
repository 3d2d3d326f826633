// SPDX-License-Identifier: Apache-2.0

package cgroup

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOOMKills(t *testing.T) {
	for text, want := range map[string]int{
		"": 0,
		"oom_kill_disable 0\nunder_oom 0\noom_kill 2":  2,
		"low 0\noom 1\noom_kill 1\noom_group_kill 1\n": 1,
		"low 0\noom 1\noom_kill 0\n":                   0,
	} {
		if got := oomKills(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	l := Limits{MemoryBytes: 1 << 20, MilliCPU: 1500, MilliCPURequest: 500}
	one := &Group{m: &Manager{version: 1}, dirs: []string{"m", "c"}, limits: l}
	if d := cmp.Diff(map[string]string{
		"m/memory.limit_in_bytes": "1048576", "c/cpu.cfs_period_us": "100000", "c/cpu.cfs_quota_us": "150000", "c/cpu.shares": "512",
	}, one.settings()); d != "" {
		t.Error(d)
	}
	two := &Group{m: &Manager{version: 2}, dirs: []string{"d"}, limits: l}
	if d := cmp.Diff(map[string]string{
		"d/memory.max": "1048576", "d/memory.swap.max": "0", "d/memory.oom.group": "1", "d/cpu.max": "150000 100000", "d/cpu.weight": "20",
	}, two.settings()); d != "" {
		t.Error(d)
	}
	none := &Group{m: &Manager{version: 2}, dirs: []string{"d"}}
	if d := cmp.Diff(map[string]string{"d/cpu.weight": "1"}, none.settings()); d != "" {
		t.Error(d)
	}
}

// TestWatch_WithoutGroups checks that the memory of the tree is polled if there are no control groups.
func TestWatch_WithoutGroups(t *testing.T) {
	m := &Manager{}
	g, err := m.Make("x", Limits{MemoryBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	// The grandchild keeps the memory until it is killed.
	cmd := exec.Command("sh", "-c", `sh -c 'x=aaaaaaaaaaaaaaaa; while [ ${#x} -lt 40000000 ]; do x=$x$x; done; read y' ; exit 9`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := make(chan struct{})
	g.Guard(cmd.Process.Pid, func() { in.Close(); close(killed) })
	<-killed
	_ = cmd.Wait()
	if !g.Close() {
		t.Error("Close does not report the memory limit")
	}
}

// TestGuard_KillsBeforeTheKernel checks that Close reports the memory limit also if the guard's kill came before the
// kernel's, which then counts no oom_kill. The test switches the kernel's kill off, so that the guard is always first.
func TestGuard_KillsBeforeTheKernel(t *testing.T) {
	m := New("guard-test")
	defer m.Close()
	if m.version != 1 {
		t.Skip("the guard kills with control groups v1 only: ", m.Describe())
	}
	g, err := m.Make("x", Limits{MemoryBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.dirs[0], "memory.oom_control"), []byte("1"), 0); err != nil {
		t.Skip("this kernel cannot switch its kill off: ", err)
	}
	cmd := exec.Command("sh", "-c", `echo 0 >"$0" && x=aaaaaaaaaaaaaaaa && while :; do x=$x$x; done`, g.Procs()[0])
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g.Guard(cmd.Process.Pid, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	if !g.Close() {
		t.Error("Close does not report the memory limit")
	}
}

func TestTreeRSS_OfThisProcess(t *testing.T) {
	if got := treeRSS(os.Getpid()); got < 1<<20 {
		t.Errorf("got %d bytes for this process", got)
	}
}
