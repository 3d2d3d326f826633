// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// job is a Job that runs a program of the node's own image as an unprivileged user. Its log is checked.
const job = `apiVersion: batch/v1
kind: Job
metadata: {name: hello}
spec:
  template:
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: hello
        image: realnode.local/dns:1
        imagePullPolicy: Never
        args: [-version]
        securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
`

// TestNode_Lifecycle starts a node, runs a Job, kills the node with SIGKILL, starts it again from its folder, and
// removes it.
func TestNode_Lifecycle(t *testing.T) {
	program := os.Getenv("REALNODE_BINARY")
	if program == "" {
		t.Skip("REALNODE_BINARY is not set; the test needs root")
	}
	dir := filepath.Join(t.TempDir(), "node")
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Stdin = strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(dir, "kubeconfig"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("realnode %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	t.Cleanup(func() { _ = exec.Command(program, "down", "--data-dir", dir).Run() })

	run("", "up", "--data-dir", dir, "--detach", "--unsafe-no-fsync")
	run(job, "kubectl", "apply", "-f", "-")
	run("", "kubectl", "wait", "--for=condition=Complete", "job/hello", "--timeout=2m")
	if out := run("", "kubectl", "logs", "job/hello"); !strings.Contains(out, "CoreDNS") {
		t.Errorf("got the Job's log %q", out)
	}
	if out, err := exec.Command(program, "up", "--data-dir", dir, "--detach").CombinedOutput(); err == nil {
		t.Errorf("a second node started in the same folder: %s", out)
	}

	var st state
	raw, err := os.ReadFile(filepath.Join(dir, "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &st); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(st.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	run("", "down", "--data-dir", dir, "--keep-data")
	nothingLeft(t, st, dir)

	run("", "up", "--data-dir", dir, "--detach", "--unsafe-no-fsync")
	if out := run("", "kubectl", "get", "job", "hello", "-o", "jsonpath={.status.succeeded}"); out != "1" {
		t.Errorf("after the restart: got %q succeeded Jobs", out)
	}
	run("", "down", "--data-dir", dir)
	nothingLeft(t, st, dir)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

// nothingLeft checks that a node has left nothing outside of its folder.
func nothingLeft(t *testing.T, st state, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("/sys/class/net", st.Place.Link())); err == nil {
		t.Errorf("the link %s is left", st.Place.Link())
	}
	groups, err := filepath.Glob("/sys/fs/cgroup/*/" + st.Place.Cgroup())
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) > 0 {
		t.Errorf("control groups are left: %v", groups)
	}
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mounts), dir) {
		t.Errorf("mounts are left:\n%s", mounts)
	}
}
