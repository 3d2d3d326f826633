// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/starter/starterset"
)

// clipOf applies a clip of the starter set to the library as the manager does, and records the result of the Job that
// would create it.
func clipOf(item starterset.Item) *v1beta1.MediaAsset {
	GinkgoHelper()
	m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: systemNamespace, Name: item.Name}, Spec: *item.Asset}
	apply(m)
	DeferCleanup(func() { // the next spec creates the same item again
		Expect(client.IgnoreNotFound(access.Client.Delete(ctx, m))).To(Succeed())
		gone(m)
	})
	prefix := fmt.Sprintf("media/%s/%s/", m.Namespace, m.UID)
	Expect(store.Put(ctx, prefix+"file.mp4", "video/mp4", strings.NewReader("a film"))).To(Succeed())
	Expect(store.Put(ctx, prefix+"thumbnail.jpg", "image/jpeg", strings.NewReader("a picture"))).To(Succeed())
	Eventually(func() error {
		if err := access.Plain.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		if m.Labels[v1beta1.LabelID] == "" {
			return fmt.Errorf("%s has an id", m.Name)
		}
		now := metav1.Now()
		m.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &now, FinishedAt: &now}
		m.Status.BlobKey, m.Status.ThumbnailKey = prefix+"file.mp4", prefix+"thumbnail.jpg"
		m.Status.Probe = &v1beta1.MediaProbe{
			Kind: "video", ContentType: "video/mp4", Bytes: 6, Width: 1080, Height: 1920, DurationMilliseconds: 6000, FrameRate: 30, VideoCodec: "h264",
		}
		return access.Plain.Status().Update(ctx, m)
	}).WithPolling(often).Should(Succeed())
	return m
}

var _ = Describe("Stock avatars", func() {
	var t *tenant
	var key string
	var clip starterset.Item
	BeforeEach(func() {
		t = newTenant()
		key = t.key("media:read")
		items := starterset.Items()
		clip = items[slices.IndexFunc(items, func(i starterset.Item) bool { return i.Kind == starterset.Clip })]
	})
	avatars := func(more string) []any {
		GinkgoHelper()
		return get("/media?source=stock&media_type=avatar_video%s", more).with(key).succeeds(200).list()
	}

	It("are the clips of the library, for every account, with every field that a video needs", func() {
		clipOf(clip)
		shown := And(
			HaveKeyWithValue("title", clip.Asset.Title), HaveKeyWithValue("description", clip.Asset.Description),
			HaveKeyWithValue("media_type", "avatar_video"), HaveKeyWithValue("kind", "video"), HaveKeyWithValue("source", "stock"),
			HaveKeyWithValue("content_type", "video/mp4"), HaveKeyWithValue("width", 1080.0), HaveKeyWithValue("height", 1920.0),
			HaveKeyWithValue("duration_seconds", 6.0), HaveKeyWithValue("status", "ready"), HaveKeyWithValue("created_at", BeNil()),
			HaveKeyWithValue("tags", ContainElement("avatar")), HaveKeyWithValue("url", ContainSubstring("/file.mp4")),
			HaveKeyWithValue("thumbnail_url", ContainSubstring("/thumbnail.jpg")), HaveKeyWithValue("id", BeNumerically(">", 0)))
		Eventually(func() []any { return avatars("") }).WithPolling(often).Should(ContainElement(shown))
		others := get("/media?source=stock&media_type=avatar_video").with(newTenant().key("media:read")).succeeds(200).list()
		Expect(others).To(ContainElement(shown))
	})

	It("are found by their content, and are no images for slides", func() {
		clipOf(clip)
		titled := ContainElement(HaveKeyWithValue("title", clip.Asset.Title))
		Eventually(func() []any { return avatars("&query=kitchen") }).WithPolling(often).Should(titled)
		Expect(get("/media?source=stock&media_type=stock_image&query=kitchen").with(key).succeeds(200).list()).NotTo(titled)
		Expect(get("/media").with(key).succeeds(200).list()).NotTo(titled)
	})
})
