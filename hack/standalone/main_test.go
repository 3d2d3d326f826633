// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain runs supervise if the test binary was started for it, with the arguments of the program.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "supervise" {
		// Like the first process of a container, adopt processes that have lost their parent.
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			panic(err)
		}
		status, err := supervise(os.Args[2], os.Args[3:])
		if err != nil {
			panic(err)
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func supervised(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"supervise", "/bin/sh", "-c", script}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestSupervise_ReturnsTheExitStatus(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 137, "sleep 0.2 & exit 3": 3} {
		cmd := supervised(t, script)
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%q: got status %d, want %d", script, got, want)
		}
	}
}

func TestSupervise_PassesSignalsOn(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := supervised(t, `trap 'exit 5' TERM; : >"$0"; while :; do sleep 0.1; done`, ready)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { _, err := os.Stat(ready); return err == nil })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 5 {
		t.Errorf("got status %d, want 5", got)
	}
}

func TestSupervise_ReapsOrphans(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orphan")
	// The inner shell ends at once, so that its child loses its parent.
	cmd := supervised(t, `sh -c 'sh -c "exit 0" & echo $! >"$0"' "$0"; read -r never`, file)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	cmd.Stdin = r
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		text, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return false
		}
		_, err = os.Stat("/proc/" + strconv.Itoa(pid))
		return os.IsNotExist(err)
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

func TestArguments_OfTheCallerAreLast(t *testing.T) {
	got := strings.Join(arguments("https://reelops.example", []string{"--writer", "offline"}), " ")
	if !strings.Contains(got, "--base-url https://reelops.example ") || !strings.HasSuffix(got, " --writer offline") {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(arguments("", nil), " "); !strings.Contains(got, "--base-url http://localhost:8080 ") {
		t.Errorf("without REELOPS_URL: got %s", got)
	}
}

func TestComposeFile_HasTheSettingsOfTheImage(t *testing.T) {
	text, err := os.ReadFile("../../config/compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	settings := []string{"REELOPS_URL: " + defaultURL, ":" + port + " ", ":" + sandboxPort + " ", ":" + dataDir + "\n"}
	for _, want := range settings {
		if !strings.Contains(string(text), want) {
			t.Errorf("the Compose file has no %q", want)
		}
	}
}

func eventually(t *testing.T, f func() bool) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); !f(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it did not happen within 20 seconds")
		}
	}
}
