// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

var _ = Describe("A refresh of account analytics", func() {
	var t *tenant
	var key string
	BeforeEach(func() { t = newTenant(); key = t.key(v1beta1.ScopeAnalyticsRead) })
	refresh := func(k *known) *request { return post("/analytics/accounts/%d/refresh", k.id, nothing).with(key) }
	account := func(k *known) object {
		GinkgoHelper()
		return get("/analytics/accounts/%d", k.id).with(key).succeeds(200).at("data.account").(object)
	}
	// other starts a second front end process with its own cache.
	other := func() *front {
		GinkgoHelper()
		return newFront(frontOptions{change: func(c *apiserver.Config) {
			plenty(c)
			replica(c)
			c.Limits = limit.New(limit.Default(), c.Clock)
		}})
	}

	It("is accepted, and the answer says when to read the account again", func() {
		k := t.numbers("tiktok")
		a := refresh(k).succeeds(202)
		Expect(a.data()).To(Equal(object{
			"social_data_id": float64(k.id), "status": "refreshing", "poll_after_seconds": 30.0, "message": "The refresh has started. Read the account again after poll_after_seconds.",
		}))
		Expect(a.header.Get("Retry-After")).To(Equal("30"))
		a.hasRateLimit(300, 299, 300)
		Expect(account(k)).To(And(HaveKeyWithValue("refreshing", true), HaveKeyWithValue("last_refreshed_at", BeNil()), HaveKeyWithValue("refresh_available_at", Not(BeNil()))))
	})

	It("is recorded on the analytics object of the account, which the API creates if it is missing", func() {
		k := t.numbers("tiktok")
		before := time.Now().Truncate(time.Second)
		refresh(k).succeeds(202)
		n := k.object()
		Expect(n.Spec.AccountRef.Name).To(Equal(k.name))
		Expect(n.Spec.RefreshRequestedAt.Time).To(And(BeTemporally(">=", before), BeTemporally("<=", time.Now())))
		Expect(n.Labels).To(HaveKeyWithValue(v1beta1.LabelBrand, "acme"))
		Expect(n.Finalizers).To(ConsistOf(v1beta1.FinalizerAccountAnalytics))
		s := &v1beta1.SocialAccount{}
		Expect(access.Plain.Get(ctx, k.key(), s)).To(Succeed())
		Expect(n.OwnerReferences).To(ConsistOf(metav1.OwnerReference{APIVersion: "reelops.dev/v1beta1", Kind: "SocialAccount", Name: k.name, UID: s.UID}))

		there := t.numbers("youtube")
		there.read(time.Now().Add(-time.Hour), &analytics.Document{})
		uid := there.object().UID
		refresh(there).succeeds(202)
		Expect(there.object().UID).To(Equal(uid))
		Expect(there.object().Spec.RefreshRequestedAt).NotTo(BeNil())
	})

	It("is shown once it is done, after poll_after_seconds", func() {
		k := t.numbers("tiktok")
		refresh(k).succeeds(202)
		at := time.Now().Truncate(time.Second)
		k.read(at, &analytics.Document{Rows: []analytics.Row{newRow("a", time.Hour, 3)}})
		a := get("/analytics/accounts/%d", k.id).with(key).succeeds(200)
		Expect(a.at("data.account")).To(And(HaveKeyWithValue("refreshing", false), HaveKeyWithValue("last_refreshed_at", at.UTC().Format(time.RFC3339))))
		Expect(rows(a)).To(Equal("a"))
	})

	It("is rejected within 15 minutes of another by any caller, in the bucket analytics_refresh", func() {
		k, second := t.numbers("tiktok"), t.numbers("tiktok")
		refresh(k).succeeds(202)
		a := refresh(k).limited("analytics_refresh", 1, 900)
		Expect(a.details()["retry_after_seconds"]).To(BeNumerically(">", 890))
		Expect(a.at("errors.0.message")).To(ContainSubstring("a refresh is running"))
		post("/analytics/accounts/%d/refresh", k.id, nothing).with(t.everything()).limited("analytics_refresh", 1, 900)
		refresh(second).succeeds(202) // another account has its own cooldown
	})

	It("starts the cooldown also when it was automatic, and while it runs", func() {
		k := t.numbers("tiktok")
		began := time.Now().Add(-5 * time.Minute)
		k.read(began, &analytics.Document{})
		Expect(refresh(k).limited("analytics_refresh", 1, 900).details()["retry_after_seconds"]).To(BeNumerically("~", 600, 10))
		Expect(account(k)["refresh_available_at"]).To(Equal(began.Truncate(time.Second).Add(15 * time.Minute).UTC().Format(time.RFC3339)))
		Expect(account(k)["refreshing"]).To(BeFalse())

		running := t.numbers("tiktok")
		running.read(began, &analytics.Document{}, func(s *v1beta1.AccountAnalyticsStatus) { s.Refreshing = true })
		refresh(running).limited("analytics_refresh", 1, 900)
		Expect(account(running)["refreshing"]).To(BeTrue())
	})

	It("is possible again after 15 minutes, whatever the outcome of the previous one", func() {
		for _, failed := range []*v1beta1.WorkError{nil, {Code: "internal_error", Message: "The platform did not answer", Retryable: true}} {
			k := t.numbers("tiktok")
			k.read(time.Now().Add(-15*time.Minute), &analytics.Document{}, func(s *v1beta1.AccountAnalyticsStatus) { s.Error = failed })
			Expect(account(k)["refresh_available_at"]).To(BeNil())
			refresh(k).succeeds(202)
		}
	})

	It("can be requested again if the previous one has not run within the cooldown", func() {
		k := t.numbers("tiktok")
		refresh(k).succeeds(202)
		k.asking(&metav1.Time{Time: time.Now().Add(-15 * time.Minute)})
		refresh(k).succeeds(202)
		Expect(k.object().Spec.RefreshRequestedAt.Time).To(BeTemporally("~", time.Now(), time.Minute))
	})

	It("is possible after a refresh with a time in the future", func() {
		k := t.numbers("tiktok")
		k.read(time.Now().Add(365*day), &analytics.Document{})
		refresh(k).succeeds(202)
	})

	It("is rejected by every replica alike, also by one that started later", func() {
		k, f := t.numbers("tiktok"), other()
		refresh(k).succeeds(202)
		refresh(k).at(f).limited("analytics_refresh", 1, 900)
		refresh(k).at(newFront(frontOptions{})).limited("analytics_refresh", 1, 900)
	})

	It("is accepted once of 50 concurrent requests on two replicas, also without existing analytics", func() {
		replicas := []*front{service, other()}
		for _, before := range []func(*known){func(*known) {}, func(k *known) { k.read(time.Now().Add(-time.Hour), &analytics.Document{}) }} {
			k := t.numbers("tiktok")
			before(k)
			Eventually(func() int { return get("/analytics/accounts/%d", k.id).with(key).at(replicas[1]).send().status }).WithPolling(often).Should(Equal(200))
			var accepted, refused atomic.Int32
			var all sync.WaitGroup
			start := make(chan struct{})
			for i := range 50 {
				all.Add(1)
				go func() {
					defer GinkgoRecover()
					defer all.Done()
					<-start
					switch a := refresh(k).at(replicas[i%2]).send(); a.status {
					case 202:
						accepted.Add(1)
					case 429:
						Expect(a.details()).To(HaveKeyWithValue("bucket", "analytics_refresh"))
						refused.Add(1)
					default:
						Fail(a.raw)
					}
				}()
			}
			close(start)
			all.Wait()
			Expect(accepted.Load()).To(Equal(int32(1)))
			Expect(refused.Load()).To(Equal(int32(49)))
		}
	})

	It("has the cooldown of the configured rate limits", func() {
		f := newFront(frontOptions{change: func(c *apiserver.Config) {
			c.Limits = limit.New(limit.Ceilings{limit.AnalyticsRefresh: {Limit: 1, Window: time.Minute}}, c.Clock)
		}})
		k := t.numbers("tiktok")
		refresh(k).at(f).succeeds(202)
		refresh(k).at(f).limited("analytics_refresh", 1, 60)
		k.asking(&metav1.Time{Time: time.Now().Add(-time.Minute)})
		refresh(k).at(f).succeeds(202)
	})

	DescribeTable("is rejected if the platform no longer accepts the connection",
		func(status v1beta1.TokenStatus) {
			k := t.numbers("instagram", func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = status })
			k.read(time.Now(), &analytics.Document{}) // within the cooldown: the connection is checked first
			a := refresh(k).refused(422, catalog.TokenExpired)
			Expect(a.details()).To(Equal(object{"token_status": string(status)}))
			Expect(a.at("errors.0.retryable")).To(BeFalse())
			Expect(k.object().Spec.RefreshRequestedAt).To(BeNil())
		},
		Entry("expired token", v1beta1.TokenExpired), Entry("revoked access", v1beta1.TokenRevoked), Entry("missing scopes", v1beta1.TokenInsufficientScope),
	)

	It("is possible while the token expires soon", func() {
		refresh(t.numbers("tiktok", func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = v1beta1.TokenExpiringSoon })).succeeds(202)
	})

	It("is rejected for a platform that is not configured", func() {
		none := map[v1beta1.Platform]publish.Platform{"tiktok": &socialscript.Platform{NotSetUp: []string{"client_id"}}}
		f := newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.Platforms = none }})
		a := refresh(t.numbers("tiktok")).at(f).refused(503, catalog.PlatformNotConfigured)
		Expect(a.details()).To(Equal(object{"platform": "tiktok", "missing": []any{"client_id"}}))
		Expect(a.header).NotTo(HaveKey("Retry-After"))
	})

	It("takes no body, and counts only against the rate limit of all requests", func() {
		k := t.numbers("tiktok")
		post("/analytics/accounts/%d/refresh", k.id, object{}).with(key).loosely().succeeds(202).hasRateLimit(300, 299, 300)
		refresh(k).limited("analytics_refresh", 1, 900)
		get("/analytics").with(key).succeeds(200).hasRateLimit(300, 297, 300)
	})

	It("checks key, brand, scope, account, connection and then the cooldown", func() {
		_, brand := t.brand("other")
		expired := t.numbers("tiktok", func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = v1beta1.TokenExpired })
		expired.read(time.Now(), &analytics.Document{})
		reader, all := t.key(v1beta1.ScopeBrandRead), t.everything()
		ask := func(id, brand any) *request {
			return post("/analytics/accounts/%v/refresh?brand_id=%v", id, brand, nothing).loosely()
		}
		ask("abc", 999999999).refused(401, catalog.MissingToken)
		ask("abc", 999999999).with(reader).refused(404, catalog.NotFound)
		Expect(ask("abc", brand).with(reader).refused(403, catalog.MissingScope).details()).To(HaveKeyWithValue("required_scope", "analytics:read"))
		Expect(ask("abc", brand).with(key).refused(403, catalog.MissingScope).details()).To(HaveKeyWithValue("required_scope", "brands:all"))
		ask("abc", brand).with(all).refused(404, catalog.NotFound)
		ask(expired.id, brand).with(all).refused(404, catalog.NotFound)
		ask(expired.id, "").with(all).refused(422, catalog.TokenExpired)
		s := &v1beta1.SocialAccount{}
		Expect(access.Plain.Get(ctx, expired.key(), s)).To(Succeed())
		s.Status.TokenStatus = v1beta1.TokenActive
		Expect(access.Client.Status().Update(ctx, s)).To(Succeed())
		ask(expired.id, "").with(all).limited("analytics_refresh", 1, 900)
	})
})
