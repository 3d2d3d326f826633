// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/process/loopback"
)

const (
	// stackTimeout bounds the start and the end of a stack. Kubernetes alone can take a minute on a busy machine.
	stackTimeout = 3 * time.Minute
	stackPoll    = 100 * time.Millisecond
)

// Programs returns the directory with the built programs. It skips the test if REELOPS_BIN does not name it; target is
// the make target that runs the test. The go command runs the test again when one of the programs has changed.
func Programs(t *testing.T, target string) string {
	t.Helper()
	bin := os.Getenv("REELOPS_BIN")
	if bin == "" {
		t.Skipf("REELOPS_BIN does not name the folder with the built programs: run the test with `make %s`", target)
	}
	for _, name := range []string{"run", "localkube", "reelops", "manager", "apiserver", "renderer", "sandbox"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			t.Fatalf("REELOPS_BIN: %v: `make build` builds it", err)
		}
	}
	return bin
}

// StartStack starts everything as `make run` does: in dir, with the programs in bin, without a text model, and with the
// data in the directory data. It waits until everything is ready, and stops everything with the test. It returns a
// function that returns the log of the program run.
func StartStack(t *testing.T, dir, bin, data string) (log func() string) {
	t.Helper()
	port, err := loopback.Port(0)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "run.log")
	log = func() string {
		text, _ := os.ReadFile(file)
		return string(text)
	}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(filepath.Join(bin, "run"), "--data-dir", data, "--port", strconv.Itoa(port), "--bin", bin,
		"--writer", "offline", "--config", filepath.Join(root(), "config", "local"))
	run.Dir, run.Stdout, run.Stderr = dir, out, out
	// Nothing outlives the tests, even when they are killed.
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the death signal is sent when the starting thread ends
		err := run.Start()
		started <- err
		if err == nil {
			_ = run.Wait()
		}
		_ = out.Close()
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the log of the stack:\n%s", lastLines(log()))
		}
		_ = run.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(stackTimeout):
			t.Error("the stack did not stop")
			_ = run.Process.Kill()
			<-ended
		}
	})
	for deadline := time.After(stackTimeout); !strings.Contains(log(), "ready in"); {
		select {
		case <-ended:
			t.Fatalf("the stack did not start:\n%s", lastLines(log()))
		case <-deadline:
			t.Fatalf("the stack is not ready after %s:\n%s", stackTimeout, lastLines(log()))
		case <-time.After(stackPoll):
		}
	}
	return log
}

func lastLines(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}
