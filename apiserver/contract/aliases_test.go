// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Records that other paths also return have a path of their own.
var _ = Describe("One record", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	same := func(path string, listed any) *answer {
		GinkgoHelper()
		a := get("%s", path).with(key).succeeds(200)
		Expect(unsigned(a.at("data"))).To(Equal(unsigned(listed)), path)
		return a
	}

	It("is a slideshow at /slideshows/{id}, as at /shorts/{id}, and a video at /videos/{id}", func() {
		show := t.slideshow(key, object{"context": habits, "slide_count": 3})
		film := t.filmedVideo(key, object{})
		Eventually(func() any {
			return get("/jobs/%d?wait=5", film).with(key).succeeds(200).at("data.status")
		}).Should(Equal("succeeded"))
		same(fmt.Sprintf("/slideshows/%d", show), get("/shorts/%d", show).with(key).succeeds(200).at("data"))
		same(fmt.Sprintf("/videos/%d", film), get("/shorts/%d", film).with(key).succeeds(200).at("data"))
		get("/slideshows/%d", film).with(key).refused(404, catalog.NotFound)
		get("/videos/%d", show).with(key).refused(404, catalog.NotFound)
		get("/slideshows/%d", show).with(newTenant().everything()).refused(404, catalog.NotFound)
	})

	It("is a media item at /media/{id}, as in the list of its source", func() {
		_, own := picture(t.namespace, func(m *v1beta1.MediaAsset) {
			m.Spec.BrandRef, m.Spec.Title = of("acme"), "Sunrise"
		})
		pack, packed := full(t.namespace, "walls", 1)
		same(fmt.Sprintf("/media/%d", own), get("/media").with(key).succeeds(200).at("data.0"))
		a := same(fmt.Sprintf("/media/%d", packed[0]), get("/media?source=packs").with(key).succeeds(200).at("data.0"))
		Expect(a.id("data.media_pack_id")).To(Equal(pack))
		drawn := get("/media?source=stock&media_type=stock_image&per_page=1").with(key).succeeds(200)
		same(fmt.Sprintf("/media/%d", drawn.id("data.0.id")), drawn.at("data.0"))
		get("/media/%d", own).with(newTenant().everything()).refused(404, catalog.NotFound)
	})

	It("is a post at /posts/{id}, as in the list, with its content", func() {
		id := t.applied(1, t.social("tiktok"), "tiktok")
		Eventually(func() any { return get("/posts").with(key).succeeds(200).at("data") }).Should(HaveLen(1))
		one, listed := get("/posts/%d", id).with(key).succeeds(200).data(), get("/posts").with(key).succeeds(200).at("data.0")
		for _, content := range []string{"media", "settings", "tags"} {
			Expect(listed).To(HaveKeyWithValue(content, BeNil()))
			Expect(one).To(HaveKeyWithValue(content, Not(BeNil())))
			one[content] = nil
		}
		Expect(one).To(Equal(listed))
		get("/posts/%d", id).with(newTenant().everything()).refused(404, catalog.NotFound)
		_, other := t.brand("other")
		get("/posts/%d?brand_id=%d", id, other).with(key).refused(404, catalog.NotFound)
	})
})

// unsigned removes what differs between two reads: the signatures of URLs.
func unsigned(v any) string {
	GinkgoHelper()
	return steady(asJSON(v))
}
