// SPDX-License-Identifier: Apache-2.0

package guides

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

	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/process/loopback"
)

const (
	// patience bounds the start and the end of the stack. Kubernetes alone can take a minute on a busy machine.
	patience = 3 * time.Minute
	// dataDir is the data directory of `make run`, which the documents name.
	dataDir = ".local"
)

// checkout returns a directory with the files of the repository, the programs in bin, and nothing in dataDir.
func checkout(t *testing.T) string {
	t.Helper()
	bin := os.Getenv("REELOPS_BIN")
	if bin == "" {
		t.Skip("REELOPS_BIN does not name the folder with the built programs: run the test with `make test-guides`")
	}
	// The go command runs a test again when a file that the test looked at has changed.
	for _, name := range []string{"run", "localkube", "kubectl-reelops", "manager", "apiserver", "renderer", "sandbox"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			t.Fatalf("REELOPS_BIN: %v: `make build` builds it", err)
		}
	}
	config := filepath.Join(repository(), "config")
	must(t, filepath.WalkDir(config, func(_ string, _ os.DirEntry, err error) error { return err }))
	dir := t.TempDir()
	must(t, os.Symlink(bin, filepath.Join(dir, "bin")))
	for _, name := range []string{"Makefile", "README.md", "config", "docs", "hack"} {
		must(t, os.Symlink(filepath.Join(repository(), name), filepath.Join(dir, name)))
	}
	return dir
}

// start starts everything as `make run` does in a checkout, and stops it with the test.
func start(t *testing.T, dir string) {
	t.Helper()
	port, err := loopback.Port(0)
	must(t, err)
	log := filepath.Join(dir, "run.log")
	out, err := os.Create(log)
	must(t, err)
	run := exec.Command("bin/run", "--data-dir", dataDir, "--port", strconv.Itoa(port), "--bin", "bin",
		"--writer", "offline", "--config", filepath.Join(repository(), "config", "local"))
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
	must(t, <-started)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the log of the stack:\n%s", tail(log))
		}
		_ = run.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			t.Error("the stack did not stop")
			_ = run.Process.Kill()
			<-ended
		}
	})
	NewWithT(t).Eventually(func() string {
		select {
		case <-ended:
			t.Fatalf("the stack did not start:\n%s", tail(log))
		default:
		}
		return tail(log)
	}).WithTimeout(patience).WithPolling(100 * time.Millisecond).Should(ContainSubstring("ready in"))
}

// tail returns the last lines of a file.
func tail(file string) string {
	text, _ := os.ReadFile(file)
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}

// repository returns the root folder of the repository.
func repository() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
