// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/e2e/atrest"
)

// TestSteadyState_WritesNothing checks for a few seconds that the manager and the front end write nothing while all
// shorts are done. hack/benchapi does so for longer.
func TestSteadyState_WritesNothing(t *testing.T) {
	bin := os.Getenv("REELOPS_BIN")
	if bin == "" {
		t.Skip("REELOPS_BIN does not name the folder with the built programs: run the tests with `make test-stack`")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s, err := atrest.Start(ctx, atrest.Options{Bin: bin, Folder: t.TempDir()}, 200, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	began := time.Now()
	<-time.After(10 * time.Second)
	writes, err := s.Writes(began)
	if err != nil || len(writes) > 0 {
		t.Errorf("%d writes in ten seconds: %v %v", len(writes), writes, err)
	}

	// The log shows writes: a requested slideshow is written by the front end and by the manager.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/slideshows", strings.NewReader(`{"context":"Sleep well.","slide_count":3}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		t.Fatal(res.Status)
	}
	NewWithT(t).Eventually(func(g Gomega) {
		agents := map[string]bool{}
		writes, err := s.Writes(began)
		g.Expect(err).NotTo(HaveOccurred())
		for _, w := range writes {
			agents[w.Agent] = true
		}
		g.Expect(agents).To(And(HaveKey("manager"), HaveKey("apiserver")))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}
