// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// as returns the user and group of a part; nil without --user. The sandbox has a user of its own, because it trusts all
// clients and opens the files that it receives.
func (o options) as(offset int) *syscall.Credential {
	if o.user == 0 {
		return nil
	}
	return &syscall.Credential{Uid: uint32(o.user + offset), Gid: uint32(o.user)}
}

// handOver gives each part that has a user of its own the files that it needs. All others in the data folder belong to
// the user of this process. Only this user and the group of the parts can enter the folder, and render pods cannot.
func (s *stack) handOver() error {
	if s.o.user == 0 {
		return nil
	}
	if err := errors.Join(os.Chown(s.o.dataDir, os.Getuid(), s.o.user), os.Chmod(s.o.dataDir, 0o710)); err != nil {
		return err
	}
	for name, as := range map[string]*syscall.Credential{
		"blobs": s.o.as(0), "resume-manager": s.o.as(0), "resume-apiserver": s.o.as(0), "sandbox": s.o.as(1),
	} {
		if err := own(s.path(name), as); err != nil {
			return err
		}
	}
	for _, name := range []string{"manager.kubeconfig", "apiserver.kubeconfig", "signing.key", "token.key", "llm.key"} {
		if err := os.Chown(s.path(name), s.o.user, s.o.user); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// own creates a folder for a user, or gives an existing one with its files to that user.
func own(dir string, as *syscall.Credential) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid == as.Uid {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	// The folder itself is last, so that an interrupted change is repeated.
	err = fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		return root.Lchown(path, int(as.Uid), int(as.Gid))
	})
	return errors.Join(err, os.Chmod(dir, 0o700), os.Chown(dir, int(as.Uid), int(as.Gid)))
}
