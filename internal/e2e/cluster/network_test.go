// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Labels of the pods that probe the network.
var (
	stranger = map[string]string{"app": "stranger"}
	render   = map[string]string{"reelops.dev/component": "renderer"}
)

// network checks from pods what the policies allow.
func (s *story) network(t *testing.T) {
	for _, c := range []struct {
		name, namespace string
		labels          map[string]string
		to              string
		reaches         bool
	}{
		{"a stranger reaches the interface", world, stranger, frontEnd + ":443", true},
		{"a stranger does not reach the callback", world, stranger, callback + ":8081", false},
		{"a render reaches the callback", tenant, render, callback + ":8081", true},
		{"a render reaches signed addresses", tenant, render, frontEnd + ":443", true},
		{"a render does not reach the platforms", tenant, render, strings.TrimPrefix(sandbox, "http://"), false},
		{"a render does not reach the cluster's API", tenant, render, "kubernetes.default.svc:443", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := s.probe(t, probe{namespace: c.namespace, labels: c.labels, args: []string{"dial", c.to}})
			if (err == nil) != c.reaches {
				t.Errorf("%s: %v", c.to, err)
			}
		})
	}
	t.Run("the callback listener rejects plain HTTP", func(t *testing.T) {
		t.Parallel()
		out, err := s.probe(t, probe{namespace: tenant, labels: render, args: []string{"get", "http://" + callback + ":8081/"}})
		want := NewWithT(t)
		want.Expect(err).To(MatchError(ContainSubstring("400 Bad Request")))
		want.Expect(out).To(ContainSubstring("The listener requires HTTPS"))
		t.Log(out)
	})
}

// metricsOf returns the name of the Service with the metrics of a program.
func metricsOf(component string) string {
	return "reelops-" + component + "-metrics." + system + ".svc"
}

// metrics reads the metrics of both programs from pods: with the token of an account that has the role, as Prometheus
// does, and without it.
func (s *story) metrics(t *testing.T) {
	s.kubectl(t, "", "create", "serviceaccount", "prometheus", "-n", world)
	s.kubectl(t, "", "create", "clusterrolebinding", "prometheus", "--clusterrole=reelops-metrics-reader", "--serviceaccount="+world+":prometheus")
	for _, c := range []struct{ name, component, account, shows, fails string }{
		{"the manager, for Prometheus", "manager", "prometheus", `reelops_posts_total{.*platform="instagram",state="success"} [1-9]`, ""},
		{"the front end, for Prometheus", "apiserver", "prometheus", `reelops_render_reports_total{report="progress",result="taken"} [1-9]`, ""},
		{"the manager, without a token", "manager", "", "", "401 Unauthorized"},
		{"the front end, for an account without the role", "apiserver", "default", "", "403 Forbidden"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want, address := NewWithT(t), "https://"+metricsOf(c.component)+":9090/metrics"
			out, err := s.probe(t, probe{namespace: world, labels: stranger, account: c.account, trusts: true, args: []string{"get", address}})
			if c.fails != "" {
				want.Expect(err).To(MatchError(ContainSubstring(c.fails)))
				return
			}
			want.Expect(err).NotTo(HaveOccurred())
			want.Expect(out).To(MatchRegexp(c.shows))
			t.Logf("%s: %d lines", address, strings.Count(out, "\n"))
		})
	}
}

// probe is a pod that runs the toolbox once.
type probe struct {
	namespace string
	labels    map[string]string
	// account is the ServiceAccount whose token get sends; empty: no token.
	account string
	// trusts reports whether the pod trusts the authority in the ConfigMap of its namespace.
	trusts bool
	args   []string
}

// probe runs a pod to its end. It returns the output, and an error with the output if the toolbox failed.
func (n *node) probe(t *testing.T, p probe) (out string, err error) {
	t.Helper()
	pod := p.pod()
	want := NewWithT(t)
	want.Expect(n.kube.Create(t.Context(), pod)).To(Succeed())
	want.Eventually(func(g Gomega) {
		g.Expect(n.kube.Get(t.Context(), client.ObjectKeyFromObject(pod), pod)).To(Succeed())
		g.Expect(pod.Status.Phase).To(BeElementOf(corev1.PodSucceeded, corev1.PodFailed))
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	out, _ = n.run(context.WithoutCancel(t.Context()), "", n.program, "kubectl", "logs", "-n", p.namespace, pod.Name)
	want.Expect(n.kube.Delete(t.Context(), pod)).To(Succeed())
	if pod.Status.Phase == corev1.PodFailed {
		return out, errors.New(strings.TrimSpace(out))
	}
	return out, nil
}

func (p probe) pod() *corev1.Pod {
	c := corev1.Container{
		Name: "toolbox", Image: "reelops.dev/test/toolbox:dev", ImagePullPolicy: corev1.PullNever, Args: p.args,
		Env: []corev1.EnvVar{{Name: "TOOLBOX_TIMEOUT", Value: "5s"}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
	var volumes []corev1.Volume
	if p.trusts {
		volumes = append(volumes, corev1.Volume{Name: authorityMap, VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: authorityMap}},
		}})
		c.VolumeMounts = []corev1.VolumeMount{{Name: authorityMap, MountPath: "/etc/authority", ReadOnly: true}}
		c.Env = append(c.Env, corev1.EnvVar{Name: "SSL_CERT_DIR", Value: "/etc/authority"})
	}
	if p.account != "" {
		c.Env = append(c.Env, corev1.EnvVar{Name: "TOOLBOX_TOKEN_FILE", Value: "/var/run/secrets/kubernetes.io/serviceaccount/token"})
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, GenerateName: "probe-", Labels: p.labels},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, ServiceAccountName: p.account, AutomountServiceAccountToken: ptr.To(p.account != ""),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](65532), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{c}, Volumes: volumes,
		},
	}
}
