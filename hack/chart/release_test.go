// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// selector returns a label selector from alternating names and values.
func selector(labels ...string) *metav1.LabelSelector {
	s := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	for i := 0; i < len(labels); i += 2 {
		s.MatchLabels[labels[i]] = labels[i+1]
	}
	return s
}

func TestAutoscaler_OwnsTheReplicas(t *testing.T) {
	const name = "HorizontalPodAutoscaler " + system + "/reelops-apiserver"
	objects := render(t, installations(t)["hpa"])
	want := map[string]any{
		"scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "reelops-apiserver"},
		"minReplicas":    3.0, "maxReplicas": 12.0,
		"metrics": []any{
			map[string]any{"type": "Resource", "resource": map[string]any{"name": "cpu", "target": map[string]any{"type": "Utilization", "averageUtilization": 70.0}}},
			map[string]any{"type": "Pods", "pods": map[string]any{
				"metric": map[string]any{"name": "reelops_api_calls_under_way"}, "target": map[string]any{"type": "AverageValue", "averageValue": "40"},
			}},
		},
		"behavior": map[string]any{"scaleDown": map[string]any{"stabilizationWindowSeconds": 600.0}},
	}
	if d := cmp.Diff(want, at(objects[name], "spec")); d != "" {
		t.Errorf("-want +got: %s", d)
	}
	if n := at(deployment(t, objects, "apiserver"), "spec", "replicas"); n != nil {
		t.Errorf("the Deployment sets replicas: %v", n)
	}
	if n := at(deployment(t, objects, "manager"), "spec", "replicas"); n != 1.0 {
		t.Errorf("the manager has %v replicas", n)
	}
	if metrics := at(render(t, installations(t)["hpa-calls"])[name], "spec", "metrics").([]any); len(metrics) != 1 || text(metrics[0], "type") != "Pods" {
		t.Errorf("without a CPU target: %v", metrics)
	}
	if render(t, "")[name] != nil {
		t.Error("an autoscaler is rendered without being enabled")
	}
}

func TestDisruptionBudget_OfBothAndOfOne(t *testing.T) {
	for _, c := range []struct {
		values             string
		frontEnd, managers map[string]any
	}{
		{"{}", map[string]any{"maxUnavailable": 1.0}, map[string]any{"maxUnavailable": 1.0}},
		{"podDisruptionBudget: {maxUnavailable: 0}", map[string]any{"maxUnavailable": 0.0}, map[string]any{"maxUnavailable": 0.0}},
		{installations(t)["ha"], map[string]any{"minAvailable": 2.0}, map[string]any{"maxUnavailable": "50%"}},
		{"apiserver: {podDisruptionBudget: {minAvailable: 0}}", map[string]any{"minAvailable": 0.0}, map[string]any{"maxUnavailable": 1.0}},
	} {
		objects := render(t, c.values)
		for name, want := range map[string]map[string]any{"reelops-apiserver": c.frontEnd, "reelops-manager": c.managers} {
			spec, _ := at(objects["PodDisruptionBudget "+system+"/"+name], "spec").(map[string]any)
			delete(spec, "selector")
			delete(spec, "unhealthyPodEvictionPolicy")
			if d := cmp.Diff(want, spec); d != "" {
				t.Errorf("%s: %s (-want +got): %s", c.values, name, d)
			}
		}
	}
}

