// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/catalog"
)

// moment is the format of times.
const moment = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`

var _ = Describe("General rules", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})

	Describe("The envelope", func() {
		It("of a success has success true, the data and a meta object, which may be empty", func() {
			a := get("/account").with(key).succeeds(200)
			Expect(a.raw).To(HavePrefix(`{"success":true,"data":{`))
			Expect(a.at("meta")).To(BeEmpty())
		})

		It("of a failure has success false and at least one error with code, message and retryable", func() {
			a := get("/jobs/999999999").with(key).refused(404, catalog.JobNotFound)
			Expect(a.raw).To(HavePrefix(`{"success":false,"errors":[{"code":"job_not_found"`))
			Expect(a.at("errors.0.message")).NotTo(BeEmpty())
			Expect(a.at("errors.0.retryable")).To(BeFalse())
		})
	})

	Describe("A body", func() {
		unreadable := func(body string, headers ...string) {
			GinkgoHelper()
			r := post("/slideshows", body).with(key)
			for i := 0; i < len(headers); i += 2 {
				r.named(headers[i], headers[i+1])
			}
			Expect(r.refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "body"))
		}
		DescribeTable("that cannot be parsed is a 400 bad_request about the body", unreadable,
			Entry("not JSON", `{"context":`),
			Entry("data after the end", `{"context":"x"} {}`),
			Entry("another Content-Type", `{"context":"x"}`, "Content-Type", "text/plain"),
			Entry("another charset", `{"context":"x"}`, "Content-Type", "application/json; charset=latin1"),
			Entry("not UTF-8", "{\"context\":\"\xff\"}"),
			Entry("larger than 1 MiB", `{"context":"`+strings.Repeat("x", 1<<20)+`"}`),
		)
		DescribeTable("that is JSON but not an object is a 400 bad_request about the body", unreadable,
			Entry("an array", `[1]`), Entry("null", `null`), Entry("a string", `"context"`), Entry("a number", `7`), Entry("true", `true`),
		)

		It("that is not JSON is rejected with the line and the column", func() {
			broken := "{\n  \"context\": \"x\",\n  \"slide_count\": five\n}"
			a := post("/slideshows", broken).with(key).refused(400, catalog.BadRequest)
			Expect(a.details()).To(And(HaveKeyWithValue("line", 3.0), HaveKeyWithValue("column", 19.0)))
			Expect(a.at("errors.0.message")).To(ContainSubstring("line 3, column 19"))
		})

		It("that is a form is rejected for its type, however large it is", func() {
			for _, size := range []int{10, 2 << 20} {
				a := post("/direct_uploads", strings.Repeat("x", size)).with(key).
					named("Content-Type", "multipart/form-data; boundary=x").refused(400, catalog.BadRequest)
				Expect(a.at("errors.0.message")).To(And(ContainSubstring("Content-Type"), ContainSubstring("direct_uploads")))
			}
		})

		It("with several problems returns an error for each, first the one that would be returned alone", func() {
			a := post("/slideshows", object{
				"context": 7, "slide_count": "five", "tags": []int{1}, "image_source": object{"type": "clouds"},
			}).with(key).refused(422, catalog.ValidationFailed)
			var fields []any
			for i := range a.at("errors").([]any) {
				fields = append(fields, a.at(fmt.Sprintf("errors.%d.details.field", i)))
			}
			Expect(fields).To(Equal([]any{"context", "image_source.type", "slide_count", "tags"}))
			Expect(a.at("errors.1.message")).To(ContainSubstring("stock"), "the error lists the accepted values")
		})

		It("of exactly 1 MiB is accepted", func() {
			body := `{"context":"` + strings.Repeat("x", 1<<20-len(`{"context":""}`)) + `"}`
			Expect(body).To(HaveLen(1 << 20))
			post("/slideshows", body).with(key).refused(422, catalog.ValidationFailed).about("context")
		})

		It("that is empty counts as an empty object", func() {
			post("/slideshows", "").with(key).refused(422, catalog.ValidationFailed).about("context")
			post("/slideshows", nothing).with(key).refused(422, catalog.ValidationFailed).about("context")
		})

		It("may have unknown members: they are ignored and listed", func() {
			a := post("/slideshows", `{"context":"`+unwritable+`","colour":"red","image_source":{"type":"stock","mood":1},"Title":"x"}`).with(key).succeeds(202)
			Expect(a.meta()["ignored_fields"]).To(ConsistOf("Title", "colour", "image_source.mood"))
		})
	})

	It("ignores unknown query parameters", func() {
		Expect(get("/account?colour=red&page=x").with(key).succeeds(200).meta()).To(BeEmpty())
	})

	It("returns times as RFC 3339 in UTC with whole seconds", func() {
		a := post("/slideshows", object{"context": unwritable}).with(key).succeeds(202)
		Expect(a.at("data.created_at")).To(MatchRegexp(moment))
		Expect(a.at("data.estimated_completion_at")).To(MatchRegexp(moment))
		b := get("/account").with(key).succeeds(200)
		Expect(b.at("data.plan.capabilities.period_start")).To(MatchRegexp(moment))
	})

	It("returns 404 not_found for an unknown path, with or without a key, and never a redirect", func() {
		for _, path := range []string{"/nothing", "/account/", "//account", "/jobs/1/more", "", "/", "/slideshows/../account", "/%61ccount/x"} {
			get("%s", path).with(key).refused(404, catalog.NotFound)
			get("%s", path).refused(404, catalog.NotFound)
		}
		Expect(get("/").outside().send().status).To(Equal(404))
	})

	It("returns 405, Allow and bad_request about the method for a known path with another method", func() {
		for path, methods := range map[string]string{
			"/account": "GET, HEAD", "/slideshows": "POST", "/jobs/1": "GET, HEAD", "/slideshows/1/render": "POST", "/shorts": "GET, HEAD",
		} {
			for _, method := range []string{"DELETE", "OPTIONS", "TRACE", "PURGE"} {
				a := ask(method, path).with(key).refused(405, catalog.BadRequest)
				Expect(a.details()).To(HaveKeyWithValue("parameter", "method"))
				Expect(a.header.Get("Allow")).To(Equal(methods), path)
				Expect(a.details()).To(HaveKeyWithValue("allowed", HaveLen(len(strings.Split(methods, ", ")))))
				Expect(a.at("errors.0.message")).To(ContainSubstring(methods), path)
			}
		}
	})

	It("sends no CORS headers to any origin", func() {
		// Every response is checked for these headers; these requests are those of a browser.
		get("/account").with(key).named("Origin", "https://elsewhere.example").succeeds(200)
		ask("OPTIONS", "/slideshows").named("Origin", "https://elsewhere.example").named("Access-Control-Request-Method", "POST").
			named("Access-Control-Request-Headers", "authorization").refused(405, catalog.BadRequest)
	})

	It("returns an id for every request, the caller's own if it is valid", func() {
		name := func(sent string) string {
			return get("/account").named("X-Request-Id", sent).send().header.Get("X-Request-Id")
		}
		for _, good := range []string{"a", "mine-1.2_3", strings.Repeat("x", 128)} {
			Expect(name(good)).To(Equal(good))
		}
		for _, bad := range []string{"", "has space", "ümlaut", strings.Repeat("x", 129), "<b>"} {
			Expect(name(bad)).To(And(Not(BeEmpty()), Not(Equal(bad))))
		}
	})

	It("returns the headers of GET without the body for HEAD", func() {
		a := head("/account").with(key).send()
		Expect(a.status).To(Equal(200))
		Expect(a.raw).To(BeEmpty())
		Expect(a.header.Get("Content-Type")).To(Equal("application/json; charset=utf-8"))
	})

	It("accepts ids as integers or strings of digits, and returns the endpoint's 404 for anything else in a path", func() {
		for _, id := range []string{"abc", "-1", "0", "1.5", "9007199254740992", "%2e%2e", "%00", "1%20"} {
			get("/jobs/"+id).with(key).refused(404, catalog.JobNotFound)
			get("/shorts/"+id).with(key).refused(404, catalog.NotFound)
			post("/slideshows/"+id+"/render", nothing).with(key).refused(404, catalog.NotFound)
		}
	})

	It("serves the description, the documentation page and the health checks without a key", func() {
		for path, kind := range map[string]string{
			"/openapi.json": "application/json", "/docs": "text/html; charset=utf-8", "/healthz": "text/plain; charset=utf-8", "/readyz": "text/plain; charset=utf-8",
		} {
			a := get("%s", path).outside().send()
			Expect(a.status).To(Equal(200), path)
			Expect(a.header.Get("Content-Type")).To(Equal(kind))
			Expect(a.header).NotTo(HaveKey("X-Ratelimit-Limit"), path)
			b := ask("POST", path).outside().send()
			Expect(b.status).To(Equal(405), path)
			Expect(b.header.Get("Allow")).To(Equal("GET, HEAD"))
		}
	})
})
