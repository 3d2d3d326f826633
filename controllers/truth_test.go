// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/testkit"
)

// The suite watches every version of every object that its specs create (see testkit.Truth): no status may have an
// observedGeneration that its conditions do not reflect. These specs change every kind whose spec can be changed.

// observed returns the observedGeneration of an object's status and of its condition Ready; -1 if missing.
func observed(o client.Object) (claimed, ready int64) {
	GinkgoHelper()
	doc, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	Expect(err).NotTo(HaveOccurred())
	claimed, _, _ = unstructured.NestedInt64(doc, "status", "observedGeneration")
	conditions, _, _ := unstructured.NestedSlice(doc, "status", "conditions")
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == string(v1beta1.ConditionReady) {
			of, _, _ := unstructured.NestedInt64(c, "observedGeneration")
			return claimed, of
		}
	}
	return claimed, -1
}

// observes waits until the status of an object has observed its generation.
func observes(o client.Object) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		claimed, ready := observed(o)
		g.Expect([]int64{claimed, ready}).To(Equal([]int64{o.GetGeneration(), o.GetGeneration()}))
	}).Should(Succeed())
}

// changes changes the spec of an object, with retries on conflicts, and waits until the change is observed.
func changes[T client.Object](o T, change func(T)) {
	GinkgoHelper()
	before := o.GetGeneration()
	Eventually(func() error {
		if err := k8s.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		change(o)
		return k8s.Update(ctx, o)
	}).Should(Succeed())
	Expect(o.GetGeneration()).To(BeNumerically(">", before), "want a change of the spec")
	observes(o)
}

