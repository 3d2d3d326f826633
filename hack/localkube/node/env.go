// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/kubernetes/pkg/api/v1/resource"
	"k8s.io/kubernetes/pkg/fieldpath"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

const (
	hostIP      = "127.0.0.1"
	defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// objects reads the objects that pods refer to, in the pod's namespace.
type objects interface {
	Secret(ctx context.Context, ns, name string) (*corev1.Secret, error)
	ConfigMap(ctx context.Context, ns, name string) (*corev1.ConfigMap, error)
}

// environment returns the environment of a container's process: base, then envFrom in order, then env in order. Each
// variable may refer to earlier ones.
func environment(ctx context.Context, o objects, pod *corev1.Pod, c *corev1.Container, base map[string]string) (map[string]string, error) {
	env := maps.Clone(base)
	for _, from := range c.EnvFrom {
		data, err := envSource(ctx, o, pod.Namespace, from)
		if err != nil {
			return nil, err
		}
		for k, v := range data {
			env[from.Prefix+k] = v
		}
	}
	for _, e := range c.Env {
		value, set, err := envValue(ctx, o, pod, c, e, env)
		if err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", e.Name, err)
		}
		if set {
			env[e.Name] = value
		}
	}
	return env, nil
}

func envSource(ctx context.Context, o objects, ns string, from corev1.EnvFromSource) (map[string]string, error) {
	out := map[string]string{}
	switch {
	case from.ConfigMapRef != nil:
		cm, err := o.ConfigMap(ctx, ns, from.ConfigMapRef.Name)
		if absent(err, from.ConfigMapRef.Optional) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		maps.Copy(out, cm.Data)
	case from.SecretRef != nil:
		s, err := o.Secret(ctx, ns, from.SecretRef.Name)
		if absent(err, from.SecretRef.Optional) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		for k, v := range s.Data {
			out[k] = string(v)
		}
	}
	return out, nil
}

// envValue returns set=false for an optional source that does not exist.
func envValue(ctx context.Context, o objects, pod *corev1.Pod, c *corev1.Container, e corev1.EnvVar, env map[string]string) (value string, set bool, err error) {
	from := e.ValueFrom
	if from == nil {
		return expansion.Expand(e.Value, expansion.MappingFuncFor(env)), true, nil
	}
	switch {
	case from.FieldRef != nil:
		value, err = podField(pod, from.FieldRef.FieldPath)
		return value, true, err
	case from.ResourceFieldRef != nil:
		value, err = resource.ExtractContainerResourceValue(from.ResourceFieldRef, c)
		return value, true, err
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		cm, err := o.ConfigMap(ctx, pod.Namespace, ref.Name)
		if absent(err, ref.Optional) {
			return "", false, nil
		} else if err != nil {
			return "", false, err
		}
		v, ok := cm.Data[ref.Key]
		return keyed(v, ok, ref.Optional, "ConfigMap", ref.Name, ref.Key)
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		s, err := o.Secret(ctx, pod.Namespace, ref.Name)
		if absent(err, ref.Optional) {
			return "", false, nil
		} else if err != nil {
			return "", false, err
		}
		v, ok := s.Data[ref.Key]
		return keyed(string(v), ok, ref.Optional, "Secret", ref.Name, ref.Key)
	}
	return "", false, fmt.Errorf("the local node does not support this source of a value")
}

func keyed(v string, ok bool, optional *bool, kind, name, key string) (string, bool, error) {
	if ok || (optional != nil && *optional) {
		return v, ok, nil
	}
	return "", false, fmt.Errorf("%s %s has no key %q", kind, name, key)
}

func absent(err error, optional *bool) bool {
	return apierrors.IsNotFound(err) && optional != nil && *optional
}

// podField returns the value of a downward API field.
func podField(pod *corev1.Pod, path string) (string, error) {
	switch path {
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.hostIP", "status.podIP", "status.hostIPs", "status.podIPs":
		return hostIP, nil
	}
	return fieldpath.ExtractFieldPathAsString(pod, path)
}

// commandLine returns the command line according to the rules of command and args. program is the program of the image.
func commandLine(c *corev1.Container, program string, env map[string]string) []string {
	lookup := expansion.MappingFuncFor(env)
	line := []string{program}
	if len(c.Command) > 0 {
		line = nil
		for _, a := range c.Command {
			line = append(line, expansion.Expand(a, lookup))
		}
	}
	for _, a := range c.Args {
		line = append(line, expansion.Expand(a, lookup))
	}
	return line
}

func environList(env map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(env)) {
		out = append(out, k+"="+env[k])
	}
	return out
}
