// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"net/url"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

var _ = Describe("The list of connections", func() {
	var t *tenant
	var key string
	BeforeEach(func() { t = newTenant(); key = t.key(v1beta1.ScopeBrandRead) })
	list := func() *answer { GinkgoHelper(); return get("/connections").with(key).succeeds(200) }

	It("has every platform without an account, with the steps to connect one", func() {
		a := list()
		Expect(a.data()).To(HaveKeyWithValue("accounts", BeEmpty()))
		Expect(a.at("data.supported_platforms")).To(Equal([]any{"tiktok", "youtube", "instagram", "linkedin"}))
		names := []any{"TikTok", "YouTube", "Instagram", "LinkedIn"}
		none := a.at("data.not_connected").([]any)
		Expect(none).To(HaveLen(4))
		for i, one := range none {
			one := one.(object)
			Expect(one).To(And(HaveKeyWithValue("platform", catalog.Platforms()[i]), HaveKeyWithValue("name", names[i]), HaveKeyWithValue("configured", false)))
			Expect(one["steps"]).To(ContainElement(ContainSubstring("/connections/link")))
			Expect(one["steps"]).To(ContainElement(ContainSubstring("browser")))
		}
	})

	It("shows an account with all its fields", func() {
		at := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
		id := t.social("tiktok", func(s *v1beta1.SocialAccountStatus) {
			s.AccountName, s.Username, s.ProfileURL, s.AvatarURL, s.AccountType = "Maya", "maya", "https://www.tiktok.com/@maya", "https://p16.tiktok.example/a.jpg", "personal"
			s.ConnectedAt, s.LastPublishedAt, s.TokenExpiresAt = &at, &at, &metav1.Time{Time: at.Add(1000 * time.Hour)}
		})
		a := list()
		limit := a.at("data.accounts.0.rate_limit")
		Expect(a.at("data.accounts.0")).To(Equal(object{
			"social_data_id": float64(id), "platform": "tiktok", "account_name": "Maya", "username": "maya", "profile_url": "https://www.tiktok.com/@maya",
			"avatar_url": "https://p16.tiktok.example/a.jpg", "account_type": "personal", "token_status": "active",
			"token_expires_at": at.Add(1000 * time.Hour).UTC().Format(time.RFC3339), "rate_limit": limit, "posting_modes": []any{"draft", "direct"},
			"ready_to_post": true, "issues": []any{}, "connected_at": at.UTC().Format(time.RFC3339), "last_published_at": at.UTC().Format(time.RFC3339),
			"creator": nil, "missing_scopes": []any{},
		}))
		Expect(limit).To(And(HaveKeyWithValue("used", 0.0), HaveKeyWithValue("max", 15.0), HaveKeyWithValue("remaining", 15.0),
			HaveKeyWithValue("limited", false), HaveKeyWithValue("label", "15 posts per 24 hours")))
		Expect(a.at("data.not_connected")).To(HaveLen(3))
	})

	It("shows the options of an account on its platform, and the scopes that were not granted", func() {
		at := metav1.NewTime(time.Now().Add(-time.Minute).Truncate(time.Second))
		t.social("tiktok", func(s *v1beta1.SocialAccountStatus) {
			s.Creator = &v1beta1.Creator{
				Nickname: "Maya", AvatarURL: "https://p16.tiktok.example/a.jpg", PrivacyLevels: []string{"FOLLOWER_OF_CREATOR", "SELF_ONLY"},
				DuetDisabled: true, MaxVideoSeconds: 300, ObservedAt: at,
			}
			s.MissingScopes, s.MissingCommentScopes = []string{"video.publish"}, []string{"comments", "video.publish"}
		})
		a := list()
		Expect(a.at("data.accounts.0.creator")).To(Equal(object{
			"nickname": "Maya", "avatar_url": "https://p16.tiktok.example/a.jpg", "privacy_levels": []any{"FOLLOWER_OF_CREATOR", "SELF_ONLY"},
			"disabled_interactions": []any{"duet"}, "max_video_seconds": 300.0, "observed_at": at.UTC().Format(time.RFC3339),
		}))
		Expect(a.at("data.accounts.0.missing_scopes")).To(Equal([]any{"comments", "video.publish"}))
	})

	It("has nulls for values that are not known", func() {
		t.social("linkedin", func(s *v1beta1.SocialAccountStatus) { s.AccountName = "" })
		one := list().at("data.accounts.0").(object)
		for _, member := range []string{"account_name", "username", "profile_url", "avatar_url", "account_type", "token_expires_at", "connected_at", "last_published_at"} {
			Expect(one).To(HaveKeyWithValue(member, BeNil()))
		}
	})

	DescribeTable("shows by its token whether an account is ready",
		func(status v1beta1.TokenStatus, ready bool) {
			t.social("youtube", func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = status })
			a := list()
			Expect(a.at("data.accounts.0.token_status")).To(Equal(string(status)))
			Expect(a.at("data.accounts.0.ready_to_post")).To(Equal(ready))
			if ready {
				Expect(a.at("data.accounts.0.issues")).To(BeEmpty())
				return
			}
			Expect(a.at("data.accounts.0.issues.0.code")).To(Equal("token_expired"))
			Expect(a.at("data.accounts.0.issues.0.details.token_status")).To(Equal(string(status)))
			Expect(a.at("data.accounts.0.issues.0.retryable")).To(BeFalse())
		},
		Entry("active", v1beta1.TokenActive, true), Entry("expiring soon", v1beta1.TokenExpiringSoon, true), Entry("expired", v1beta1.TokenExpired, false),
		Entry("revoked", v1beta1.TokenRevoked, false), Entry("missing scopes", v1beta1.TokenInsufficientScope, false),
	)

	It("shows from the platform's limit and its refusals that posting is not possible now", func() {
		until := time.Now().Add(2 * time.Hour).Truncate(time.Second)
		t.social("instagram", func(s *v1beta1.SocialAccountStatus) {
			s.Headroom = &v1beta1.Headroom{Used: 100, Max: 100, WindowSeconds: 86400, ObservedAt: metav1.NewTime(time.Now().Add(-time.Minute))}
		})
		t.social("tiktok", func(s *v1beta1.SocialAccountStatus) { s.LimitedUntil = &metav1.Time{Time: until} })
		a := list()
		Expect(a.at("data.accounts.0.rate_limit")).To(And(HaveKeyWithValue("used", 100.0), HaveKeyWithValue("max", 100.0), HaveKeyWithValue("remaining", 0.0), HaveKeyWithValue("limited", true)))
		Expect(a.at("data.accounts.1.rate_limit")).To(And(HaveKeyWithValue("limited", true), HaveKeyWithValue("resets_at", until.UTC().Format(time.RFC3339))))
		for _, i := range []string{"0", "1"} {
			Expect(a.at("data.accounts." + i + ".ready_to_post")).To(BeFalse())
			Expect(a.at("data.accounts." + i + ".issues.0.code")).To(Equal("platform_rate_limited"))
			Expect(a.at("data.accounts." + i + ".issues.0.retryable")).To(BeTrue())
		}
	})

	It("counts posts made through the service, as the validation does", func() {
		key, f := t.everything(), generous()
		account := t.social("tiktok")
		short := t.withTexts("One", "Two.", "")
		post("/posts", object{"short_id": short, "social_data_ids": []int64{account}}).with(key).at(f).succeeds(202)
		a := get("/connections").with(key).at(f).succeeds(200)
		Expect(a.at("data.accounts.0.rate_limit.used")).To(Equal(1.0))
		v := post("/posts/validate", object{"short_id": short, "social_data_ids": []int64{account}}).with(key).at(f).succeeds(200)
		Expect(v.at("data.verdicts.0.rate_limit")).To(Equal(a.at("data.accounts.0.rate_limit")))
	})

	It("matches the counts of the brand, and the capabilities list the configured platforms", func() {
		t.social("linkedin")
		t.social("tiktok")
		t.social("tiktok")
		_, base := openSandbox()
		f := newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.Platforms = staged(false)(base) }})
		a := get("/brand").with(key).at(f).succeeds(200)
		Expect(a.at("data.connected_platforms")).To(Equal([]any{"tiktok", "linkedin"}))
		Expect(a.at("data.stats.connected_social_accounts")).To(Equal(3.0))
		for _, platform := range catalog.Platforms() {
			at := "data.platform_rules." + platform + ".configured"
			Expect(get("/capabilities").with(key).at(f).succeeds(200).at(at)).To(BeTrue())
			Expect(get("/capabilities").with(key).succeeds(200).at(at)).To(BeFalse())
			Expect(get("/connections").with(key).at(f).succeeds(200).at("data.not_connected.0.configured")).To(BeTrue())
		}
	})

	It("is of the key's brand, or of another named brand", func() {
		other, otherID := t.brand("other")
		mine, theirs := t.social("tiktok"), t.socialOf(other.Name, "tiktok")
		newTenant().social("tiktok")
		Expect(list().at("data.accounts")).To(HaveLen(1))
		Expect(list().id("data.accounts.0.social_data_id")).To(Equal(mine))
		a := get("/connections?brand_id=%d", otherID).with(t.everything()).succeeds(200)
		Expect(a.id("data.accounts.0.social_data_id")).To(Equal(theirs))
		get("/connections?brand_id=%d", otherID).with(key).refused(403, catalog.MissingScope)
	})

	It("shows not ready for a platform that is not configured", func() {
		none := map[v1beta1.Platform]publish.Platform{"tiktok": &socialscript.Platform{NotSetUp: []string{"client_id"}}}
		f := newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.Platforms = none }})
		t.social("tiktok")
		a := get("/connections").with(key).at(f).succeeds(200)
		Expect(a.at("data.accounts.0.ready_to_post")).To(BeFalse())
		Expect(a.at("data.accounts.0.issues.0.code")).To(Equal("platform_not_configured"))
	})
})

