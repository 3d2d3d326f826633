// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain runs Init if the test binary was started for it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == InitArg {
		Init()
	}
	if len(os.Args) > 1 && os.Args[1] == EndArg {
		End()
	}
	os.Exit(m.Run())
}

func newKeeper(t *testing.T, isolation Isolation) *Keeper {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mount namespaces need root")
	}
	k, err := NewKeeper(isolation)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func base(t *testing.T, argv ...string) Spec {
	t.Helper()
	return Spec{Root: t.TempDir(), Program: "/bin/sh", Argv: argv, Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/", Host: "box", UID: 65532, GID: 65532}
}

// output runs s and returns its exit code and its output.
func output(t *testing.T, k *Keeper, s Spec) (int, string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := k.Start(s, w, w)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := io.ReadAll(r)
	return p.Wait(), string(raw)
}

func TestView(t *testing.T) {
	k := newKeeper(t, Namespaces)
	// Like a clone below /root: other users may not enter the folder, and the program in it still runs.
	private := filepath.Join(t.TempDir(), "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(private, "program")
	raw, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	volume := t.TempDir()
	if err := os.WriteFile(filepath.Join(volume, "f"), []byte("here"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, script, want string
		edit               func(*Spec)
		code               int
	}{
		{"first process, own hostname", `echo $$ $(cat /proc/sys/kernel/hostname)`, "1 box\n", nil, 0},
		{"a program in a private folder", `echo ran`, "ran\n", func(s *Spec) { s.Program, s.Argv[0] = program, ProgramDir+"/program" }, 0},
		{"the folder itself is missing", `test -e ` + private + ` || echo hidden`, "hidden\n", nil, 0},
		{"a mount in a host folder without the target", `cat /usr/share/not/there/f && test -d /usr/share/doc && echo`, "here\n", func(s *Spec) {
			s.Mounts = []Mount{{Source: volume, Target: "/usr/share/not/there"}}
		}, 0},
		{"a mount behind a link", `cat /run/x/f; echo`, "here\n", func(s *Spec) { s.Mounts = []Mount{{Source: volume, Target: "/var/run/x"}} }, 0},
		{"a read-only mount", `touch /v/g 2>/dev/null || echo no`, "no\n", func(s *Spec) {
			s.UID, s.GID, s.Mounts = 0, 0, []Mount{{Source: volume, Target: "/v", ReadOnly: true}}
		}, 0},
		{"a read-only root", `for d in / /tmp /etc; do touch $d/x 2>/dev/null && echo wrote $d; done; touch /dev/shm/x && echo shm`, "shm\n", func(s *Spec) { s.UID, s.GID, s.ReadOnlyRoot = 0, 0, true }, 0},
		{"root without capabilities", `grep -E 'Cap(Eff|Bnd)' /proc/self/status | tr '\n' ' '`, "CapEff:\t0000000000000000 CapBnd:\t0000000000000000 ", func(s *Spec) { s.UID, s.GID = 0, 0 }, 0},
		{"a working directory", `pwd`, "/some/where\n", func(s *Spec) { s.Dir = "/some/where" }, 0},
		{"an exit code", `exit 42`, "", nil, 42},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base(t, "sh", "-c", c.script)
			if c.edit != nil {
				c.edit(&s)
			}
			code, got := output(t, k, s)
			if got != c.want || code != c.code {
				t.Errorf("got exit code %d, output %q; want %d, %q", code, got, c.code, c.want)
			}
			if left, _ := os.ReadDir(s.Root); len(left) > 0 {
				t.Errorf("visible outside: %v", left)
			}
		})
	}
	for _, p := range []string{"/usr/share/not", "/run/x", "/some/where/x"} {
		if _, err := os.Stat(p); err == nil {
			t.Errorf("%s was created on the host", p)
		}
	}
}

// TestProgram_InheritsNoFile checks that a program does not inherit a file that this process has open without
// close-on-exec.
func TestProgram_InheritsNoFile(t *testing.T) {
	k := newKeeper(t, Namespaces)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Open(secret, syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	code, out := output(t, k, base(t, "sh", "-c", "ls -l /proc/self/fd/ | grep -c "+secret))
	if out != "0\n" {
		t.Errorf("got exit code %d; open files of another process: %s", code, out)
	}
}

func TestProgram_Missing(t *testing.T) {
	k := newKeeper(t, Namespaces)
	for _, argv := range []string{"no-such-program", "/no/such/program", "/etc/passwd"} {
		if _, err := k.Start(base(t, argv), os.Stdout, os.Stderr); !errors.Is(err, ErrProgram) || !strings.Contains(err.Error(), argv) {
			t.Errorf("%s: got %v", argv, err)
		}
	}
}

func TestKill_Grandchildren(t *testing.T) {
	k := newKeeper(t, Namespaces)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// The grandchild ignores the signals that can be ignored, and keeps the pipe open.
	p, err := k.Start(base(t, "sh", "-c", `sh -c 'trap "" TERM HUP; echo up; while :; do sleep 1000; done' & wait`), w, w)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := p.Wait(); code != 137 {
		t.Errorf("got exit code %d", code)
	}
	if _, err := io.ReadAll(r); err != nil { // returns when the last process with the pipe has ended
		t.Error(err)
	}
}

func TestMemoryVolume_IsSharedAndPrivate(t *testing.T) {
	k := newKeeper(t, Namespaces)
	dir := t.TempDir()
	if err := k.Tmpfs(dir, 1<<20, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	defer k.Release(dir)
	s := base(t, "sh", "-c", `echo one >/m/f`)
	s.Mounts = []Mount{{Source: dir, Target: "/m"}}
	if code, got := output(t, k, s); code != 0 {
		t.Fatalf("got %d, %q", code, got)
	}
	s.Argv[2] = `cat /m/f; dd if=/dev/zero of=/m/g bs=1M count=2 2>/dev/null || echo full`
	if _, got := output(t, k, s); got != "one\nfull\n" {
		t.Errorf("the second container got %q", got)
	}
	if seen, _ := os.ReadDir(dir); len(seen) > 0 {
		t.Errorf("visible outside: %v", seen)
	}
}
