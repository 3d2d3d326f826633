// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	securejoin "github.com/cyphar/filepath-securejoin"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/api/v1/resource"

	"github.com/reelops/reelops/hack/localkube/sandbox"
)

const defaultTokenSeconds = 3607

// volumes prepares the pod's volumes below dir/volumes and returns the host folder of each. It may be called again
// after a failure.
func (n *Node) volumes(ctx context.Context, pod *corev1.Pod, dir string) (map[string]string, error) {
	out := map[string]string{}
	if n.users != nil {
		var err error
		if _, dir, err = n.users.folder(pod); err != nil {
			return nil, err
		}
	}
	var group *int64
	if s := pod.Spec.SecurityContext; s != nil {
		group = s.FSGroup
	}
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if v.HostPath != nil {
			if t := v.HostPath.Type; t != nil && *t == corev1.HostPathDirectoryOrCreate {
				if err := os.MkdirAll(v.HostPath.Path, 0o755); err != nil {
					return nil, err
				}
			}
			out[v.Name] = v.HostPath.Path
			continue
		}
		path := filepath.Join(dir, "volumes", v.Name)
		out[v.Name] = path
		if v.EmptyDir != nil {
			if err := n.emptyDir(path, v.EmptyDir, group); err != nil {
				return nil, fmt.Errorf("volume %s: %w", v.Name, err)
			}
			continue
		}
		files, err := n.volumeFiles(ctx, pod, v)
		if err != nil {
			return nil, fmt.Errorf("volume %s: %w", v.Name, err)
		}
		if err := writeVolume(path, files, group); err != nil {
			return nil, fmt.Errorf("volume %s: %w", v.Name, err)
		}
	}
	return out, nil
}

// emptyDir creates a folder on disk or in memory. Memory is charged to the container that writes it, and is limited to
// the volume's size limit.
func (n *Node) emptyDir(path string, e *corev1.EmptyDirVolumeSource, group *int64) error {
	if _, err := os.Stat(path); err == nil {
		return nil // created before, and possibly used by a container
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	// Without mounts, a volume in memory is a folder on disk, without a limit.
	if e.Medium == corev1.StorageMediumMemory && n.users == nil {
		var size int64
		if e.SizeLimit != nil {
			size = e.SizeLimit.Value()
		}
		if err := n.keeper.Tmpfs(path, size, 0o777); err != nil {
			return errors.Join(err, os.Remove(path))
		}
		return nil
	}
	mode := os.FileMode(0o777)
	if group != nil {
		if err := os.Chown(path, 0, int(*group)); err != nil {
			return err
		}
		mode |= os.ModeSetgid
	}
	return os.Chmod(path, mode)
}

// releaseVolumes unmounts and removes the folders that volumes created. Files of a hostPath stay.
func (n *Node) releaseVolumes(pod *corev1.Pod, dir string) {
	if n.users != nil {
		n.users.release(pod)
		return
	}
	for _, v := range pod.Spec.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory {
			n.keeper.Release(filepath.Join(dir, "volumes", v.Name))
		}
	}
	_ = os.RemoveAll(filepath.Join(dir, "volumes"))
}

type volumeFile struct {
	data []byte
	mode int32
}

func (n *Node) volumeFiles(ctx context.Context, pod *corev1.Pod, v *corev1.Volume) (map[string]volumeFile, error) {
	files := map[string]volumeFile{}
	var err error
	switch {
	case v.Secret != nil:
		s := v.Secret
		err = n.addSecret(ctx, files, pod, s.SecretName, s.Items, s.Optional, s.DefaultMode)
	case v.ConfigMap != nil:
		s := v.ConfigMap
		err = n.addConfigMap(ctx, files, pod, s.Name, s.Items, s.Optional, s.DefaultMode)
	case v.DownwardAPI != nil:
		err = addDownward(files, pod, v.DownwardAPI.Items, v.DownwardAPI.DefaultMode)
	case v.Projected != nil:
		for _, src := range v.Projected.Sources {
			mode := v.Projected.DefaultMode
			switch {
			case src.Secret != nil:
				err = n.addSecret(ctx, files, pod, src.Secret.Name, src.Secret.Items, src.Secret.Optional, mode)
			case src.ConfigMap != nil:
				err = n.addConfigMap(ctx, files, pod, src.ConfigMap.Name, src.ConfigMap.Items, src.ConfigMap.Optional, mode)
			case src.DownwardAPI != nil:
				err = addDownward(files, pod, src.DownwardAPI.Items, mode)
			case src.ServiceAccountToken != nil:
				err = n.addToken(ctx, files, pod, src.ServiceAccountToken, mode)
			}
			if err != nil {
				break
			}
		}
	}
	return files, err
}

