// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// hints of a tool: whether it only reads, may destroy, can be repeated, reaches outside.
type hints struct{ reads, destroys, repeatable, outside bool }

// toolbox lists every tool with its hints.
var toolbox = map[string]hints{
	"get_account":         {true, false, true, false},
	"get_capabilities":    {true, false, true, false},
	"search_media":        {true, false, true, true},
	"upload_media":        {false, false, false, false},
	"create_slideshow":    {false, false, false, true},
	"update_slideshow":    {false, true, true, false},
	"render_slideshow":    {false, false, true, false},
	"create_video":        {false, false, false, true},
	"get_job":             {true, false, true, false},
	"list_shorts":         {true, false, true, false},
	"list_connections":    {true, false, true, false},
	"create_connect_link": {false, false, false, true},
	"validate_post":       {true, false, true, false},
	"create_post":         {false, true, false, true},
	"list_posts":          {true, false, true, false},
	"cancel_post":         {false, true, true, false},
	"get_analytics":       {true, false, true, false},
	"refresh_analytics":   {false, false, true, true},
}

// outlines are the output schemas of tools, as listed.
type outlines map[string]*jsonschema.Resolved

func (o outlines) of(tool string) *jsonschema.Resolved {
	GinkgoHelper()
	Expect(o).To(HaveKey(tool))
	return o[tool]
}

// shapes returns the output schemas of the service's tools.
var shapes = sync.OnceValue(func() outlines {
	out := outlines{}
	t := newTenant()
	a := rpc("tools/list", object{}).with(t.key()).send()
	Expect(a.status).To(Equal(200), a.raw)
	Expect(json.Unmarshal([]byte(a.raw), &a.envelope)).To(Succeed())
	for _, one := range a.at("result.tools").([]any) {
		doc, err := json.Marshal(one.(object)["outputSchema"])
		Expect(err).NotTo(HaveOccurred())
		var s jsonschema.Schema
		Expect(json.Unmarshal(doc, &s)).To(Succeed())
		resolved, err := s.Resolve(nil)
		Expect(err).NotTo(HaveOccurred())
		out[one.(object)["name"].(string)] = resolved
	}
	return out
})

// spoken sends a message without the client and reads the response.
func spoken(r *request) *answer {
	GinkgoHelper()
	a := r.send()
	if a.raw != "" {
		Expect(json.Unmarshal([]byte(a.raw), &a.envelope)).To(Succeed(), a.raw)
	}
	return a
}

