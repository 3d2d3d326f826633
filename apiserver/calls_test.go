// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

var _ = Describe("The log of a request", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })

	It("contains the request id, the brand and the short id, and no secrets", func() {
		_, id := t.newShow(laidOut)
		// Called without a connection in between, the log is complete when the call returns.
		req := httptest.NewRequest(http.MethodGet, "/api/v1/shorts/"+id+"?token=in-the-query", nil)
		req.Header.Set("Authorization", "Bearer "+t.reader)
		req.Header.Set("X-Request-Id", "log-me-1")
		server.Public().ServeHTTP(httptest.NewRecorder(), req)
		text := logged.String()
		Expect(text).To(MatchRegexp(`"request_id":"log-me-1".*"brand":"acme","short_id":` + id))
		Expect(text).NotTo(Or(ContainSubstring(t.reader), ContainSubstring("signature="), ContainSubstring("in-the-query")))
	})
})

var _ = Describe("The use of keys", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })

	It("is counted and written in batches", func() {
		secret, key := t.newKeyWith(v1beta1.APIKeySpec{Scopes: []v1beta1.Scope{"read"}})
		first := call("GET", "/api/v1/account", secret, nil).data["api_key"].(map[string]any)
		Expect(first["last_used_at"]).To(BeNil())
		Expect(first["request_count"]).To(BeEquivalentTo(1))
		second := call("GET", "/api/v1/account", secret, nil).data["api_key"].(map[string]any)
		Expect(second["last_used_at"]).To(Equal(now.Now().UTC().Format("2006-01-02T15:04:05Z")))
		Expect(second["request_count"]).To(BeEquivalentTo(2))

		live := &v1beta1.APIKey{}
		Expect(access.Plain.Get(context.Background(), client.ObjectKeyFromObject(key), live)).To(Succeed())
		Expect(live.Status.RequestCount).To(BeZero(), "a request must not write to the cluster")
		server.FlushUse(context.Background())
		Expect(access.Plain.Get(context.Background(), client.ObjectKeyFromObject(key), live)).To(Succeed())
		Expect(live.Status.RequestCount).To(BeEquivalentTo(2))
		Expect(live.Status.LastUsedAt.Time.Equal(now.Now())).To(BeTrue())

		version := live.ResourceVersion
		server.FlushUse(context.Background())
		Expect(access.Plain.Get(context.Background(), client.ObjectKeyFromObject(key), live)).To(Succeed())
		Expect(live.ResourceVersion).To(Equal(version), "without use nothing is written")
		third := call("GET", "/api/v1/account", secret, nil).data["api_key"].(map[string]any)
		Expect(third["request_count"]).To(BeEquivalentTo(3))
	})
})
