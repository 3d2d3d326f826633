// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// operations are the operations of the API with the scope that each requires.
var operations = []struct {
	method, path string
	scope        v1beta1.Scope // empty: any key may call it
	forBrand     bool          // whether it acts on one brand, which can be named
}{
	{"GET", "/account", "brand:read", false},
	{"GET", "/capabilities", "", false},
	{"GET", "/errors/not_found", "", false},
	{"GET", "/brands", "brand:read", true},
	{"GET", "/brand", "brand:read", true},
	{"PATCH", "/brand", "brand:write", true},
	{"POST", "/slideshows", "content:write", true},
	{"PATCH", "/slideshows/1", "content:write", true},
	{"PUT", "/slideshows/1", "content:write", true},
	{"GET", "/slideshows/1", "brand:read", true},
	{"POST", "/slideshows/1/slides", "content:write", true},
	{"POST", "/slideshows/1/preview", "brand:read", true},
	{"DELETE", "/slideshows/1/slides/1", "content:write", true},
	{"POST", "/slideshows/1/render", "content:write", true},
	{"POST", "/videos", "content:write", true},
	{"GET", "/videos/1", "brand:read", true},
	{"GET", "/jobs/1", "brand:read", true},
	{"GET", "/shorts", "brand:read", true},
	{"GET", "/shorts/1", "brand:read", true},
	{"GET", "/shorts/1/history", "brand:read", true},
	{"DELETE", "/shorts/1", "content:write", true},
	{"POST", "/direct_uploads", "media:write", true},
	{"POST", "/media", "media:write", true},
	{"GET", "/media", "media:read", true},
	{"GET", "/media/1", "media:read", true},
	{"PATCH", "/media/1", "media:write", true},
	{"DELETE", "/media/1", "media:write", true},
	{"GET", "/media_packs", "media:read", true},
	{"POST", "/media_packs", "media:write", true},
	{"GET", "/media_packs/1", "media:read", true},
	{"PATCH", "/media_packs/1", "media:write", true},
	{"DELETE", "/media_packs/1", "media:write", true},
	{"GET", "/background_music", "media:read", true},
	{"GET", "/connections", "brand:read", true},
	{"POST", "/connections/link", "brand:read", true},
	{"POST", "/posts/validate", "posts:read", true},
	{"GET", "/posts", "posts:read", true},
	{"GET", "/posts/1", "posts:read", true},
	{"POST", "/posts", "posts:write", true},
	{"PATCH", "/posts/1", "posts:write", true},
	{"POST", "/posts/1/approve", "posts:write", true},
	{"POST", "/posts/1/return", "posts:write", true},
	{"DELETE", "/posts/1", "posts:write", true},
	{"GET", "/automations", "brand:read", true},
	{"POST", "/automations", "posts:write", true},
	{"POST", "/automations/preview", "brand:read", true},
	{"GET", "/automations/1", "brand:read", true},
	{"PATCH", "/automations/1", "posts:write", true},
	{"DELETE", "/automations/1", "posts:write", true},
	{"POST", "/automations/1/run", "posts:write", true},
	{"GET", "/automations/1/runs", "brand:read", true},
	{"GET", "/webhooks", "brand:read", true},
	{"POST", "/webhooks", "webhooks:write", true},
	{"GET", "/webhooks/1", "brand:read", true},
	{"PATCH", "/webhooks/1", "webhooks:write", true},
	{"DELETE", "/webhooks/1", "webhooks:write", true},
	{"POST", "/webhooks/1/test", "webhooks:write", true},
	{"POST", "/webhooks/1/rotate", "webhooks:write", true},
	{"GET", "/webhooks/1/deliveries", "brand:read", true},
	{"POST", "/webhooks/1/replay", "webhooks:write", true},
	{"GET", "/analytics", "analytics:read", true},
	{"GET", "/analytics/accounts/1", "analytics:read", true},
	{"POST", "/analytics/accounts/1/refresh", "analytics:read", true},
}

// alsoNeeds has the second scope of the operations that require two.
var alsoNeeds = map[string]v1beta1.Scope{
	"POST /automations": "content:write", "PATCH /automations/1": "content:write", "DELETE /automations/1": "content:write",
	"POST /automations/1/run": "content:write",
}

// scopes in the order in which they are published.
var scopes = []v1beta1.Scope{
	"brand:read", "media:read", "media:write", "content:write", "posts:read", "posts:write", "analytics:read", "brands:all", "brand:write", "webhooks:write",
}

func strs(in []v1beta1.Scope) []any {
	out := []any{}
	for _, s := range in {
		out = append(out, string(s))
	}
	return out
}

