// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit"
)

// TestController_InAManager runs a real manager with its cache. Twenty accounts that are connected at once are
// refreshed once each, with a bounded number of concurrent refreshes per platform. The watches trigger the
// controller.
func TestController_InAManager(t *testing.T) {
	w := newWorld(t)
	want := NewWithT(t)
	want.SetDefaultEventuallyTimeout(time.Minute)
	want.SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	var once sync.Once
	var now, most atomic.Int32
	together := make(chan struct{}) // closed at the maximum number of concurrent refreshes
	w.source.on = func(call string, _ publish.Account) error {
		if call == "totals" {
			n := now.Add(1)
			if most.Store(max(most.Load(), n)); n == maxConcurrent {
				once.Do(func() { close(together) })
			}
		} else {
			<-together
			now.Add(-1)
		}
		return nil
	}
	mgr, err := ctrl.NewManager(cluster.Config, ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{w.key.Namespace: {}}}, // not of other tests
		Client:     client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	want.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(t.Context())
	want.Expect(mgr.GetFieldIndexer().IndexField(ctx, &v1beta1.Post{}, IndexPosts, PostsIndex)).To(Succeed())
	r := New(Config{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: events.NewFakeRecorder(10_000), Store: w.store, Accounts: w.tokens,
		Sources: map[v1beta1.Platform]analytics.Source{"tiktok": w.source}, Cooldown: time.Second,
	})
	want.Expect(r.SetupWithManager(mgr)).To(Succeed())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() { cancel(); want.Eventually(done).Should(Receive(Not(HaveOccurred()))) })

	var keys []client.ObjectKey
	for i := range 20 {
		a := account(w.key.Namespace, fmt.Sprint("account-", i), "tiktok")
		w.create(a)
		keys = append(keys, client.ObjectKeyFromObject(a))
		before := a.DeepCopy()
		a.Status.TokenStatus = v1beta1.TokenActive
		want.Expect(cluster.Client.Status().Patch(ctx, a, client.MergeFrom(before))).To(Succeed())
	}
	read := func(g Gomega, key client.ObjectKey) *v1beta1.AccountAnalytics {
		a := &v1beta1.AccountAnalytics{}
		g.Expect(cluster.Client.Get(ctx, key, a)).To(Succeed())
		g.Expect(a.Status.RefreshedAt).NotTo(BeNil())
		g.Expect(a.Status.Refreshing).To(BeFalse())
		return a
	}
	for _, key := range append(keys, w.key) {
		want.Eventually(func(g Gomega) { read(g, key) }).Should(Succeed())
	}
	want.Expect(w.source.count()).To(Equal(2*21), "want two calls for each account")
	want.Expect(most.Load()).To(BeNumerically("<=", maxConcurrent))

	t.Log("a request")
	w.source.mu.Lock()
	w.source.followers = 77
	w.source.mu.Unlock()
	a := read(want, keys[3])
	first := a.Status.RefreshStartedAt.DeepCopy()
	before := a.DeepCopy()
	a.Spec.RefreshRequestedAt = &metav1.Time{Time: time.Now()}
	want.Expect(cluster.Client.Patch(ctx, a, client.MergeFrom(before))).To(Succeed())
	want.Eventually(func(g Gomega) {
		a := read(g, keys[3])
		g.Expect(a.Status.Followers).To(HaveValue(BeEquivalentTo(77)))
		g.Expect(a.Status.AnsweredRequestAt).NotTo(BeNil())
		g.Expect(a.Status.RefreshStartedAt.After(first.Time)).To(BeTrue())
	}).Should(Succeed())

	t.Log("a published post, a revoked permission, a deleted object")
	next := read(want, w.key).Status.NextRefreshAt.Time
	w.clock.SetTime(time.Now().Add(2 * time.Second))
	p := w.published("b")
	want.Eventually(func(g Gomega) {
		g.Expect(read(g, w.key).Status.NextRefreshAt.Time).To(BeTemporally("<", next.Add(-4*time.Hour)))
	}).Should(Succeed())
	want.Expect(p.Spec.Account).To(Equal(w.key.Name))
	w.token(v1beta1.TokenRevoked)
	want.Eventually(func(g Gomega) { g.Expect(read(g, w.key).Status.NextRefreshAt).To(BeNil()) }).Should(Succeed())
	want.Expect(cluster.Client.Delete(ctx, read(want, keys[5]))).To(Succeed()) // recreated, because its account exists
	want.Eventually(func(g Gomega) {
		g.Expect(read(g, keys[5]).CreationTimestamp).NotTo(BeZero())
		g.Expect(w.keys()).To(HaveLen(21))
	}).Should(Succeed())

	reg := prometheus.NewRegistry()
	want.Expect(r.metrics.register(reg)).To(Succeed())
	want.Eventually(func(g Gomega) {
		all, err := reg.Gather()
		g.Expect(err).NotTo(HaveOccurred())
		var families []string
		for _, f := range all {
			families = append(families, f.GetName())
			if f.GetName() == "reelops_analytics_posts" {
				g.Expect(f.GetMetric()[0].GetGauge().GetValue()).To(BeEquivalentTo(42))
			}
		}
		g.Expect(families).To(ConsistOf("reelops_analytics_refreshes_total", "reelops_analytics_refresh_seconds", "reelops_analytics_posts", "reelops_analytics_oldest_seconds"))
	}).Should(Succeed())
}
