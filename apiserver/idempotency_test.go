// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
)

// once is the header under test.
func once(key string) header { return header{"Idempotency-Key", key} }

// envelope is a response with its parts as they were sent.
type envelope struct {
	Success, Data json.RawMessage
	Meta          map[string]json.RawMessage
}

func unpack(r reply) envelope {
	GinkgoHelper()
	var e envelope
	Expect(json.Unmarshal([]byte(r.raw), &e)).To(Succeed(), r.raw)
	return e
}

// expectReplay expects a response to repeat another byte for byte, except for the member that marks a replay and for
// headers of the request.
func expectReplay(r, first reply) {
	GinkgoHelper()
	Expect(r.status).To(Equal(first.status), r.raw)
	was, is := unpack(first), unpack(r)
	Expect(was.Meta).NotTo(HaveKey("idempotent_replay"), "a first answer does not have the member")
	Expect(is.Meta).To(HaveKeyWithValue("idempotent_replay", json.RawMessage("true")))
	delete(is.Meta, "idempotent_replay")
	Expect(is).To(Equal(was))
	for _, name := range []string{"Retry-After", "Content-Type", "Cache-Control"} {
		Expect(r.header.Get(name)).To(Equal(first.header.Get(name)), name)
	}
}

func expectConflict(r reply, endpoint string, inFlight bool) {
	GinkgoHelper()
	Expect(r.status).To(Equal(409), r.raw)
	Expect(r.code()).To(Equal("idempotency_conflict"))
	Expect(r.details()).To(Equal(map[string]any{"endpoint": endpoint, "in_flight": inFlight}))
	Expect(r.errors[0]).To(HaveKeyWithValue("retryable", inFlight))
}

// count returns how many slideshows and idempotency records the account has.
func (t *tenant) count() (shows, records int) {
	GinkgoHelper()
	var s v1beta1.SlideshowList
	var r v1beta1.IdempotencyRecordList
	Expect(access.Plain.List(context.Background(), &s, client.InNamespace(t.namespace))).To(Succeed())
	Expect(access.Plain.List(context.Background(), &r, client.InNamespace(t.namespace))).To(Succeed())
	return len(s.Items), len(r.Items)
}

const create202 = "/api/v1/slideshows"

