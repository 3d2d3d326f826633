// SPDX-License-Identifier: Apache-2.0

package child

import (
	"errors"
	"fmt"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Access rights of rules, for a file, or for a folder and everything below it.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_READ_FILE
	writeFile = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	readTree  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	runTree   = readTree | unix.LANDLOCK_ACCESS_FS_EXECUTE
	ofFiles   = writeFile | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// system lists what every program may open: programs, libraries, voices and fonts, the library cache, the number of
// processors, and devices that hold no data.
var system = map[string]uint64{
	"/usr": runTree, "/bin": runTree, "/lib": runTree, "/lib32": runTree, "/lib64": runTree,
	"/etc/ld.so.cache": readFile, "/etc/fonts": readTree, "/sys/devices/system/cpu": readTree,
	"/dev/null": writeFile, "/dev/zero": readFile, "/dev/urandom": readFile, "/dev/random": readFile,
}

// scoping is the first version of Landlock that can block signals and abstract Unix sockets to processes outside the
// confinement.
const scoping = 6

// handled returns the access rights that a version of Landlock knows, from version 1 on.
func handled(version int) unix.LandlockRulesetAttr {
	a := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1}
	if version >= 2 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 5 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= scoping {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return a
}

// landlockVersion returns the Landlock version of the kernel. Tests replace it.
var landlockVersion = func() (int, error) {
	version, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(version), nil
}

// confineFiles restricts the thread to the files in may and those that every program needs. It returns the Landlock
// version in use.
func confineFiles(program string, may Files) (int, error) {
	version, err := landlockVersion()
	if err != nil {
		return 0, err
	}
	attr := handled(version)
	fd, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return 0, errno
	}
	rules := ruleset{fd: int(fd), handled: attr.Handled_access_fs}
	defer func() { _ = unix.Close(rules.fd) }()
	for path, access := range system {
		if err := rules.allow(path, access); err != nil {
			return 0, err
		}
	}
	if program != "" {
		if err := rules.allow(program, runTree); err != nil {
			return 0, err
		}
	}
	for _, path := range may.Read {
		if err := rules.allow(path, readTree); err != nil {
			return 0, err
		}
	}
	for _, path := range may.Write {
		if err := rules.allow(path, writeFile); err != nil {
			return 0, err
		}
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return 0, errno
	}
	return version, nil
}

type ruleset struct {
	fd      int
	handled uint64
}

// allow adds a rule for a file, or for a folder and everything below it. A path that does not exist or is not
// accessible needs no rule.
func (r ruleset) allow(path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.EACCES), errors.Is(err, unix.ENOTDIR):
		return nil
	case err != nil:
		return fmt.Errorf("looking at %s: %w", path, err)
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("looking at %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access & r.handled, Parent_fd: int32(fd)}
	if rule.Allowed_access == 0 {
		return nil
	}
	if _, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("a rule for %s: %w", path, errno)
	}
	return nil
}
