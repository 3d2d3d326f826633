// SPDX-License-Identifier: Apache-2.0

package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/reelops/reelops/hack/localkube/sandbox"
)

// users gives each pod a user and a folder for its volumes, if containers are isolated by users. The folder of a pod is
// readable by its user only, and cannot be changed by it, so that the node may follow the names in it.
type users struct {
	keeper *sandbox.Keeper
	dir    string
	// paths maps the path of a mount to the environment variable that has the path of its files.
	paths map[string]string

	mu   sync.Mutex
	used map[int]bool
	of   map[types.UID]int
}

// newUsers returns users with an empty folder, after the processes of an earlier start have ended.
func newUsers(keeper *sandbox.Keeper, dir string, paths map[string]string) (*users, error) {
	u := &users{keeper: keeper, dir: dir, paths: paths, used: map[int]bool{}, of: map[types.UID]int{}}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if err := u.end(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	// A folder that another user created is removed here, and one that appears again fails Mkdir.
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	return u, errors.Join(os.Mkdir(dir, 0o711), os.Chmod(dir, 0o711))
}

// end kills the processes of the user of a pod's folder.
func (u *users) end(folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Uid != 0 || st.Gid < sandbox.FirstUser || st.Gid > sandbox.LastUser {
		return nil // not a pod's folder
	}
	return u.keeper.EndUser(int(st.Gid))
}

// folder returns the user and the folder of a pod, which it creates if missing.
func (u *users) folder(pod *corev1.Pod) (user int, dir string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	dir = filepath.Join(u.dir, string(pod.UID))
	if user, ok := u.of[pod.UID]; ok {
		return user, dir, nil
	}
	for user = sandbox.FirstUser; u.used[user]; user++ {
		if user == sandbox.LastUser {
			return 0, "", errors.New("all users for pods are in use")
		}
	}
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 0, user), os.Chmod(dir, 0o750)); err != nil {
		return 0, "", err
	}
	u.used[user], u.of[pod.UID] = true, user
	return user, dir, nil
}

// release removes the folder of a pod whose containers have ended.
func (u *users) release(pod *corev1.Pod) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if user, ok := u.of[pod.UID]; ok && os.RemoveAll(filepath.Join(u.dir, string(pod.UID))) == nil {
		delete(u.of, pod.UID)
		delete(u.used, user)
	}
}

// apply makes the container run as the user of its pod, with variables in place of mounts.
func (u *users) apply(pod *corev1.Pod, s *sandbox.Spec) error {
	if s.UID == 0 {
		return errors.New("a container that runs as root requires isolation by namespaces")
	}
	user, _, err := u.folder(pod)
	if err != nil {
		return err
	}
	s.UID, s.GID = user, user
	for _, m := range s.Mounts {
		name := u.paths[m.Target]
		if name == "" {
			return fmt.Errorf("a mount at %s requires isolation by namespaces, or --path-variable %s=NAME", m.Target, m.Target)
		}
		s.Env = append(s.Env, name+"="+m.Source)
	}
	return nil
}

// PathVariables maps the path of a mount to an environment variable.
type PathVariables map[string]string

// Add parses PATH=NAME and adds it.
func (v PathVariables) Add(arg string) error {
	path, name, ok := strings.Cut(arg, "=")
	if !ok || !filepath.IsAbs(path) || name == "" {
		return fmt.Errorf("%q is not PATH=NAME with an absolute path", arg)
	}
	v[path] = name
	return nil
}
