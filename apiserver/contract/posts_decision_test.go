// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("The decision of an approver", func() {
	var t *tenant
	var key, approver string
	var f *front
	var account, id int64
	BeforeEach(func() {
		t = newTenant()
		key, f, account = t.everything(), generous(), t.social("tiktok")
		approver, _ = t.keyOf("acme", func(s *v1beta1.APIKeySpec) {
			s.Scopes, s.Approve = []v1beta1.Scope{v1beta1.ScopePostsWrite, v1beta1.ScopePostsRead}, true
		})
		change(t.acme, func() { t.acme.Spec.Approval = "hold" })
		Eventually(func(g Gomega) {
			a := post("/posts", object{"short_id": t.laidOut(), "social_data_ids": []int64{account}, "scheduled_at": ahead(24 * time.Hour)}).with(key).at(f).succeeds(202)
			g.Expect(a.at("data.results.0.status")).To(Equal("draft"))
			id = a.id("data.results.0.share_id")
		}).WithPolling(often).Should(Succeed())
	})
	decide := func(what string, body any) *request { return post("/posts/%d/"+what, id, body).with(approver).at(f) }
	show := func() object { return get("/posts/%d", id).with(key).at(f).succeeds(200).data() }

	It("approve releases this post, as it is now", func() {
		a := decide("approve", object{"comment": "Good to go", "edits": 0}).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("status", "scheduled"), HaveKeyWithValue("approval", And(
			HaveKeyWithValue("state", "approved"), HaveKeyWithValue("required", true), HaveKeyWithValue("comment", "Good to go"),
			HaveKeyWithValue("by", MatchRegexp(`^key \d+ \(a key\)$`)), HaveKeyWithValue("at", Not(BeNil())),
		))))
		Expect(unsigned(a.data())).To(Equal(unsigned(show())))
		Consistently(func() bool { return t.post(id).Spec.Hold }, "2s").Should(BeFalse(), "the controller of the batch keeps it released")
		Expect(t.batches()[0].Spec.Approved).To(BeFalse(), "other posts of the batch stay held")

		By("approving again changes nothing")
		version := t.post(id).ResourceVersion
		Expect(decide("approve", object{"comment": "Again"}).succeeds(200).at("data.approval.comment")).To(Equal("Good to go"))
		Expect(t.post(id).ResourceVersion).To(Equal(version))

		By("an approved post is not returned, and an edit needs another approval")
		Expect(decide("return", object{}).refused(409, catalog.Conflict).details()).To(Equal(object{"post_id": float64(id), "status": "scheduled"}))
		patch("/posts/%d", id, object{"caption": "Other words"}).with(key).at(f).succeeds(200)
		Expect(show()).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("approval", HaveKeyWithValue("state", "waiting"))))
		Expect(decide("approve", object{"edits": 0}).refused(409, catalog.Conflict).details()).To(
			Equal(object{"post_id": float64(id), "reason": "edited", "edits": 1.0}))
		Expect(decide("approve", object{"edits": 1}).succeeds(200).at("data.status")).To(Equal("scheduled"))
	})

	It("return keeps the post as a draft with a comment, until its author edits it", func() {
		a := decide("return", object{"comment": "Shorter, please"}).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("approval", And(
			HaveKeyWithValue("state", "returned"), HaveKeyWithValue("comment", "Shorter, please")))))
		Consistently(func() bool { return t.post(id).Spec.Hold }, "2s").Should(BeTrue())
		a = patch("/posts/%d", id, object{"caption": "Short"}).with(key).at(f).succeeds(200)
		Expect(a.at("data.approval")).To(And(HaveKeyWithValue("state", "waiting"), HaveKeyWithValue("comment", "Shorter, please")))
		Expect(get("/posts").with(key).at(f).succeeds(200).at("data.0.approval")).To(Equal(show()["approval"]))
		Expect(decide("approve", object{}).succeeds(200).at("data.status")).To(Equal("scheduled"))
		p := t.post(id)
		Expect(p.Spec.Approval.Edit).To(BeEquivalentTo(1))
		Expect(p.Spec.Approval.Comment).To(BeEmpty())
	})

	It("without edits is for the post as it is when the request arrives, not for an edit at the same time", func() {
		author := f
		for n, what := range []string{"approve", "return"} {
			f = newFront(frontOptions{change: func(c *apiserver.Config) {
				plenty(c)
				c.Client = &overtaken{Client: c.Client, by: func() {
					patch("/posts/%d", id, object{"caption": fmt.Sprint("Edit ", n)}).with(key).at(author).succeeds(200)
				}}
			}})
			Expect(decide(what, object{}).refused(409, catalog.Conflict).details()).To(
				Equal(object{"post_id": float64(id), "reason": "edited", "edits": float64(n + 1)}))
			Expect(t.post(id).Spec.Hold).To(BeTrue())
			Expect(t.post(id).Spec.Approval).To(BeNil())
		}
	})

	It("needs the right to approve and the scope, and finds only posts of the brand", func() {
		for _, what := range []string{"approve", "return"} {
			decide(what, object{}).with(key).refused(403, catalog.ApprovalRequired)
			reader, _ := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.Scopes, s.Approve = []v1beta1.Scope{v1beta1.ScopePostsRead}, true })
			decide(what, object{}).with(reader).refused(403, catalog.MissingScope)
			post("/posts/999999999/"+what, object{}).with(approver).at(f).refused(404, catalog.NotFound)
			stranger, _ := newTenant().keyOf("acme", func(s *v1beta1.APIKeySpec) { s.Scopes, s.Approve = []v1beta1.Scope{v1beta1.ScopePostsWrite}, true })
			decide(what, object{}).with(stranger).refused(404, catalog.NotFound)
		}
		Expect(t.post(id).Spec.Approval).To(BeNil())
	})

	It("is a conflict for a post that waits for no approver, and rejects invalid bodies", func() {
		change(t.acme, func() { t.acme.Spec.Approval = "none" })
		Eventually(func() any { return show()["status"] }).Should(Equal("scheduled"))
		for _, what := range []string{"approve", "return"} {
			Expect(decide(what, object{}).refused(409, catalog.Conflict).details()).To(Equal(object{"post_id": float64(id), "status": "scheduled"}))
			decide(what, object{"coment": "x"}).loosely().refused(422, catalog.ValidationFailed).about("coment")
			decide(what, object{"comment": strings.Repeat("x", 1001)}).loosely().refused(422, catalog.ValidationFailed).about("comment")
		}
	})

	It("of a suspended batch is kept, and the post is released with the batch", func() {
		b := &t.batches()[0]
		change(b, func() { b.Spec.Suspend = true })
		a := decide("approve", object{}).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("approval", HaveKeyWithValue("state", "approved"))))
		change(b, func() { b.Spec.Suspend = false })
		Eventually(func() any { return show()["status"] }).Should(Equal("scheduled"))
	})

	It("is in the audit log, and is replayed with an idempotency key", func() {
		w := newAuditedFront()
		once := func() *answer {
			return decide("approve", object{"comment": "Good"}).at(w.front).once("approve-1").succeeds(200)
		}
		a := once()
		line := w.auditLine(a, "Post", "update")
		Expect(line).To(HaveKeyWithValue("operation", "approve_post"))
		Expect(line["after"]).To(And(HaveKeyWithValue("hold", false), HaveKeyWithValue("approval.state", "approved")))
		patch("/posts/%d", id, object{"caption": "Other words"}).with(key).at(f).succeeds(200)
		again := once()
		Expect(unsigned(again.data())).To(Equal(unsigned(a.data())))
		Expect(again.meta()).To(HaveKeyWithValue("idempotent_replay", true))
		Expect(t.post(id).Spec.Hold).To(BeTrue(), "a replay approves nothing")
	})
})
