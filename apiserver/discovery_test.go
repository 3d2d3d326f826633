// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
)

var _ = Describe("A brand's counts", func() {
	It("include only its own shorts and product demos", func() {
		t := newTenant(nil)
		t.newBrand("other", "Other")
		media := func(mediaType string, brand *v1beta1.LocalRef) {
			id := nextID()
			create(&v1beta1.MediaAsset{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "media-" + id, Labels: map[string]string{v1beta1.LabelID: id}},
				Spec:       v1beta1.MediaAssetSpec{MediaType: mediaType, BrandRef: brand, Source: v1beta1.MediaSource{BlobKey: ptr.To("media/x.mp4")}},
			})
		}
		acme, other := &v1beta1.LocalRef{Name: "acme"}, &v1beta1.LocalRef{Name: "other"}
		media("product_demo", acme)
		media("product_demo", acme)
		media("product_demo", other)
		media("product_demo", nil)
		media("user_upload", acme)
		t.newShow(nil)
		t.newShow(laidOut)

		Expect(call("GET", "/api/v1/brand", t.reader, nil).data["stats"]).To(Equal(map[string]any{
			"total_shorts": 2.0, "total_product_demos": 2.0, "total_hooks": 0.0, "connected_social_accounts": 0.0,
		}))
	})

	It("the media pack of its defaults", func() {
		t := newTenant(nil)
		id := nextID()
		create(&v1beta1.MediaPack{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "pack", Labels: map[string]string{v1beta1.LabelID: id}}})
		t.brand.Spec.SlideshowDefaults.ImageSource = &v1beta1.ImageSource{Type: "pack", PackRef: &v1beta1.LocalRef{Name: "pack"}}
		Expect(access.Client.Update(GinkgoT().Context(), t.brand)).To(Succeed())
		defaults := call("GET", "/api/v1/brand", t.reader, nil).data["slideshow_defaults"].(map[string]any)
		source := defaults["image_source"].(map[string]any)
		Expect(source["type"]).To(Equal("pack"))
		Expect(jsonInt(source["media_pack_id"])).To(Equal(id))
	})
})

var _ = Describe("Responses with an entity tag", func() {
	It("may be cached only by the client, and others not at all", func() {
		t := newTenant(nil)
		kept := call("GET", "/api/v1/capabilities", t.reader, nil)
		Expect(kept.header.Get("Cache-Control")).To(Equal("private, no-cache"))
		Expect(kept.header.Get("Vary")).To(Equal("Authorization"))
		Expect(call("GET", "/api/v1/account", t.reader, nil).header.Get("Cache-Control")).To(Equal("no-store"))
	})
})