func TestStrategy_ReplacesTheDefault(t *testing.T) {
	for _, c := range []struct {
		values string
		want   map[string]any
	}{
		{"nothing set", map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": 1.0, "maxUnavailable": 0.0}}},
		{"spread", map[string]any{"type": "Recreate"}},
	} {
		if d := cmp.Diff(c.want, at(deployment(t, render(t, installations(t)[c.values]), "manager"), "spec", "strategy")); d != "" {
			t.Errorf("%s (-want +got): %s", c.values, d)
		}
	}
}

func TestServiceAccounts_OfTheValues(t *testing.T) {
	objects := render(t, installations(t)["accounts"])
	for name := range objects {
		if strings.HasPrefix(name, "ServiceAccount ") {
			t.Errorf("%s is rendered", name)
		}
	}
	for component, want := range map[string]string{"manager": "films", "apiserver": "front-end"} {
		if got := pods(t, objects)[component].Spec.ServiceAccountName; got != want {
			t.Errorf("%s runs as %s, want %s", component, got, want)
		}
		for _, kind := range []string{"ClusterRoleBinding /reelops-", "RoleBinding " + system + "/reelops-"} {
			subjects, _ := at(objects[kind+component], "subjects").([]any)
			if len(subjects) != 1 || text(subjects[0], "name") != want {
				t.Errorf("%s%s binds %v, want %s", kind, component, subjects, want)
			}
		}
	}
	if got := env(t, deployment(t, objects, "manager"))["REELOPS_SERVICE_ACCOUNT"]; got != "films" {
		t.Errorf("the manager uses %q as its ServiceAccount", got)
	}
	policies := 0
	for name, o := range objects {
		conditions, _ := at(o, "spec", "matchConditions").([]any)
		for _, c := range conditions {
			if expression := text(c, "expression"); text(c, "name") == "the-manager" {
				if policies++; !strings.Contains(expression, "endsWith(':films')") || strings.Contains(expression, "reelops-manager") {
					t.Errorf("%s recognizes the manager by %s", name, expression)
				}
			}
		}
	}
	if policies != 5 {
		t.Errorf("%d policies recognize the manager, want 5", policies)
	}
	objects = render(t, "{apiserver: {serviceAccount: {name: front-end}}, manager: {serviceAccount: {name: films}}}")
	for _, name := range []string{"front-end", "films"} {
		if objects["ServiceAccount "+system+"/"+name] == nil {
			t.Errorf("the ServiceAccount %s of the values is not rendered", name)
		}
	}
}

func TestAggregation_IsSwitchedByRole(t *testing.T) {
	const view, edit, admin = "view", "edit", "admin"
	for _, c := range []struct {
		values string
		want   map[string]string
	}{
		{"nothing set", map[string]string{"reelops-viewer": view, "reelops-editor": edit, "reelops-publisher": edit, "reelops-approver": admin}},
		{"accounts", map[string]string{"reelops-viewer": view, "reelops-editor": edit, "reelops-approver": admin}},
		{"restricted", map[string]string{}},
	} {
		got := map[string]string{}
		for _, o := range render(t, installations(t)[c.values]) {
			for _, role := range []string{view, edit, admin} {
				if text(o, "metadata", "labels", "rbac.authorization.k8s.io/aggregate-to-"+role) == "true" {
					got[text(o, "metadata", "name")] = role
				}
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got): %s", c.values, d)
		}
	}
}

func TestExtraObjects_AreRenderedAsTemplates(t *testing.T) {
	objects := render(t, installations(t)["extra"])
	if got := text(objects["ConfigMap "+system+"/reelops-extra"], "data", "of"); got != "reelops" {
		t.Errorf("an object: %q", got)
	}
	if objects["ResourceQuota "+system+"/extra"] == nil {
		t.Error("text is not rendered")
	}
}

func TestServiceMonitor_OfTheValues(t *testing.T) {
	o := of(t, render(t, installations(t)["monitoring"]), "ServiceMonitor")
	want := []any{map[string]any{
		"port": "metrics", "interval": "30s", "scrapeTimeout": "10s", "honorLabels": true,
		"relabelings":       []any{map[string]any{"sourceLabels": []any{"__meta_kubernetes_pod_node_name"}, "targetLabel": "node"}},
		"metricRelabelings": []any{map[string]any{"sourceLabels": []any{"__name__"}, "regex": "go_gc_.*", "action": "drop"}},
	}}
	if d := cmp.Diff(want, at(o, "spec", "endpoints")); d != "" {
		t.Errorf("-want +got: %s", d)
	}
	if text(o, "metadata", "labels", "release") != "prometheus" || text(o, "metadata", "annotations", "example.com/team") != "video" {
		t.Errorf("metadata: %v", at(o, "metadata"))
	}
}

// TestServiceMonitor_KeepsTheJobsOfARenamedRelease checks that the job names do not depend on fullnameOverride, because
// the rules select jobs by name.
func TestServiceMonitor_KeepsTheJobsOfARenamedRelease(t *testing.T) {
	objects := render(t, "fullnameOverride: films\nmonitoring: {serviceMonitor: {enabled: true, relabelings: [{targetLabel: team, replacement: a}]}}")
	want := []any{
		map[string]any{
			"sourceLabels": []any{"__meta_kubernetes_service_label_app_kubernetes_io_component"}, "targetLabel": "job", "replacement": "reelops-$1-metrics",
		},
		map[string]any{"targetLabel": "team", "replacement": "a"},
	}
	endpoints, _ := at(of(t, objects, "ServiceMonitor"), "spec", "endpoints").([]any)
	if d := cmp.Diff(want, at(endpoints[0].(map[string]any), "relabelings")); d != "" {
		t.Errorf("-want +got: %s", d)
	}
}

func TestCRDs_FormerNamesOfTheValuesWork(t *testing.T) {
	const kept = "keep"
	for _, c := range []struct {
		values         string
		rendered, keep bool
	}{
		{"{}", true, true},
		{"crds: {enabled: false}", false, false},
		{"crds: {install: false}", false, false},
		{"crds: {enabled: null}", true, true}, // an upgrade with the values of an older chart
		{"crds: {keep: false}", true, false},
		{"crds: {retain: false}", true, false},
		{"crds: {install: true, retain: true}", true, true},
	} {
		o := render(t, c.values)["CustomResourceDefinition /"+brands]
		if (o != nil) != c.rendered || o != nil && (text(o, "metadata", "annotations", "helm.sh/resource-policy") == kept) != c.keep {
			t.Errorf("%s: rendered %v, kept %v", c.values, o != nil, at(o, "metadata", "annotations"))
		}
	}
}

func TestNotes_NameWhatToChange(t *testing.T) {
	for _, c := range []struct {
		values  string
		has     []string
		without []string
	}{
		{"nothing set", []string{"reelops.dev/renderer:dev has no version", "can publish there"}, []string{"DEPRECATED"}},
		{"ha", []string{"deployment/reelops-manager deployment/reelops-apiserver"}, []string{"has no version", "counts requests on its own"}},
		{"hpa-calls", []string{"Each of the 6 replicas of the apiserver counts requests on its own"}, nil},
		{"restricted", nil, []string{"has no version", "can publish there"}},
		{"accounts", nil, []string{"can publish there"}},
		{"names", []string{"deployment/media-shorts-manager deployment/media-shorts-apiserver"}, []string{"deployment/reelops-"}},
		{"deprecated", []string{
			"crds.install works and will be removed. Use crds.enabled.", "crds.retain works and will be removed. Use crds.keep.", "Use imagePullSecrets.",
		}, nil},
	} {
		r, err := template(system, installations(t)[c.values])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.has {
			if !strings.Contains(r.Info.Notes, s) {
				t.Errorf("%s: the notes do not have %q:\n%s", c.values, s, r.Info.Notes)
			}
		}
		for _, s := range c.without {
			if strings.Contains(r.Info.Notes, s) {
				t.Errorf("%s: the notes have %q:\n%s", c.values, s, r.Info.Notes)
			}
		}
	}
}
