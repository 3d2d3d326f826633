// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// deployment returns the Deployment of a component, independent of its name.
func deployment(t *testing.T, objects map[string]object, component string) object {
	t.Helper()
	for _, o := range objects {
		if text(o, "kind") == "Deployment" && text(o, "metadata", "labels", "app.kubernetes.io/component") == component {
			return o
		}
	}
	t.Fatalf("no Deployment of %s", component)
	return nil
}

// pods returns a pod of each Deployment, by component.
func pods(t *testing.T, objects map[string]object) map[string]*corev1.Pod {
	t.Helper()
	out := map[string]*corev1.Pod{}
	for _, o := range objects {
		if text(o, "kind") == "Deployment" {
			out[text(o, "metadata", "labels", "app.kubernetes.io/component")] = pod(t, o)
		}
	}
	return out
}

// of returns the only object of a kind.
func of(t *testing.T, objects map[string]object, kind string) object {
	t.Helper()
	var found object
	for _, o := range objects {
		if text(o, "kind") == kind {
			if found != nil {
				t.Fatalf("more than one %s", kind)
			}
			found = o
		}
	}
	if found == nil {
		t.Fatalf("no %s", kind)
	}
	return found
}

func TestLabels_NameTheInstanceEverywhere(t *testing.T) {
	for what, values := range installations(t) {
		for name, o := range render(t, values) {
			if strings.HasSuffix(name, "/reelops-extra") || strings.HasSuffix(name, "/extra") {
				continue // extraObjects are rendered unchanged
			}
			if got := text(o, "metadata", "labels", "app.kubernetes.io/instance"); got != "reelops" {
				t.Errorf("%s: %s has the instance %q", what, name, got)
			}
			if text(o, "kind") != "Deployment" {
				continue
			}
			if got := text(o, "spec", "template", "metadata", "labels", "app.kubernetes.io/instance"); got != "reelops" {
				t.Errorf("%s: pods of %s have the instance %q", what, name, got)
			}
			// A selector is immutable, so it must keep the labels of the first release.
			selector, _ := at(o, "spec", "selector", "matchLabels").(map[string]any)
			if d := cmp.Diff([]string{"app.kubernetes.io/component", "app.kubernetes.io/name"}, slices.Sorted(maps.Keys(selector))); d != "" {
				t.Errorf("%s: selector of %s: %s", what, name, d)
			}
		}
	}
}

// fixedNames are objects whose names do not depend on values, because programs, policies and users refer to them.
var fixedNames = []string{
	"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Role", "RoleBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"ServiceAccount reelops-system/reelops-manager", "NetworkPolicy reelops-system/reelops-renderer",
}

