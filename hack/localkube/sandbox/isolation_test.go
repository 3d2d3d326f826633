// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// user is the user of the programs in these tests.
const user = LastUser - 7

// open returns a folder that every user can enter.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestUsers_View(t *testing.T) {
	k := newKeeper(t, Users)
	dir := open(t)
	volume, private := filepath.Join(dir, "volume"), filepath.Join(dir, "private")
	for path, mode := range map[string]os.FileMode{volume: 0o777, private: 0o700} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "f"), []byte("here"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		script, want string
		landlock     bool // depends on Landlock
	}{
		"the user, without rights": {
			`id -u; id -G; while read -r name value; do case $name in Cap[EB]*|NoNew*) echo $value;; esac; done </proc/self/status`,
			"65512\n65512\n0000000000000000\n0000000000000000\n1\n", false,
		},
		"its volume":                    {"cat " + volume + "/f; touch " + volume + "/g && echo + written", "here+ written\n", false},
		"a folder of root":              {"cat " + private + "/f 2>/dev/null || echo no", "no\n", false},
		"the environment of root":       {"cat /proc/1/environ 2>/dev/null || echo no", "no\n", false},
		"a signal to root":              {"kill -0 $PPID 2>/dev/null || echo no", "no\n", false},
		"a readable file of others":     {"cat " + dir + "/readable 2>/dev/null || echo no", "no\n", true},
		"a folder that all can write":   {"touch /tmp/sandbox-test-mine 2>/dev/null || echo no", "no\n", true},
		"system programs and devices":   {"ls /usr/bin >/dev/null && echo yes", "yes\n", false},
		"the environment is the spec's": {"env | grep -v ^PWD | grep -v ^_", "PATH=/usr/bin:/bin\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			if version, err := llsys.LandlockGetABIVersion(); c.landlock && (err != nil || version < 1) {
				t.Skip("the kernel has no Landlock")
			}
			if err := os.WriteFile(filepath.Join(dir, "readable"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			s := base(t, "sh", "-c", c.script)
			s.UID, s.GID, s.Mounts = user, user, []Mount{{Source: volume, Target: "/volume"}}
			if code, got := output(t, k, s); got != c.want || code > 1 {
				t.Errorf("got exit code %d, output %q; want %q", code, got, c.want)
			}
		})
	}
}

func TestUsers_OfTheRangeOnly(t *testing.T) {
	k := newKeeper(t, Users)
	if _, err := k.Start(base(t, "true"), os.Stdout, os.Stderr); err == nil || !strings.Contains(err.Error(), "65532") {
		t.Errorf("got %v", err)
	}
}

// TestUsers_EndWithDescendants checks that a descendant in another session ends with the program.
func TestUsers_EndWithDescendants(t *testing.T) {
	k := newKeeper(t, Users)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := base(t, "sh", "-c", `setsid sh -c 'trap "" TERM HUP; echo up; exec sleep 1000' & read never`)
	s.UID, s.GID = user-1, user-1
	p, err := k.Start(s, w, w)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	_ = p.Signal(syscall.SIGKILL)
	p.Wait()
	if n, err := r.Read(make([]byte, 1)); n != 0 || err == nil || os.IsTimeout(err) {
		t.Errorf("the descendant still has the pipe: %v", err)
	}
}

func TestAuto_PrefersNamespaces(t *testing.T) {
	if k := newKeeper(t, Auto); k.Isolation() != Namespaces {
		t.Errorf("got %s", k.Isolation())
	}
}
