// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
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

// secretOf returns the Secret that a pod's volume mounts at a path; "" if there is none.
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

func TestTLS_IsOffByDefault(t *testing.T) {
	for name, o := range render(t, "") {
		if kind := text(o, "kind"); kind == "Certificate" || kind == "Issuer" {
			t.Errorf("%s is rendered", name)
		}
	}
	for component, p := range pods(t, render(t, "")) {
		for _, variable := range p.Spec.Containers[0].Env {
			if strings.HasPrefix(variable.Value, "https://") || strings.Contains(variable.Name, "TLS") || strings.Contains(variable.Name, "_CA_") {
				t.Errorf("%s has %s=%s", component, variable.Name, variable.Value)
			}
		}
	}
}

func TestTLS_ReachesListenersServicesAndRenderPods(t *testing.T) {
	for _, c := range []struct {
		values, fullname, secret, inside, authorities string
		port                                          float64
	}{
		{"tls-cert-manager", "reelops", "reelops-apiserver-tls", "https://reelops-apiserver.reelops-system.svc", "/etc/reelops/tls-ca/ca.crt", 443},
		{"tls-issuer", "reelops", "reelops-apiserver-tls", "https://reelops-apiserver.reelops-system.svc", "/etc/reelops/tls-ca/ca.crt", 443},
		{"tls-secret", "shorts", "shorts-tls", "", "/etc/reelops/tls-ca/ca.crt,/etc/reelops/ca/ca.crt", 8443},
	} {
		objects := render(t, installations(t)[c.values])
		all := pods(t, objects)
		frontEnd, manager := all["apiserver"], env(t, deployment(t, objects, "manager"))
		if got := secretOf(frontEnd, "/etc/reelops/tls"); got != c.secret || variable(frontEnd.Spec.Containers[0], "REELOPS_TLS_CERT_FILE") != "/etc/reelops/tls/tls.crt" {
			t.Errorf("%s: the front end has the certificate of the Secret %q, want %q", c.values, got, c.secret)
		}
		if got := secretOf(all["manager"], "/etc/reelops/tls-ca"); got != c.secret || secretOf(all["manager"], "/etc/reelops/tls") != "" {
			t.Errorf("%s: the manager has the authority of the Secret %q, want %q, and no key", c.values, got, c.secret)
		}
		for name, want := range map[string]string{
			"REELOPS_CALLBACK_URL":    "https://" + c.fullname + "-apiserver-internal.reelops-system.svc:8081",
			"REELOPS_BLOB_BASE_URL":   c.inside,
			"REELOPS_RENDER_CA_FILES": c.authorities,
		} {
			if manager[name] != want {
				t.Errorf("%s: %s=%q, want %q", c.values, name, manager[name], want)
			}
		}
		port := at(objects["Service "+system+"/"+c.fullname+"-apiserver"], "spec", "ports").([]any)[0]
		if text(port, "name") != "https" || text(port, "appProtocol") != "https" || at(port, "port") != c.port || text(port, "targetPort") != "http" {
			t.Errorf("%s: the Service has the port %v", c.values, port)
		}
	}
	rule := at(of(t, render(t, installations(t)["tls-secret"]), "Ingress"), "spec", "rules").([]any)[0]
	if got := text(at(rule, "http", "paths").([]any)[0], "backend", "service", "port", "name"); got != "https" {
		t.Errorf("the Ingress leads to the port %q", got)
	}
}

func TestCertManager_IssuesForTheNamesThatClientsUse(t *testing.T) {
	objects := render(t, installations(t)["tls-cert-manager"])
	certificate := func(name string) object { return objects["Certificate "+system+"/"+name] }
	for name, clients := range map[string][]string{
		"reelops-apiserver-tls": {"reelops-apiserver.reelops-system.svc", "reelops-apiserver-internal.reelops-system.svc"},
		"reelops-metrics-tls":   {"reelops-apiserver-metrics.reelops-system.svc", "reelops-manager-metrics.reelops-system.svc"},
	} {
		c := certificate(name)
		if text(c, "spec", "secretName") != name || text(c, "spec", "issuerRef", "name") != "reelops-ca" {
			t.Errorf("%s: got %v", name, at(c, "spec"))
		}
		names, _ := at(c, "spec", "dnsNames").([]any)
		for _, host := range clients {
			if !slices.Contains(names, any(host)) {
				t.Errorf("%s does not name %s: %v", name, host, names)
			}
		}
	}
	endpoint := at(of(t, objects, "ServiceMonitor"), "spec", "endpoints").([]any)[0]
	names, _ := at(certificate("reelops-metrics-tls"), "spec", "dnsNames").([]any)
	if text(endpoint, "tlsConfig", "ca", "secret", "name") != "reelops-metrics-tls" || !slices.Contains(names, at(endpoint, "tlsConfig", "serverName")) {
		t.Errorf("Prometheus verifies by %v", at(endpoint, "tlsConfig"))
	}
	if ca := certificate("reelops-ca"); at(ca, "spec", "isCA") != true || text(objects["Issuer "+system+"/reelops-ca"], "spec", "ca", "secretName") != text(ca, "spec", "secretName") {
		t.Errorf("the authority of the release: %v", at(ca, "spec"))
	}
	given := of(t, render(t, installations(t)["tls-issuer"]), "Certificate") // the values name an issuer
	if d := cmp.Diff(object{"kind": "ClusterIssuer", "name": "company"}, at(given, "spec", "issuerRef")); d != "" || text(given, "spec", "duration") != "720h" {
		t.Errorf("the given issuer (-want +got): %s", d)
	}
}