func TestFullnameOverride_RenamesAllButFixedNames(t *testing.T) {
	objects := render(t, installations(t)["names"])
	for name, o := range objects {
		if slices.Contains(fixedNames, name) || slices.Contains(fixedNames, text(o, "kind")) {
			continue
		}
		if got := text(o, "metadata", "name"); got != "media-shorts" && !strings.HasPrefix(got, "media-shorts-") {
			t.Errorf("%s keeps its name", name)
		}
		if got := text(o, "metadata", "labels", "app.kubernetes.io/name"); got != "shorts" {
			t.Errorf("%s has app.kubernetes.io/name=%s", name, got)
		}
	}
	manager, frontEnd := env(t, deployment(t, objects, "manager")), env(t, deployment(t, objects, "apiserver"))
	for _, c := range []struct{ got, want string }{
		{manager["REELOPS_CALLBACK_URL"], "http://media-shorts-apiserver-internal.reelops-system.svc:8081"},
		{manager["REELOPS_BLOB_BASE_URL"], "http://media-shorts-apiserver.reelops-system.svc"},
		{manager["REELOPS_LLM_URL"], "http://media-shorts-ollama.reelops-system.svc:11434/v1"},
		{frontEnd["REELOPS_BASE_URL"], "http://reelops.example"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestNames_ReferToRenderedObjects checks every reference between the chart's objects.
func TestNames_ReferToRenderedObjects(t *testing.T) {
	given := map[string]string{"accounts": "ServiceAccount", "pods": "PersistentVolumeClaim"} // named in the values
	for what, values := range installations(t) {
		objects := render(t, values)
		exists := func(kind, name, from string) {
			if _, ok := objects[kind+" "+system+"/"+name]; !ok && name != "" && given[what] != kind {
				t.Errorf("%s: %s refers to %s %s, which is not rendered", what, from, kind, name)
			}
		}
		for name, o := range objects {
			switch text(o, "kind") {
			case "RoleBinding", "ClusterRoleBinding":
				for _, s := range at(o, "subjects").([]any) {
					exists("ServiceAccount", text(s, "name"), name)
				}
			case "HorizontalPodAutoscaler":
				exists("Deployment", text(o, "spec", "scaleTargetRef", "name"), name)
			case "Ingress":
				rule := at(o, "spec", "rules").([]any)[0]
				exists("Service", text(at(rule, "http", "paths").([]any)[0], "backend", "service", "name"), name)
			case "Deployment":
				p := pod(t, o)
				exists("ServiceAccount", p.Spec.ServiceAccountName, name)
				for _, v := range p.Spec.Volumes {
					if v.PersistentVolumeClaim != nil {
						exists("PersistentVolumeClaim", v.PersistentVolumeClaim.ClaimName, name)
					}
				}
			case "Service", "NetworkPolicy", "PodDisruptionBudget":
				selectsPods(t, what, name, o, objects)
			}
		}
	}
}

// selectsPods fails the test unless a Service, NetworkPolicy or PodDisruptionBudget selects the pods of a Deployment,
// all pods, or render pods.
func selectsPods(t *testing.T, what, name string, o object, objects map[string]object) {
	t.Helper()
	selector, _ := at(o, "spec", "selector").(map[string]any)
	if text(o, "kind") != "Service" {
		field := map[string]string{"NetworkPolicy": "podSelector", "PodDisruptionBudget": "selector"}[text(o, "kind")]
		selector, _ = at(o, "spec", field, "matchLabels").(map[string]any)
	}
	if len(selector) == 0 || selector["reelops.dev/component"] == "renderer" {
		return
	}
	for _, d := range objects {
		labels, _ := at(d, "spec", "template", "metadata", "labels").(map[string]any)
		matches := len(labels) > 0
		for k, v := range selector {
			matches = matches && labels[k] == v
		}
		if matches {
			return
		}
	}
	t.Errorf("%s: %s selects no pods: %v", what, name, selector)
}

func TestCommonLabels_AreOnObjectsPodsAndRenderPods(t *testing.T) {
	objects := render(t, installations(t)["names"])
	for name, o := range objects {
		if got := text(o, "metadata", "labels", "cost-center"); got != "4711" {
			t.Errorf("%s has cost-center=%q", name, got)
		}
	}
	for component, want := range map[string]string{"manager": "platform", "apiserver": "video", "ollama": "video"} {
		labels := pods(t, objects)[component].Labels
		if labels["team"] != want || labels["cost-center"] != "4711" {
			t.Errorf("pods of %s have %v, want team=%s", component, labels, want)
		}
	}
	if got := text(of(t, objects, "ServiceMonitor"), "metadata", "labels", "team"); got != "observability" {
		t.Errorf("an object's own label is overridden: %s", got)
	}
	for _, o := range objects {
		if doc := text(o, "data", "render-pod.yaml"); doc != "" {
			if !strings.Contains(doc, "cost-center: \"4711\"") || !strings.Contains(doc, "team: render") {
				t.Errorf("render pods: %s", doc)
			}
			return
		}
	}
	t.Error("no template of render pods")
}

func TestImageRegistry_ReplacesTheRegistryOfEveryImage(t *testing.T) {
	const ollama = "llm: {ollama: {enabled: true}}\n"
	for _, c := range []struct{ values, renderer, ollama string }{
		{ollama, "reelops.dev/renderer:dev", "ollama/ollama:0.12.6"},
		{ollama + "global: {imageRegistry: mirror.example}", "mirror.example/renderer:dev", "mirror.example/ollama/ollama:0.12.6"},
		{
			ollama + "global: {imageRegistry: mirror.example}\nimage: {registry: acme, tag: v1.2.3}",
			"mirror.example/acme/renderer:v1.2.3", "mirror.example/ollama/ollama:0.12.6",
		},
		{
			ollama + "global: {imageRegistry: 'localhost:5000/a/'}\nimage: {registry: 'localhost:5001/reelops'}",
			"localhost:5000/a/reelops/renderer:dev", "localhost:5000/a/ollama/ollama:0.12.6",
		},
		{installations(t)["airgapped"], "harbor.corp.example:8443/mirror/reelops/renderer:v0.1.0", "harbor.corp.example:8443/mirror/ollama/ollama:0.12.6"},
	} {
		objects := render(t, c.values)
		if got := env(t, deployment(t, objects, "manager"))["REELOPS_RENDERER_IMAGE"]; got != c.renderer {
			t.Errorf("%s: got renderer %s, want %s", c.values, got, c.renderer)
		}
		all := pods(t, objects)
		if len(all) != 3 {
			t.Errorf("%s: got %d Deployments, want 3", c.values, len(all))
		}
		for component, p := range all {
			want := strings.Replace(c.renderer, "/renderer", "/"+component, 1)
			if component == "ollama" {
				want = c.ollama
			}
			for _, container := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
				if container.Image != want {
					t.Errorf("%s: %s runs %s, want %s", c.values, component, container.Image, want)
				}
			}
		}
	}
}

func TestPullPolicy_DependsOnTheTag(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0", 64)
	for _, c := range []struct {
		values string
		want   corev1.PullPolicy
	}{
		{"{}", corev1.PullAlways},
		{"image: {tag: latest}", corev1.PullAlways},
		{"image: {tag: main-2}", corev1.PullAlways},
		{"image: {tag: v0.1.0}", corev1.PullIfNotPresent},
		{"image: {tag: 1.2.3-rc.1}", corev1.PullIfNotPresent},
		{"image: {registry: 'registry.example:5000/a', tag: next}", corev1.PullAlways},
		{"image: {digests: {manager: '" + digest + "'}}", corev1.PullIfNotPresent},
		{"image: {tag: v0.1.0, pullPolicy: Always}", corev1.PullAlways},
		{"image: {pullPolicy: IfNotPresent}", corev1.PullIfNotPresent},
	} {
		if got := pods(t, render(t, c.values))["manager"].Spec.Containers[0].ImagePullPolicy; got != c.want {
			t.Errorf("%s: got %s, want %s", c.values, got, c.want)
		}
	}
}

func TestPullSecrets_TakeNamesAndObjects(t *testing.T) {
	for what, want := range map[string][]string{"airgapped": {"mirror", "harbor"}, "deprecated": {"registry", "other"}, "pods": {"registry"}, "nothing set": nil} {
		objects := render(t, installations(t)[what])
		for component, p := range pods(t, objects) {
			var got []string
			for _, s := range p.Spec.ImagePullSecrets {
				got = append(got, s.Name)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s (-want +got): %s", what, component, d)
			}
		}
		for _, o := range objects {
			doc := text(o, "data", "render-pod.yaml")
			for _, name := range want {
				if doc != "" && !strings.Contains(doc, fmt.Sprintf("- name: %s\n", name)) {
					t.Errorf("%s: render pods do not have %s: %s", what, name, doc)
				}
			}
		}
	}
}
