// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/tls"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Secrets with the certificates of the front end and of the metrics listeners.
const certificate, metricsCertificate = "reelops-tls", "reelops-metrics-tls"

// authorityMap is the ConfigMap with the authority, in the namespaces of pods that call the programs.
const authorityMap = "authority"

// issueFrontEnd writes a new certificate of the front end into its Secret and returns the serial number.
func (n *node) issueFrontEnd(t *testing.T) (serial *big.Int) {
	t.Helper()
	return n.issue(t, certificate, frontEnd, callback)
}

// issue writes a new certificate for names into a Secret and returns the serial number.
func (n *node) issue(t *testing.T, secret string, names ...string) (serial *big.Int) {
	t.Helper()
	want, dir := NewWithT(t), t.TempDir()
	serial = n.authority.Issue(t, dir, names...)
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: secret}, Type: corev1.SecretTypeTLS, Data: map[string][]byte{}}
	for _, key := range []string{"tls.crt", "tls.key", "ca.crt"} {
		doc, err := os.ReadFile(filepath.Join(dir, key))
		want.Expect(err).NotTo(HaveOccurred())
		s.Data[key] = doc
	}
	if err := n.kube.Create(t.Context(), s); err != nil {
		want.Expect(client.IgnoreAlreadyExists(err)).To(Succeed())
		want.Expect(n.kube.Update(t.Context(), s)).To(Succeed())
	}
	return serial
}

// trust writes the authority into the ConfigMap that pods of a namespace mount.
func (n *node) trust(t *testing.T, namespace string) {
	t.Helper()
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: authorityMap}, Data: map[string]string{"ca.crt": string(n.authority.PEM())}}
	NewWithT(t).Expect(n.kube.Create(t.Context(), c)).To(Succeed())
}

// replaceCertificate replaces the certificate under the running front end, then renders and publishes with the new one.
func (s *story) replaceCertificate(t *testing.T) {
	want := NewWithT(t)
	before := s.frontEnds(t)
	serial := s.issueFrontEnd(t)
	var got *tls.ConnectionState
	want.Eventually(func(g Gomega) {
		s.http.CloseIdleConnections()
		res, err := s.http.Get(s.base + "/readyz")
		g.Expect(err).NotTo(HaveOccurred())
		_ = res.Body.Close()
		got = res.TLS
		g.Expect(got.PeerCertificates[0].SerialNumber).To(Equal(serial))
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed(), "the front end serves the replaced certificate")
	t.Logf("GET %s/readyz: %s, certificate %v", s.base, tls.VersionName(got.Version), serial)
	s.release(t, s.api.connect(t, "instagram").ID)
	want.Expect(s.frontEnds(t)).To(Equal(before), "the front end must not restart")
}

// frontEnds returns how often the containers of the front end were started again, by pod.
func (s *story) frontEnds(t *testing.T) map[string]int32 {
	t.Helper()
	var pods corev1.PodList
	NewWithT(t).Expect(s.kube.List(t.Context(), &pods, client.InNamespace(system), client.MatchingLabels{"app.kubernetes.io/component": "apiserver"})).To(Succeed())
	restarts := map[string]int32{}
	for _, p := range pods.Items {
		for _, c := range p.Status.ContainerStatuses {
			restarts[p.Name] += c.RestartCount
		}
	}
	return restarts
}