func (n *Node) addSecret(ctx context.Context, files map[string]volumeFile, pod *corev1.Pod, name string, items []corev1.KeyToPath, optional *bool, mode *int32) error {
	s, err := n.objects.Secret(ctx, pod.Namespace, name)
	if absent(err, optional) {
		return nil
	} else if err != nil {
		return err
	}
	return project(files, s.Data, items, optional, mode)
}

func (n *Node) addConfigMap(ctx context.Context, files map[string]volumeFile, pod *corev1.Pod, name string, items []corev1.KeyToPath, optional *bool, mode *int32) error {
	cm, err := n.objects.ConfigMap(ctx, pod.Namespace, name)
	if absent(err, optional) {
		return nil
	} else if err != nil {
		return err
	}
	data := map[string][]byte{}
	for k, v := range cm.Data {
		data[k] = []byte(v)
	}
	for k, v := range cm.BinaryData {
		data[k] = v
	}
	return project(files, data, items, optional, mode)
}

// project adds keys as files: all of them, or those in items.
func project(files map[string]volumeFile, data map[string][]byte, items []corev1.KeyToPath, optional *bool, mode *int32) error {
	if len(items) == 0 {
		for k, v := range data {
			files[k] = volumeFile{v, modeOr(mode, nil)}
		}
		return nil
	}
	for _, it := range items {
		v, ok := data[it.Key]
		if !ok && optional != nil && *optional {
			continue
		} else if !ok {
			return fmt.Errorf("there is no key %q", it.Key)
		}
		files[it.Path] = volumeFile{v, modeOr(it.Mode, mode)}
	}
	return nil
}

func addDownward(files map[string]volumeFile, pod *corev1.Pod, items []corev1.DownwardAPIVolumeFile, mode *int32) error {
	for _, it := range items {
		var value string
		var err error
		if it.FieldRef != nil {
			value, err = podField(pod, it.FieldRef.FieldPath)
		} else if it.ResourceFieldRef != nil {
			value, err = resource.ExtractResourceValueByContainerName(it.ResourceFieldRef, pod, it.ResourceFieldRef.ContainerName)
		}
		if err != nil {
			return err
		}
		files[it.Path] = volumeFile{[]byte(value), modeOr(it.Mode, mode)}
	}
	return nil
}

func (n *Node) addToken(ctx context.Context, files map[string]volumeFile, pod *corev1.Pod, src *corev1.ServiceAccountTokenProjection, mode *int32) error {
	seconds := int64(defaultTokenSeconds)
	if src.ExpirationSeconds != nil {
		seconds = *src.ExpirationSeconds
	}
	req := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: &seconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
	}}
	if src.Audience != "" {
		req.Spec.Audiences = []string{src.Audience}
	}
	got, err := n.client.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, pod.Spec.ServiceAccountName, req, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("requesting a service-account token: %w", err)
	}
	files[src.Path] = volumeFile{[]byte(got.Status.Token), modeOr(mode, nil)}
	return nil
}

func modeOr(a, b *int32) int32 {
	for _, m := range []*int32{a, b} {
		if m != nil {
			return *m
		}
	}
	return corev1.SecretVolumeSourceDefaultMode
}

func writeVolume(dir string, files map[string]volumeFile, group *int64) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, f := range files {
		path := filepath.Join(dir, filepath.Clean("/"+name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(f.mode & 0o777)
		if group != nil {
			mode |= 0o440
		}
		if err := os.WriteFile(path, f.data, 0o600); err != nil {
			return err
		}
		if group != nil {
			if err := os.Chown(path, 0, int(*group)); err != nil {
				return err
			}
		}
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
	}
	return nil
}

// mounts returns a container's volume mounts, outer before inner.
func mounts(c *corev1.Container, volumes map[string]string) ([]sandbox.Mount, error) {
	var out []sandbox.Mount
	for _, m := range c.VolumeMounts {
		src, ok := volumes[m.Name]
		if !ok {
			return nil, fmt.Errorf("there is no volume %q", m.Name)
		}
		if m.SubPath != "" {
			var err error
			// A container may have created symbolic links in the volume.
			if src, err = securejoin.SecureJoin(src, m.SubPath); err != nil {
				return nil, err
			}
			if _, err := os.Stat(src); errors.Is(err, os.ErrNotExist) {
				if err := os.MkdirAll(src, 0o777); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, sandbox.Mount{Source: src, Target: m.MountPath, ReadOnly: m.ReadOnly})
	}
	sort.SliceStable(out, func(i, j int) bool {
		return strings.Count(out[i].Target, "/") < strings.Count(out[j].Target, "/")
	})
	return out, nil
}
