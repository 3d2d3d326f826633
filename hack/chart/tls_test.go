// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// as converts a rendered object to a type of Kubernetes.
func as[T any](t *testing.T, o object) T {
	t.Helper()
	var out T
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// secretOf returns the Secret that a pod's volume mounts at a path; "" for none.
func secretOf(p *corev1.Pod, path string) string {
	c := p.Spec.Containers[0]
	i := slices.IndexFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == path })
	if i < 0 {
		return ""
	}
	for _, v := range p.Spec.Volumes {
		if v.Name == c.VolumeMounts[i].Name && v.Secret != nil {
			return v.Secret.SecretName
		}
	}
	return ""
}

func TestMetrics_ArePlainByDefault(t *testing.T) {
	objects := render(t, installations(t)["monitoring"])
	for _, name := range []string{"ClusterRole /reelops-metrics-reader", "ClusterRole /reelops-metrics-authentication"} {
		if objects[name] != nil {
			t.Errorf("%s is rendered", name)
		}
	}
	for component, p := range pods(t, objects) {
		if variable(p.Spec.Containers[0], "REELOPS_METRICS_SECURE") != "" {
			t.Errorf("%s authenticates the callers of metrics", component)
		}
	}
	endpoint := at(of(t, objects, "ServiceMonitor"), "spec", "endpoints").([]any)[0]
	if at(endpoint, "scheme") != nil || at(endpoint, "bearerTokenFile") != nil {
		t.Errorf("Prometheus scrapes with %v", endpoint)
	}
}

func TestMetricsSecure_ConfiguresProgramsProbesRolesAndPrometheus(t *testing.T) {
	for _, c := range []struct {
		values, secret string
		endpoint       object
	}{
		{"metrics-secure", "", object{
			"bearerTokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token", "tlsConfig": object{"insecureSkipVerify": true},
		}},
		{"metrics-certificate", "shorts-metrics", object{
			"authorization": object{"credentials": object{"name": "prometheus", "key": "token"}},
			"tlsConfig": object{
				"ca": object{"secret": object{"name": "shorts-metrics", "key": "ca.crt"}}, "serverName": "shorts-apiserver-metrics.reelops-system.svc",
			},
		}},
	} {
		objects := render(t, installations(t)[c.values])
		all := pods(t, objects)
		for component, p := range all {
			program := p.Spec.Containers[0]
			if got := secretOf(p, "/etc/reelops/metrics-tls"); variable(program, "REELOPS_METRICS_SECURE") != "true" || got != c.secret {
				t.Errorf("%s: %s has the certificate of the Secret %q, want %q", c.values, component, got, c.secret)
			}
			if file := variable(program, "REELOPS_METRICS_TLS_CERT_FILE"); (file != "") != (c.secret != "") {
				t.Errorf("%s: %s reads the certificate %q", c.values, component, file)
			}
		}
		frontEnd := all["apiserver"].Spec.Containers[0]
		for _, probe := range []*corev1.Probe{frontEnd.StartupProbe, frontEnd.LivenessProbe, frontEnd.ReadinessProbe} {
			if probe.HTTPGet.Scheme != corev1.URISchemeHTTPS {
				t.Errorf("%s: a probe of the metrics port uses %q", c.values, probe.HTTPGet.Scheme)
			}
		}
		if s := all["manager"].Spec.Containers[0].ReadinessProbe.HTTPGet.Scheme; s != "" {
			t.Errorf("%s: the probe of the manager's health port uses %s", c.values, s)
		}
		binding := as[rbacv1.ClusterRoleBinding](t, objects["ClusterRoleBinding /reelops-metrics-authentication"])
		if len(binding.Subjects) != 2 {
			t.Errorf("%s: %v may authenticate callers", c.values, binding.Subjects)
		}
		want := []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}
		if d := cmp.Diff(want, as[rbacv1.ClusterRole](t, objects["ClusterRole /reelops-metrics-reader"]).Rules); d != "" {
			t.Errorf("%s: reelops-metrics-reader (-want +got): %s", c.values, d)
		}
		endpoint := at(of(t, objects, "ServiceMonitor"), "spec", "endpoints").([]any)[0].(object)
		for _, k := range []string{"bearerTokenFile", "authorization", "tlsConfig"} {
			if d := cmp.Diff(c.endpoint[k], endpoint[k]); d != "" || endpoint["scheme"] != "https" {
				t.Errorf("%s: %s of the ServiceMonitor (-want +got): %s", c.values, k, d)
			}
		}
	}
}
