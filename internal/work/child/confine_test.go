// SPDX-License-Identifier: Apache-2.0

package child

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestMain also runs this test binary as the hostile program. With "hostile" as the first argument, the binary tries
// the attempts named by the other arguments, and prints the kernel's response to each.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hostile" {
		for _, name := range os.Args[2:] {
			name, rest, _ := strings.Cut(name, "=")
			fmt.Printf("%s: %v\n", name, attempts[name](rest))
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func hostile(try ...string) Child {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Child{Name: self, Args: append([]string{"hostile"}, try...)}
}

func call(n uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.RawSyscall6(n, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func connect(family, kind int) func(string) error {
	return func(string) error {
		fd, err := unix.Socket(family, kind, 0)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}
}

func raw(n uintptr, args ...uintptr) func(string) error {
	return func(string) error { return call(n, args...) }
}

var memory [64]byte

// fcntl commands that package unix does not define.
const (
	fSetOwnEx = 15
	fSetSig   = 10
)

// attempts are the actions of a compromised program, by name. Those that are only system calls have arguments that
// would do no harm if they were permitted.
var attempts = map[string]func(string) error{
	"a socket of IPv4":           connect(unix.AF_INET, unix.SOCK_STREAM),
	"a socket of IPv6":           connect(unix.AF_INET6, unix.SOCK_DGRAM),
	"a Unix socket":              connect(unix.AF_UNIX, unix.SOCK_STREAM),
	"a netlink socket":           connect(unix.AF_NETLINK, unix.SOCK_RAW),
	"a packet socket":            connect(unix.AF_PACKET, unix.SOCK_RAW),
	"a virtual machine's socket": connect(unix.AF_VSOCK, unix.SOCK_STREAM),
	"a crypto socket":            connect(unix.AF_ALG, unix.SOCK_SEQPACKET),
	"a pair of sockets": func(string) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	},
	"tracing its parent":              func(string) error { return unix.PtraceAttach(os.Getppid()) },
	"its parent's memory":             raw(unix.SYS_PROCESS_VM_READV, 1, 0, 0, 0, 0, 0),
	"writing memory of others":        raw(unix.SYS_PROCESS_VM_WRITEV, 1, 0, 0, 0, 0, 0),
	"a descriptor of others":          raw(unix.SYS_PIDFD_GETFD, ^uintptr(0), 0, 0),
	"a signal to its parent":          func(string) error { return unix.Kill(os.Getppid(), 0) },
	"a signal to its parent's thread": func(string) error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) },
	"its parent as an owner of signals": func(string) error {
		_, err := unix.FcntlInt(0, unix.F_SETOWN, os.Getppid())
		return err
	},
	"a thread as an owner of signals": func(string) error {
		owner := struct{ kind, pid int32 }{0, int32(os.Getppid())} // F_OWNER_TID
		return call(unix.SYS_FCNTL, 0, fSetOwnEx, uintptr(unsafe.Pointer(&owner)))
	},
	"another signal of a file": func(string) error { return call(unix.SYS_FCNTL, 0, fSetSig, uintptr(unix.SIGKILL)) },
	"a session of its own": func(string) error {
		_, err := unix.Setsid()
		return err
	},
	"a mount":            func(string) error { return unix.Mount("none", "/none", "tmpfs", 0, "") },
	"another root":       func(string) error { return unix.Chroot("/none") },
	"BPF":                raw(unix.SYS_BPF, ^uintptr(0)),
	"keys":               raw(unix.SYS_KEYCTL, 0, uintptr(0xfffffffd), 0),
	"faults of pages":    raw(unix.SYS_USERFAULTFD, 1),
	"io_uring":           raw(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&memory))),
	"namespaces":         func(string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"others' namespaces": raw(unix.SYS_SETNS, ^uintptr(0), 0),
	// never a new process: without shared memory it is not a thread
	"a clone in a namespace": raw(unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_THREAD),
	"clone3":                 raw(unix.SYS_CLONE3, 0, 0),
	"another kernel":         raw(unix.SYS_KEXEC_LOAD, 0, 0, 0, ^uintptr(0)),
	"a module":               raw(unix.SYS_FINIT_MODULE, ^uintptr(0), 0, 0),
	"events of processors":   raw(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, 0, 0),
	"a file by its handle":   raw(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(0), 0, 0),
	"a file in memory":       func(string) error { _, err := unix.MemfdCreate("x", 0); return err },
	"a program in memory":    raw(unix.SYS_EXECVEAT, ^uintptr(0), 0, 0, 0, 0),
	"its parent's limits":    func(string) error { return unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) },
	"words into a terminal":  raw(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&memory))),
	"a call nobody knows":    raw(0x7ff),
	"rights from a program": func(string) error {
		v, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		return errors.Join(err, permissionError(v == 1))
	},
	"reading":                  func(path string) error { _, err := os.ReadFile(path); return err },
	"listing":                  func(path string) error { _, err := os.ReadDir(path); return err },
	"writing":                  func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
	"adding":                   func(path string) error { return os.WriteFile(path, nil, 0o600) },
	"removing":                 os.Remove,
	"changing rights":          func(path string) error { return os.Chmod(path, 0o777) },
	"its parent's environment": func(string) error { _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid())); return err },
	"a name of the network":    func(string) error { _, err := os.ReadFile("/etc/passwd"); return err },
	"a group of its own":       func(string) error { return unix.Setpgid(0, 0) },
	"reading a descriptor": func(fd string) error {
		n, err := strconv.Atoi(fd)
		if err == nil {
			_, err = unix.Read(n, memory[:])
		}
		return err
	},
	"fall": func(string) error { return unix.Tgkill(os.Getpid(), unix.Gettid(), syscall.SIGKILL) },
}

