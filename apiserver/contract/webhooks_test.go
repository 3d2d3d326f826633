// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/catalog"
)

// hookServer is the server of webhooks. Paths have inboxes of their own.
type hookServer struct {
	url, host string
	mu        sync.Mutex
	received  map[string][]hookRequest
	codes     map[string]int
}

type hookRequest struct {
	header http.Header
	body   string
}

var hooks = newHooks()

func newHooks() *hookServer {
	h := &hookServer{received: map[string][]hookRequest{}, codes: map[string]int{}}
	h.url = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.received[r.URL.Path] = append(h.received[r.URL.Path], hookRequest{r.Header, string(body)})
		code := h.codes[r.URL.Path]
		if code == 0 {
			code = http.StatusNoContent
		}
		w.WriteHeader(code)
	})).URL
	h.host = strings.TrimPrefix(h.url, "http://")
	return h
}

// of returns the requests to a path so far.
func (h *hookServer) of(path string) []hookRequest {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]hookRequest{}, h.received[path]...)
}

// answers sets the status of the responses at a path.
func (h *hookServer) answers(path string, code int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.codes[path] = code
}

// signedWith reports whether a secret verifies the request.
func (r hookRequest) signedWith(secret string) bool {
	GinkgoHelper()
	key, err := standardwebhooks.NewWebhook(secret)
	Expect(err).NotTo(HaveOccurred())
	return key.Verify([]byte(r.body), r.header) == nil
}

func hookSecrets() *webhooksecret.Deriver {
	GinkgoHelper()
	d, err := webhooksecret.New(bytes.Repeat([]byte("k"), 32))
	Expect(err).NotTo(HaveOccurred())
	return d
}

