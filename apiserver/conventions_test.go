// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Conventions", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })

	It("answers success with data and an object meta", func() {
		r := call("GET", "/api/v1/account", t.reader, nil)
		Expect(r.status).To(Equal(200))
		Expect(r.raw).To(HavePrefix(`{"success":true,"data":{`))
		Expect(r.meta).To(BeEmpty())
		Expect(r.raw).To(ContainSubstring(`"meta":{}`))
	})

	It("answers failure with at least one error from the catalog", func() {
		r := call("GET", "/api/v1/jobs/999999", t.reader, nil)
		Expect(r.raw).To(HavePrefix(`{"success":false,"errors":[{"code":"job_not_found"`))
		Expect(r.errors[0]).To(HaveKeyWithValue("retryable", false))
	})

	It("answers an unknown path with 404 not_found in the envelope, and never redirects", func() {
		for _, path := range []string{"/api/v1/nothing", "/api/v1/account/", "/api/v1//account", "/api/v1/jobs/1/more", "/"} {
			r := call("GET", path, "", nil)
			Expect(r.status).To(Equal(404), path)
			Expect(r.code()).To(Equal("not_found"), path)
		}
	})

	It("answers a known path with the wrong method with 405, Allow and bad_request", func() {
		for path, methods := range map[string]string{"/api/v1/slideshows": "POST", "/api/v1/account": "GET, HEAD"} {
			r := call("OPTIONS", path, t.reader, nil, header{"Origin", "https://elsewhere.example"})
			Expect(r.status).To(Equal(405))
			Expect(r.code()).To(Equal("bad_request"))
			Expect(r.details()).To(HaveKeyWithValue("parameter", "method"))
			Expect(r.header.Get("Allow")).To(Equal(methods))
			Expect(r.header).NotTo(HaveKey("Access-Control-Allow-Origin"))
		}
	})

	It("gives every answer a request id and echoes a valid one", func() {
		Expect(call("GET", "/api/v1/account", t.reader, nil).header.Get("X-Request-Id")).NotTo(BeEmpty())
		Expect(call("GET", "/api/v1/account", "", nil, header{"X-Request-Id", "mine-1.2_3"}).header.Get("X-Request-Id")).To(Equal("mine-1.2_3"))
		Expect(call("GET", "/api/v1/account", "", nil, header{"X-Request-Id", "has space"}).header.Get("X-Request-Id")).NotTo(Equal("has space"))
	})

	DescribeTable("answers an unreadable body with 400 bad_request about the body", func(body string, headers ...header) {
		r := call("POST", "/api/v1/slideshows", t.writer, body, headers...)
		Expect(r.status).To(Equal(400))
		Expect(r.code()).To(Equal("bad_request"))
		Expect(r.details()).To(HaveKeyWithValue("parameter", "body"))
	},
		Entry("not JSON", `{"context":`),
		Entry("more after the end", `{"context":"x"} {}`),
		Entry("an array", `[1]`),
		Entry("null", `null`),
		Entry("another Content-Type", `{"context":"x"}`, header{"Content-Type", "text/plain"}),
		Entry("another charset", `{"context":"x"}`, header{"Content-Type", "application/json; charset=latin1"}),
		Entry("not UTF-8", "{\"context\":\"\xff\"}"),
		Entry("larger than 1 MiB", `{"context":"`+strings.Repeat("x", 1<<20)+`"}`),
	)

	It("reads an empty body as an empty object", func() {
		r := call("POST", "/api/v1/slideshows", t.writer, "")
		Expect(r.status).To(Equal(422))
		Expect(r.details()).To(HaveKeyWithValue("field", "context"))
	})

	It("ignores unknown body members and names them", func() {
		r := call("POST", "/api/v1/slideshows", t.writer, `{"context":"Sleep well.","colour":"red","image_source":{"type":"stock","mood":1},"Title":"x"}`)
		Expect(r.status).To(Equal(202))
		Expect(r.meta["ignored_fields"]).To(ConsistOf("Title", "colour", "image_source.mood"))
	})

	It("answers ids that are no integers with the endpoint's own 404", func() {
		for _, id := range []string{"abc", "-1", "0", "1.5", "9007199254740992", "%2e%2e"} {
			Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).code()).To(Equal("job_not_found"), id)
			Expect(call("GET", "/api/v1/shorts/"+id, t.reader, nil).code()).To(Equal("not_found"), id)
		}
	})

	It("logs the request id, the brand and the short id, and no secrets", func() {
		_, id := t.newShow(drawn)
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

var _ = Describe("Authentication", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })

	refused := func(r reply, code string) {
		GinkgoHelper()
		Expect(r.status).To(Equal(401))
		Expect(r.code()).To(Equal(code))
		entry, _ := catalog.LookupError(catalog.Code(code))
		Expect(r.header.Get("WWW-Authenticate")).To(Equal(`Bearer realm="reelops", error="invalid_token", error_description="` + entry.Message + `"`))
	}

	It("answers a missing or empty key with missing_token", func() {
		refused(call("GET", "/api/v1/account", "", nil), "missing_token")
		refused(call("GET", "/api/v1/account", "", nil, header{"Authorization", "Bearer "}), "missing_token")
		refused(call("GET", "/api/v1/account", "", nil, header{"Authorization", "bearer"}), "missing_token")
	})

	It("answers another scheme, a malformed and an unknown key with invalid_token", func() {
		refused(call("GET", "/api/v1/account", "", nil, header{"Authorization", "Basic " + t.reader}), "invalid_token")
		refused(call("GET", "/api/v1/account", t.reader[:len(t.reader)-1], nil), "invalid_token")
		refused(call("GET", "/api/v1/account", "rlo_nothing", nil), "invalid_token")
		unknown, _, _ := newSecret()
		refused(call("GET", "/api/v1/account", unknown, nil), "invalid_token")
	})

	It("answers a revoked key with key_revoked at once, also when it is expired too", func() {
		secret, key := t.newKeyWith(v1alpha1.APIKeySpec{})
		Expect(call("GET", "/api/v1/account", secret, nil).status).To(Equal(200))
		key.Spec.Revoked = true
		past := metav1.NewTime(now.Now().Add(-1))
		key.Spec.ExpiresAt = &past
		Expect(access.Client.Update(context.Background(), key)).To(Succeed())
		refused(call("GET", "/api/v1/account", secret, nil), "key_revoked")
	})

	It("answers a key past its expiry with key_expired", func() {
		end := metav1.NewTime(now.Now())
		secret, _ := t.newKeyWith(v1alpha1.APIKeySpec{ExpiresAt: &end})
		refused(call("GET", "/api/v1/account", secret, nil), "key_expired")
	})

	It("takes the scheme in any case", func() {
		Expect(call("GET", "/api/v1/account", "", nil, header{"Authorization", "bEARER " + t.reader}).status).To(Equal(200))
	})

	It("answers a key without the scope with missing_scope and what it holds", func() {
		r := call("POST", "/api/v1/slideshows", t.reader, map[string]any{"context": "x"})
		Expect(r.status).To(Equal(403))
		Expect(r.code()).To(Equal("missing_scope"))
		Expect(r.details()).To(HaveKeyWithValue("required_scope", "content:write"))
		Expect(r.details()["key_scopes"]).To(Equal([]any{"brand:read", "media:read", "posts:read", "analytics:read"}))
	})

	It("treats a key without any scope as read", func() {
		bare := t.newKey()
		Expect(call("GET", "/api/v1/account", bare, nil).status).To(Equal(200))
		Expect(call("POST", "/api/v1/slideshows", bare, map[string]any{"context": "x"}).code()).To(Equal("missing_scope"))
	})

	It("checks the scope before the body and the path", func() {
		Expect(call("POST", "/api/v1/slideshows/abc/render", t.reader, `{"format":`).code()).To(Equal("missing_scope"))
		Expect(call("POST", "/api/v1/slideshows/abc/render", t.writer, `{"format":`).code()).To(Equal("not_found"))
	})

	It("counts the use of a key and writes it in batches", func() {
		secret, key := t.newKeyWith(v1alpha1.APIKeySpec{Scopes: []v1alpha1.Scope{"read"}})
		first := call("GET", "/api/v1/account", secret, nil).data["api_key"].(map[string]any)
		Expect(first["last_used_at"]).To(BeNil())
		Expect(first["request_count"]).To(BeEquivalentTo(1))
		second := call("GET", "/api/v1/account", secret, nil).data["api_key"].(map[string]any)
		Expect(second["last_used_at"]).To(Equal(now.Now().UTC().Format("2006-01-02T15:04:05Z")))
		Expect(second["request_count"]).To(BeEquivalentTo(2))

		live := &v1alpha1.APIKey{}
		Expect(access.Plain.Get(context.Background(), client.ObjectKeyFromObject(key), live)).To(Succeed())
		Expect(live.Status.RequestCount).To(BeZero(), "a request must not write")
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

var _ = Describe("Brand selection", func() {
	var t *tenant
	var other *v1alpha1.Brand
	BeforeEach(func() {
		t = newTenant(nil)
		other = t.newBrand("other", "Other")
	})
	make := func(key, query string, headers ...header) reply {
		GinkgoHelper()
		return call("POST", "/api/v1/slideshows"+query, key, map[string]any{"context": "Sleep well."}, headers...)
	}

	It("acts on the key's own brand when none is named, and needs no brands:all to name it", func() {
		Expect(make(t.writer, "").status).To(Equal(202))
		Expect(make(t.writer, "?brand_id="+t.brand.Labels[v1alpha1.LabelID]).status).To(Equal(202))
		Expect(make(t.writer, "?brand_id=").status).To(Equal(202))
	})

	It("refuses another brand of the account without brands:all", func() {
		r := make(t.writer, "?brand_id="+other.Labels[v1alpha1.LabelID])
		Expect(r.status).To(Equal(403))
		Expect(r.code()).To(Equal("missing_scope"))
		Expect(r.details()).To(HaveKeyWithValue("required_scope", "brands:all"))
	})

	It("acts on another brand with brands:all, by query or header, the query winning", func() {
		id := other.Labels[v1alpha1.LabelID]
		r := make(t.admin, "", header{"X-Brand-Id", id})
		Expect(r.status).To(Equal(202))
		job := "/api/v1/jobs/" + jsonInt(r.data["job_id"])
		Expect(call("GET", job, t.admin, nil).code()).To(Equal("job_not_found"))
		Expect(call("GET", job+"?brand_id="+id, t.admin, nil).status).To(Equal(200))
		Expect(call("GET", job+"?brand_id="+id, t.admin, nil, header{"X-Brand-Id", "1"}).status).To(Equal(200))
	})

	It("answers a brand of another account or an unreadable one with 404 whatever the scopes", func() {
		stranger := newTenant(nil)
		for _, id := range []string{stranger.brand.Labels[v1alpha1.LabelID], "abc", "99999999"} {
			for _, key := range []string{t.admin, t.reader} {
				r := make(key, "?brand_id="+id)
				Expect(r.status).To(Equal(http.StatusNotFound))
				Expect(r.code()).To(Equal("not_found"))
			}
		}
	})
})
