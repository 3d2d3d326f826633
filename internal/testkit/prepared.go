// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// preparedData returns a directory with the data of an etcd in which kube-apiserver has created its initial objects and
// the CRDs of a directory. This is a third of the work of starting a cluster, so the data is kept in the user's cache
// directory. The name of the directory depends on kube-apiserver and on the CRDs.
func preparedData(kinds string) (string, error) {
	name, err := preparedName(kinds)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil { // the environment names no home directory
		cache = os.TempDir()
	}
	all := filepath.Join(cache, "reelops", "etcd")
	data := filepath.Join(all, name)
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	if err := errors.Join(os.MkdirAll(all, 0o700), deleteOld(all)); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(all, "new-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	env := environment(fresh)
	env.CRDDirectoryPaths, env.ErrorIfCRDPathMissing = []string{kinds}, true
	_, err = env.Start()
	if err := errors.Join(err, env.Stop()); err != nil {
		return "", err
	}
	// Another package may have prepared the same data meanwhile.
	if err := os.Rename(fresh, data); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return data, nil
}

// deleteOld deletes the files of a directory that are a month old.
func deleteOld(dir string) error {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > 30*24*time.Hour {
			_ = os.RemoveAll(filepath.Join(dir, f.Name()))
		}
	}
	return err
}

// preparedName returns the hash of the CRDs of a directory, and of the size and the time of kube-apiserver.
func preparedName(kinds string) (string, error) {
	hash := sha256.New()
	server, err := os.Stat(filepath.Join(os.Getenv(envAssets), "kube-apiserver"))
	if err != nil {
		return "", err
	}
	fmt.Fprintln(hash, server.Size(), server.ModTime().UnixNano())
	files, err := os.ReadDir(kinds)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(kinds, f.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, f.Name(), len(content))
		_, _ = hash.Write(content)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))[:16], nil
}

// awaitKinds waits until the cluster serves the kinds of a directory.
func (c *Cluster) awaitKinds(kinds string) error {
	files, err := os.ReadDir(kinds)
	if err != nil {
		return err
	}
	d, err := discovery.NewDiscoveryClientForConfig(c.Config)
	if err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, startTimeout, true, func(ctx context.Context) (bool, error) {
		lists, err := d.ServerPreferredResourcesWithContext(ctx)
		served := 0
		for _, list := range lists {
			if strings.HasPrefix(list.GroupVersion, v1beta1.GroupVersion.Group+"/") {
				served += len(list.APIResources)
			}
		}
		return err == nil && served == len(files), nil
	})
}
