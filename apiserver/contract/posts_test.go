// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

var _ = Describe("Posting", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})
	create := func(body any) *request { return post("/posts", body).with(key).at(f) }

	It("at once returns pending, a share_id and no time, and the next list contains the post", func() {
		short, account := t.withTexts("Tidy", "A desk that stays tidy.", "desk, work from home"), t.social("tiktok")
		a := create(object{"short_id": short, "social_data_ids": []int64{account}}).succeeds(202)
		id := a.id("data.results.0.share_id")
		Expect(a.data()).To(Equal(object{
			"short_id": float64(short), "overall_status": "success", "batch_id": a.at("data.batch_id"),
			"results": []any{object{
				"social_data_id": float64(account), "platform": "tiktok", "account_name": "Acme on tiktok", "share_id": float64(id), "status": "pending", "scheduled_at": nil,
				"media_kind": "photo_set", "title": "Tidy", "caption": "A desk that stays tidy.\n\n#desk #workfromhome", "cover": nil,
			}},
		}))
		list := get("/posts").with(key).at(f).succeeds(200)
		Expect(list.list()).To(Equal([]any{object{
			"id": float64(id), "short_id": float64(short), "social_data_id": float64(account), "platform": "tiktok", "account_name": "Acme on tiktok",
			"status": "pending", "posting_mode": "direct", "media_kind": "photo_set", "title": "Tidy", "caption": "A desk that stays tidy.\n\n#desk #workfromhome", "cover": nil,
			"scheduled_at": nil, "published_at": nil, "post_url": nil, "platform_post_id": nil, "delivery_state": nil, "error": nil, "attempts": 0.0, "next_attempt_at": nil, "first_comment": nil, "warnings": []any{},
			"revision": 1.0, "media": nil, "settings": nil, "tags": nil, "archived_at": nil,
			"approval": object{"required": false, "state": nil, "comment": nil, "by": nil, "at": nil}, "edits": 0.0,
			"batch_id": a.at("data.batch_id"), "created_at": list.at("data.0.created_at"), "updated_at": list.at("data.0.updated_at"),
		}}))
		Expect(list.at("data.0.created_at")).To(MatchRegexp(moment))
		p := t.post(id)
		Expect(p.Spec.Media.PhotoKeys).To(HaveLen(3))
		Expect(p.Spec.Revision).To(Equal(int64(1)))
		Expect(p.Spec.ScheduledAt.Time).To(BeTemporally("<=", time.Now()), "a restored copy is due in the past")
	})

	It("publishes the video if there is one, with the texts of each platform", func() {
		short := t.filmed(key)
		for _, platform := range catalog.Platforms() {
			t.social(platform)
		}
		a := create(object{"short_id": short, "platforms": catalog.Platforms()}).succeeds(202)
		Expect(a.at("data.overall_status")).To(Equal("success"))
		for i := range 4 {
			p := t.post(a.id(fmt.Sprintf("data.results.%d.share_id", i)))
			Expect(p.Spec.Media.Kind).To(Equal("video"))
			Expect(p.Spec.Media.VideoKey).NotTo(BeEmpty())
			Expect(p.Spec.Media.Bytes).To(Equal(int64(len(film))))
		}
	})

	It("at a time returns scheduled and that time in UTC, never earlier than requested", func() {
		short, account := t.laidOut(), t.social("tiktok")
		at := time.Now().Add(2 * time.Hour).In(time.FixedZone("", 3600))
		a := create(object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": at.Format(time.RFC3339Nano)}).succeeds(202)
		Expect(a.at("data.results.0.status")).To(Equal("scheduled"))
		told, err := time.Parse(time.RFC3339, a.at("data.results.0.scheduled_at").(string))
		Expect(err).NotTo(HaveOccurred())
		Expect(told).To(And(BeTemporally(">=", at), BeTemporally("<", at.Add(time.Second))))
		Expect(a.at("data.results.0.scheduled_at")).To(MatchRegexp(moment))
		Expect(get("/posts").with(key).at(f).succeeds(200).at("data.0")).To(And(HaveKeyWithValue("status", "scheduled"), HaveKeyWithValue("scheduled_at", a.at("data.results.0.scheduled_at"))))
	})

	It("is partial: one failing account never stops the others", func() {
		short := t.laidOut()
		good, bad := t.social("tiktok"), t.social("instagram", func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = v1beta1.TokenExpired })
		a := create(object{"short_id": short, "social_data_ids": []int64{bad, good}, "platforms": []string{"linkedin", "youtube"}}).succeeds(202)
		Expect(a.at("data.overall_status")).To(Equal("partial"))
		results := a.at("data.results").([]any)
		Expect(results).To(HaveLen(4))
		Expect(results[0]).To(And(HaveKeyWithValue("social_data_id", float64(bad)), HaveKeyWithValue("status", "failed"), HaveKeyWithValue("share_id", BeNil()),
			HaveKeyWithValue("error", And(HaveKeyWithValue("code", "token_expired"), HaveKeyWithValue("retryable", false), HaveKeyWithValue("details", HaveKeyWithValue("token_status", "expired"))))))
		Expect(results[1]).To(And(HaveKeyWithValue("status", "pending"), HaveKeyWithValue("share_id", BeNumerically(">", 0)), Not(HaveKey("error"))))
		for i, platform := range []string{"linkedin", "youtube"} {
			Expect(results[2+i]).To(Equal(object{
				"social_data_id": nil, "platform": platform, "account_name": nil, "share_id": nil, "status": "failed", "scheduled_at": nil,
				"media_kind": nil, "title": nil, "caption": nil, "cover": nil,
				"error": object{"code": "platform_not_connected", "message": results[2+i].(object)["error"].(object)["message"], "retryable": false, "details": object{"platform": platform}},
			}))
		}
		Expect(t.posts()).To(HaveLen(1))
	})

	It("with every account failing is a 422 with one error per account in their order, and creates nothing", func() {
		expired := t.social("tiktok", func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = v1beta1.TokenRevoked })
		long := t.social("instagram")
		body := object{
			"short_id": t.laidOut(), "platforms": []string{"youtube"}, "social_data_ids": []int64{long, expired},
			"platform_customizations": object{fmt.Sprint(long): object{"caption": strings.Repeat("x", 2201)}},
		}
		a := create(body).once("k").refused(422, catalog.CaptionTooLong)
		var codes []any
		for _, e := range a.at("errors").([]any) {
			codes = append(codes, e.(object)["code"])
		}
		Expect(codes).To(Equal([]any{"caption_too_long", "token_expired", "platform_not_connected"}))
		Expect(a.details()).To(And(HaveKeyWithValue("max", 2200.0), HaveKeyWithValue("length", 2201.0), HaveKeyWithValue("unit", "characters"),
			HaveKeyWithValue("social_data_id", float64(long)), HaveKeyWithValue("platform", "instagram"), HaveKeyWithValue("results", HaveLen(3))))
		Expect(a.details()["results"].([]any)[1]).To(And(HaveKeyWithValue("social_data_id", float64(expired)), HaveKeyWithValue("status", "failed"), HaveKeyWithValue("share_id", BeNil())))
		Expect(t.batches()).To(BeEmpty())
		body["platform_customizations"] = object{}
		create(body).once("k").succeeds(202)
	})

	It("of a short without a video and slides is short_not_postable, retryable, for every account", func() {
		t.social("tiktok")
		t.social("instagram")
		a := create(object{"short_id": t.withoutSlides(), "platforms": []string{"tiktok", "instagram"}}).refused(422, catalog.ShortNotPostable)
		Expect(a.at("errors")).To(HaveLen(2))
		Expect(a.at("errors.0.retryable")).To(BeTrue())
		Expect(a.details()["results"]).To(HaveLen(2))
	})

	It("on YouTube requires a video", func() {
		account := t.social("youtube")
		a := create(object{"short_id": t.laidOut(), "social_data_ids": []int64{account}}).
			refused(422, catalog.ShortNotPostable)
		Expect(a.details()).To(HaveKeyWithValue("platform", "youtube"))
	})

	It("of slides that are being created is job_in_progress, retryable", func() {
		short, account := t.laidOut(), t.social("tiktok")
		s := t.object(short)
		change(s, func() {
			s.Spec.Slides[0].Image = &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: "not-there-yet"}}
		})
		a := create(object{"short_id": short, "social_data_ids": []int64{account}}).refused(422, catalog.JobInProgress)
		Expect(a.at("errors.0.retryable")).To(BeTrue())
		Expect(a.details()).To(And(HaveKeyWithValue("short_id", float64(short)), HaveKeyWithValue("kind", "slideshow_generation"), HaveKeyWithValue("results", HaveLen(1))))
	})

	It("rejected for every account reports each reason: a long title, a platform that is not configured", func() {
		short, account := t.laidOut(), t.social("tiktok")
		body := object{"short_id": short, "social_data_ids": []int64{account}}
		body["platform_customizations"] = object{fmt.Sprint(account): object{"title": strings.Repeat("x", 91)}}
		Expect(create(body).refused(422, catalog.TitleTooLong).details()).To(And(HaveKeyWithValue("max", 90.0), HaveKeyWithValue("length", 91.0),
			HaveKeyWithValue("unit", "utf16"), HaveKeyWithValue("social_data_id", float64(account)), HaveKeyWithValue("platform", "tiktok")))
		delete(body, "platform_customizations")
		bare := newFront(frontOptions{change: func(c *apiserver.Config) {
			plenty(c)
			c.Platforms = map[v1beta1.Platform]publish.Platform{"tiktok": &socialscript.Platform{NotSetUp: []string{"client_id"}}}
		}})
		a := post("/posts", body).with(key).at(bare).refused(422, catalog.PlatformNotConfigured)
		Expect(a.details()).To(And(HaveKeyWithValue("platform", "tiktok"), HaveKeyWithValue("missing", ConsistOf("client_id"))))
		Expect(t.batches()).To(BeEmpty())
	})

	It("too soon rejects the whole request, and reports the earliest time", func() {
		account := t.social("tiktok")
		short := t.laidOut()
		for _, at := range []string{ahead(-time.Hour), ahead(0), ahead(4 * time.Minute)} {
			a := create(object{"short_id": short, "social_data_ids": []int64{account}, "platforms": []string{"youtube"}, "scheduled_at": at}).refused(422, catalog.ScheduleTooSoon)
			Expect(a.details()).To(And(HaveKeyWithValue("min_lead_seconds", 300.0), HaveKeyWithValue("earliest_at", MatchRegexp(moment)), HaveLen(2)))
		}
		create(object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(5*time.Minute + 30*time.Second)}).succeeds(202)
		create(object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(366 * 24 * time.Hour)}).refused(422, catalog.ValidationFailed).about("scheduled_at")
	})

	It("targets the union of ids and platforms: ids in their order first, then every account on each platform", func() {
		two, one := t.social("linkedin"), t.social("tiktok")
		three := t.social("tiktok")
		t.socialOf("other", "tiktok")
		a := create(object{"short_id": t.laidOut(), "social_data_ids": []any{fmt.Sprint(three), two, three}, "platforms": []string{"instagram", "tiktok", "linkedin", "tiktok"}}).succeeds(202)
		var got []any
		for _, r := range a.at("data.results").([]any) {
			got = append(got, r.(object)["social_data_id"])
		}
		Expect(got).To(Equal([]any{float64(three), float64(two), nil, float64(one)}))
	})

	DescribeTable("rejects an invalid body", func(change func(body object), status int, code catalog.Code, details object) {
		account := t.social("tiktok")
		body := object{"short_id": t.laidOut(), "social_data_ids": []int64{account}}
		change(body)
		for _, path := range []string{"/posts", "/posts/validate"} {
			a := post(path, body).with(key).at(f).loosely().refused(status, code)
			for k, v := range details {
				Expect(a.details()).To(HaveKeyWithValue(k, v), path)
			}
		}
		Expect(t.batches()).To(BeEmpty())
	},
		Entry("without a short", func(b object) { delete(b, "short_id") }, 422, catalog.ValidationFailed, object{"field": "short_id"}),
		Entry("with a short of another brand", func(b object) { b["short_id"] = 999999999 }, 404, catalog.NotFound, nil),
		Entry("without a target", func(b object) { delete(b, "social_data_ids") }, 422, catalog.ValidationFailed, object{"field": "social_data_ids"}),
		Entry("with empty targets", func(b object) { b["social_data_ids"], b["platforms"] = []int{}, []string{} }, 422, catalog.ValidationFailed, object{"field": "social_data_ids"}),
		Entry("with an account of another brand", func(b object) { b["social_data_ids"] = []any{b["social_data_ids"].([]int64)[0], 999999998, 999999999} },
			422, catalog.ValidationFailed, object{"field": "social_data_ids", "invalid_ids": []any{999999998.0, 999999999.0}}),
		Entry("with an unknown platform", func(b object) { b["platforms"] = []string{"tiktok", "myspace"} },
			422, catalog.UnsupportedPlatform, object{"platform": "myspace", "supported_platforms": []any{"tiktok", "youtube", "instagram", "linkedin"}}),
		Entry("with a platform that is not a string", func(b object) { b["platforms"] = []any{1} }, 422, catalog.ValidationFailed, object{"field": "platforms[0]"}),
		Entry("with an unknown mode", func(b object) { b["posting_mode"] = "later" }, 422, catalog.ValidationFailed, object{"field": "posting_mode"}),
		Entry("with a time without an offset", func(b object) { b["scheduled_at"] = "2026-12-01T10:00:00" }, 422, catalog.ValidationFailed, object{"field": "scheduled_at"}),
		Entry("with texts for an account that is not a target", func(b object) { b["platform_customizations"] = object{"999999999": object{"title": "x"}} },
			422, catalog.ValidationFailed, object{"field": "platform_customizations.999999999"}),
		Entry("with texts for an invalid account id", func(b object) { b["platform_customizations"] = object{"tiktok": object{"title": "x"}} },
			422, catalog.ValidationFailed, object{"field": "platform_customizations.tiktok"}),
		Entry("with an invalid text", func(b object) {
			b["platform_customizations"] = object{fmt.Sprint(b["social_data_ids"].([]int64)[0]): object{"title": 1}}
		},
			422, catalog.ValidationFailed, nil),
	)

	It("uses title and caption of an account from its customization, or the short's if null or omitted", func() {
		short := t.withTexts("Tidy", "A desk.", "desk")
		one, two, three := t.social("linkedin"), t.social("linkedin"), t.social("linkedin")
		a := create(object{"short_id": short, "platforms": []string{"linkedin"}, "platform_customizations": object{
			fmt.Sprint(one): object{"title": "Own"}, fmt.Sprint(two): object{"title": nil, "caption": "Own caption"}, fmt.Sprint(three): nil,
		}}).loosely().succeeds(202)
		var texts [][2]string
		for i := range 3 {
			p := t.post(a.id(fmt.Sprintf("data.results.%d.share_id", i)))
			texts = append(texts, [2]string{p.Spec.Title, p.Spec.Caption})
		}
		Expect(texts).To(Equal([][2]string{{"Own", "A desk.\n\n#desk"}, {"Tidy", "Own caption"}, {"Tidy", "A desk.\n\n#desk"}}))
	})

	It("keeps the accepted texts if the short is edited later", func() {
		short, account := t.withTexts("Tidy", "A desk.", ""), t.social("tiktok")
		id := posted(f, key, short, account)
		patch("/slideshows/%d", short, object{"caption": "Another."}).with(key).at(f).succeeds(200)
		Expect(get("/posts").with(key).at(f).succeeds(200).at("data.0.caption")).To(Equal("A desk."))
		Expect(t.post(id).Spec.Caption).To(Equal("A desk."))
	})

	It("creates drafts under the policy hold, until the batch is approved", func() {
		change(t.acme, func() { t.acme.Spec.Approval = "hold" })
		short, account := t.laidOut(), t.social("tiktok")
		a := create(object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(time.Hour)}).succeeds(202)
		Expect(a.at("data.overall_status")).To(Equal("success"))
		Expect(a.at("data.results.0")).To(And(HaveKeyWithValue("status", "draft"), Not(HaveKey("error")), HaveKeyWithValue("share_id", BeNumerically(">", 0))))
		Expect(a.at("meta.warnings.0.code")).To(Equal("approval_required"))
		b := &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: a.at("data.batch_id").(string)}}
		change(b, func() { b.Spec.Approved = true })
		Eventually(func() any { return get("/posts").with(key).at(f).succeeds(200).at("data.0.status") }).Should(Equal("scheduled"))
	})

	It("is rejected as a whole with approval_required under the policy deny", func() {
		change(t.acme, func() { t.acme.Spec.Approval = "deny" })
		account := t.social("tiktok")
		create(object{"short_id": t.laidOut(), "social_data_ids": []int64{account}}).refused(403, catalog.ApprovalRequired)
		Expect(t.batches()).To(BeEmpty())
	})

	It("has a rate limit of 30 requests an hour for each key, which does not count rejected requests and replays", func() {
		short, account := t.laidOut(), t.social("linkedin")
		body := object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(48 * time.Hour)}
		post("/posts", object{"short_id": short, "platforms": []string{"youtube"}}).with(key).refused(422, catalog.PlatformNotConnected).hasRateLimit(30, 30, 3600)
		for i := range 30 {
			post("/posts", body).with(key).once(fmt.Sprint(i)).succeeds(202).hasRateLimit(30, 29-i, 3600)
		}
		Expect(post("/posts", body).with(key).once("3").succeeds(202).at("meta.idempotent_replay")).To(BeTrue())
		post("/posts", body).with(key).limited("posting", 30, 3600)
		post("/posts", body).with(t.everything()).succeeds(202)
	})

	It("replays the answer for the same key and body, rejects another body, and posts once under concurrency", func() {
		short, account := t.laidOut(), t.social("linkedin")
		body := object{"short_id": short, "social_data_ids": []int64{account}}
		var taken, running atomic.Int64
		together(40, func(int) {
			switch a := create(body).once("k").send(); a.status {
			case 202:
				taken.Add(1)
			case 409:
				running.Add(1)
			}
		})
		Expect(taken.Load() + running.Load()).To(Equal(int64(40)))
		Expect(t.batches()).To(HaveLen(1))
		Expect(t.posts()).To(HaveLen(1))
		again := create(body).once("k").succeeds(202)
		Expect(again.at("meta.idempotent_replay")).To(BeTrue())
		Expect(again.id("data.results.0.share_id")).To(Equal(get("/posts").with(key).at(f).succeeds(200).id("data.0.id")))
		a := create(object{"short_id": short, "social_data_ids": []int64{account}, "posting_mode": "direct"}).once("k").refused(409, catalog.IdempotencyConflict)
		Expect(a.details()).To(Equal(object{"endpoint": "POST /api/v1/posts", "in_flight": false}))
	})

	It("checks in order: key, brand, scope, idempotency key, body, record, policy, accounts, rate limit", func() {
		_, other := t.brand("other")
		account := t.social("tiktok")
		ask := func(k string, brand any, once string, body any) *request {
			return post(fmt.Sprintf("/posts?brand_id=%v", brand), body).with(k).once(once).loosely()
		}
		ask("rlo_nothing", 999999999, "", "{").refused(401, catalog.InvalidToken)
		reader := t.key("read")
		ask(reader, 999999999, "", "{").refused(404, catalog.NotFound)
		Expect(ask(reader, other, "", "{").refused(403, catalog.MissingScope).details()).To(HaveKeyWithValue("required_scope", "posts:write"))
		Expect(ask(t.key("write"), other, "", "{").refused(403, catalog.MissingScope).details()).To(HaveKeyWithValue("required_scope", "brands:all"))
		Expect(ask(key, t.acmeID, "", "{").refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "Idempotency-Key"))
		Expect(ask(key, t.acmeID, "k", "{").refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "body"))
		change(t.acme, func() { t.acme.Spec.Approval = "deny" })
		ask(key, t.acmeID, "k", object{"short_id": 999999999, "platforms": []string{"tiktok"}, "scheduled_at": ahead(0)}).refused(422, catalog.ScheduleTooSoon)
		ask(key, t.acmeID, "k", object{"short_id": 999999999, "platforms": []string{"tiktok"}}).refused(404, catalog.NotFound)
		withoutSlides := t.withoutSlides()
		ask(key, t.acmeID, "k", object{"short_id": withoutSlides, "social_data_ids": []int64{account}}).refused(403, catalog.ApprovalRequired)
		change(t.acme, func() { t.acme.Spec.Approval = "none" })
		Eventually(func() catalog.Code {
			return ask(key, t.acmeID, "k", object{"short_id": withoutSlides, "social_data_ids": []int64{account}}).send().code()
		}).Should(Equal(catalog.ShortNotPostable))
	})

	It("counts published posts against the limit of an account, and rejects posts beyond it", func() {
		short, account := t.laidOut(), t.social("tiktok")
		for range 15 {
			create(object{"short_id": short, "social_data_ids": []int64{account}}).succeeds(202)
		}
		a := create(object{"short_id": short, "social_data_ids": []int64{account}}).refused(422, catalog.PlatformRateLimited)
		Expect(a.details()).To(HaveKeyWithValue("resets_at", MatchRegexp(moment)))
		Expect(a.at("errors.0.retryable")).To(BeTrue())
		v := post("/posts/validate", object{"short_id": short, "social_data_ids": []int64{account}}).with(key).at(f).succeeds(200)
		Expect(v.at("data.verdicts.0.rate_limit")).To(And(HaveKeyWithValue("used", 15.0), HaveKeyWithValue("remaining", 0.0), HaveKeyWithValue("limited", true)))
		create(object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(25 * time.Hour)}).succeeds(202)
	})

	It("creates the same posts if the front end creates none: the manager creates them", func() {
		short, account := t.laidOut(), t.social("tiktok")
		lame := newFront(frontOptions{change: func(c *apiserver.Config) {
			plenty(c)
			c.Client = &postDropper{c.Client}
		}})
		a := post("/posts", object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(time.Hour)}).with(key).at(lame).succeeds(202)
		id := a.id("data.results.0.share_id")
		Eventually(func() error {
			return access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: fmt.Sprintf("post-%d", id)}, &v1beta1.Post{})
		}).WithPolling(often).Should(Succeed())
		Expect(t.post(id).Spec.Batch).To(Equal(a.at("data.batch_id")))
	})
})
