// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pidsOf returns the process IDs with this command line.
func pidsOf(t *testing.T, line string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, f := range files {
		raw, _ := os.ReadFile(f)
		if strings.TrimSpace(string(bytes.ReplaceAll(raw, []byte{0}, []byte{' '}))) == line {
			pid, _ := strconv.Atoi(strings.Split(f, "/")[2])
			out = append(out, pid)
		}
	}
	return out
}

func TestRestart_AfterAKill(t *testing.T) {
	before := controlGroups(t)
	identity := filepath.Join(t.TempDir(), "manager.kubeconfig")
	i := newInstance(t, "--identity", "system:serviceaccount:kube-system:someone="+identity)
	ctx := context.Background()
	i.create(shell("kept", "exit 0"))
	i.finished("kept")
	// sh starts sleep, so that the test can check the death of a grandchild.
	i.create(shell("running", `echo up; sleep 98765; echo never`))
	first := i.saying("running", "up")
	i.eventually("the grandchild runs", func(context.Context) error {
		if p := pidsOf(t, "sleep 98765"); len(p) != 1 {
			return fmt.Errorf("got %v", p)
		}
		return nil
	})

	t.Run("a second instance in the same folder is rejected", func(t *testing.T) {
		out, err := i.command().CombinedOutput()
		if err == nil || !strings.Contains(string(out), "in use by another localkube") {
			t.Errorf("got output %q (%v)", out, err)
		}
	})
	t.Run("an identity has its own permissions only", func(t *testing.T) {
		_, err := i.clientOf(identity).CoreV1().Secrets("default").List(ctx, metav1.ListOptions{})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "system:serviceaccount:kube-system:someone") {
			t.Errorf("listing secrets: %v", err)
		}
	})

	i.signal(syscall.SIGKILL)
	i.eventually("no process is left", func(context.Context) error {
		if p := pidsOf(t, "sleep 98765"); len(p) > 0 {
			return fmt.Errorf("got %v", p)
		}
		return nil
	})
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil || bytes.Contains(mounts, []byte(i.dir)) {
		t.Errorf("mounts are left: %s (%v)", mounts, err)
	}
	i.start()
	if end, _ := i.finished("kept"); end.Type != batchv1.JobComplete {
		t.Errorf("got the earlier objects %+v", end)
	}
	end, pod := i.finished("running")
	if end.Type != batchv1.JobFailed {
		t.Errorf("got the job of the lost pod %+v", end)
	}
	if pod.UID != first.UID || pod.Status.Phase != corev1.PodFailed {
		t.Errorf("got pod %s, %s", pod.Name, pod.Status.Phase)
	}
	if got := ended(t, pod); got.ExitCode != 137 || got.Reason != "ContainerStatusUnknown" {
		t.Errorf("got %+v", got)
	}
	i.create(shell("after", "exit 0"))
	if end, _ := i.finished("after"); end.Type != batchv1.JobComplete {
		t.Errorf("got the new job %+v", end)
	}

	t.Run("stops its pods on SIGTERM, and exits without an error", func(t *testing.T) {
		i.create(shell("busy", `echo up; sleep 87654`))
		i.saying("busy", "up")
		cmd := i.cmd
		i.signal(syscall.SIGTERM)
		if !cmd.ProcessState.Success() {
			t.Errorf("got exit %s: %s", cmd.ProcessState, i.out.String())
		}
		if p := pidsOf(t, "sleep 87654"); len(p) > 0 {
			t.Errorf("left running: %v", p)
		}
		// Groups that existed before belong to other instances, or to one that was killed and not restarted.
		left := slices.DeleteFunc(controlGroups(t), func(g string) bool { return slices.Contains(before, g) })
		if len(left) > 0 {
			t.Errorf("left over: %v", left)
		}
	})
}

// controlGroups returns the control groups of every localkube on this machine.
func controlGroups(t *testing.T) []string {
	t.Helper()
	groups, err := filepath.Glob("/sys/fs/cgroup/*/localkube-*")
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// TestRestart_AfterAKilledStart checks that a start that is killed at any point does not break the next one. The
// first start in a new folder matters most, because it creates the files.
func TestRestart_AfterAKilledStart(t *testing.T) {
	i := newInstance(t)
	i.signal(syscall.SIGTERM)
	for cut := 20 * time.Millisecond; cut < 300*time.Millisecond; cut += 15 * time.Millisecond {
		i.dir = t.TempDir()
		first := i.command()
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(cut, func() { _ = first.Process.Kill() })
		_ = first.Wait()
		timer.Stop()
		i.startsEtcd(cut)
	}
	i.start() // in the folder of the starts that were killed
	i.create(shell("after", "exit 0"))
	if end, _ := i.finished("after"); end.Type != batchv1.JobComplete {
		t.Errorf("got job %+v", end)
	}
}

// startsEtcd starts localkube in the folder of a killed start, and kills it when etcd is ready.
func (i *instance) startsEtcd(cut time.Duration) {
	i.t.Helper()
	cmd := i.command()
	out, err := cmd.StdoutPipe()
	if err != nil {
		i.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		i.t.Fatal(err)
	}
	kill := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	ready := false
	for lines := bufio.NewScanner(out); !ready && lines.Scan(); {
		ready = strings.Contains(lines.Text(), "etcd ready")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !ready {
		i.t.Fatalf("etcd did not start after a kill %s into the first start", cut)
	}
}
