// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1beta1"
)

var _ = Describe("The content of a post", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})
	show := func(path string, id int64) object {
		GinkgoHelper()
		return get(path, id).with(key).at(f).succeeds(200).data()
	}

	It("is that of its revision, also after the short was rendered again", func() {
		short := t.filmed(key)
		old := show("/shorts/%d", short)["video_url"]
		id := posted(f, key, short, t.social("tiktok"))
		patch("/slideshows/%d", short, object{"slides": []any{object{"id": 1, "textOverlays": []any{}}}}).with(key).at(f).succeeds(200)
		post("/slideshows/%d/render", short, nothing).with(key).at(f).succeeds(202)
		Expect(settled(key, short).at("data.status")).To(Equal("succeeded"))
		Expect(show("/shorts/%d", short)).To(And(HaveKeyWithValue("revision", 2.0),
			HaveKeyWithValue("video_url", WithTransform(unsigned, Not(Equal(unsigned(old)))))))
		Expect(show("/posts/%d", id)).To(And(HaveKeyWithValue("revision", 1.0), HaveKeyWithValue("media", And(
			HaveKeyWithValue("kind", "video"), HaveKeyWithValue("image_urls", BeEmpty()), HaveKeyWithValue("cover_url", BeNil()),
			HaveKeyWithValue("video_url", WithTransform(unsigned, Equal(unsigned(old)))),
		))))
	})

	It("has the photos, the cover, the tags, the settings and the first comment, of which lists have only the revision", func() {
		account, other := t.social("tiktok"), t.social("instagram")
		body := object{
			"short_id": t.withTexts("Tidy", "A desk.", "desk"), "social_data_ids": []int64{account, other}, "scheduled_at": ahead(24 * time.Hour),
			"platform_customizations": object{
				fmt.Sprint(account): object{"cover": object{"slide": 2}}, fmt.Sprint(other): object{"first_comment": "More below"},
			},
		}
		a := post("/posts", body).with(key).at(f).succeeds(202)
		one := show("/posts/%d", a.id("data.results.0.share_id"))
		Expect(one).To(And(
			HaveKeyWithValue("tags", BeEmpty()),
			HaveKeyWithValue("settings", object{"cover": object{"slide": 2.0}}),
			HaveKeyWithValue("media", And(
				HaveKeyWithValue("kind", "photo_set"), HaveKeyWithValue("video_url", BeNil()), HaveKeyWithValue("image_urls", HaveLen(3)),
			)),
		))
		media := one["media"].(object)
		Expect(unsigned(media["cover_url"])).To(Equal(unsigned(media["image_urls"].([]any)[1])))
		Expect(show("/posts/%d", a.id("data.results.1.share_id"))).To(And(
			HaveKeyWithValue("settings", object{"first_comment": "More below"}),
			HaveKeyWithValue("first_comment", HaveKeyWithValue("text", "More below")),
		))
		Expect(get("/posts?platform=instagram").with(key).at(f).succeeds(200).at("data.0")).To(And(
			HaveKeyWithValue("revision", 1.0), HaveKeyWithValue("media", BeNil()), HaveKeyWithValue("settings", BeNil()), HaveKeyWithValue("tags", BeNil()),
			HaveKeyWithValue("first_comment", HaveKeyWithValue("text", BeNil())),
		))
	})

	It("has no URL of a file of another account, whatever key a manifest names", func() {
		account := t.social("tiktok")
		for film, shown := range map[string]bool{
			"shorts/" + t.namespace + "/1/r1/film.mp4":       true,
			"shorts/another/1/r1/film.mp4":                   false,
			"shorts/" + t.namespace + "/../another/film.mp4": false,
			"film.mp4": false,
		} {
			id := t.applied(1, account, "tiktok", func(p *v1beta1.Post) { p.Spec.Media.VideoKey, p.Spec.Tags = film, []string{"desk"} })
			one := show("/posts/%d", id)
			Expect(one).To(HaveKeyWithValue("tags", []any{"desk"}))
			url := one["media"].(object)["video_url"]
			Expect(url != nil).To(Equal(shown), film)
		}
	})
})