func permissionError(refused bool) error {
	if refused {
		return syscall.EPERM
	}
	return nil
}

// attempted runs the hostile program and returns the kernel's response to each attempt.
func attempted(t *testing.T, may Files, try ...string) map[string]string {
	t.Helper()
	out := &Bounded{Limit: 1 << 16}
	c := hostile(try...)
	c.Stdout, c.May = out, may
	if said, err := c.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	answers := map[string]string{}
	for line := range strings.Lines(string(out.Bytes)) {
		name, answer, _ := strings.Cut(strings.TrimSpace(line), ": ")
		answers[name] = answer
	}
	return answers
}

func whole(t *testing.T) {
	t.Helper()
	if lacks, err := Lacks(); err != nil || len(lacks) > 0 {
		t.Skipf("this system cannot confine programs: %v, %v", lacks, err)
	}
}

// on runs a test with the newest version of Landlock, and with the last version that does not confine signals.
func on(t *testing.T, test func(t *testing.T)) {
	whole(t)
	t.Run("newest Landlock", test)
	t.Run("Landlock before signals", func(t *testing.T) {
		version := landlockVersion
		t.Cleanup(func() { landlockVersion = version })
		landlockVersion = func() (int, error) { return scoping - 1, nil }
		test(t)
	})
}

func TestConfine_DeniesSystemCalls(t *testing.T) {
	const refused = "operation not permitted"
	other := map[string]string{ // other responses that are denials as well
		"clone3": "function not implemented", "a call nobody knows": "function not implemented", "words into a terminal": "inappropriate ioctl for device",
	}
	files := []string{
		"reading", "listing", "writing", "adding", "removing", "changing rights", "its parent's environment", "a name of the network",
		"reading a descriptor", "a group of its own", "fall",
	}
	var try []string
	for _, name := range slices.Sorted(maps.Keys(attempts)) {
		if !slices.Contains(files, name) {
			try = append(try, name)
		}
	}
	on(t, func(t *testing.T) {
		got := attempted(t, Files{}, try...)
		for _, name := range try {
			want := refused
			if o := other[name]; o != "" {
				want = o
			}
			if got[name] != want {
				t.Errorf("%s: %s, want %s", name, got[name], want)
			}
		}
	})
}

// TestConfine_KeepsTheProcessGroup checks that no process can leave the group, where it would outlive the program.
func TestConfine_KeepsTheProcessGroup(t *testing.T) {
	whole(t)
	var end *Exit
	if _, err := hostile("a group of its own").Run(t.Context()); !errors.As(err, &end) || end.Signal != syscall.SIGSYS {
		t.Errorf("got %v, want the signal of a denied call", err)
	}
}

func TestConfine_InheritsNoOpenFile(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(secret, unix.O_RDONLY, 0) // without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if got := attempted(t, Files{}, fmt.Sprint("reading a descriptor=", fd)); got["reading a descriptor"] != "bad file descriptor" {
		t.Errorf("reading a file that this process has open: %v", got)
	}
}

func TestLacks_ReportsWhatTheKernelRefuses(t *testing.T) {
	whole(t)
	version := landlockVersion
	t.Cleanup(func() { landlockVersion = version })
	landlockVersion = func() (int, error) { return 0, unix.EOPNOTSUPP }
	lacks, err := Lacks()
	if err != nil || len(lacks) != 1 || lacks[0].Part != Landlock || !errors.Is(lacks[0], unix.EOPNOTSUPP) {
		t.Errorf("got %v, %v, want only Landlock to be missing", lacks, err)
	}
}

func TestConfine_OpensNamedFilesOnly(t *testing.T) {
	whole(t)
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret, in, out := file("secret"), file("in"), filepath.Join(dir, "out")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Dir(self)
	const refused = "permission denied"
	for name, c := range map[string]struct {
		attempt string
		refused bool
	}{
		"what it was given":              {"reading=" + in, false},
		"what it shall make":             {"writing=" + out, false},
		"what it made":                   {"reading=" + out, false},
		"another's file":                 {"reading=" + secret, true},
		"the folder":                     {"listing=" + dir, true},
		"what it was given, to write":    {"writing=" + in, true},
		"another's file, to write":       {"writing=" + secret, true},
		"a file of its own":              {"adding=" + filepath.Join(dir, "more"), true},
		"what lies beside it":            {"listing=" + beside, true},
		"a library":                      {"listing=/usr/lib", false},
		"a library, to write":            {"adding=/usr/lib/more", true},
		"the environment of its parent":  {"its parent's environment", true},
		"what the system knows of users": {"a name of the network", true},
	} {
		t.Run(name, func(t *testing.T) {
			for attempt, answer := range attempted(t, Files{Read: []string{in, filepath.Join(dir, "not there")}, Write: []string{out}}, c.attempt) {
				if strings.HasSuffix(answer, refused) != c.refused || !c.refused && answer != "<nil>" {
					t.Errorf("%s: %s", attempt, answer)
				}
			}
		})
	}
	for _, answer := range attempted(t, Files{Write: []string{out}}, "removing="+out, "changing rights="+out) {
		if !strings.HasSuffix(answer, "operation not permitted") {
			t.Errorf("want no confinement of names and permissions of files: %s", answer)
		}
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != "theirs" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestConfine_AffectsTheChildOnly(t *testing.T) {
	for range 20 { // on several threads
		if _, err := hostile().Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(fd)
	if out, err := exec.Command("cat", "/etc/passwd").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
