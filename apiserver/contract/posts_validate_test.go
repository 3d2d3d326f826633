// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
)

var _ = Describe("The validation of a post", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.key("posts:read"), generous()
	})
	validate := func(body any) *answer {
		GinkgoHelper()
		return post("/posts/validate", body).with(key).at(f).succeeds(200)
	}

	It("reports all known facts of an account, and the rules of the targeted platforms", func() {
		short, account := t.laidOut(), t.social("instagram")
		a := validate(object{"short_id": short, "social_data_ids": []int64{account}})
		rules := a.at("data.platform_rules.instagram")
		Expect(a.data()).To(Equal(object{
			"ok": true, "short_id": float64(short), "scheduled_at": nil, "issues": []any{},
			"verdicts": []any{object{
				"social_data_id": float64(account), "platform": "instagram", "account_name": "Acme on instagram", "token_status": "active", "ok": true, "issues": []any{},
				"media_kind": "photo_set", "title": nil, "caption": a.at("data.verdicts.0.caption"), "cover": nil,
				"rate_limit": object{"used": 0.0, "max": 50.0, "remaining": 50.0, "limited": false, "label": "50 posts per 24 hours", "resets_at": a.at("data.verdicts.0.rate_limit.resets_at")},
			}},
			"platform_rules": object{"instagram": rules},
		}))
		Expect(rules).To(And(HaveKeyWithValue("title_max", 0.0), HaveKeyWithValue("caption_max", 2200.0), HaveKeyWithValue("posting_modes", []any{"direct"}),
			HaveKeyWithValue("caption_unit", "characters"), HaveKeyWithValue("max_photos", 10.0)))
		capabilities := get("/capabilities").with(key).at(f).succeeds(200).at("data.platform_rules.instagram").(object)
		delete(capabilities, "configured")
		delete(rules.(object), "configured")
		Expect(rules).To(Equal(capabilities), "the same schema and the same object")
	})

	It("writes nothing and does not count against the rate limit of posting", func() {
		short, account := t.laidOut(), t.social("tiktok")
		for range 3 {
			validate(object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(time.Hour)})
		}
		Expect(t.batches()).To(BeEmpty())
		Expect(t.posts()).To(BeEmpty())
		post("/posts/validate", object{"short_id": short, "social_data_ids": []int64{account}}).with(key).succeeds(200).hasRateLimit(300, 299, 300)
	})

	It("reports for each state of a connection whether posting is possible", func() {
		body := object{"short_id": t.laidOut(), "platforms": []string{"linkedin"}}
		states := []v1beta1.TokenStatus{v1beta1.TokenActive, v1beta1.TokenExpiringSoon, v1beta1.TokenExpired, v1beta1.TokenRevoked, v1beta1.TokenInsufficientScope}
		for _, state := range states {
			t.social("linkedin", func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = state })
		}
		a := validate(body)
		Expect(a.at("data.ok")).To(BeFalse())
		for i, state := range states {
			at := fmt.Sprintf("data.verdicts.%d.", i)
			Expect(a.at(at + "token_status")).To(Equal(string(state)))
			if state.Usable() {
				Expect(a.at(at + "ok")).To(BeTrue())
				continue
			}
			Expect(a.at(at + "ok")).To(BeFalse())
			Expect(a.issues(at + "issues")).To(Equal([]string{"token_expired"}))
			Expect(a.at(at + "issues.0.details")).To(Equal(object{"token_status": string(state)}))
			Expect(a.at(at + "issues.0.retryable")).To(BeFalse())
		}
	})

	It("measures the resulting texts in each platform's unit", func() {
		// A grinning face is one character, two UTF-16 units and four bytes.
		short := t.withTexts(strings.Repeat("😀", 50), strings.Repeat("😀", 1200), "")
		for _, platform := range catalog.Platforms() {
			t.social(platform)
		}
		a := validate(object{"short_id": short, "platforms": catalog.Platforms()})
		// TikTok counts a title of photos in UTF-16 units: 100 of 90; its captions of photos take 4,000.
		Expect(a.issues("data.verdicts.0.issues")).To(Equal([]string{"title_too_long"}))
		Expect(a.at("data.verdicts.0.issues.0.details")).To(Equal(object{
			"max": 90.0, "length": 100.0, "unit": "utf16", "social_data_id": a.at("data.verdicts.0.social_data_id"), "platform": "tiktok",
		}))
		Expect(a.issues("data.verdicts.1.issues")).To(Equal([]string{"short_not_postable"}), "YouTube accepts only videos")
		Expect(a.issues("data.verdicts.2.issues")).To(BeEmpty(), "Instagram has no titles and counts characters")
		Expect(a.issues("data.verdicts.3.issues")).To(BeEmpty())
	})

	It("drops a hashtag that does not fit, and rejects a caption that is too long by itself", func() {
		fits, account := t.withTexts("", strings.Repeat("x", 2200), "desk"), t.social("instagram")
		Expect(validate(object{"short_id": fits, "social_data_ids": []int64{account}}).at("data.ok")).To(BeTrue())
		a := validate(object{"short_id": fits, "social_data_ids": []int64{account}, "platform_customizations": object{fmt.Sprint(account): object{"caption": strings.Repeat("x", 2201)}}})
		Expect(a.issues("data.verdicts.0.issues")).To(Equal([]string{"caption_too_long"}))
		Expect(a.at("data.verdicts.0.issues.0.details")).To(And(HaveKeyWithValue("length", 2201.0), HaveKeyWithValue("max", 2200.0)))
	})

	It("reports problems of the whole request at the top: the time, the short, missing accounts", func() {
		a := validate(object{"short_id": t.withoutSlides(), "platforms": []string{"tiktok"}, "scheduled_at": ahead(time.Minute)})
		Expect(a.issues("data.issues")).To(ConsistOf("short_not_postable", "schedule_too_soon", "platform_not_connected"))
		Expect(a.data()).To(And(HaveKeyWithValue("ok", false), HaveKeyWithValue("verdicts", BeEmpty()), HaveKeyWithValue("scheduled_at", MatchRegexp(moment)), HaveKeyWithValue("platform_rules", HaveLen(1))))
	})

	It("reports that the slides are still being created", func() {
		const about = "Slides that take their time, for people who check too early."
		release := author.hold(about)
		defer release()
		id := post("/slideshows", object{"context": about, "slide_count": 3}).with(t.everything()).at(f).succeeds(202).id("data.job_id")
		t.social("tiktok")
		a := validate(object{"short_id": id, "platforms": []string{"tiktok"}})
		Expect(a.issues("data.issues")).To(Equal([]string{"short_not_postable"}))
		Expect(a.at("data.issues.0.retryable")).To(BeTrue())
	})

	It("warns under the policy hold and rejects under the policy deny", func() {
		body := object{"short_id": t.laidOut(), "social_data_ids": []int64{t.social("tiktok")}}
		for policy, want := range map[string]string{"hold": "approval_required (warning)", "deny": "approval_required"} {
			change(t.acme, func() { t.acme.Spec.Approval = policy })
			Eventually(func() []string { return validate(body).issues("data.issues") }).Should(Equal([]string{want}))
			Expect(validate(body).at("data.ok")).To(Equal(policy == "hold"))
		}
	})

	It("rejects a mode that the platform lacks, and warns of missing music", func() {
		body := object{"short_id": t.laidOut(), "social_data_ids": []int64{t.social("linkedin"), t.social("tiktok")}, "posting_mode": "draft", "auto_add_music": true}
		a := validate(body)
		Expect(a.issues("data.verdicts.0.issues")).To(Equal([]string{"validation_failed", "validation_failed (warning)"}))
		Expect(a.at("data.verdicts.0.issues.0.details")).To(Equal(object{"field": "posting_mode", "allowed": []any{"direct"}}))
		Expect(a.at("data.verdicts.0.issues.1.details")).To(Equal(object{"field": "auto_add_music"}))
		Expect(a.issues("data.verdicts.1.issues")).To(BeEmpty(), "TikTok has drafts, and adds music to photos")
	})

	It("warns of the same short on the same account if pending or published, but not if failed or cancelled", func() {
		short, account := t.laidOut(), t.social("tiktok")
		other := t.social("tiktok")
		waits := t.applied(short, account, "tiktok")
		out := t.applied(short, account, "tiktok")
		t.comes(out, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
		t.comes(t.applied(short, account, "tiktok"), func(s *v1beta1.PostStatus) { s.State = v1beta1.PostFailed })
		t.applied(short, account, "tiktok", func(p *v1beta1.Post) { p.Spec.Cancel = true })
		t.applied(short+1000, account, "tiktok")
		a := validate(object{"short_id": short, "social_data_ids": []int64{account, other}})
		Expect(a.at("data.ok")).To(BeTrue())
		Expect(a.issues("data.verdicts.0.issues")).To(Equal([]string{"conflict (warning)"}))
		Expect(a.at("data.verdicts.0.issues.0.details.post_ids")).To(ConsistOf(float64(waits), float64(out)))
		Expect(a.issues("data.verdicts.1.issues")).To(BeEmpty())
	})

	It("counts published posts and the platform's own numbers, and reports when there is room again", func() {
		short := t.laidOut()
		told := t.social("instagram", func(s *v1beta1.SocialAccountStatus) {
			s.Headroom = &v1beta1.Headroom{Used: 24, Max: 25, WindowSeconds: 86400, ObservedAt: metav1.NewTime(time.Now().Add(-time.Minute))}
		})
		refused := t.social("linkedin", func(s *v1beta1.SocialAccountStatus) {
			s.LimitedUntil = &metav1.Time{Time: time.Now().Add(30 * time.Minute)}
		})
		t.comes(t.applied(short, told, "instagram"), attempted(v1beta1.PostSuccess, v1beta1.AttemptAccepted))
		a := validate(object{"short_id": short, "social_data_ids": []int64{told, refused}})
		Expect(a.at("data.verdicts.0.rate_limit")).To(And(HaveKeyWithValue("used", 25.0), HaveKeyWithValue("max", 25.0), HaveKeyWithValue("remaining", 0.0),
			HaveKeyWithValue("limited", true), HaveKeyWithValue("label", "25 posts per 24 hours"), HaveKeyWithValue("resets_at", MatchRegexp(moment))))
		Expect(a.issues("data.verdicts.0.issues")).To(ConsistOf("platform_rate_limited", "conflict (warning)"))
		Expect(a.at("data.verdicts.1.rate_limit")).To(And(HaveKeyWithValue("used", 0.0), HaveKeyWithValue("limited", true)))
		Expect(a.issues("data.verdicts.1.issues")).To(Equal([]string{"platform_rate_limited"}))
		later := validate(object{"short_id": short, "social_data_ids": []int64{told, refused}, "scheduled_at": ahead(25 * time.Hour)})
		Expect(later.at("data.ok")).To(BeTrue(), "there is room by then")
	})

	It("reports a platform that is not configured", func() {
		bare, err := tiktok.New(tiktok.Config{})
		Expect(err).NotTo(HaveOccurred())
		f = newFront(frontOptions{change: func(c *apiserver.Config) {
			plenty(c)
			c.Platforms = map[v1beta1.Platform]publish.Platform{"tiktok": bare}
		}})
		a := validate(object{"short_id": t.laidOut(), "social_data_ids": []int64{t.social("tiktok")}})
		Expect(a.issues("data.verdicts.0.issues")).To(Equal([]string{"platform_not_configured"}))
		Expect(a.at("data.verdicts.0.issues.0.details")).To(And(HaveKeyWithValue("platform", "tiktok"), HaveKeyWithValue("missing", ContainElement("client_id"))))
		Expect(a.at("data.platform_rules.tiktok.configured")).To(BeFalse())
	})
})
