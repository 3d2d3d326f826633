// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// Isolation is how programs are separated from the system and from each other.
type Isolation string

const (
	// Namespaces gives each program its own mounts, processes and host name. It requires CAP_SYS_ADMIN.
	Namespaces Isolation = "namespaces"
	// Users gives each program a user of its own, and requires only capabilities that container engines grant by
	// default. File modes and Landlock restrict the files of a program. It sees the names of other processes, and the
	// system's folders instead of its own /tmp. There are no mounts: a program finds its volumes by their host paths.
	Users Isolation = "users"
	// Auto is Namespaces if the system permits them, and Users otherwise.
	Auto Isolation = "auto"
)

// ParseIsolation parses an Isolation.
func ParseIsolation(s string) (Isolation, error) {
	all := []Isolation{Namespaces, Users, Auto}
	if !slices.Contains(all, Isolation(s)) {
		return "", fmt.Errorf("%q is none of %s, %s and %s", s, Namespaces, Users, Auto)
	}
	return Isolation(s), nil
}

// FirstUser and LastUser are the range of the users of Users. A container with the 65536 users of a user namespace has
// them, and distributions have no accounts in it: systemd allocates it to services with dynamic users.
const (
	FirstUser = 61184
	LastUser  = 65519
)

// userCaps are the capabilities that Users requires.
var userCaps = []struct {
	number int
	name   string
}{
	{unix.CAP_CHOWN, "CHOWN"},
	{unix.CAP_DAC_OVERRIDE, "DAC_OVERRIDE"},
	{unix.CAP_KILL, "KILL"},
	{unix.CAP_SETGID, "SETGID"},
	{unix.CAP_SETUID, "SETUID"},
	{unix.CAP_SETPCAP, "SETPCAP"},
}

// checkUsers returns an error that names the capabilities that Users requires and this process does not have.
func checkUsers() error {
	var set [2]unix.CapUserData
	if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &set[0]); err != nil {
		return err
	}
	var missing []string
	for _, c := range userCaps {
		if set[c.number/32].Effective&(1<<(c.number%32)) == 0 {
			missing = append(missing, c.name)
		}
	}
	if os.Getuid() != 0 {
		return fmt.Errorf("isolation by users requires root, not user %d", os.Getuid())
	}
	if len(missing) > 0 {
		return fmt.Errorf("isolation by users requires the missing capabilities %s (docker run --cap-add NAME)",
			strings.Join(missing, ", "))
	}
	return nil
}

// restrictFiles permits this process and the program only the system's programs and settings, harmless devices, and the
// mounts of the spec. A kernel without Landlock restricts nothing; file modes still apply.
func restrictFiles(s *Spec) error {
	rules := []landlock.Rule{
		landlock.RODirs("/usr", "/bin", "/lib", "/lib64", "/etc", "/proc/self", "/sys/devices/system/cpu").IgnoreIfMissing(),
		landlock.ROFiles(s.Program),
		landlock.RWFiles("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom").IgnoreIfMissing(),
	}
	for _, m := range s.Mounts {
		info, err := os.Stat(m.Source)
		if err != nil {
			return err
		}
		switch {
		case info.IsDir() && m.ReadOnly:
			rules = append(rules, landlock.RODirs(m.Source))
		case info.IsDir():
			rules = append(rules, landlock.RWDirs(m.Source))
		case m.ReadOnly:
			rules = append(rules, landlock.ROFiles(m.Source))
		default:
			rules = append(rules, landlock.RWFiles(m.Source))
		}
	}
	if err := landlock.V8.BestEffort().RestrictPaths(rules...); err != nil {
		return err
	}
	return landlock.V8.BestEffort().RestrictScoped()
}

// EndArg as the first argument makes a binary call End.
const EndArg = "__end"

// End becomes the user whose number is the second argument, and kills all other processes of that user. It never
// returns.
func End() {
	if err := endUser(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func endUser(args []string) error {
	user, err := strconv.Atoi(strings.Join(args, " "))
	if err != nil {
		return err
	}
	if err := syscall.Setresuid(user, user, user); err != nil {
		return fmt.Errorf("setuid: %w", err)
	}
	// The kernel spares the calling process, and processes of other users.
	if err := unix.Kill(-1, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("kill: %w", err)
	}
	return nil
}

// EndUser kills all processes of a user. Unlike a loop over the list of processes, it cannot miss one that forks.
func (k *Keeper) EndUser(user int) error {
	cmd := exec.Command(k.self, EndArg, strconv.Itoa(user))
	cmd.Env = []string{}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ending the processes of user %d: %w: %s", user, err, out)
	}
	return nil
}