var _ = Describe("Scopes", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant() })

	// passes expects that a request passed authentication and the scope check.
	passes := func(a *answer) {
		GinkgoHelper()
		Expect(a.status).NotTo(BeElementOf(401, 403, 429, 500, 503), a.raw)
	}

	It("allow each operation to the keys with its scope, and to no other key", func() {
		for _, scope := range []v1beta1.Scope{"brand:read", "media:read", "media:write", "content:write", "posts:read", "posts:write", "analytics:read", "brand:write", "webhooks:write"} {
			t := newTenant() // a brand has ten keys at most
			with, both := t.key(scope), t.key(slices.Compact([]v1beta1.Scope{"content:write", scope})...)
			without := slices.DeleteFunc(slices.Clone(scopes), func(s v1beta1.Scope) bool { return s == scope })
			all := t.key(without...)
			for _, o := range operations {
				if o.scope != scope {
					continue
				}
				if also := alsoNeeds[o.method+" "+o.path]; also != "" {
					a := ask(o.method, o.path).with(with).refused(403, catalog.MissingScope)
					Expect(a.details()).To(HaveKeyWithValue("required_scope", string(also)), o.path)
					passes(ask(o.method, o.path).with(both).send())
				} else {
					passes(ask(o.method, o.path).with(with).send())
				}
				a := ask(o.method, o.path).with(all).refused(403, catalog.MissingScope)
				Expect(a.details()).To(Equal(object{"required_scope": string(scope), "key_scopes": strs(without)}), o.path)
				Expect(a.at("errors.0.retryable")).To(BeFalse())
			}
		}
	})

	It("are not needed by an operation for any key", func() {
		key := t.key("posts:write")
		for _, o := range operations {
			if o.scope == "" {
				passes(ask(o.method, o.path).with(key).send())
			}
		}
	})

	It("require a key: without one every operation is a 401", func() {
		for _, o := range operations {
			another := sources.another() // an address has 60 requests without a valid key
			ask(o.method, o.path).from(another).refused(401, catalog.MissingToken)
			ask(o.method, o.path).with("rlo_nothing").from(another).refused(401, catalog.InvalidToken)
		}
	})

	It("are in the description, as null for operations for any key", func() {
		paths := describedPaths()
		for _, o := range operations {
			described := paths[templateOf(o.path)].(object)[strings.ToLower(o.method)].(object)
			Expect(described).To(HaveKey("x-required-scope"), o.path)
			Expect(described["responses"]).To(And(HaveKey("401"), HaveKey("429"), HaveKey("500"), HaveKey("503")), o.path)
			if o.scope == "" {
				Expect(described["x-required-scope"]).To(BeNil(), o.path)
			} else {
				Expect(described["x-required-scope"]).To(Equal(string(o.scope)), o.path)
				Expect(described["responses"]).To(HaveKey("403"), o.path)
			}
		}
	})

	It("are all covered here", func() {
		var listed, tried []string
		for path, methods := range describedPaths() {
			for method := range methods.(object) {
				listed = append(listed, strings.ToUpper(method)+" "+path)
			}
		}
		for _, o := range operations {
			tried = append(tried, o.method+" "+templateOf(o.path))
		}
		Expect(tried).To(ConsistOf(listed), "operations of this file and of the description differ")
	})

	DescribeTable("with legacy names keep working", func(stored, effective []v1beta1.Scope) {
		key, _ := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.Scopes = stored })
		if slices.Contains(effective, "brand:read") {
			Expect(get("/account").with(key).succeeds(200).at("data.api_key.scopes")).To(Equal(strs(effective)))
			return
		}
		Expect(get("/account").with(key).refused(403, catalog.MissingScope).details()["key_scopes"]).To(Equal(strs(effective)))
	},
		Entry("read", []v1beta1.Scope{"read"}, []v1beta1.Scope{"brand:read", "media:read", "posts:read", "analytics:read"}),
		Entry("write", []v1beta1.Scope{"write"}, []v1beta1.Scope{"media:write", "content:write", "posts:write"}),
		Entry("admin includes every scope, also for other brands", []v1beta1.Scope{"admin"}, scopes),
		Entry("combined with current ones, each scope once", []v1beta1.Scope{"posts:write", "read", "brand:read"},
			[]v1beta1.Scope{"brand:read", "media:read", "posts:read", "posts:write", "analytics:read"}),
		Entry("unknown scopes are dropped", []v1beta1.Scope{"brand:read", "moon:walk"}, []v1beta1.Scope{"brand:read"}),
	)

	It("that are missing count as read: such a key can never write", func() {
		key := t.key()
		Expect(get("/account").with(key).succeeds(200).at("data.api_key.scopes")).To(Equal([]any{"brand:read", "media:read", "posts:read", "analytics:read"}))
		for _, o := range operations {
			if strings.HasSuffix(string(o.scope), ":write") {
				ask(o.method, o.path).with(key).refused(403, catalog.MissingScope)
			}
		}
	})
})