var _ = Describe("Webhooks", func() {
	var t *tenant
	var key, path string
	BeforeEach(func() {
		t = newTenant()
		key, path = t.key("webhooks:write", "brand:read"), "/"+t.namespace
	})
	create := func(more object) *answer {
		GinkgoHelper()
		body := object{"url": hooks.url + path}
		for k, v := range more {
			body[k] = v
		}
		return post("/webhooks", body).with(key).succeeds(201)
	}
	stored := func(id int64) *v1beta1.WebhookEndpoint {
		GinkgoHelper()
		w := &v1beta1.WebhookEndpoint{}
		Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: fmt.Sprint("webhook-", id)}, w)).To(Succeed())
		return w
	}
	deliveries := func(id int64, with string) func() []any {
		return func() []any { return get("/webhooks/%d/deliveries", id).with(with).succeeds(200).list() }
	}

	It("are created, shown, listed, changed and deleted", func() {
		a := create(object{"events": []string{"post.published", "job.failed", "post.published"}, "paused": true})
		id := a.id("data.id")
		Expect(a.at("data.secret")).To(HavePrefix("whsec_"))
		shown := get("/webhooks/%d", id).with(key).succeeds(200)
		Expect(shown.data()).To(And(
			HaveKeyWithValue("id", float64(id)), HaveKeyWithValue("url", hooks.url+path), HaveKeyWithValue("events", []any{"job.failed", "post.published"}),
			HaveKeyWithValue("paused", true), HaveKeyWithValue("state", "paused"), HaveKeyWithValue("waiting", 0.0), HaveKeyWithValue("failing_since", BeNil()),
			HaveKeyWithValue("disabled_at", BeNil()), HaveKey("message"), HaveKey("created_at"), Not(HaveKey("secret"))))
		Expect(get("/webhooks").with(key).succeeds(200).list()).To(HaveLen(1))

		b := patch("/webhooks/%d", id, object{"url": hooks.url + path + "-2", "events": nil, "paused": false}).with(key).succeeds(200)
		Expect(b.data()).To(And(HaveKeyWithValue("url", hooks.url+path+"-2"), HaveKeyWithValue("events", []any{}), HaveKeyWithValue("state", "active")))
		patch("/webhooks/%d", id, object{"paused": nil}).with(key).succeeds(200)
		Expect(stored(id).Spec.BrandRef.Name).To(Equal("acme"))

		Expect(remove("/webhooks/%d", id).with(key).succeeds(200).data()).To(Equal(object{"id": float64(id), "deleted": true}))
		for _, r := range []*request{
			get("/webhooks/%d", id), patch("/webhooks/%d", id, object{"paused": true}), remove("/webhooks/%d", id), post("/webhooks/%d/test", id, nothing),
			post("/webhooks/%d/rotate", id, nothing), get("/webhooks/%d/deliveries", id), post("/webhooks/%d/replay", id, object{"since": now()}),
		} {
			r.with(key).refused(404, catalog.NotFound)
		}
	})

	It("receive tests and events with signatures of the secret that was shown once", func() {
		a := create(nil)
		id, secret := a.id("data.id"), a.at("data.secret").(string)
		Expect(post("/webhooks/%d/test", id, nothing).with(key).succeeds(202).data()).NotTo(HaveKey("secret"))
		Eventually(func() []hookRequest { return hooks.of(path) }).Should(HaveLen(1))
		test := hooks.of(path)[0]
		Expect(test.signedWith(secret)).To(BeTrue())
		Expect(test.body).To(And(ContainSubstring(`"webhook.test"`), ContainSubstring(fmt.Sprintf(`"id":%d`, id))))
		Eventually(deliveries(id, key)).Should(ConsistOf(And(
			HaveKeyWithValue("event_id", test.header.Get("webhook-id")), HaveKeyWithValue("type", "webhook.test"), HaveKeyWithValue("state", "delivered"),
			HaveKeyWithValue("attempts", 1.0), HaveKeyWithValue("status_code", 204.0), HaveKeyWithValue("error", BeNil()), HaveKeyWithValue("sequence", BeNil()),
			HaveKeyWithValue("object_id", BeNil()), HaveKeyWithValue("occurred_at", BeNil()), HaveKeyWithValue("body", BeNil()),
			HaveKeyWithValue("next_attempt_at", BeNil()), HaveKey("last_attempt_at"), HaveKey("duration_ms"))))

		writer := t.key("content:write", "brand:read")
		show := t.slideshow(writer, object{"context": habits, "slide_count": 3})
		Eventually(func() []hookRequest { return hooks.of(path) }).Should(HaveLen(2))
		event := hooks.of(path)[1]
		Expect(event.signedWith(secret)).To(BeTrue())
		of := func(body any) types.GomegaMatcher {
			return ContainElement(And(
				HaveKeyWithValue("event_id", event.header.Get("webhook-id")), HaveKeyWithValue("type", "job.succeeded"), HaveKeyWithValue("object_id", float64(show)),
				HaveKeyWithValue("sequence", 1.0), HaveKeyWithValue("occurred_at", Not(BeNil())), HaveKeyWithValue("body", body)))
		}
		Eventually(deliveries(id, key)).Should(of(HaveKeyWithValue("sequence", 1.0)))
		Expect(deliveries(id, writer)()).To(of(BeNil()), "a key that may not read jobs of webhooks")
		Expect(get("/webhooks/%d/deliveries?per_page=1", id).with(key).succeeds(200).list()).To(HaveLen(1))

		post("/webhooks/%d/replay", id, object{"since": now(-time.Hour)}).with(key).succeeds(202)
		Eventually(func() []hookRequest { return hooks.of(path) }).Should(HaveLen(3))
		again := hooks.of(path)[2]
		Expect(again.body).To(Equal(event.body))
		Expect(again.header.Get("webhook-id")).To(Equal(event.header.Get("webhook-id")))
	})

	It("have the next attempt of an event after a failure", func() {
		hooks.answers(path, 503)
		id := create(nil).id("data.id")
		t.slideshow(t.key("content:write", "brand:read"), object{"context": habits, "slide_count": 3})
		Eventually(deliveries(id, key)).Should(ContainElement(And(
			HaveKeyWithValue("state", "waiting"), HaveKeyWithValue("status_code", 503.0), HaveKeyWithValue("error", Not(BeNil())), HaveKeyWithValue("next_attempt_at", Not(BeNil())))))
		a := get("/webhooks/%d", id).with(key).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("state", "failing"), HaveKeyWithValue("waiting", 1.0), HaveKeyWithValue("failing_since", Not(BeNil()))))
		for _, path := range []string{"/webhooks", fmt.Sprintf("/webhooks/%d/deliveries", id)} {
			get(path+"?page=0").with(key).loosely().refused(422, catalog.ValidationFailed).about("page")
		}
	})

	It("get another secret by a rotation, and sign with both for a day", func() {
		a := create(nil)
		id, first := a.id("data.id"), a.at("data.secret").(string)
		post("/webhooks/%d/test", id, nothing).with(key).succeeds(202) // the manager has stored the first secret
		Eventually(func() []hookRequest { return hooks.of(path) }).Should(HaveLen(1))
		before := hooks.of(path)[0].header.Get("webhook-id")
		second := post("/webhooks/%d/rotate", id, nothing).with(key).succeeds(200).at("data.secret").(string)
		Expect(second).To(And(HavePrefix("whsec_"), Not(Equal(first))))
		post("/webhooks/%d/test", id, nothing).with(key).succeeds(202)
		// The first event is delivered again if the rotation changes the endpoint before the delivery is recorded.
		ofSecond := func() []hookRequest {
			return slices.DeleteFunc(hooks.of(path), func(r hookRequest) bool { return r.header.Get("webhook-id") == before })
		}
		Eventually(ofSecond).Should(HaveLen(1))
		last := ofSecond()[0]
		Expect(last.signedWith(first)).To(BeTrue())
		Expect(last.signedWith(second)).To(BeTrue())
	})

	It("are created once under an idempotency key, whose stored response has no secret", func() {
		ask := func() *request {
			return post("/webhooks", object{"url": hooks.url + path}).with(key).once("hook-" + t.namespace)
		}
		a := ask().succeeds(201)
		b := ask().succeeds(201)
		Expect(b.id("data.id")).To(Equal(a.id("data.id")))
		Expect(b.at("data.secret")).To(BeNil())
		Expect(b.at("meta.idempotent_replay")).To(BeTrue())
		var records v1beta1.IdempotencyRecordList
		Expect(access.Plain.List(ctx, &records, client.InNamespace(t.namespace))).To(Succeed())
		Expect(records.Items).To(HaveLen(1))
		Expect(records.Items[0].Status.Data).NotTo(ContainSubstring("whsec_"))

		rotate := func() *request {
			return post("/webhooks/%d/rotate", a.id("data.id"), nothing).with(key).once("r-" + t.namespace)
		}
		rotate().succeeds(200)
		at := stored(a.id("data.id")).Spec.RotateAt
		Expect(rotate().succeeds(200).at("data.secret")).To(BeNil())
		Expect(stored(a.id("data.id")).Spec.RotateAt).To(Equal(at))
	})

	DescribeTable("are rejected with", func(body object, field string) {
		full := object{"url": hooks.url + path}
		for k, v := range body {
			full[k] = v
		}
		post("/webhooks", full).with(key).loosely().refused(422, catalog.ValidationFailed).about(field)
	},
		Entry("no URL", object{"url": ""}, "url"),
		Entry("a private address", object{"url": "https://10.0.0.1/"}, "url"),
		Entry("an address of this machine", object{"url": "https://localhost/"}, "url"),
		Entry("an address of the cloud", object{"url": "https://169.254.169.254/latest"}, "url"),
		Entry("plain http", object{"url": "http://example.com/"}, "url"),
		Entry("another port", object{"url": "https://example.com:8443/"}, "url"),
		Entry("another scheme", object{"url": "ftp://example.com/"}, "url"),
		Entry("an unknown event", object{"events": []string{"post.unknown"}}, "events[0]"),
	)

	It("reject a URL in a change, an unpermitted time of a replay, and requests while they are paused", func() {
		id := create(object{"paused": true}).id("data.id")
		a := patch("/webhooks/%d", id, object{"url": "https://10.0.0.1/"}).with(key).refused(422, catalog.ValidationFailed).about("url")
		Expect(a.details()).To(HaveKeyWithValue("reason", "forbidden_address"))
		post("/webhooks/%d/replay", id, object{"since": now(-31 * 24 * time.Hour)}).with(key).refused(422, catalog.ValidationFailed).about("since")
		for _, r := range []*request{post("/webhooks/%d/test", id, nothing), post("/webhooks/%d/replay", id, object{"since": now(-time.Hour)})} {
			Expect(r.with(key).refused(409, catalog.Conflict).details()).To(HaveKeyWithValue("reason", "paused"))
		}
	})

	It("are at most 20 in an account", func() {
		for range v1beta1.MaxWebhookEndpoints {
			create(object{"paused": true})
		}
		a := post("/webhooks", object{"url": hooks.url + path}).with(key).refused(409, catalog.Conflict)
		Expect(a.details()).To(And(HaveKeyWithValue("reason", "too_many"), HaveKeyWithValue("limit", 20.0)))
	})

	It("of another brand, and of the whole account, are not found", func() {
		_, other := t.brand("other")
		id := post("/webhooks?brand_id=%d", other, object{"url": hooks.url + path}).with(t.everything()).succeeds(201).id("data.id")
		whole := &v1beta1.WebhookEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "whole"}, Spec: v1beta1.WebhookEndpointSpec{URL: hooks.url + path}}
		Expect(access.Plain.Create(ctx, whole)).To(Succeed())
		Eventually(func() string {
			Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(whole), whole)).To(Succeed())
			return whole.Labels[v1beta1.LabelID]
		}).ShouldNot(BeEmpty())
		get("/webhooks/%d", id).with(key).refused(404, catalog.NotFound)
		get("/webhooks/%s", whole.Labels[v1beta1.LabelID]).with(key).refused(404, catalog.NotFound)
		Expect(get("/webhooks").with(key).succeeds(200).list()).To(BeEmpty())
	})

	It("of a manifest are not changed or deleted", func() {
		id := create(nil).id("data.id")
		declares("WebhookEndpoint", stored(id), object{"url": hooks.url + path, "suspend": false})
		for _, r := range []*request{patch("/webhooks/%d", id, object{"paused": true}), remove("/webhooks/%d", id)} {
			Expect(r.with(key).refused(409, catalog.Conflict).details()).To(And(HaveKeyWithValue("reason", "declared_elsewhere"), HaveKey("managed_by")))
		}
		post("/webhooks/%d/rotate", id, nothing).with(key).succeeds(200)
	})
})

// now returns the present time plus durations, as in a body.
func now(plus ...time.Duration) string {
	at := time.Now()
	for _, d := range plus {
		at = at.Add(d)
	}
	return at.UTC().Format(time.RFC3339)
}
