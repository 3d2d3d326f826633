// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/controllers/accountanalytics"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/testkit"
)

// measure starts the analytics controller for the tenant of a connecting front end, with the manager's permissions.
func (c *connecting) measure(calls platforms.Set, now clock.PassiveClock) {
	GinkgoHelper()
	mgr, err := ctrl.NewManager(under("manager"), ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"},
		Client:     client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{c.t.namespace: {}}},
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(mgr.GetFieldIndexer().IndexField(ctx, &v1beta1.Post{}, accountanalytics.IndexPosts, accountanalytics.PostsIndex)).To(Succeed())
	Expect(accountanalytics.New(accountanalytics.Config{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: now, Events: mgr.GetEventRecorder("accountanalytics"), Store: store,
		Sources: calls.Sources(), Accounts: c.keeper,
	}).SetupWithManager(mgr)).To(Succeed())
	runUntilTheEnd(mgr)
}

func runUntilTheEnd(mgr ctrl.Manager) {
	GinkgoHelper()
	done := make(chan error, 1)
	managing, stop := context.WithCancel(ctx)
	go func() { done <- mgr.Start(managing) }()
	DeferCleanup(func() { stop(); Eventually(done).Should(Receive(Not(HaveOccurred()))) })
}

var _ = Describe("Analytics of a connected account", func() {
	It("are read after a refresh, again after the cooldown, and include posts published elsewhere", func() {
		box, base := openSandbox()
		calls := staged(true)(base)
		c := connectingTo(staged(false)(base), calls)
		now := clocktesting.NewFakePassiveClock(time.Now())
		c.measure(calls, now)
		key := c.t.key(v1beta1.ScopeAnalyticsRead)
		f := newFront(frontOptions{change: func(cfg *apiserver.Config) {
			cfg.Clock = now
			cfg.Limits = limit.New(limit.Ceilings{limit.Global: {Limit: 1e6, Window: time.Hour}}, cfg.Clock)
		}})
		elsewhere := func(title string, ago time.Duration) {
			GinkgoHelper()
			_, err := box.PostElsewhere(sandbox.Elsewhere{Platform: "tiktok", Account: "maya", Title: title, Caption: title, At: time.Now().Add(-ago)})
			Expect(err).NotTo(HaveOccurred())
		}
		elsewhere("Soup", 26*time.Hour)
		elsewhere("Bread", 2*time.Hour)
		Expect(approve(c.link("tiktok"), "approve=maya").visibleText()).To(ContainSubstring("is connected"))
		id := c.connections(1).id("data.accounts.0.social_data_id")
		read := func() *answer {
			GinkgoHelper()
			return get("/analytics/accounts/%d", id).with(key).at(f).succeeds(200)
		}
		Expect(read().at("data.account")).To(And(HaveKeyWithValue("last_refreshed_at", BeNil()), HaveKeyWithValue("refresh_available_at", BeNil())),
			"no refresh was requested yet")
		ask := func() *request { return post("/analytics/accounts/%d/refresh", id, nothing).with(key).at(f) }
		ask().succeeds(202)
		var first *answer
		Eventually(func() any { first = read(); return first.at("data.account.last_refreshed_at") }).WithPolling(often).ShouldNot(BeNil())
		Expect(first.at("data.posts")).To(HaveLen(2))
		Expect(first.at("data.posts.0")).To(And(HaveKeyWithValue("caption", ContainSubstring("Bread")), HaveKeyWithValue("published_by_service", false), HaveKeyWithValue("post_id", BeNil()),
			HaveKeyWithValue("view_count", Not(BeNil())), HaveKeyWithValue("favorite_count", BeNil()), HaveKeyWithValue("metrics_updated_at", Not(BeNil()))))
		Expect(first.at("data.account")).To(And(HaveKeyWithValue("follower_count", Not(BeNil())), HaveKeyWithValue("refreshing", false), HaveKeyWithValue("refresh_error", BeNil())))
		Expect(first.at("data.history")).To(HaveLen(1))
		ask().limited("analytics_refresh", 1, 900)

		elsewhere("Salt", time.Minute)
		var all v1beta1.AccountAnalyticsList
		Expect(access.Plain.List(ctx, &all, client.InNamespace(c.t.namespace))).To(Succeed())
		Expect(all.Items).To(HaveLen(1))
		before := all.Items[0].Status.DocumentKey
		now.SetTime(now.Now().Add(15*time.Minute - 2*time.Second))
		ask().limited("analytics_refresh", 1, 900)
		now.SetTime(now.Now().Add(2 * time.Second))
		ask().succeeds(202)
		var again *answer
		Eventually(func(g Gomega) {
			again = read()
			g.Expect(again.at("data.account.refreshing")).To(BeFalse())
			g.Expect(again.at("data.posts")).To(HaveLen(3))
		}).WithPolling(often).Should(Succeed())
		Expect(again.at("data.posts.0.caption")).To(ContainSubstring("Salt"))
		Expect(again.meta()).NotTo(HaveKey("warnings"))
		ask().limited("analytics_refresh", 1, 900)
		Eventually(func() (bool, error) { return store.Exists(ctx, before) }).WithPolling(often).Should(BeFalse(), "the previous document is removed")
	})
})
