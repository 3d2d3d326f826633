// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reelops/reelops/internal/store/envelope"
)

func TestSigningKey_IsCreatedOnceForTheOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signing.key")
	var keys [2]string
	for i := range keys {
		if err := signingKey(path); err != nil {
			t.Fatal(err)
		}
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = string(doc)
	}
	if len(keys[0]) != 64 || keys[0] != keys[1] {
		t.Errorf("got %d bytes, kept: %v", len(keys[0]), keys[0] == keys[1])
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v", info.Mode(), err)
	}
}

func TestSigningKey_TruncatedKeyIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signing.key")
	if err := os.WriteFile(path, []byte("cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := signingKey(path); err != nil {
		t.Fatal(err)
	}
	if doc, err := os.ReadFile(path); err != nil || len(doc) != 64 {
		t.Errorf("got %d bytes, %v", len(doc), err)
	}
}

func TestEnv_RoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's here")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &stack{o: options{dataDir: dir, bin: "/b in"}, url: "http://127.0.0.1:1", publicURL: "http://127.0.0.1:1", sandbox: "http://127.0.0.1:2"}
	if err := s.writeEnv(s.path("env"), "rlo_secret"); err != nil {
		t.Fatal(err)
	}
	if got := keyIn(s.path("env")); got != "rlo_secret" {
		t.Errorf("got %q", got)
	}
	if info, err := os.Stat(s.path("env")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v", info.Mode(), err)
	}
	sourced, err := exec.Command("/bin/sh", "-c", `. "$0" && printf %s "$KUBECONFIG"`, s.path("env")).Output()
	if want := s.path("kubeconfig"); err != nil || string(sourced) != want {
		t.Errorf("a shell reads KUBECONFIG as %q, %v, want %q", sourced, err, want)
	}
	sourced, err = exec.Command("/bin/sh", "-c", `. "$0" && printf %s "$REELOPS_SANDBOX"`, s.path("env")).Output()
	if err != nil || string(sourced) != s.sandbox {
		t.Errorf("a shell reads REELOPS_SANDBOX as %q, %v, want %q", sourced, err, s.sandbox)
	}
	if keyIn(s.path("none")) != "" {
		t.Error("a missing file has a key")
	}
}

func TestLock_DataFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	unlock, err := lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock(path); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("a second lock: got %v", err)
	}
	unlock()
	again, err := lock(path)
	if err != nil {
		t.Fatalf("after unlocking: got %v", err)
	}
	again()
}

// child runs a shell line as the part "child" and waits for its end.
func child(t *testing.T, s *stack, line string) *process {
	t.Helper()
	if err := os.MkdirAll(s.path("logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := start("child", s.path("logs"), nil, "/bin/sh", "-c", line)
	if err != nil {
		t.Fatal(err)
	}
	<-p.done
	return p
}

func TestChild_IsRestartedAfterAKillOnly(t *testing.T) {
	s := &stack{o: options{dataDir: t.TempDir()}}
	if _, ok := errors.AsType[lost](s.fell(child(t, s, "kill -9 $$"), "the child")); !ok {
		t.Error("a killed child ends the run")
	}
	err := s.fell(child(t, s, "echo no such flag; exit 2"), "the child")
	if _, ok := errors.AsType[lost](err); ok || !strings.Contains(err.Error(), "exit status 2") || !strings.Contains(err.Error(), "no such flag") {
		t.Errorf("got %v, want the exit status and the log", err)
	}
}

func TestStop_KillsAChildWithItsChildren(t *testing.T) {
	s := &stack{o: options{dataDir: t.TempDir()}}
	if err := os.MkdirAll(s.path("logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := start("child", s.path("logs"), nil, "/bin/sh", "-c", "trap '' TERM; read never </dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	p.stop(0) // without a timeout: kill at once
	if !p.ended() || !killed(p.cmd.ProcessState) {
		t.Error("the child still runs")
	}
	var none *process
	none.stop(0) // a child that was never started
}

func TestPorts_AreKeptAndDiffer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "port")
	first, err := keptPort(file)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := keptPort(file); err != nil || again != first {
		t.Errorf("at the second start: got %d, %v, want %d", again, err, first)
	}
	if other, err := keptPort(file, first); err != nil || other == first {
		t.Errorf("%d, %v is used by another part", other, err)
	}
}

func TestTokenKey_IsCreatedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token.key")
	for range 2 {
		if err := tokenKey(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := envelope.OpenFile(path); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tokenKey(path); err != nil {
		t.Fatal(err)
	}
	if doc, _ := os.ReadFile(path); string(doc) != "mine" {
		t.Errorf("the token key was overwritten with %q", doc)
	}
}

func TestHandOver_GivesPartsTheirFilesOnly(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("changing owners needs root")
	}
	s := &stack{o: options{dataDir: t.TempDir(), user: 65532}}
	if err := os.MkdirAll(s.path("blobs/a"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blobs/a/file", "token.key", "kubeconfig"} {
		if err := os.WriteFile(s.path(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second start changes nothing
		if err := s.handOver(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(s.o.dataDir); err != nil || info.Mode().Perm() != 0o710 {
			t.Fatalf("got %v, %v", info.Mode(), err)
		}
		for name, want := range map[string]uint32{"blobs": 65532, "blobs/a/file": 65532, "token.key": 65532, "sandbox": 65533, "kubeconfig": 0} {
			info, err := os.Stat(s.path(name))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Sys().(*syscall.Stat_t).Uid; got != want {
				t.Errorf("%s belongs to %d, want %d", name, got, want)
			}
		}
	}
}

func TestStart_AsAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("changing the user needs root")
	}
	dir := t.TempDir()
	p, err := start("child", dir, options{user: 65532}.as(1), "/bin/sh", "-c", "id -u; id -G; grep CapEff /proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	<-p.done
	if got, want := tail(filepath.Join(dir, "child.log")), "65533\n65532\nCapEff:\t0000000000000000"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
