// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("The rules of the API, at the MCP server:", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant() })
	tool := func(name string, args any) *request {
		GinkgoHelper()
		return rpc("tools/call", object{"name": name, "arguments": args})
	}
	// with is a front end with the given rate limits and a stopped clock.
	with := func(c limit.Ceilings) *front {
		GinkgoHelper()
		clock := clocktesting.NewFakePassiveClock(time.Now())
		return newFront(frontOptions{change: func(config *apiserver.Config) { config.Limits, config.Clock = limit.New(c, clock), clock }})
	}

	It("without a valid key every message is a 401 with header and envelope, counted for the address", func() {
		revoked, object1 := t.keyOf("acme", nil)
		change(object1, func() { object1.Spec.Revoked = true })
		past := metav1.NewTime(time.Now().Add(-time.Second))
		expired, _ := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.ExpiresAt = &past })
		left := 60
		for _, c := range []struct {
			authorization string
			code          catalog.Code
		}{
			{"", catalog.MissingToken},
			{"Bearer", catalog.MissingToken},
			{"Basic eDp5", catalog.InvalidToken},
			{"Bearer rlo_nothing", catalog.InvalidToken},
			{"Bearer " + revoked, catalog.KeyRevoked},
			{"Bearer " + expired, catalog.KeyExpired},
		} {
			for _, r := range []*request{rpc("tools/list", object{}), tool("get_account", nil), post("/mcp", "{").outside()} {
				a := spoken(r.named("Authorization", c.authorization))
				Expect(a.status).To(Equal(401), a.raw)
				Expect(a.code()).To(Equal(c.code))
				entry, _ := catalog.LookupError(c.code)
				message := entry.Message
				if strings.HasPrefix(c.authorization, "Basic") {
					message = "The Authorization header must have the scheme Bearer: send `Authorization: Bearer KEY`."
				}
				Expect(a.header.Get("WWW-Authenticate")).To(Equal(fmt.Sprintf(`Bearer realm="reelops", error="invalid_token", error_description="%s"`, message)))
				left--
				a.hasRateLimit(60, left, 300)
			}
		}
	})

	It("a missing scope and a brand of another account are failures of the tool, which stays listed", func() {
		s := agentWith(service, t.key("brand:read"))
		all, err := s.session.ListTools(ctx, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(all.Tools).To(HaveLen(18))
		a := s.fails("create_slideshow", object{"context": habits}, catalog.MissingScope)
		Expect(a.details()).To(HaveKeyWithValue("required_scope", "content:write"))
		s.fails("search_media", object{"library": "nowhere"}, catalog.MissingScope) // first the scope, then the arguments
		_, other := t.brand("other")
		a = s.fails("list_shorts", object{"brand_id": other}, catalog.MissingScope)
		Expect(a.details()).To(HaveKeyWithValue("required_scope", "brands:all"))
		_, foreign := newTenant().brand("acme2")
		s.fails("list_shorts", object{"brand_id": foreign}, catalog.NotFound)
		named := agentWith(service, t.everything())
		Expect(named.does("get_account", object{"include": []string{"brand"}, "brand_id": fmt.Sprint(other)}).at("data.id")).To(Equal(float64(other)))
		Expect(spoken(tool("get_account", object{"include": []string{"brand"}}).with(t.everything()).named("X-Brand-Id", fmt.Sprint(other))).
			at("result.structuredContent.data.id")).To(Equal(float64(other)))
	})

	It("invalid arguments are a 422 of the tool, and unknown ones are listed", func() {
		s := agentWith(service, t.everything())
		s.fails("get_job", object{}, catalog.ValidationFailed).about("job_id")
		s.fails("get_job", object{"job_id": object{}}, catalog.ValidationFailed).about("job_id")
		s.fails("get_account", object{"include": []string{"plans"}}, catalog.ValidationFailed).about("include")
		Expect(s.fails("search_media", object{"library": 7}, catalog.ValidationFailed).about("library").details()).To(HaveKeyWithValue("allowed", ConsistOf("media", "packs", "music")))
		s.fails("create_slideshow", object{"context": 5}, catalog.ValidationFailed).about("context")
		s.fails("create_slideshow", object{"context": "x", "idempotency_key": strings.Repeat("k", 256)}, catalog.BadRequest)
		a := spoken(tool("get_account", []int{1}).with(t.everything()))
		Expect(a.at("result.structuredContent.errors.0.code")).To(Equal("bad_request"))
		Expect(a.at("result.structuredContent.errors.0.details.parameter")).To(Equal("arguments"))
		Expect(s.does("list_posts", object{"zeal": 1, "colour": "red", "per_page": 5}).meta()["ignored_fields"]).To(Equal([]any{"colour", "zeal"}))
		Expect(s.does("get_account", object{"brand_id": t.acmeID}).meta()["ignored_fields"]).To(Equal([]any{"brand_id"}))
		Expect(s.does("create_slideshow", object{"context": unwritable, "colour": "red"}).meta()["ignored_fields"]).To(Equal([]any{"colour"}))
	})

	It("a call counts once as its operation, and any other message once against the limit of all requests", func() {
		key := t.everything()
		f := with(limit.Ceilings{limit.Global: {Limit: 12, Window: time.Minute}, limit.Generation: {Limit: 2, Window: time.Hour}})
		left := 12
		counts := func(r *request) *answer {
			GinkgoHelper()
			left--
			return spoken(r.with(key).at(f)).hasRateLimit(12, left, 60)
		}
		counts(tool("get_account", nil))
		counts(rpc("tools/list", object{}))
		counts(rpc("ping", nil))
		counts(get("/account"))
		Expect(counts(rpc("nonsense", nil)).at("error.code")).To(Equal(float64(jsonrpc.CodeMethodNotFound)))
		Expect(counts(tool("nonsense", nil)).at("error.code")).To(Equal(float64(jsonrpc.CodeInvalidParams)))
		Expect(counts(post("/mcp", "{").outside()).status).To(Equal(400))
		Expect(counts(rpc("x", nil).saying(object{"jsonrpc": "2.0", "method": "notifications/initialized"})).status).To(Equal(202))
		Expect(counts(get("/mcp").outside()).status).To(Equal(405))
		spoken(tool("create_slideshow", object{"context": unwritable}).with(key).at(f)).hasRateLimit(2, 1, 3600)
		post("/slideshows", object{"context": unwritable}).with(key).at(f).succeeds(202).hasRateLimit(2, 0, 3600)
		a := spoken(tool("create_video", object{"avatar_media_id": t.avatar()}).with(key).at(f)).hasRateLimit(2, 0, 3600)
		Expect(a.status).To(Equal(200))
		Expect(a.at("result.isError")).To(BeTrue())
		Expect(a.at("result.structuredContent.errors.0.details.bucket")).To(Equal("generation"))
		a = spoken(tool("get_account", nil).with(key).at(f))
		Expect(a.at("result.structuredContent.errors.0.details.bucket")).To(Equal("global"))
		Expect(rpc("tools/list", object{}).with(key).at(f).send().status).To(Equal(429))
		a = spoken(rpc("ping", nil).with(key).at(f))
		Expect(a.code()).To(Equal(catalog.RateLimited))
		Expect(a.header.Get("Retry-After")).NotTo(BeEmpty())
	})

	It("each call counts as one use of the key", func() {
		key := t.everything()
		uses := func() int64 { return get("/account").with(key).succeeds(200).id("data.api_key.request_count") }
		before := uses()
		spoken(tool("list_shorts", nil).with(key))
		spoken(tool("create_slideshow", object{}).with(key))
		Expect(uses() - before).To(Equal(int64(3)))
	})

	It("an idempotency key covers the same request over REST and MCP", func() {
		key := t.everything()
		s := agentWith(service, key)
		body := object{"context": unwritable, "slide_count": 5}
		first := s.does("create_slideshow", object{"context": unwritable, "slide_count": 5, "idempotency_key": "one"})
		Expect(first.meta()).NotTo(HaveKey("idempotent_replay"))
		again := post("/slideshows", body).with(key).once("one").succeeds(202)
		Expect(again.meta()).To(HaveKeyWithValue("idempotent_replay", true))
		Expect(again.at("data.job_id")).To(Equal(first.at("data.job_id")))
		other := post("/slideshows", body).with(key).once("two").succeeds(202)
		Expect(s.does("create_slideshow", object{"slide_count": 5, "context": unwritable, "idempotency_key": "two"}).at("data.job_id")).To(Equal(other.at("data.job_id")))
		a := s.fails("create_slideshow", object{"context": "other", "idempotency_key": "two"}, catalog.IdempotencyConflict)
		Expect(a.details()).To(HaveKeyWithValue("endpoint", "POST /api/v1/slideshows"))
	})

	It("the endpoint accepts only POST, and no requests from foreign origins", func() {
		key := t.everything()
		for _, method := range []string{"GET", "DELETE", "PUT", "OPTIONS"} {
			a := ask(method, "/mcp").outside().with(key).send()
			Expect(a.status).To(Equal(405))
			Expect(a.header.Get("Allow")).To(Equal("POST"))
		}
		a := spoken(rpc("ping", nil).with(key).named("Origin", "https://pages.example"))
		Expect(a.status).To(Equal(403))
		Expect(a.details()).To(HaveKeyWithValue("parameter", "Origin"))
		for name := range a.header {
			Expect(name).NotTo(HavePrefix("Access-Control-"))
		}
		Expect(rpc("ping", nil).with(key).named("Origin", service.url).named("X-Forwarded-Host", "reelops.example").send().status).To(Equal(200))
		plain := rpc("ping", nil).with(key)
		plain.header.Del("Accept")
		Expect(plain.send().status).To(Equal(200), "a client that accepts any content type")
		Expect(rpc("ping", nil).with(key).named("X-Request-Id", "mine-1").send().header.Get("X-Request-Id")).To(Equal("mine-1"))
	})

	It("messages that are invalid, too many or too large are rejected in the envelope of the API", func() {
		key := t.everything()
		for why, r := range map[string]*request{
			"not JSON": post("/mcp", "{]"), "nothing": post("/mcp", nothing), "a number": post("/mcp", "7"), "an empty batch": post("/mcp", "[]"),
			"21 messages":   post("/mcp", "["+strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 20)+`{"jsonrpc":"2.0","id":1,"method":"ping"}]`),
			"not a message": post("/mcp", object{"hello": 1}), "too deeply nested": post("/mcp", strings.Repeat("[", 200_000)), "too large": post("/mcp", `"`+strings.Repeat("x", 1<<20)+`"`),
			"another content type": post("/mcp", "{}").named("Content-Type", "text/plain"), "invalid UTF-8": post("/mcp", "{\"a\":\"\xff\"}"),
			"an unsupported version": post("/mcp", object{"jsonrpc": "2.0", "id": 1, "method": "ping"}).named("MCP-Protocol-Version", "2020-01-01"),
			"an unsupported batch":   post("/mcp", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`).named("MCP-Protocol-Version", "2025-11-25"),
		} {
			a := spoken(r.outside().with(key))
			Expect(a.status).To(Equal(400), why+": "+a.raw)
			Expect(a.code()).To(Equal(catalog.BadRequest), why)
		}
		a := post("/mcp", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"get_account"}}]`).outside().with(key).send()
		Expect(a.status).To(Equal(200), a.raw)
		Expect(a.raw).To(And(ContainSubstring(`"id":1`), ContainSubstring(`"id":"b"`), ContainSubstring(`structuredContent`)))
	})

	It("requests before the service is ready are rejected as unavailable", func() {
		f := newFront(frontOptions{change: func(c *apiserver.Config) { c.Synced = func() bool { return false } }})
		a := spoken(rpc("tools/list", object{}).with(t.everything()).at(f))
		Expect(a.status).To(Equal(503))
		Expect(a.code()).To(Equal(catalog.InternalError))
		Expect(a.header.Get("Retry-After")).To(Equal("1"))
	})

	It("resources contain the data of operations, and prompts describe tasks", func() {
		s := agentWith(service, t.everything())
		id := t.laidOut()
		reads := func(uri string) string {
			GinkgoHelper()
			r, err := s.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Contents).To(HaveLen(1))
			Expect(r.Contents[0].MIMEType).To(Equal("application/json"))
			return `{"data":` + r.Contents[0].Text + `}`
		}
		Expect(reads("reelops://capabilities")).To(ContainSubstring(`"design_styles"`))
		Expect(reads("reelops://errors/rate_limited")).To(ContainSubstring(`"http_status":429`))
		Expect(reads(fmt.Sprintf("reelops://shorts/%d", id))).To(ContainSubstring(fmt.Sprintf(`"id":%d`, id)))
		for _, gone := range []string{"reelops://shorts/999999999", "reelops://shorts/", "reelops://nothing", "file:///etc/passwd", "reelops://errors/nope"} {
			_, err := s.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: gone})
			Expect(err).To(HaveOccurred(), gone)
		}
		listed, err := s.session.ListPrompts(ctx, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(listed.Prompts).To(HaveLen(2))
		p, err := s.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: "make_slideshow", Arguments: map[string]string{"context": "Sleep", "slide_count": "5"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Messages[0].Content.(*sdk.TextContent).Text).To(And(ContainSubstring("Context: Sleep"), ContainSubstring("Use slide_count 5."), Not(ContainSubstring("design_style"))))
		_, err = s.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: "publish_short"})
		Expect(err).To(MatchError(ContainSubstring("short_id")))
	})
})