var _ = Describe("observedGeneration", func() {
	var ns string
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: ns, Name: name} }
	create := func(o client.Object) {
		GinkgoHelper()
		Expect(k8s.Create(ctx, o)).To(Succeed())
		observes(o)
	}
	BeforeEach(func() { ns = tenant(nil) })
	acme := v1beta1.LocalRef{Name: "acme"}

	It("of an account, a brand and a key matches their conditions", func() {
		changes(&v1beta1.Account{ObjectMeta: meta("account")}, func(a *v1beta1.Account) { a.Spec.Plan.SlideshowLimit = ptr.To[int32](0) })
		changes(&v1beta1.Brand{ObjectMeta: meta("acme")}, func(b *v1beta1.Brand) { b.Spec.Timezone = "Europe/Nowhere" })
		k := &v1beta1.APIKey{ObjectMeta: meta("key"), Spec: v1beta1.APIKeySpec{BrandRef: acme, DisplayName: "Key", SecretSHA256: strings.Repeat("0", 64)}}
		create(k)
		changes(k, func(k *v1beta1.APIKey) { k.Spec.Revoked = true })
	})

	It("of a key whose brand was deleted reports not ready, until the brand exists again", func() {
		k := &v1beta1.APIKey{ObjectMeta: meta("key"), Spec: v1beta1.APIKeySpec{BrandRef: acme, DisplayName: "Key", SecretSHA256: strings.Repeat("1", 64)}}
		create(k)
		is := func(status metav1.ConditionStatus, reason v1beta1.Reason) {
			GinkgoHelper()
			Eventually(func(g Gomega) {
				g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(k), k)).To(Succeed())
				g.Expect(ready(k.Status.Conditions)).To(HaveValue(And(HaveField("Status", status), HaveField("Reason", string(reason)))))
			}).Should(Succeed())
		}
		is(metav1.ConditionTrue, v1beta1.ReasonReady)
		Expect(k8s.Delete(ctx, testkit.Brand(ns, "acme"))).To(Succeed())
		is(metav1.ConditionFalse, v1beta1.ReasonBrandNotFound)
		Expect(k8s.Create(ctx, testkit.Brand(ns, "acme"))).To(Succeed())
		is(metav1.ConditionTrue, v1beta1.ReasonReady)
	})

	It("of media matches their conditions", func() {
		source := v1beta1.MediaSource{URL: ptr.To("http://localhost:1/nothing")}
		p := &v1beta1.MediaPack{ObjectMeta: meta("pack")}
		create(p)
		changes(p, func(p *v1beta1.MediaPack) { p.Spec.DisplayName = "Desks" })
		m := &v1beta1.MediaAsset{ObjectMeta: meta("picture"), Spec: v1beta1.MediaAssetSpec{Source: source}}
		create(m)
		changes(m, func(m *v1beta1.MediaAsset) { m.Spec.Title = "A desk" })
		t := &v1beta1.MusicTrack{ObjectMeta: meta("track"), Spec: v1beta1.MusicTrackSpec{Title: "Rain", Source: source}}
		create(t)
		changes(t, func(t *v1beta1.MusicTrack) { t.Spec.Title = "More rain" })
	})

	It("of a slideshow, its render and a video matches their conditions", func() {
		s := testkit.HandWritten(ns, "tidy", "acme", "One", "Two", "Three")
		s.Spec.AutoRender = true
		create(s)
		for i := range 3 {
			changes(s, func(s *v1beta1.Slideshow) { s.Spec.Slides[i].Heading = fmt.Sprintf("Changed %d", i) })
		}
		awaitWork(s)
		changes(s, func(s *v1beta1.Slideshow) { s.Spec.Title = ptr.To("Tidy") })
		v := &v1beta1.Video{ObjectMeta: meta("video"), Spec: v1beta1.VideoSpec{
			BrandRef: acme, Avatar: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "ava"}}, HookText: ptr.To("A desk that stays tidy"), Suspend: true,
		}}
		create(v)
		changes(v, func(v *v1beta1.Video) { v.Spec.Suspend = false })
	})

	It("of a batch, its posts, its account and its analytics matches their conditions", func() {
		a := &v1beta1.SocialAccount{ObjectMeta: meta("tik"), Spec: v1beta1.SocialAccountSpec{
			BrandRef: acme, Platform: catalog.TikTok, PlatformAccountID: "tik", TokenSecretRef: v1beta1.LocalRef{Name: "tik"},
		}}
		create(a)
		changes(a, func(a *v1beta1.SocialAccount) { a.Spec.TokenSecretRef.Name = "tok" })
		n := &v1beta1.AccountAnalytics{ObjectMeta: meta("tik"), Spec: v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: "tik"}}}
		create(n)
		at := metav1.Now()
		changes(n, func(n *v1beta1.AccountAnalytics) { n.Spec.RefreshRequestedAt = &at })

		b := &v1beta1.PostBatch{ObjectMeta: meta("promo"), Spec: v1beta1.PostBatchSpec{
			BrandRef: acme, ShortRef: v1beta1.ShortRef{Name: "tidy"}, Platforms: []v1beta1.Platform{catalog.TikTok},
			ScheduledAt: &metav1.Time{Time: time.Now().Add(time.Hour)},
		}}
		create(b)
		changes(b, func(b *v1beta1.PostBatch) { b.Spec.Suspend = true })

		p := &v1beta1.Post{ObjectMeta: meta("post"), Spec: v1beta1.PostSpec{
			BrandRef: acme, Batch: "promo", Account: "tik", Platform: catalog.TikTok, ShortID: 1, PostingMode: catalog.PostDirect,
			ScheduledAt: metav1.NewMicroTime(b.Spec.ScheduledAt.Time), Media: v1beta1.PostMedia{Kind: catalog.MediaVideo, VideoKey: "tidy.mp4"},
		}}
		create(p)
		changes(p, func(p *v1beta1.Post) { p.Spec.Hold = true })
		Expect(p.Status.State).To(Equal(v1beta1.PostHeld))
		changes(p, func(p *v1beta1.Post) { p.Spec.Hold = false })
		Expect(p.Status.State).To(Equal(v1beta1.PostScheduled))
		changes(p, func(p *v1beta1.Post) { p.Spec.Cancel = true })
		Expect(p.Status.State).To(Equal(v1beta1.PostCancelled))
		changes(p, func(p *v1beta1.Post) { p.Spec.Hold = true }) // has no effect any more
	})
})

var _ = AfterSuite(func() {
	found, seen := truth.Found()
	Expect(found).To(BeEmpty())
	Expect(seen).To(BeNumerically(">", 0), "the watch received no events")
})
