// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	helmchart "helm.sh/helm/v4/pkg/chart"
	chartloader "helm.sh/helm/v4/pkg/chart/loader"
	"helm.sh/helm/v4/pkg/kube"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// helm returns a Helm configuration for the server.
func helm(t *testing.T) *action.Configuration {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &server.kubeconfig
	namespace := system
	flags.Namespace = &namespace
	c := action.NewConfiguration()
	if err := c.Init(flags, system, "secret"); err != nil {
		t.Fatal(err)
	}
	return c
}

func install(t *testing.T, chart, values string) {
	t.Helper()
	c, vals := load(t, chart, values)
	i := action.NewInstall(helm(t))
	i.ReleaseName, i.Namespace, i.WaitStrategy = "reelops", system, kube.HookOnlyStrategy
	if _, err := i.Run(c, vals); err != nil {
		t.Fatal("install:", err)
	}
}

func upgrade(t *testing.T, chart, values string) {
	t.Helper()
	c, vals := load(t, chart, values)
	u := action.NewUpgrade(helm(t))
	u.Namespace, u.WaitStrategy = system, kube.HookOnlyStrategy
	if _, err := u.RunWithContext(t.Context(), "reelops", c, vals); err != nil {
		t.Fatal("upgrade:", err)
	}
}

func uninstall(t *testing.T) {
	t.Helper()
	u := action.NewUninstall(helm(t))
	u.WaitStrategy = kube.HookOnlyStrategy
	if _, err := u.Run("reelops"); err != nil {
		t.Fatal("uninstall:", err)
	}
}

func load(t *testing.T, dir, values string) (c helmchart.Charter, vals map[string]any) {
	t.Helper()
	c, err := chartloader.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	vals = map[string]any{}
	if err := yaml.Unmarshal([]byte(values), &vals); err != nil {
		t.Fatal(err)
	}
	return c, vals
}

// before returns the chart of a simulated earlier release, which lacks the printer columns of one kind.
func before(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "reelops")
	if err := os.CopyFS(dir, os.DirFS(chartDir)); err != nil {
		t.Fatal(err)
	}
	p := parts[0] // the kinds
	objects, err := build(filepath.Join(configDir, p.from))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range objects.Resources() {
		if r.GetName() != brands {
			continue
		}
		o, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}
		delete(at(o, "spec", "versions").([]any)[0].(map[string]any), "additionalPrinterColumns")
		doc, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.UnmarshalJSON(doc); err != nil {
			t.Fatal(err)
		}
	}
	text, err := p.template(objects)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "templates", "generated", p.to), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const brands = "brands.reelops.dev"

var (
	kinds   = object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": brands}}
	manager = object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"namespace": system, "name": "reelops-manager"}}
	claim   = object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": map[string]any{"namespace": system, "name": "reelops-blobs"}}
	keys    = object{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": system, "name": "reelops-token-key"}}
	brand   = object{"apiVersion": "reelops.dev/v1beta1", "kind": "Brand", "metadata": map[string]any{"namespace": "default", "name": "coffee"}, "spec": map[string]any{"displayName": "Coffee"}}
)

func columns(crd *unstructured.Unstructured) int {
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	list, _ := at(versions[0], "additionalPrinterColumns").([]any)
	return len(list)
}

// TestInstall_Lifecycle installs, upgrades and uninstalls a release, installs it again, and deletes everything.
func TestInstall_Lifecycle(t *testing.T) {
	// The kinds of the server's start belong to no release. They are deleted, so that the release creates its own.
	objects, err := build(filepath.Join(configDir, "crd"))
	if err != nil {
		t.Fatal(err)
	}
	var all []object
	for _, r := range objects.Resources() {
		kind := object{"apiVersion": "apiextensions.k8s.io/v1", "kind": r.GetKind(), "metadata": map[string]any{"name": r.GetName()}}
		if err := server.client.Delete(t.Context(), &unstructured.Unstructured{Object: kind}); err != nil {
			t.Fatal(err)
		}
		all = append(all, kind)
	}
	// The kinds are deleted at different times, because the server deletes all objects of a kind first.
	for _, kind := range all {
		last := time.Now()
		eventually(t, id(kind)+" is gone", func() bool {
			if get(t, kind) == nil {
				return true
			}
			// The server repeats a deletion that fails after longer and longer times. A change makes it try again at once.
			if time.Since(last) > 10*time.Second {
				last = time.Now()
				change := fmt.Appendf(nil, `{"metadata": {"annotations": {"changed": %q}}}`, last)
				err := server.client.Patch(t.Context(), &unstructured.Unstructured{Object: kind}, client.RawPatch(types.MergePatchType, change))
				if client.IgnoreNotFound(err) != nil {
					t.Fatal(err)
				}
			}
			return false
		})
	}

	install(t, before(t), "")
	if crd := get(t, kinds); crd == nil || columns(crd) != 0 || get(t, manager) == nil || get(t, claim) == nil {
		t.Fatal("the earlier release is not installed")
	}
	// Objects that the manager and users create.
	if err := server.client.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "reelops-token-key"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a brand can be created", func() bool {
		return server.client.Create(t.Context(), (&unstructured.Unstructured{Object: brand}).DeepCopy()) == nil
	})

	upgrade(t, chartDir, "")
	if crd := get(t, kinds); crd == nil || columns(crd) == 0 {
		t.Error("an upgrade does not upgrade the kinds")
	}
	if get(t, brand) == nil {
		t.Error("an upgrade deletes content")
	}

	uninstall(t)
	for _, o := range []object{kinds, brand, claim, keys} {
		if get(t, o) == nil {
			t.Errorf("%s was deleted with the release", id(o))
		}
	}
	if get(t, manager) != nil {
		t.Error("the manager still exists after uninstalling")
	}

	install(t, chartDir, "")
	if get(t, manager) == nil || get(t, brand) == nil {
		t.Error("reinstalled, the release does not find its content")
	}

	upgrade(t, chartDir, "{crds: {retain: false}, store: {folder: {retain: false}}}")
	uninstall(t)
	eventually(t, "kinds and volume are deleted on request", func() bool {
		c := get(t, claim)
		return get(t, kinds) == nil && (c == nil || c.GetDeletionTimestamp() != nil) // another controller's finalizer
	})
	if get(t, keys) == nil {
		t.Error("the keys were deleted")
	}
}

// patience is the timeout on a busy machine.
const patience = 3 * time.Minute

// eventually polls until the condition holds. It is also limited by the test's deadline.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !so() {
		select {
		case <-ctx.Done():
			t.Fatal("timeout: " + what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
