// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func shell(body string) Child { return Child{Name: "sh", Args: []string{"-c", body}} }

func TestRun_ReportsHowTheProgramEnded(t *testing.T) {
	var end *Exit
	if said, err := shell("echo hello >&2").Run(t.Context()); err != nil || said != "hello" {
		t.Errorf("exit without an error: got %q, %v", said, err)
	}
	if said, err := shell("echo why >&2; exit 3").Run(t.Context()); !errors.As(err, &end) || end.Signal != 0 || said != "why" {
		t.Errorf("exit with an error: got %q, %v", said, err)
	}
	if _, err := hostile("fall").Run(t.Context()); !errors.As(err, &end) || end.Signal != syscall.SIGKILL {
		t.Errorf("exit by a signal: got %v", err)
	}
	if _, err := (Child{Name: filepath.Join(t.TempDir(), "none")}).Run(t.Context()); err == nil || errors.As(err, new(*Exit)) {
		t.Errorf("missing program: got %v", err)
	}
}

func TestRun_BoundsTheOutput(t *testing.T) {
	out := &Bounded{Limit: 4}
	c := shell("cat")
	c.Stdin, c.Stdout = strings.NewReader("abcd"), out
	if _, err := c.Run(t.Context()); err != nil || string(out.Bytes) != "abcd" {
		t.Errorf("output of the maximum size: got %q, %v", out.Bytes, err)
	}
	c = shell("exec cat /dev/zero")
	c.Stdout = out
	if _, err := c.Run(t.Context()); !errors.Is(err, ErrTooMuch) {
		t.Errorf("endless output: got %v", err)
	}
}

func TestRun_EndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	begun := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = os.ReadFile(begun) // until the program has written
		stop(why)
	}()
	// The grandchild holds the pipe open until it ends.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := shell("sleep 600 & echo begun >" + begun + "; wait")
	c.Stdout, c.May = w, Files{Write: []string{begun}}
	if _, err := c.Run(ctx); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	_ = w.Close()
	if _, err := io.ReadAll(r); err != nil {
		t.Error(err)
	}
}

// TestRun_LeavesNoProcess runs a program that ends before its own child process. After that, the child process must
// not write.
func TestRun_LeavesNoProcess(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := shell("(read go <" + gate + "; echo alive) & exit 0")
	c.Stdout, c.May = w, Files{Read: []string{gate}}
	if _, err := c.Run(t.Context()); err != nil {
		t.Error(err)
	}
	_ = w.Close()
	open, err := os.OpenFile(gate, os.O_RDWR, 0) // also open for reading, so that opening does not wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if _, err := open.WriteString("go\n"); err != nil {
		t.Fatal(err)
	}
	if out, err := io.ReadAll(r); err != nil || len(out) > 0 {
		t.Errorf("the remaining process wrote %q, %v", out, err)
	}
}

// TestRun_ReportsUsedUpProcessorTime covers programs that catch the signal, as ffmpeg does.
func TestRun_ReportsUsedUpProcessorTime(t *testing.T) {
	for name, body := range map[string]string{
		"ended by the signal": "while :; do :; done",
		"catches the signal":  "trap 'exit 255' XCPU; while :; do :; done",
		"ignores the signal":  "trap '' XCPU; while :; do :; done",
	} {
		t.Run(name, func(t *testing.T) {
			c := shell(body)
			c.Limits = Limits{unix.RLIMIT_CPU: 1}
			var end *Exit
			if _, err := c.Run(t.Context()); !errors.As(err, &end) || !end.OverTime {
				t.Errorf("got %v, want an exit over time", err)
			}
		})
	}
	var end *Exit
	c := shell("exit 255")
	c.Limits = Limits{unix.RLIMIT_CPU: 1}
	if _, err := c.Run(t.Context()); !errors.As(err, &end) || end.OverTime || end.Code != 255 {
		t.Errorf("got %v, want exit code 255 within time", err)
	}
}

func TestLimitsAndEnvironment(t *testing.T) {
	t.Setenv("SECRET", "not for programs")
	out := &Bounded{Limit: 4096}
	c := shell(`until [ "$(ulimit -n)" = 64 ]; do :; done; ulimit -c; ulimit -t; env`)
	c.Stdout, c.Limits = out, Limits{unix.RLIMIT_CPU: 77}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := string(out.Bytes)
	if !strings.HasPrefix(got, "0\n77\n") || !strings.Contains(got, "LC_ALL=C") || strings.Contains(got, "SECRET") {
		t.Errorf("got environment and limits %q", got)
	}
}

func TestTail_KeepsTheEnd(t *testing.T) {
	var tail Tail
	for _, s := range []string{"begin", strings.Repeat("a", TailBytes-1), strings.Repeat("b", 2*TailBytes), "end"} {
		if n, err := io.WriteString(&tail, s); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := tail.String(); len(got) != TailBytes || !strings.HasSuffix(got, "bend") || strings.Contains(got, "a") {
		t.Errorf("got %d bytes, ending %q", len(got), got[max(0, len(got)-8):])
	}
}
