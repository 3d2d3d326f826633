// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"maps"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Clips of a video", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	create := func(clips []object, more object) *request {
		body := object{"avatar_media_id": t.avatar(), "clips": clips}
		maps.Copy(body, more)
		return post("/videos", body).with(key)
	}

	It("follow the demos by id and by URL, and the detail shows each demo once", func() {
		first, second := t.clip("product_demo"), t.clip("user_upload")
		id := create([]object{
			{"media_id": second, "fit": "contain", "start": 0.25, "end": 1.5, "text": " Two taps ", "call_to_action": "Try it"},
			{"url": publicSite + "/two.mp4"},
		}, object{
			"product_demo_media_ids": []int64{first}, "product_demo_urls": []string{publicSite + "/one.mp4"}, "avatar_layout": "picture_in_picture",
		}).succeeds(202).id("data.job_id")
		v := t.videoObject(id)
		media := func(id int64) v1beta1.ClipSource {
			return v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: fmt.Sprintf("media-%d", id)}}
		}
		Expect(v.Spec.AvatarLayout).To(Equal("picture_in_picture"))
		Expect(v.Spec.Demos).To(Equal([]v1beta1.DemoClip{
			{ClipSource: media(first)},
			{ClipSource: v1beta1.ClipSource{URL: ptr.To(publicSite + "/one.mp4")}},
			{ClipSource: media(second), Fit: "contain", StartMilliseconds: 250, EndMilliseconds: ptr.To[int64](1500), Text: "Two taps", CallToAction: "Try it"},
			{ClipSource: v1beta1.ClipSource{URL: ptr.To(publicSite + "/two.mp4")}, Fit: "auto"},
		}))
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data")).To(And(
			HaveKeyWithValue("avatar_layout", "picture_in_picture"),
			HaveKeyWithValue("product_demo_media_ids", []any{float64(first)}), HaveKeyWithValue("product_demo_urls", []any{publicSite + "/one.mp4"}),
			HaveKeyWithValue("product_demo_clips", []any{
				object{"media_id": float64(second), "url": nil, "fit": "contain", "start": 0.25, "end": 1.5, "text": "Two taps", "call_to_action": "Try it"},
				object{"media_id": nil, "url": publicSite + "/two.mp4", "fit": "auto", "start": 0.0, "end": nil, "text": nil, "call_to_action": nil},
			})))
	})

	It("that are invalid are all reported at once, each with its field", func() {
		_, failing := t.unprobedClip("product_demo")
		broken, failed := t.unprobedClip("product_demo")
		recordProbe(broken, func(s *v1beta1.MediaAssetStatus) {
			s.Work.State, s.Error = v1beta1.WorkFailed, &v1beta1.WorkError{Code: "validation_failed", Message: "It is no clip."}
		})
		short, tooShort := t.unprobedClip("product_demo")
		recordProbe(short, func(s *v1beta1.MediaAssetStatus) { clipProbe(short)(s); s.Probe.DurationMilliseconds = 499 })
		good := t.clip("product_demo")
		a := create([]object{
			{"media_id": 999999999},
			{"media_id": failed},
			{"media_id": tooShort},
			{"media_id": newTenant().avatar()},
			{"media_id": good, "url": publicSite + "/a.mp4"},
			{},
			{"media_id": good, "start": 2, "end": 2.4},
			{"media_id": good, "start": 599},
			{"url": "https://10.0.0.1/a.mp4"},
			{"media_id": failing},
		}, object{"voice": object{"name": "nobody"}}).refused(422, catalog.ValidationFailed)
		var fields []any
		for _, e := range a.envelope["errors"].([]any) {
			details := e.(object)["details"].(object)
			fields = append(fields, details["field"], details["reason"])
		}
		Expect(fields).To(Equal([]any{
			"clips[0].media_id", "unknown", "clips[1].media_id", "unusable", "clips[2].media_id", "too_short", "clips[3].media_id", "unknown", "clips[4]", nil,
			"clips[5]", nil, "clips[6].end", nil, "clips[7].start", "too_short", "clips[8].url", "forbidden_address", "voice.name", "unknown_voice",
		}))
		Expect(t.videos()).To(BeEmpty())
	})

	It("are at most ten together with the other demos", func() {
		demo := t.clip("product_demo")
		clips := slices.Repeat([]object{{"media_id": demo}}, 6)
		more := object{"product_demo_media_ids": slices.Repeat([]int64{demo}, 4)}
		create(clips, more).succeeds(202)
		more["product_demo_urls"] = []string{publicSite + "/a.mp4"}
		create(clips, more).refused(422, catalog.ValidationFailed).about("clips")
		create(slices.Repeat(clips[:1], 11), nil).refused(422, catalog.ValidationFailed).about("clips")
	})

	It("are required for an avatar in a corner", func() {
		create([]object{}, object{"avatar_layout": "picture_in_picture"}).refused(422, catalog.ValidationFailed).about("avatar_layout")
	})

	DescribeTable("rejects values outside the accepted ones, and names the field", func(field string, value any) {
		create([]object{{"media_id": t.clip("product_demo"), field: value}}, nil).refused(422, catalog.ValidationFailed).about("clips[0]." + field)
	},
		Entry("an unknown fit", "fit", "stretch"),
		Entry("a negative start", "start", -1),
		Entry("an end that is not a number", "end", "late"),
		Entry("a text over 200 characters", "text", fmt.Sprintf("%0201d", 0)),
		Entry("a button over 60 characters", "call_to_action", fmt.Sprintf("%061d", 0)),
	)
})