var _ = Describe("An agent with only the MCP server", func() {
	It("runs the workflow: creates, waits, edits, renders, validates, publishes, cancels, reads analytics", func() {
		t := newTenant()
		key := t.everything()
		s := agentWith(generous(), key)
		Expect(s.does("get_account", nil).at("data.plan.name")).To(Equal("self-hosted"))
		style := s.does("get_capabilities", nil).at("data.design_styles.0.id")
		job := s.does("create_slideshow", object{"context": habits, "design_style": style, "slide_count": 3, "idempotency_key": "job"})
		id := job.id("data.job_id")
		Expect(job.next).To(ContainSubstring("call get_job with job_id %d", id))
		waits := func() *tooled {
			GinkgoHelper()
			var a *tooled
			Eventually(func(g Gomega) {
				a = s.does("get_job", object{"job_id": id})
				g.Expect(a.at("data.status")).To(BeElementOf("succeeded", "failed"))
			}).Should(Succeed())
			Expect(a.at("data.status")).To(Equal("succeeded"), a.raw)
			return a
		}
		Expect(waits().next).To(ContainSubstring("update_slideshow"))

		short := s.does("list_shorts", object{"short_id": id})
		slide := short.id("data.type_data.slides.0.id")
		edited := s.does("update_slideshow", object{"short_id": id, "title": "Mornings", "slides": []any{object{"id": slide, "textOverlays": []any{object{"text": "Calmer mornings"}}}}})
		Expect(edited.at("data.type_data.slides.0.textOverlays.0.text")).To(Equal("Calmer mornings"))

		Expect(s.does("render_slideshow", object{"short_id": id, "idempotency_key": "film"}).at("data.kind")).To(Equal("render"))
		Expect(waits().next).To(ContainSubstring("validate_post"))
		s.fails("render_slideshow", object{"short_id": id, "idempotency_key": "again"}, catalog.Conflict)

		declared := s.does("upload_media", declaration(pngImage(1), "a.png", "image/png"))
		Expect(declared.next).To(HavePrefix("Next, send the file: curl -X PUT --data-binary @FILE -H 'Content-"))
		Expect(sent(declared.answer, pngImage(1))).To(Equal(http.StatusNoContent))
		Expect(s.does("upload_media", object{"signed_id": declared.at("data.signed_id"), "title": "A"}).at("data.title")).To(Equal("A"))

		account := t.social("tiktok")
		Expect(s.does("list_connections", nil).at("data.accounts.0.social_data_id")).To(Equal(float64(account)))
		ask := object{"short_id": id, "social_data_ids": []int64{account}, "scheduled_at": ahead(time.Hour)}
		Expect(s.does("validate_post", ask).at("data.ok")).To(BeTrue())
		ask["idempotency_key"] = "post"
		posted := s.does("create_post", ask)
		Expect(s.does("create_post", ask).at("data.results.0.share_id")).To(Equal(posted.at("data.results.0.share_id")))
		Expect(s.does("list_posts", object{"short_id": id}).list()).To(HaveLen(1))
		Expect(s.does("cancel_post", object{"post_id": posted.id("data.results.0.share_id")}).at("data.status")).To(Equal("cancelled"))

		Expect(s.does("refresh_analytics", object{"social_data_id": account}).next).To(ContainSubstring("get_analytics"))
		Expect(s.does("get_analytics", nil).at("data.accounts.0.social_data_id")).To(Equal(float64(account)))
		Expect(s.does("get_analytics", object{"social_data_id": account, "sort": "view_count"}).at("data.posts")).To(BeEmpty())
		a := agentWith(service, key).fails("refresh_analytics", object{"social_data_id": account}, catalog.RateLimited)
		Expect(a.details()).To(HaveKeyWithValue("bucket", "analytics_refresh"))
	})
})
