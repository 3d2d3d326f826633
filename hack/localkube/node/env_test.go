// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/hack/localkube/sandbox"
)

// stored provides one Secret and one ConfigMap, both named "some".
type stored struct{}

func (stored) Secret(_ context.Context, _, name string) (*corev1.Secret, error) {
	if name != "some" {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name)
	}
	return &corev1.Secret{Data: map[string][]byte{"pass": []byte("word")}}, nil
}

func (stored) ConfigMap(_ context.Context, _, name string) (*corev1.ConfigMap, error) {
	if name != "some" {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
	}
	return &corev1.ConfigMap{Data: map[string]string{"size": "big"}}, nil
}

func TestEnvironment(t *testing.T) {
	some := corev1.LocalObjectReference{Name: "some"}
	none := corev1.LocalObjectReference{Name: "none"}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "u", Labels: map[string]string{"a": "b"}}}
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
	}
	for _, c := range []struct {
		name string
		from []corev1.EnvFromSource
		env  []corev1.EnvVar
		want map[string]string
		err  string
	}{
		{name: "base variables are kept", want: map[string]string{}},
		{
			name: "variables see earlier ones", env: []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "$(A)$(BASE)$$(A)$(LATER)"}, {Name: "LATER", Value: "x"}},
			want: map[string]string{"A": "1", "B": "1base$(A)$(LATER)", "LATER": "x"},
		},
		{
			name: "whole sources with a prefix; env takes precedence", from: []corev1.EnvFromSource{
				{Prefix: "C_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: some}},
				{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: some}},
			},
			env:  []corev1.EnvVar{{Name: "pass", Value: "mine"}},
			want: map[string]string{"C_size": "big", "pass": "mine"},
		},
		{
			name: "keys and fields", env: []corev1.EnvVar{
				{Name: "S", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: some, Key: "pass"}}},
				{Name: "M", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: some, Key: "size"}}},
				{Name: "N", ValueFrom: field("metadata.name")},
				{Name: "NS", ValueFrom: field("metadata.namespace")},
				{Name: "U", ValueFrom: field("metadata.uid")},
				{Name: "L", ValueFrom: field("metadata.labels['a']")},
				{Name: "IP", ValueFrom: field("status.podIP")},
				{Name: "R", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.memory"}}},
			},
			want: map[string]string{"S": "word", "M": "big", "N": "p", "NS": "ns", "U": "u", "L": "b", "IP": "127.0.0.1", "R": "1048576"},
		},
		{
			name: "optional ones may be missing", from: []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: none, Optional: ptr.To(true)}}},
			env: []corev1.EnvVar{
				{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: none, Key: "k", Optional: ptr.To(true)}}},
				{Name: "B", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: some, Key: "k", Optional: ptr.To(true)}}},
			},
			want: map[string]string{},
		},
		{
			name: "a missing object is named", env: []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: none, Key: "k"}}}},
			err: `secrets "none" not found`,
		},
		{
			name: "a missing key is named", env: []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: some, Key: "k"}}}},
			err: `Secret some has no key "k"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := &corev1.Container{EnvFrom: c.from, Env: c.env, Resources: corev1.ResourceRequirements{
				Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Mi")},
			}}
			got, err := environment(context.Background(), stored{}, pod, spec, map[string]string{"BASE": "base"})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("got error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			c.want["BASE"] = "base"
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	env := map[string]string{"X": "y"}
	for name, c := range map[string]struct {
		c    corev1.Container
		want []string
	}{
		"the image's program":                    {corev1.Container{}, []string{"/app/p"}},
		"arguments of the program":               {corev1.Container{Args: []string{"-a", "$(X)"}}, []string{"/app/p", "-a", "y"}},
		"a command replaces the image's program": {corev1.Container{Command: []string{"sh", "-c"}, Args: []string{"echo $(X)"}}, []string{"sh", "-c", "echo y"}},
		"unknown references stay":                {corev1.Container{Command: []string{"$(NO)"}}, []string{"$(NO)"}},
		"a doubled sign is a dollar":             {corev1.Container{Command: []string{"$$(X)"}}, []string{"$(X)"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, commandLine(&c.c, "/app/p", env)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestImages(t *testing.T) {
	m := Images{}
	for _, bad := range []string{"", "x", "=y", "x="} {
		if m.Add(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	for _, good := range []string{"a/b=/bin/sh", "reg:5000/c:v1=/bin/sh", "gone=/no/such", "dir=/"} {
		if err := m.Add(good); err != nil {
			t.Error(err)
		}
	}
	for image, want := range map[string]string{
		"a/b": "", "a/b:latest": "", "reg:5000/c:v1": "",
		"a/b:v2":     "--image a/b:v2=/path/to/program",
		"reg:5000/c": "no program stands for image",
		"gone":       "/no/such",
		"dir":        "not an executable file",
	} {
		path, err := m.Program(image)
		if want == "" && (err != nil || path != "/bin/sh") {
			t.Errorf("%s: got %q, %v", image, path, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got error %v, want %q", image, err, want)
		}
	}
}

func TestUser(t *testing.T) {
	drop := &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}
	for name, c := range map[string]struct {
		pod  *corev1.PodSecurityContext
		c    *corev1.SecurityContext
		want identity
		err  error
	}{
		"root with a runtime's permissions": {nil, nil, identity{Caps: runtimeCaps}, nil},
		"not root, no user set":             {&corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true)}, &corev1.SecurityContext{Capabilities: drop}, identity{UID: 65532, GID: 65532}, nil},
		"the container takes precedence":    {&corev1.PodSecurityContext{RunAsUser: ptr.To[int64](5), RunAsGroup: ptr.To[int64](6)}, &corev1.SecurityContext{RunAsUser: ptr.To[int64](7), Capabilities: drop}, identity{UID: 7, GID: 6}, nil},
		"groups": {
			&corev1.PodSecurityContext{RunAsUser: ptr.To[int64](5), FSGroup: ptr.To[int64](9), SupplementalGroups: []int64{8}}, &corev1.SecurityContext{Capabilities: drop, ReadOnlyRootFilesystem: ptr.To(true)},
			identity{UID: 5, Groups: []int{8, 9}, ReadOnly: true},
			nil,
		},
		"root against the rule": {&corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](0)}, nil, identity{}, errRoot},
		"an added group":        {nil, &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Drop: drop.Drop, Add: []corev1.Capability{"NET_BIND_SERVICE"}}}, identity{Caps: []int{10}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := who(&corev1.Pod{Spec: corev1.PodSpec{SecurityContext: c.pod}}, &corev1.Container{SecurityContext: c.c})
			if err != c.err {
				t.Fatalf("got error %v, want %v", err, c.err)
			}
			if d := cmp.Diff(c.want, got); err == nil && d != "" {
				t.Error(d)
			}
		})
	}
}

func TestUnsupported_NamesAllFields(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{
		Volumes: []corev1.Volume{
			{Name: "fine", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "disk", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{}}},
		},
		Containers: []corev1.Container{{Name: "c", LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{}}}}},
	}}
	got := unsupported(pod, sandbox.Namespaces)
	for _, want := range []string{"volume disk", "probes of container c"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if strings.Contains(got, "fine") {
		t.Errorf("%q names a supported field", got)
	}
	if got := unsupported(&corev1.Pod{}, sandbox.Namespaces); got != "" {
		t.Errorf("an empty pod is rejected: %s", got)
	}
	two := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}, {Name: "b"}}}}
	if got := unsupported(two, sandbox.Namespaces); got != "" {
		t.Errorf("two containers in namespaces are rejected: %s", got)
	}
	if got := unsupported(two, sandbox.Users); !strings.Contains(got, "several containers") {
		t.Errorf("two containers of one user: got %q", got)
	}
}