var _ = Describe("An Idempotency-Key", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })
	body := map[string]any{"context": "Sleep well."}
	post := func(key string, body any, more ...header) reply {
		GinkgoHelper()
		return call("POST", create202, t.writer, body, append(more, once(key))...)
	}
	renderPath := func(id string) string { return create202 + "/" + id + "/render" }

	Describe("with the same body", func() {
		It("replays the stored answer and runs nothing twice", func() {
			first := post("order-17", body)
			Expect(first.status).To(Equal(202), first.raw)
			for range 3 {
				expectReplay(post("order-17", body), first)
			}
			shows, records := t.count()
			Expect(shows).To(Equal(1))
			Expect(records).To(Equal(1))
		})

		It("replays the first answer, not the present state", func() {
			first := post("k", body)
			s := &v1beta1.Slideshow{}
			key := client.ObjectKey{Namespace: t.namespace, Name: "slideshow-" + jsonInt(first.data["job_id"])}
			Expect(access.Plain.Get(context.Background(), key, s)).To(Succeed())
			laidOut(s)
			setStatus(s)
			Expect(call("GET", "/api/v1/jobs/"+jsonInt(first.data["job_id"]), t.reader, nil).data).To(HaveKeyWithValue("status", "succeeded"))
			replay := post("k", body)
			expectReplay(replay, first)
			Expect(replay.data).To(HaveKeyWithValue("status", "queued"))
			Expect(access.Client.Delete(context.Background(), s)).To(Succeed())
			expectReplay(post("k", body), first)
		})

		It("replays the meta of the first answer as well", func() {
			with := map[string]any{"context": "x", "colour": "red", "image_source": map[string]any{"type": "stock", "media_pack_id": 5}}
			first := post("k", with)
			Expect(first.meta).To(And(HaveKey("ignored_fields"), HaveKey("warnings")))
			expectReplay(post("k", with), first)
		})

		DescribeTable("ignores differences of the encoding", func(one, other string) {
			first := post("k", one)
			Expect(first.status).To(Equal(202), first.raw)
			expectReplay(post("k", other), first)
		},
			Entry("space", `{"context":"x","slide_count":7}`, " {\n \"context\" : \"x\",\t\"slide_count\":7 }\n"),
			Entry("order of members", `{"context":"x","slide_count":7}`, `{"slide_count":7,"context":"x"}`),
			Entry("order of nested members", `{"context":"x","image_source":{"type":"stock","media_pack_id":1}}`, `{"image_source":{"media_pack_id":1,"type":"stock"},"context":"x"}`),
			Entry("numbers by value", `{"context":"x","gradient_opacity":0.5}`, `{"context":"x","gradient_opacity":5e-1}`),
			Entry("escapes", `{"context":"é"}`, `{"context":"\u00e9"}`),
		)

		It("treats an empty body as {}", func() {
			_, id := t.newShow(laidOut)
			first := call("POST", renderPath(id), t.writer, nil, once("k"))
			Expect(first.status).To(Equal(202), first.raw)
			expectReplay(call("POST", renderPath(id), t.writer, "{}", once("k")), first)
		})

		It("replays while the work is in progress and when it is done", func() {
			s, id := t.newShow(laidOut)
			first := call("POST", renderPath(id), t.writer, map[string]any{"format": "video"}, once("k"))
			Expect(first.status).To(Equal(202), first.raw)
			expectReplay(call("POST", renderPath(id), t.writer, map[string]any{"format": "video"}, once("k")), first)
			Expect(call("POST", renderPath(id), t.writer, nil).code()).To(Equal("job_in_progress"),
				"without the key the state is checked")
			settle(t.render(s.Name+"-r1"), v1beta1.WorkSucceeded)
			expectReplay(call("POST", renderPath(id), t.writer, map[string]any{"format": "video"}, once("k")), first)
			Expect(call("POST", renderPath(id), t.writer, nil).code()).To(Equal("conflict"))
		})

		It("counts only against the rate limit of all requests", func() {
			left := func() string {
				GinkgoHelper()
				return post("k", body).header.Get("X-RateLimit-Remaining")
			}
			first := left()
			for range 25 { // more than the hourly rate limit
				r := post("k", body)
				Expect(r.status).To(Equal(202), r.raw)
			}
			Expect(left()).To(Equal(first))
		})

		It("replays when the plan is used up", func() {
			t = newTenant(ptr.To[int32](1))
			first := post("k", body)
			Expect(first.status).To(Equal(202), first.raw)
			Expect(post("other", body).code()).To(Equal("quota_exceeded"))
			expectReplay(post("k", body), first)
		})
	})

	Describe("with another body", func() {
		It("is rejected with 409", func() {
			post("k", body)
			expectConflict(post("k", map[string]any{"context": "Sleep better."}), "POST /api/v1/slideshows", false)
			shows, _ := t.count()
			Expect(shows).To(Equal(1))
		})
		It("is rejected before the body is validated", func() {
			post("k", body)
			expectConflict(post("k", map[string]any{"context": ""}), "POST /api/v1/slideshows", false)
			Expect(post("k", "{").code()).To(Equal("bad_request"), "an invalid body is not another body")
		})
		It("reports the path as it was sent", func() {
			_, id := t.newShow(laidOut)
			Expect(call("POST", renderPath(id), t.writer, nil, once("k")).status).To(Equal(202))
			expectConflict(call("POST", renderPath(id), t.writer, map[string]any{"format": "video"}, once("k")), "POST /api/v1/slideshows/"+id+"/render", false)
		})
		It("treats another brand as another body", func() {
			other := t.newBrand("other", "Other")
			brand := func(b *v1beta1.Brand) string { return create202 + "?brand_id=" + b.Labels[v1beta1.LabelID] }
			first := call("POST", create202, t.admin, body, once("k"))
			Expect(first.status).To(Equal(202), first.raw)
			expectConflict(call("POST", brand(other), t.admin, body, once("k")), "POST /api/v1/slideshows", false)
			expectConflict(call("POST", create202, t.admin, body, once("k"), header{"X-Brand-Id", other.Labels[v1beta1.LabelID]}), "POST /api/v1/slideshows", false)
			expectReplay(call("POST", brand(t.brand), t.admin, body, once("k")), first)
		})
	})

	Describe("is separate", func() {
		It("for every API key", func() {
			first, second := post("k", body), call("POST", create202, t.newKey("write"), map[string]any{"context": "other"}, once("k"))
			Expect(second.status).To(Equal(202), second.raw)
			Expect(second.data["job_id"]).NotTo(Equal(first.data["job_id"]))
			Expect(second.meta).To(BeEmpty())
		})
		It("for every path", func() {
			_, one := t.newShow(laidOut)
			_, two := t.newShow(laidOut)
			for _, path := range []string{create202, renderPath(one), renderPath(two)} {
				in := map[string]any{}
				if path == create202 {
					in = body
				}
				r := call("POST", path, t.writer, in, once("k"))
				Expect(r.status).To(Equal(202), r.raw)
				Expect(r.meta).To(BeEmpty())
			}
		})
		It("is case-sensitive, without the spaces around it", func() {
			first := post("key", body)
			expectReplay(post("  key ", body), first)
			Expect(post("KEY", body).meta).To(BeEmpty())
		})
	})

	It("has no effect if it is not sent: nothing is stored", func() {
		for range 2 {
			Expect(call("POST", create202, t.writer, body).status).To(Equal(202))
		}
		shows, records := t.count()
		Expect(shows).To(Equal(2))
		Expect(records).To(BeZero())
	})

	It("expires 24 hours after the request was accepted", func() {
		first := post("k", body)
		later := frontEnd(func(c *apiserver.Config) { c.Clock = clockAt(now.Now().Add(24*time.Hour - time.Second)) })
		expectReplay(later.call("POST", create202, t.writer, body, once("k")), first)
		tomorrow := frontEnd(func(c *apiserver.Config) { c.Clock = clockAt(now.Now().Add(24 * time.Hour)) })
		r := tomorrow.call("POST", create202, t.writer, map[string]any{"context": "other"}, once("k"))
		Expect(r.status).To(Equal(202), r.raw)
		Expect(r.meta).To(BeEmpty())
		Expect(r.data["job_id"]).NotTo(Equal(first.data["job_id"]))
	})

	Describe("of a rejected request is released", func() {
		It("after an invalid body", func() {
			Expect(post("k", map[string]any{"context": "x", "slide_count": 99}).status).To(Equal(422))
			Expect(post("k", map[string]any{"context": "x", "slide_count": 9}).status).To(Equal(202))
		})
		It("after a body that is not JSON", func() {
			Expect(post("k", "{").status).To(Equal(400))
			Expect(post("k", body).status).To(Equal(202))
		})
		It("after a conflicting state", func() {
			s, id := t.newShow(nil)
			Expect(call("POST", renderPath(id), t.writer, nil, once("k")).code()).To(Equal("job_in_progress"))
			laidOut(s)
			setStatus(s)
			r := call("POST", renderPath(id), t.writer, nil, once("k"))
			Expect(r.status).To(Equal(202), r.raw)
			Expect(r.meta).To(BeEmpty())
		})
		It("after the plan was used up", func() {
			t = newTenant(ptr.To[int32](1))
			start := metav1.NewTime(startOfMonth(now.Now()))
			t.account.Status.Usage = &v1beta1.Usage{PeriodStart: start, PeriodEnd: metav1.NewTime(start.AddDate(0, 1, 0)), SlideshowsUsed: 1}
			setStatus(t.account)
			Expect(post("k", body).code()).To(Equal("quota_exceeded"))
			t.account.Status.Usage.SlideshowsUsed = 0
			setStatus(t.account)
			Expect(post("k", body).status).To(Equal(202))
		})
		It("after the hourly rate limit was reached", func() {
			for range 20 {
				Expect(call("POST", create202, t.writer, body).status).To(Equal(202))
			}
			Expect(post("k", body).code()).To(Equal("rate_limited"))
			_, records := t.count()
			Expect(records).To(BeZero())
			hence := frontEnd(func(c *apiserver.Config) { c.Clock = clockAt(now.Now().Add(time.Hour)) })
			Expect(hence.call("POST", create202, t.writer, body, once("k")).meta).To(BeEmpty())
		})
		It("and writes nothing", func() {
			post("k", map[string]any{"context": ""})
			call("POST", renderPath("424242"), t.writer, nil, once("k"))
			_, records := t.count()
			Expect(records).To(BeZero())
		})
	})

	DescribeTable("that is invalid is a 400", func(key string) {
		r := post(key, body)
		Expect(r.status).To(Equal(400), r.raw)
		Expect(r.code()).To(Equal("bad_request"))
		Expect(r.details()).To(HaveKeyWithValue("parameter", "Idempotency-Key"))
	},
		Entry("empty", ""),
		Entry("256 characters", strings.Repeat("k", 256)),
		Entry("256 characters of more than one byte", strings.Repeat("é", 256)),
		Entry("a tab in the middle", "a\tb"),
		Entry("a control character beyond ASCII", "a\u0085b"),
		Entry("not UTF-8", "a\xffb"),
	)

	It("may have 255 characters of any script", func() {
		key := strings.Repeat("眠", 255)
		first := post(key, body)
		Expect(first.status).To(Equal(202), first.raw)
		expectReplay(post(key, body), first)
	})

	It("is rejected if sent twice", func() {
		req, err := http.NewRequest(http.MethodPost, public.URL+create202, strings.NewReader(`{"context":"x"}`))
		Expect(err).NotTo(HaveOccurred())
		req.Header = http.Header{"Authorization": {"Bearer " + t.writer}, "Content-Type": {"application/json"}, "Idempotency-Key": {"a", "b"}}
		Expect(send(req).details()).To(HaveKeyWithValue("parameter", "Idempotency-Key"))
	})

	DescribeTable("is ignored on other operations", func(method, path string, in any) {
		for range 2 {
			r := call(method, path, t.admin, in, once(strings.Repeat("k", 256)))
			Expect(r.status).To(Equal(200), r.raw)
			Expect(r.meta).NotTo(HaveKey("idempotent_replay"))
		}
		_, records := t.count()
		Expect(records).To(BeZero())
	},
		Entry("the account", "GET", "/api/v1/account", nil),
		Entry("an error", "GET", "/api/v1/errors/conflict", nil),
	)

	It("does not extend the permissions of the API key", func() {
		first := post("k", body)
		Expect(first.status).To(Equal(202))
		Expect(call("POST", create202, t.reader, body, once("k")).code()).To(Equal("missing_scope"))
		Expect(call("POST", create202+"?brand_id=999999", t.writer, body, once("k")).code()).To(Equal("not_found"))
	})

	It("appears neither in the log nor in the record", func() {
		post("tell-nobody-17", body)
		Expect(logged.String()).NotTo(ContainSubstring("tell-nobody-17"))
		var l v1beta1.IdempotencyRecordList
		Expect(access.Plain.List(context.Background(), &l, client.InNamespace(t.namespace))).To(Succeed())
		doc, err := json.Marshal(l)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(doc)).To(And(ContainSubstring("POST /api/v1/slideshows"), Not(ContainSubstring("tell-nobody-17"))))
	})
})