var _ = Describe("The tool server", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant() })

	It("lists eighteen tools, each with a title, a description, both schemas and all four hints", func() {
		a := spoken(rpc("tools/list", object{}).with(t.key("posts:write")))
		listed := a.at("result.tools").([]any)
		Expect(listed).To(HaveLen(18))
		for _, one := range listed {
			tool := one.(object)
			name := tool["name"].(string)
			Expect(toolbox).To(HaveKey(name))
			Expect(tool["title"]).NotTo(BeEmpty())
			Expect(len(tool["description"].(string))).To(BeNumerically(">", 200), name)
			h := toolbox[name]
			Expect(tool["annotations"]).To(Equal(object{
				"title": tool["title"], "readOnlyHint": h.reads, "destructiveHint": h.destroys, "idempotentHint": h.repeatable, "openWorldHint": h.outside,
			}), name)
			input, output := tool["inputSchema"].(object), tool["outputSchema"].(object)
			Expect(input["type"]).To(Equal("object"))
			Expect(output["type"]).To(Equal("object"))
			for argument, schema := range input["properties"].(object) {
				Expect(schema).To(HaveKeyWithValue("description", Not(BeEmpty())), name+" "+argument)
			}
		}
	})

	DescribeTable("supports these protocol versions", func(asked, got string) {
		key := t.key("brand:read")
		a := spoken(rpc("initialize", object{"protocolVersion": asked, "capabilities": object{}, "clientInfo": object{"name": "x", "version": "1"}}).with(key))
		Expect(a.status).To(Equal(200), a.raw)
		Expect(a.at("result.protocolVersion")).To(Equal(got))
		Expect(a.at("result.instructions")).To(ContainSubstring("get_account"))
		Expect(a.at("result.capabilities")).To(Equal(object{"tools": object{}, "resources": object{}, "prompts": object{}}))
		Expect(a.header).NotTo(HaveKey("Mcp-Session-Id"))
		a = rpc("x", nil).with(key).saying(object{"jsonrpc": "2.0", "method": "notifications/initialized"}).named("MCP-Protocol-Version", got).send()
		Expect(a.status).To(Equal(202), a.raw)
		a = spoken(rpc("tools/call", object{"name": "get_account", "arguments": object{}}).named("MCP-Protocol-Version", got).with(key))
		Expect(a.at("result.structuredContent.success")).To(BeTrue())
	},
		Entry(nil, "2025-03-26", "2025-03-26"), Entry(nil, "2025-06-18", "2025-06-18"), Entry(nil, "2025-11-25", "2025-11-25"),
		Entry("and offers its newest for others", "2099-01-01", "2025-11-25"), Entry("and older ones", "2024-11-05", "2025-11-25"),
	)

	It("returns the result of the operation for the same call", func() {
		key := t.key("admin")
		s := agentWith(service, key)
		for _, c := range []struct {
			tool string
			args object
			rest *request
		}{
			{"get_account", object{"include": []string{"brands"}}, get("/brands")},
			{"get_account", object{"include": []string{"brand"}, "brand_id": t.acmeID}, get("/brand?brand_id=%d", t.acmeID)},
			{"get_capabilities", nil, get("/capabilities")},
			{"get_capabilities", object{"error_code": "rate_limited"}, get("/errors/rate_limited")},
			{"get_capabilities", object{"error_code": "no such/code"}, get("/errors/%s", escaped("no such/code"))},
			{"search_media", object{"library": "packs"}, get("/media_packs")},
			{"search_media", object{"library": "music"}, get("/background_music")},
			{"search_media", object{"library": "media", "source": "stock", "media_type": "avatar_video", "per_page": 2}, get("/media?source=stock&media_type=avatar_video&per_page=2")},
			{"search_media", object{"source": "nowhere"}, get("/media?source=nowhere")},
			{"list_shorts", object{"per_page": 99, "created_after": "2026-01-01T00:00:00+02:00"}, get("/shorts?per_page=99")},
			{"list_shorts", object{"page": 0}, get("/shorts?page=0")},
			{"list_shorts", object{"short_id": 1}, get("/shorts/1")},
			{"get_job", object{"job_id": "x"}, get("/jobs/x")},
			{"list_connections", object{}, get("/connections")},
			{"list_posts", object{"status": "scheduled"}, get("/posts?status=scheduled")},
			{"cancel_post", object{"post_id": 12}, remove("/posts/12")},
			{"create_connect_link", object{"platform": "myspace"}, post("/connections/link", object{"platform": "myspace"})},
			{"create_connect_link", object{}, post("/connections/link", nothing)},
			{"create_slideshow", object{"slide_count": 2, "context": "x"}, post("/slideshows", object{"slide_count": 2, "context": "x"})},
			{"create_slideshow", object{"context": "x", "brand_id": 1 << 52}, post("/slideshows?brand_id=%d", 1<<52, object{"context": "x"})},
			{"update_slideshow", object{"short_id": 5, "slides": 7}, patch("/slideshows/5", object{"slides": 7})},
			{"render_slideshow", object{"short_id": 5, "format": "video"}, post("/slideshows/5/render", object{"format": "video"})},
			{"create_video", object{"hook_text": "Hello"}, post("/videos", object{"hook_text": "Hello"})},
			{"validate_post", object{"short_id": 5}, post("/posts/validate", object{"short_id": 5})},
			{"create_post", object{"short_id": 5, "platforms": []string{"tiktok"}}, post("/posts", object{"short_id": 5, "platforms": []string{"tiktok"}})},
			{"upload_media", object{"filename": "a.gif", "byte_size": 1}, post("/direct_uploads", object{"filename": "a.gif", "byte_size": 1})},
			{"upload_media", object{"signed_id": "x"}, post("/media", object{"file": "x"})},
			{"get_analytics", object{}, get("/analytics")},
			{"get_analytics", object{"social_data_id": 3, "period": "7d"}, get("/analytics/accounts/3?period=7d")},
			{"refresh_analytics", object{"social_data_id": 3}, post("/analytics/accounts/3/refresh", nothing)},
		} {
			want, got := c.rest.with(key).send(), s.call(c.tool, c.args)
			Expect(got.failed).To(Equal(want.status >= 400), "%s %v: %s", c.tool, c.args, got.raw)
			Expect(steady(got.raw)).To(MatchJSON(steady(want.raw)), "%s %v", c.tool, c.args)
			Expect(got.header.Get("X-RateLimit-Limit")).To(Equal(want.header.Get("X-RateLimit-Limit")), c.tool)
		}
	})
})

// steady removes what differs between any two responses: signatures of URLs, and waits.
func steady(raw string) string {
	var v any
	Expect(json.Unmarshal([]byte(raw), &v)).To(Succeed())
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			at, _, _ := strings.Cut(v, "?")
			return at
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case object:
			for name := range v {
				v[name] = walk(v[name])
			}
		}
		return v
	}
	doc, err := json.Marshal(walk(v))
	Expect(err).NotTo(HaveOccurred())
	return string(doc)
}
