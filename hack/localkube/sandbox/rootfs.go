// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	securejoin "github.com/cyphar/filepath-securejoin"
	"golang.org/x/sys/unix"
)

// shown are the host folders that form the file system of every program: the files of the distribution, without user
// data.
var shown = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/sys", "/var/cache/fontconfig"}

var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// buildRoot replaces the root file system of this mount namespace.
func buildRoot(s *Spec) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("setting mounts to private: %w", err)
	}
	root := s.Root
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("mounting the root: %w", err)
	}
	for dir, mode := range map[string]os.FileMode{
		"proc": 0o555, "dev": 0o755, "run": 0o755, "root": 0o700, "home": 0o755, "var/lib": 0o755, "var/log": 0o755,
		"tmp": 0o777 | os.ModeSticky, "var/tmp": 0o777 | os.ModeSticky,
	} {
		path := filepath.Join(root, dir)
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil { // independent of the umask
			return err
		}
	}
	if err := os.Symlink("../run", filepath.Join(root, "var/run")); err != nil {
		return err
	}
	for _, src := range shown {
		if err := show(src, filepath.Join(root, src)); err != nil {
			return err
		}
	}
	if err := bind(s.Program, filepath.Join(root, ProgramDir, filepath.Base(s.Program)), true); err != nil {
		return fmt.Errorf("mounting the program: %w", err)
	}
	if err := makeDev(filepath.Join(root, "dev")); err != nil {
		return fmt.Errorf("creating /dev: %w", err)
	}
	for _, m := range s.Mounts {
		// Symbolic links in the path are resolved below root, never on the host.
		target, err := securejoin.SecureJoin(root, m.Target)
		if err != nil {
			return fmt.Errorf("finding %s: %w", m.Target, err)
		}
		if err := makeRoom(root, target); err != nil {
			return fmt.Errorf("creating the mount point %s: %w", m.Target, err)
		}
		if err := bind(m.Source, target, m.ReadOnly); err != nil {
			return fmt.Errorf("mounting %s: %w", m.Target, err)
		}
	}
	dir, err := securejoin.SecureJoin(root, s.Dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil && !errors.Is(err, unix.EROFS) {
		return fmt.Errorf("creating the working directory: %w", err)
	}
	if s.ReadOnlyRoot {
		if err := readOnly(root, false); err != nil {
			return err
		}
	}
	if err := unix.Chdir(root); err != nil {
		return err
	}
	// With both at the same place, the old root is on top and is then unmounted.
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the host's root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	return unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

// show reproduces one entry of the host: a link as a link, a folder read-only. It does nothing if the entry does not
// exist.
func show(src, target string) error {
	fi, err := os.Lstat(src)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if fi.Mode()&os.ModeSymlink != 0 {
		to, err := os.Readlink(src)
		if err != nil {
			return err
		}
		return os.Symlink(to, target)
	}
	if err := bind(src, target, true); err != nil {
		return fmt.Errorf("mounting %s: %w", src, err)
	}
	return nil
}

// bind mounts src at target, which is created if missing.
func bind(src, target string, ro bool) error {
	fi, err := os.Stat(src)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(target); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if fi.IsDir() {
			err = os.Mkdir(target, 0o755)
		} else {
			err = os.WriteFile(target, nil, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if err := unix.Mount(src, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	if ro {
		return readOnly(target, true)
	}
	return unix.MountSetattr(unix.AT_FDCWD, target, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV})
}

func readOnly(path string, all bool) error {
	var flags uint
	if all {
		flags = unix.AT_RECURSIVE
	}
	err := unix.MountSetattr(unix.AT_FDCWD, path, flags, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID})
	if err != nil {
		return fmt.Errorf("making %s read-only: %w", path, err)
	}
	return nil
}

func makeDev(dev string) error {
	if err := unix.Mount("tmpfs", dev, "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=0755,size=64k"); err != nil {
		return err
	}
	for _, d := range devices {
		target := filepath.Join(dev, d)
		if err := os.WriteFile(target, nil, 0o666); err != nil {
			return err
		}
		if err := unix.Mount("/dev/"+d, target, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", d, err)
		}
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(to, filepath.Join(dev, name)); err != nil {
			return err
		}
	}
	shm := filepath.Join(dev, "shm")
	if err := os.Mkdir(shm, 0o777); err != nil {
		return err
	}
	return unix.Mount("shm", shm, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=1777,size=64m")
}

// makeRoom ensures that target can be created in its parent folder. If the parent is in a read-only part of the host,
// it is replaced by a tmpfs with the same entries.
func makeRoom(root, target string) error {
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	rel := strings.TrimPrefix(target, root+"/")
	dir := root
	for _, part := range strings.Split(filepath.Dir(rel), "/") {
		next := filepath.Join(dir, part)
		err := os.Mkdir(next, 0o755)
		if errors.Is(err, unix.EROFS) {
			if err := openUp(dir); err != nil {
				return err
			}
			err = os.Mkdir(next, 0o755)
		}
		if err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		dir = next
	}
	probe := filepath.Join(dir, ".probe")
	if err := os.Mkdir(probe, 0o700); errors.Is(err, unix.EROFS) {
		return openUp(dir)
	} else if err != nil {
		return err
	}
	return os.Remove(probe)
}

// openUp mounts a tmpfs over dir with the same entries.
func openUp(dir string) error {
	old, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer old.Close()
	entries, err := old.ReadDir(-1)
	if err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return err
	}
	for _, e := range entries {
		if err := show(fmt.Sprintf("/proc/self/fd/%d/%s", old.Fd(), e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