var _ = Describe("A connect link", func() {
	It("requires a platform, and rejects an unknown one", func() {
		key := newTenant().key(v1beta1.ScopeBrandRead)
		for _, body := range []any{object{}, object{"platform": nil}, object{"other": "tiktok"}} {
			Expect(post("/connections/link", body).with(key).refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "platform"))
		}
		for _, name := range []string{"facebook", "", strings.Repeat("x", 5000)} {
			d := post("/connections/link", object{"platform": name}).with(key).refused(422, catalog.UnsupportedPlatform).details()
			Expect(d["supported_platforms"]).To(Equal([]any{"tiktok", "youtube", "instagram", "linkedin"}))
			Expect(name).To(HavePrefix(strings.TrimSuffix(d["platform"].(string), "…")))
		}
		post("/connections/link", object{"platform": 7}).with(key).refused(422, catalog.ValidationFailed).about("platform")
	})

	It("is 503 without Retry-After if the server has no client id or no public address", func() {
		key := newTenant().key(v1beta1.ScopeBrandRead)
		a := post("/connections/link", object{"platform": "tiktok"}).with(key).refused(503, catalog.PlatformNotConfigured)
		Expect(a.details()).To(Equal(object{"platform": "tiktok", "missing": []any{"client_id"}}))
		Expect(a.header).NotTo(HaveKey("Retry-After"))
		far := (&platforms.Settings{}).ReachedAt(platforms.Set{"tiktok": &socialscript.Platform{}}, "http://reelops.example")
		f := newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.Platforms = far }})
		a = post("/connections/link", object{"platform": "tiktok"}).with(key).at(f).refused(503, catalog.PlatformNotConfigured)
		Expect(a.details()["missing"]).To(Equal([]any{"redirect_uri"}))
	})

	It("has the URL, the instructions and the expiry", func() {
		_, base := openSandbox()
		c := connectingTo(staged(false)(base), staged(true)(base))
		for _, platform := range catalog.Platforms() {
			a := c.link(platform)
			u, err := url.Parse(a.at("data.authorize_url").(string))
			Expect(err).NotTo(HaveOccurred())
			Expect(u.Path).To(HavePrefix("/" + platform + "/"))
			Expect(u.Query().Get("redirect_uri")).To(Equal(c.url + "/oauth/" + platform + "/callback"))
			Expect(a.at("data.platform")).To(Equal(platform))
			Expect(a.at("data.expires_in_seconds")).To(Equal(600.0))
			expires, err := time.Parse(time.RFC3339, a.at("data.expires_at").(string))
			Expect(err).NotTo(HaveOccurred())
			Expect(expires).To(BeTemporally("~", c.now.Now().Add(10*time.Minute), time.Second))
			Expect(len(a.at("data.steps").([]any))).To(BeNumerically(">", 2))
			Expect(query(a, "state")).NotTo(Equal(query(c.link(platform), "state")), "each link is unique")
			if platform == catalog.TikTok || platform == catalog.YouTube {
				Expect(query(a, "code_challenge_method")).To(Equal("S256"))
			}
		}
		Expect(get("/connections").with(c.key).at(c.front).succeeds(200).at("data.accounts")).To(BeEmpty(),
			"no object is created before the approval")
	})
})
