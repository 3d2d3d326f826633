// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("An edit of a post", func() {
	var t *tenant
	var key string
	var f *front
	var account int64
	BeforeEach(func() {
		t = newTenant()
		key, f, account = t.everything(), generous(), t.social("tiktok")
	})
	edit := func(id int64, body any) *request { return patch("/posts/%d", id, body).with(key).at(f) }
	own := func(custom object) object {
		return object{"platform_customizations": object{fmt.Sprint(account): custom}}
	}

	It("of the time alone keeps everything else", func() {
		id := posted(f, key, t.laidOut(), account)
		before, at := t.post(id), ahead(72*time.Hour)
		a := edit(id, object{"scheduled_at": at}).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("scheduled_at", at), HaveKeyWithValue("edits", 0.0), HaveKeyWithValue("status", "scheduled")))
		Expect(unsigned(a.data())).To(Equal(unsigned(get("/posts/%d", id).with(key).at(f).succeeds(200).data())))
		after := t.post(id)
		Expect(after.Spec.ScheduledAt.UTC().Format(time.RFC3339)).To(Equal(at))
		Expect(after.Spec.Edit.AcceptedFor).To(Equal(before.Spec.ScheduledAt))
		after.Spec.ScheduledAt, after.Spec.Edit = before.Spec.ScheduledAt, nil
		Expect(after.Spec).To(Equal(before.Spec))
		moment, _ := time.Parse(time.RFC3339, at)
		list := get("/posts?scheduled_after=%s", moment.Add(-time.Minute).Format(time.RFC3339)).with(key).at(f).succeeds(200)
		Expect(idsOf(list)).To(Equal([]int64{id}), "lists have the new time")
	})

	It("of texts and settings is what is published, and its response is that of GET", func() {
		id := posted(f, key, t.laidOut(), account)
		before := t.post(id)
		a := edit(id, object{
			"title": "For all", "caption": "For all", "platform_customizations": object{fmt.Sprint(account): object{
				"caption": "A better caption", "tiktok": object{"privacy_level": "SELF_ONLY"}, "cover": object{"slide": 2},
			}},
		}).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("title", "For all"), HaveKeyWithValue("caption", "A better caption"), HaveKeyWithValue("edits", 1.0),
			HaveKeyWithValue("status", "scheduled"), HaveKeyWithValue("cover", HaveKeyWithValue("slide", 2.0))))
		Expect(unsigned(a.data())).To(Equal(unsigned(get("/posts/%d", id).with(key).at(f).succeeds(200).data())))
		p := t.post(id)
		Expect(p.Spec.Settings.TikTok.PrivacyLevel).To(BeEquivalentTo("SELF_ONLY"))
		Expect(p.Spec.Media.Cover.Photo).To(HaveValue(BeEquivalentTo(1)))
		Expect(p.Spec.Hold).To(BeFalse())
		Expect(p.Spec.ScheduledAt).To(Equal(before.Spec.ScheduledAt))

		By("settings that a later edit omits stay")
		edit(id, own(object{"tiktok": object{"allow_duet": false}})).succeeds(200)
		p = t.post(id)
		Expect(p.Spec.Settings.TikTok).To(Equal(&v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY", AllowDuet: ptr.To(false)}))
		Expect(p.Spec.Media.Cover.Photo).To(HaveValue(BeEquivalentTo(1)))
		Expect(p.Edits()).To(BeEquivalentTo(2))

		By("a request that changes nothing writes nothing")
		a = edit(id, own(object{"caption": "A better caption"})).succeeds(200)
		Expect(a.at("data.edits")).To(Equal(2.0))
		Expect(t.post(id).ResourceVersion).To(Equal(p.ResourceVersion))
		edit(id, object{}).succeeds(200)
		Expect(unsigned(edit(id, object{"caption": nil, "scheduled_at": nil}).loosely().succeeds(200).data())).To(Equal(unsigned(a.data())), "null is no value")
	})

	It("uses the text as it is, without the short's hashtags", func() {
		short := t.withTexts("Tidy", "A desk that stays tidy.", "desk")
		id := posted(f, key, short, account)
		Expect(t.post(id).Spec.Caption).To(ContainSubstring("#desk"))
		Expect(edit(id, object{"caption": "Plain"}).succeeds(200).at("data.caption")).To(Equal("Plain"))
		Expect(edit(id, object{"caption": ""}).succeeds(200).at("data.caption")).To(BeNil())
	})

	DescribeTable("is possible in the state", func(change func(*v1beta1.Post), state v1beta1.PostState) {
		id := t.applied(1, account, "tiktok", change)
		if state != "" {
			t.comes(id, func(s *v1beta1.PostStatus) { s.State = state })
		}
		Expect(edit(id, object{"caption": "Better"}).succeeds(200).at("data.caption")).To(Equal("Better"))
	},
		Entry("scheduled, before its first reconciliation", func(*v1beta1.Post) {}, v1beta1.PostState("")),
		Entry("scheduled", func(*v1beta1.Post) {}, v1beta1.PostScheduled),
		Entry("draft", func(p *v1beta1.Post) { p.Spec.Hold = true }, v1beta1.PostHeld),
		Entry("draft for immediate publication", func(p *v1beta1.Post) {
			p.Spec.Hold, p.Spec.Immediate, p.Spec.ScheduledAt = true, true, metav1.NowMicro()
		}, v1beta1.PostHeld),
	)

	DescribeTable("is a conflict in the state", func(change func(*v1beta1.Post), status func(*v1beta1.PostStatus), state string) {
		id := t.applied(1, account, "tiktok", change)
		t.comes(id, status)
		before := t.post(id)
		for _, body := range []object{{"caption": "Better"}, {"scheduled_at": ahead(time.Hour)}, {}} {
			a := edit(id, body).refused(409, catalog.Conflict)
			Expect(a.details()).To(Equal(object{"post_id": float64(id), "status": state}))
		}
		Expect(t.post(id).Spec).To(Equal(before.Spec))
	},
		Entry("pending", func(p *v1beta1.Post) { p.Spec.Immediate, p.Spec.ScheduledAt = true, metav1.NowMicro() },
			func(s *v1beta1.PostStatus) { s.State = v1beta1.PostPending }, "pending"),
		Entry("due, which its controller has not observed", func(p *v1beta1.Post) { p.Spec.ScheduledAt = metav1.NowMicro() },
			func(s *v1beta1.PostStatus) { s.State = v1beta1.PostScheduled }, "pending"),
		Entry("publishing", func(*v1beta1.Post) {}, attempted(v1beta1.PostPending, v1beta1.AttemptIntended), "pending"),
		Entry("retrying", func(*v1beta1.Post) {}, attempted(v1beta1.PostRetrying, v1beta1.AttemptNotSent), "retrying"),
		Entry("published", func(*v1beta1.Post) {}, attempted(v1beta1.PostSuccess, v1beta1.AttemptAccepted), "success"),
		Entry("failed", func(*v1beta1.Post) {}, attempted(v1beta1.PostFailed, v1beta1.AttemptRejected), "failed"),
		Entry("cancelled", func(p *v1beta1.Post) { p.Spec.Cancel = true }, func(*v1beta1.PostStatus) {}, "cancelled"),
	)

	DescribeTable("rejects", func(body object, code catalog.Code, field string) {
		id := posted(f, key, t.laidOut(), account)
		before := t.post(id)
		a := edit(id, body).loosely().refused(422, code)
		if field != "" {
			a.about(field)
		}
		Expect(t.post(id).Spec).To(Equal(before.Spec))
	},
		Entry("an unknown member", object{"captoin": "Better"}, catalog.ValidationFailed, "captoin"),
		Entry("an unknown member of a customization", object{"caption": "Better", "platform_customizations": object{"1": object{"captoin": "x"}}},
			catalog.ValidationFailed, "platform_customizations.1.captoin"),
		Entry("a member of POST /posts that cannot be edited", object{"media": "video"}, catalog.ValidationFailed, "media"),
		Entry("another account", object{"platform_customizations": object{"999999": object{"caption": "x"}}},
			catalog.ValidationFailed, "platform_customizations.999999"),
		Entry("a time in the past", object{"scheduled_at": ahead(-time.Hour)}, catalog.ScheduleTooSoon, ""),
		Entry("a time that is too far ahead", object{"scheduled_at": ahead(400 * 24 * time.Hour)}, catalog.ValidationFailed, "scheduled_at"),
		Entry("a caption that is too long for the platform", object{"caption": strings.Repeat("a", 9000)}, catalog.CaptionTooLong, ""),
	)

	It("rejects settings by the rules of POST /posts, with the path of the setting", func() {
		id := posted(f, key, t.laidOut(), account)
		edit(id, own(object{"cover": object{"slide": 30}})).refused(422, catalog.ValidationFailed).
			about(fmt.Sprintf("platform_customizations.%d.cover.slide", account))
		edit(id, own(object{"cover": object{"slide": 1, "media_id": 2}})).refused(422, catalog.ValidationFailed).
			about(fmt.Sprintf("platform_customizations.%d.cover", account))
		edit(id, own(object{"tiktok": object{"privacy_level": "SELF_ONLY", "commercial": object{"branded_content": true}}})).
			refused(422, catalog.ValidationFailed).about(fmt.Sprintf("platform_customizations.%d.tiktok.commercial.branded_content", account))
	})

	It("needs the scope posts:write, and finds only posts of the brand", func() {
		id := posted(f, key, t.laidOut(), account)
		_, other := t.brand("other")
		body := object{"caption": "Better"}
		patch("/posts/%d", id, body).with(t.key(v1beta1.ScopePostsRead)).at(f).refused(403, catalog.MissingScope)
		patch("/posts/%d?brand_id=%d", id, other, body).with(key).at(f).refused(404, catalog.NotFound)
		patch("/posts/%d", id, body).with(newTenant().everything()).at(f).refused(404, catalog.NotFound)
		patch("/posts/999999999", body).with(key).at(f).refused(404, catalog.NotFound)
	})

	It("from a manifest is a conflict that names the tool", func() {
		short, _ := t.manifest("tidy-desk", func(s *v1beta1.Slideshow) { s.Spec.AspectRatio = "4:5" })
		b := &unstructured.Unstructured{Object: object{
			"apiVersion": v1beta1.GroupVersion.String(), "kind": "PostBatch", "metadata": object{"namespace": t.namespace, "name": "launch"},
			"spec": object{
				"brandRef": object{"name": "acme"}, "shortRef": object{"name": short.Name}, "platforms": []any{"tiktok"}, "scheduledAt": ahead(time.Hour),
			},
		}}
		Expect(controlPlane.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(b), client.FieldOwner("argocd-controller"))).To(Succeed())
		var id int64
		Eventually(func(g Gomega) {
			a := get("/posts").with(key).at(f).succeeds(200)
			g.Expect(a.list()).To(HaveLen(1))
			id = a.id("data.0.id")
		}).Should(Succeed())
		a := edit(id, object{"scheduled_at": ahead(2 * time.Hour)}).refused(409, catalog.Conflict)
		Expect(a.details()).To(Equal(object{"post_id": float64(id), "reason": "declared_elsewhere", "managed_by": "argocd-controller"}))
	})

	It("and its sending are never mixed: the first write wins", func() {
		for range 10 {
			id := t.applied(1, account, "tiktok")
			before := t.post(id)
			var all sync.WaitGroup
			var sent error
			all.Add(1)
			go func() {
				defer all.Done()
				p := before.DeepCopy()
				attempted(v1beta1.PostPending, v1beta1.AttemptIntended)(&p.Status)
				sent = access.Plain.Status().Patch(ctx, p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
			}()
			a := edit(id, object{"caption": "Better", "scheduled_at": ahead(48 * time.Hour)}).send()
			all.Wait()
			Expect((sent == nil) != (a.status == 200)).To(BeTrue(), "sent: %v, edited: %d", sent, a.status)
			after := t.post(id)
			if a.status == 200 {
				Expect(after.Spec.Caption).To(Equal("Better"))
			} else {
				Expect(a.status).To(Equal(409))
				Expect(after.Spec).To(Equal(before.Spec))
			}
		}
	})

	It("is judged again if another process wrote the post meanwhile", func() {
		id := t.applied(1, account, "tiktok")
		slow := newFront(frontOptions{change: func(c *apiserver.Config) {
			plenty(c)
			c.Client = &overtaken{Client: c.Client, by: func() { t.comes(id, attempted(v1beta1.PostPending, v1beta1.AttemptIntended)) }}
		}})
		a := edit(id, object{"caption": "Better"}).at(slow).refused(409, catalog.Conflict)
		Expect(a.details()).To(HaveKeyWithValue("status", "pending"))
		Expect(t.post(id).Spec.Caption).To(Equal("A desk."))
	})

	It("with an idempotency key is replayed, also after the post was sent", func() {
		id := t.applied(1, account, "tiktok")
		once := func() *answer { return edit(id, object{"caption": "Better"}).once("edit-1").succeeds(200) }
		first := once()
		t.comes(id, attempted(v1beta1.PostSuccess, v1beta1.AttemptAccepted))
		again := once()
		Expect(again.data()).To(Equal(first.data()))
		Expect(again.meta()).To(HaveKeyWithValue("idempotent_replay", true))
		edit(id, object{"caption": "Best"}).once("edit-1").refused(409, catalog.IdempotencyConflict)
	})

	It("resets an approval, unless it changes the time only", func() {
		change(t.acme, func() { t.acme.Spec.Approval = "hold" })
		Eventually(func() any {
			return post("/posts/validate", object{"short_id": t.laidOut(), "social_data_ids": []int64{account}}).with(key).at(f).succeeds(200).at("data.issues")
		}).WithPolling(often).Should(ContainElement(HaveKeyWithValue("code", "approval_required")))
		id := posted(f, key, t.laidOut(), account)
		Expect(get("/posts/%d", id).with(key).at(f).succeeds(200).at("data.approval")).To(Equal(
			object{"required": true, "state": "waiting", "comment": nil, "by": nil, "at": nil}))
		b := &t.batches()[0]
		change(b, func() { b.Spec.Approved = true })
		Eventually(func() any { return get("/posts/%d", id).with(key).at(f).succeeds(200).at("data.status") }).Should(Equal("scheduled"))
		approved := get("/posts/%d", id).with(key).at(f).succeeds(200)
		Expect(approved.at("data.approval")).To(And(HaveKeyWithValue("state", "approved"), HaveKeyWithValue("required", true)))

		a := edit(id, object{"scheduled_at": ahead(48 * time.Hour)}).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("status", "scheduled"), HaveKeyWithValue("approval", Equal(approved.at("data.approval")))))
		a = edit(id, object{"caption": "Other words"}).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("approval", HaveKeyWithValue("state", "waiting"))))
		Consistently(func() bool { return t.post(id).Spec.Hold }, "2s").Should(BeTrue(), "the approval of the batch is for the content as it was accepted")
	})

	It("is held by the policy that the cluster has, also if the cache of the replica does not have it yet", func() {
		id := t.applied(1, account, "tiktok")
		change(t.acme, func() { t.acme.Spec.Approval = "hold" })
		late := newFront(frontOptions{change: func(c *apiserver.Config) {
			plenty(c)
			c.Client = withoutPolicy{c.Client}
		}})
		a := edit(id, object{"caption": "Other words"}).at(late).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("approval", HaveKeyWithValue("state", "waiting"))))
		Expect(t.post(id).Spec.Hold).To(BeTrue())
	})

	It("is in the audit log with the previous values, and in the post with the caller", func() {
		w := newAuditedFront()
		id := t.applied(1, account, "tiktok")
		w.auditLines()
		a := edit(id, object{"caption": "Better"}).at(w.front).succeeds(200)
		line := w.auditLine(a, "Post", "update")
		Expect(line["before"]).To(HaveKeyWithValue("caption", "A desk."))
		Expect(line["after"]).To(HaveKeyWithValue("caption", "Better"))
		Expect(t.post(id).Spec.Edit.By).To(MatchRegexp(`^key \d+ \(a key\)$`))
	})
})

// withoutPolicy is a cache whose brands do not have their approval policy yet.
type withoutPolicy struct{ client.Client }

// Get reads an object, a brand without its policy.
func (c withoutPolicy) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	err := c.Client.Get(ctx, key, o, opts...)
	if b, ok := o.(*v1beta1.Brand); ok {
		b.Spec.Approval = ""
	}
	return err
}

// List lists objects, brands without their policy.
func (c withoutPolicy) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	err := c.Client.List(ctx, list, opts...)
	if l, ok := list.(*v1beta1.BrandList); ok {
		for i := range l.Items {
			l.Items[i].Spec.Approval = ""
		}
	}
	return err
}
