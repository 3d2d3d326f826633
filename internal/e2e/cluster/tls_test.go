// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"math/big"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// certificate is the Secret with the certificate of the front end.
const certificate = "reelops-tls"

// issue writes a new certificate of the front end into its Secret and returns the serial number.
func (n *node) issue(t *testing.T) (serial *big.Int) {
	t.Helper()
	want, dir := NewWithT(t), t.TempDir()
	serial = n.authority.Issue(t, dir, "reelops-apiserver."+system+".svc", "reelops-apiserver-internal."+system+".svc")
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: certificate}, Type: corev1.SecretTypeTLS, Data: map[string][]byte{}}
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

// replaceCertificate replaces the certificate under the running front end. The later steps render and publish with the new one.
func (s *story) replaceCertificate(t *testing.T) {
	want := NewWithT(t)
	before := s.frontEnds(t)
	serial := s.issue(t)
	want.Eventually(func(g Gomega) {
		s.http.CloseIdleConnections()
		res, err := s.http.Get(frontEnd + "/readyz")
		g.Expect(err).NotTo(HaveOccurred())
		_ = res.Body.Close()
		g.Expect(res.TLS.PeerCertificates[0].SerialNumber).To(Equal(serial))
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed(), "the replaced certificate is not served")
	want.Expect(s.frontEnds(t)).To(Equal(before), "the front end was started again")
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
