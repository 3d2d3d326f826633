// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/media/intake"
)

var _ = Describe("Media intake", func() {
	// drip serves the beginning of a file at once, and the rest slowly until the spec ends.
	drip := func(head []byte) (url string, open *atomic.Int32) {
		GinkgoHelper()
		open = &atomic.Int32{}
		release := make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			open.Add(1)
			defer open.Add(-1)
			_, _ = w.Write(head)
			for {
				_, _ = w.Write(make([]byte, 1<<10))
				w.(http.Flusher).Flush()
				select {
				case <-release:
					return
				case <-r.Context().Done():
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		}))
		DeferCleanup(s.Close)
		DeferCleanup(func() { close(release) })
		return strings.Replace(s.URL, "127.0.0.1", "localhost", 1), open
	}
	asset := func(ns, name string, source v1beta1.MediaSource) *v1beta1.MediaAsset {
		GinkgoHelper()
		m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: v1beta1.MediaAssetSpec{Source: source}}
		Expect(k8s.Create(ctx, m)).To(Succeed())
		return m
	}
	isReady := func(m *v1beta1.MediaAsset) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(m), m)).To(Succeed())
			g.Expect(ready(m.Status.Conditions)).NotTo(BeNil())
			g.Expect(ready(m.Status.Conditions).Status).To(Equal(metav1.ConditionTrue), "%+v", m.Status)
		}).Should(Succeed())
	}
	// cleanedTenant returns a namespace whose media are deleted after the spec, so that their Jobs free the slots that
	// other specs need. It is called before drip, because files that are being fetched can be deleted once their server
	// has stopped.
	cleanedTenant := func() string {
		GinkgoHelper()
		ns := tenant(nil)
		DeferCleanup(func() {
			Expect(k8s.DeleteAllOf(ctx, &v1beta1.MediaAsset{}, client.InNamespace(ns))).To(Succeed())
			Expect(k8s.DeleteAllOf(ctx, &v1beta1.MusicTrack{}, client.InNamespace(ns))).To(Succeed())
			Eventually(func(g Gomega) {
				var assets v1beta1.MediaAssetList
				var tracks v1beta1.MusicTrackList
				g.Expect(k8s.List(ctx, &assets, client.InNamespace(ns))).To(Succeed())
				g.Expect(k8s.List(ctx, &tracks, client.InNamespace(ns))).To(Succeed())
				g.Expect(len(assets.Items) + len(tracks.Items)).To(BeZero())
			}).Should(Succeed())
		})
		return ns
	}
	small := func() []byte {
		var b bytes.Buffer
		Expect(png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 40, 40)))).To(Succeed())
		return b.Bytes()
	}
	mp4 := []byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2")

	It("ingests an image while another account's slow URLs are fetched", func() {
		greedy, other := cleanedTenant(), tenant(nil)
		slow, open := drip(mp4)
		image := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(small()) }))
		DeferCleanup(image.Close)
		var slows []*v1beta1.MediaAsset
		for i := range 2 * intake.Workers {
			slows = append(slows, asset(greedy, fmt.Sprintf("slow-%d", i), v1beta1.MediaSource{URL: ptr.To(fmt.Sprintf("%s/%d", slow, i))}))
		}
		Eventually(open.Load).Should(BeEquivalentTo(intake.MaxFetchesEach))

		began := time.Now()
		isReady(asset(other, "by-url", v1beta1.MediaSource{URL: ptr.To(strings.Replace(image.URL, "127.0.0.1", "localhost", 1))}))
		GinkgoWriter.Printf("the other account's image was ready after %s\n", time.Since(began))
		By("ingesting an import of the account with the slow URLs")
		Expect(store.Put(ctx, "imports/"+greedy+"/small.png", "image/png", bytes.NewReader(small()))).To(Succeed())
		isReady(asset(greedy, "import", v1beta1.MediaSource{BlobKey: ptr.To("imports/" + greedy + "/small.png")}))

		Expect(open.Load()).To(BeEquivalentTo(intake.MaxFetchesEach), "the slow files are no longer being fetched")
		waiting := 0
		for _, m := range slows {
			Expect(k8s.Get(ctx, client.ObjectKeyFromObject(m), m)).To(Succeed())
			Expect(m.Status.Work == nil || !m.Status.Work.State.Settled()).To(BeTrue(), "%+v", m.Status)
			if c := ready(m.Status.Conditions); c != nil && strings.Contains(c.Message, "at most 3 files of an account are downloaded at a time") {
				waiting++
			}
		}
		Expect(waiting).To(BeNumerically(">", 0), "no waiting asset reports the limit")
	})

	It("ingests a track while another account's slow URLs are fetched", func() {
		greedy, other := cleanedTenant(), cleanedTenant()
		slow, open := drip([]byte("ID3\x03\x00\x00\x00\x00\x00\x00"))
		track := func(ns, name string, source v1beta1.MediaSource) *v1beta1.MusicTrack {
			GinkgoHelper()
			m := &v1beta1.MusicTrack{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: v1beta1.MusicTrackSpec{Title: name, Source: source}}
			Expect(k8s.Create(ctx, m)).To(Succeed())
			return m
		}
		for i := range 2 * intake.Workers {
			track(greedy, fmt.Sprintf("slow-%d", i), v1beta1.MediaSource{URL: ptr.To(fmt.Sprintf("%s/%d", slow, i))})
		}
		Eventually(open.Load).Should(BeEquivalentTo(intake.MaxFetchesEach))
		Expect(store.Put(ctx, "imports/"+other+"/a.mp3", "audio/mpeg", strings.NewReader("ID3\x03\x00\x00\x00\x00\x00\x00"))).To(Succeed())
		m := track(other, "tune", v1beta1.MediaSource{BlobKey: ptr.To("imports/" + other + "/a.mp3")})
		Eventually(func(g Gomega) { // a Job probes it; no Job runs in this suite
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(m), m)).To(Succeed())
			g.Expect(m.Status.BlobKey).NotTo(BeEmpty())
		}).Should(Succeed())
		Expect(open.Load()).To(BeEquivalentTo(intake.MaxFetchesEach))
	})
})
