// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	chartcommon "helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader"
	"helm.sh/helm/v4/pkg/kube"
	release "helm.sh/helm/v4/pkg/release/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type object = map[string]any

// id returns the key by which objects are distinguished.
func id(o object) string {
	return text(o, "kind") + " " + text(o, "metadata", "namespace") + "/" + text(o, "metadata", "name")
}

// at returns the value at a path of an object; nil if there is none.
func at(o any, path ...string) any {
	for _, k := range path {
		m, _ := o.(map[string]any)
		o = m[k]
	}
	return o
}

func text(o any, path ...string) string {
	s, _ := at(o, path...).(string)
	return s
}

// decode returns the objects of a stream of YAML documents, by id.
func decode(stream []byte) (map[string]object, error) {
	out := map[string]object{}
	d := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	for {
		var o object
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(o) > 0 {
			out[id(o)] = o
		}
	}
}

// template renders the chart for a namespace, with values, as `helm template --api-versions` does.
func template(namespace, values string, apis ...string) (*release.Release, error) {
	c, err := loader.Load(chartDir)
	if err != nil {
		return nil, err
	}
	vals := map[string]any{}
	if err := yaml.Unmarshal([]byte(values), &vals); err != nil {
		return nil, err
	}
	i := action.NewInstall(action.NewConfiguration())
	i.ReleaseName, i.Namespace = "reelops", namespace
	i.DryRunStrategy = action.DryRunClient
	i.WaitStrategy = kube.HookOnlyStrategy
	i.APIVersions = apis
	if i.KubeVersion, err = chartcommon.ParseKubeVersion("v1.37.2"); err != nil {
		return nil, err
	}
	r, err := i.Run(c, vals)
	if err != nil {
		return nil, err
	}
	return r.(*release.Release), nil
}

func render(t *testing.T, values string) map[string]object {
	t.Helper()
	r, err := template(system, values)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := decode([]byte(r.Manifest))
	if err != nil {
		t.Fatalf("invalid output: %v\n%s", err, r.Manifest)
	}
	return objects
}

func kustomized(t *testing.T, folder string) map[string]object {
	t.Helper()
	m, err := build(filepath.Join(configDir, folder))
	if err != nil {
		t.Fatal(err)
	}
	y, err := m.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := decode(y)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func TestLint(t *testing.T) {
	l := action.NewLint()
	l.Strict = true
	if r := l.Run([]string{chartDir}, map[string]any{}); len(r.Errors) > 0 {
		t.Error(errors.Join(r.Errors...))
	}
}

func TestTemplates_AreGenerated(t *testing.T) {
	want, err := generate(configDir)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(chartDir, "templates", "generated")
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s differs from config/: run `make generate` (%v)", name, err)
		}
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) != len(want) {
		t.Errorf("got %d files, want %d: %v", len(there), len(want), err)
	}
}

// plain removes the fields that only describe how an object was installed, and sorts lists without a significant order.
func plain(o object) object {
	meta := at(o, "metadata").(map[string]any)
	for field, keys := range map[string][]string{
		"labels":      {"app.kubernetes.io/managed-by", "app.kubernetes.io/version", "helm.sh/chart", "app.kubernetes.io/name", "app.kubernetes.io/part-of", "app.kubernetes.io/instance"},
		"annotations": {"helm.sh/resource-policy"},
	} {
		if m, ok := meta[field].(map[string]any); ok {
			for _, k := range keys {
				delete(m, k)
			}
			if len(m) == 0 {
				delete(meta, field)
			}
		}
	}
	if labels, ok := at(o, "spec", "template", "metadata", "labels").(map[string]any); ok {
		delete(labels, "app.kubernetes.io/instance")
	}
	for _, c := range containers(o) {
		delete(c, "imagePullPolicy") // in the chart it depends on the tag
		if env, ok := c["env"].([]any); ok {
			slices.SortFunc(env, func(a, b any) int { return strings.Compare(text(a, "name"), text(b, "name")) })
		}
		if mounts, ok := c["volumeMounts"].([]any); ok {
			slices.SortFunc(mounts, func(a, b any) int { return strings.Compare(text(a, "name"), text(b, "name")) })
		}
	}
	return o
}

func containers(o object) (out []map[string]any) {
	list, _ := at(o, "spec", "template", "spec", "containers").([]any)
	for _, c := range list {
		out = append(out, c.(map[string]any))
	}
	return out
}

func TestDefault_IsWhatKustomizeInstalls(t *testing.T) {
	want, got := kustomized(t, "default"), render(t, "")
	delete(want, "Namespace /"+system) // a release does not contain its namespace
	if d := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); d != "" {
		t.Fatalf("objects (-kustomize +chart): %s", d)
	}
	for name := range want {
		if d := cmp.Diff(plain(want[name]), plain(got[name])); d != "" {
			t.Errorf("%s (-kustomize +chart): %s", name, d)
		}
	}
}

func TestServiceMonitor_IsWhatKustomizeInstalls(t *testing.T) {
	const name = "ServiceMonitor " + system + "/reelops"
	got := render(t, "monitoring: {serviceMonitor: {enabled: true}}")[name]
	if got == nil {
		t.Fatalf("%s is not rendered", name)
	}
	if d := cmp.Diff(plain(kustomized(t, "monitoring")[name]), plain(got)); d != "" {
		t.Errorf("%s (-kustomize +chart): %s", name, d)
	}
}

func TestNamespace_IsThatOfTheRelease(t *testing.T) {
	r, err := template("films", "")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := decode([]byte(r.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range objects {
		if namespace := text(o, "metadata", "namespace"); namespace != "" && namespace != "films" {
			t.Errorf("%s is not in the release's namespace", name)
		}
	}
	if strings.Contains(r.Manifest, system) {
		t.Errorf("a release in another namespace contains %s", system)
	}
	files, err := filepath.Glob(filepath.Join(chartDir, "templates", "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no generated templates: %v", err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err != nil || bytes.Contains(b, []byte(system)) {
			t.Errorf("%s names the namespace %s (%v)", f, system, err)
		}
	}
}
