// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// TestUpgrade installs the kinds of each release with objects of every kind, installs the current kinds over them, and
// checks every object: it is unchanged, can be written again, and can be created again.
func TestUpgrade(t *testing.T) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set to a folder with etcd and kube-apiserver: run the tests with `make test`")
	}
	ctrl.SetLogger(logr.Discard())
	all, err := frozen(root())
	if err != nil || len(all) == 0 {
		t.Fatal("no release to upgrade from", err)
	}
	for _, release := range all {
		t.Run(release, func(t *testing.T) { upgrade(t, release) })
	}
}

func upgrade(t *testing.T, release string) {
	env := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join(root(), releases, release)}, ErrorIfCRDPathMissing: true}
	config, err := env.Start()
	must(t, err)
	t.Cleanup(func() { _ = env.Stop() })
	c, err := client.New(config, client.Options{Scheme: testkit.Scheme(), FieldOwner: "v-before"})
	must(t, err)
	must(t, c.Create(t.Context(), testkit.Namespace("acme")))
	before := objects(t, filepath.Join("testdata", release, "objects.yaml"))
	kinds, err := readKinds(filepath.Join(root(), releases, release))
	must(t, err)
	left := map[string]bool{}
	for _, k := range kinds {
		left[k.Spec.Names.Kind] = true
	}
	for _, o := range before {
		delete(left, o.GetKind())
		status, has := o.Object["status"]
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatalf("%s rejects its own %s %s: %v", release, o.GetKind(), o.GetName(), err)
		}
		if !has {
			continue
		}
		o.Object["status"] = status
		if err := c.Status().Update(t.Context(), o); err != nil {
			t.Fatalf("%s rejects its own status of %s %s: %v", release, o.GetKind(), o.GetName(), err)
		}
	}
	if len(left) > 0 {
		t.Errorf("no object of the kinds %v", left)
	}

	_, err = envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{filepath.Join(root(), bases)}, ErrorIfPathMissing: true})
	must(t, err)
	for _, was := range before {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(was.GetKind()))
		// The API server uses the old definition until it has received the new one, and writes fail in between.
		must(t, wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			return c.Get(ctx, client.ObjectKeyFromObject(was), o) == nil, nil
		}))
		if d := cmp.Diff(content(was), content(o)); d != "" {
			t.Errorf("%s %s differs after the upgrade (-, +):\n%s", was.GetKind(), was.GetName(), d)
		}
		again(t, c, o)
		alike(t, c, was)
	}
}

// again writes an object unchanged through the current types, and creates another one like it.
func again(t *testing.T, c client.Client, o *unstructured.Unstructured) {
	t.Helper()
	name := o.GetKind() + " " + o.GetName()
	typed, err := testkit.Scheme().New(o.GroupVersionKind())
	must(t, err)
	must(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, typed, true)) // no unknown fields
	object := typed.(client.Object)
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["example.com/seen"] = "true"
	object.SetLabels(labels)
	if err := c.Update(t.Context(), object); err != nil {
		t.Errorf("%s cannot be written again: %v", name, err)
	}
	if err := c.Status().Update(t.Context(), object); err != nil {
		t.Errorf("the status of %s cannot be written again: %v", name, err)
	}
	after := &unstructured.Unstructured{}
	after.SetGroupVersionKind(o.GroupVersionKind())
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(o), after))
	if d := cmp.Diff(o.Object["spec"], after.Object["spec"], cmpopts.IgnoreMapEntries(func(_ string, v any) bool { return empty(v) })); d != "" {
		t.Errorf("%s differs after it was written (-, +):\n%s", name, d)
	}
}

// alike applies a manifest of the release under another name, in the version of the release.
func alike(t *testing.T, c client.Client, o *unstructured.Unstructured) {
	t.Helper()
	if o.GetKind() == "Account" {
		return // a namespace has only one
	}
	anew := &unstructured.Unstructured{Object: map[string]any{"spec": o.Object["spec"]}}
	anew.SetGroupVersionKind(o.GroupVersionKind())
	anew.SetNamespace(o.GetNamespace())
	anew.SetName(o.GetName() + "-anew")
	if err := c.Create(t.Context(), anew); err != nil {
		t.Errorf("a manifest like %s %s is rejected: %v", o.GetKind(), o.GetName(), err)
	}
}

// empty reports whether a value is an empty JSON object, which is how Go encodes an empty struct.
func empty(v any) bool {
	m, ok := v.(map[string]any)
	return ok && len(m) == 0
}

func content(o *unstructured.Unstructured) map[string]any {
	return map[string]any{"spec": o.Object["spec"], "status": o.Object["status"], "labels": o.GetLabels(), "finalizers": o.GetFinalizers()}
}

func objects(t *testing.T, file string) (out []*unstructured.Unstructured) {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	defer func() { _ = f.Close() }()
	for d := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := d.Decode(o); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
