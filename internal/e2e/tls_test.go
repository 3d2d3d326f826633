// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"math/big"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/testkit/authority"
)

// TestTLS renders a video with HTTPS between all programs, under an authority that no machine trusts by default. Then
// it replaces the certificate, connects accounts and publishes another video, which platforms download from the front
// end. Render pods trust the authority because of their Secret alone.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	a := authority.New(t)
	first := a.Issue(t, dir)
	usual := http.DefaultTransport
	http.DefaultTransport = a.Client().Transport // for the clients in this package
	t.Cleanup(func() { http.DefaultTransport = usual })
	s := newStack(t, withArgs("--tls-dir", dir))
	plain := s.url
	s.url = strings.Replace(s.url, "http://", "https://", 1)
	served := func(g Gomega) *big.Int {
		res, err := http.Get(s.url + "/readyz")
		g.Expect(err).NotTo(HaveOccurred())
		_ = res.Body.Close()
		return res.TLS.PeerCertificates[0].SerialNumber
	}
	if got := served(NewWithT(t)); got.Cmp(first) != 0 {
		t.Errorf("got certificate %v of the front end, want %v", got, first)
	}
	if res, err := http.Get(plain + "/readyz"); err == nil {
		_ = res.Body.Close()
		if res.StatusCode == http.StatusOK {
			t.Error("the front end must not serve plain HTTP")
		}
	}
	if !t.Run("the main workflow", s.mainJob) {
		return
	}
	front := s.find("apiserver")
	second := a.Issue(t, dir)
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(served(g)).To(Equal(second))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed(), "the front end serves the replaced certificate")
	NewWithT(t).Expect(s.find("apiserver")).To(Equal(front), "the front end must not restart")
	t.Run("publishing with a replaced certificate", func(t *testing.T) {
		caller := &api{s.url, s.newKey(t)}
		for _, p := range allPlatforms {
			caller.connect(t, p, "maya")
		}
		s.publishEverywhere(t)
	})
}
