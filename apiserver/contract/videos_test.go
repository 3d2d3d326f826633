// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/starter/starterset"
)

// publicSite is a site that may be fetched from. The trap keeps these specs from calling it.
const publicSite = "https://93.184.216.34"

var _ = Describe("Creating a video", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	create := func(body any) *request { return post("/videos", body).with(key) }

	It("requires only the avatar, and returns a job that is polled every 30 seconds at most", func() {
		avatar := t.avatar()
		a := create(object{"avatar_media_id": avatar}).succeeds(202)
		Expect(a.data()).To(And(
			HaveKeyWithValue("kind", "video_generation"), HaveKeyWithValue("status", BeElementOf("queued", "processing")), HaveKeyWithValue("poll_after_seconds", withinSeconds(30)),
			HaveKeyWithValue("estimated_completion_at", MatchRegexp(moment)), HaveKeyWithValue("render_requested_at", BeNil()), Not(HaveKey("result")), Not(HaveKey("error"))))
		Expect(a.header.Get("Retry-After")).To(Equal(fmt.Sprint(a.at("data.poll_after_seconds"))))
		v := t.videoObject(a.id("data.job_id"))
		Expect(v.Finalizers).To(ContainElement(v1beta1.FinalizerVideo))
		Expect(v.Labels).To(And(HaveKeyWithValue(v1beta1.LabelID, fmt.Sprint(a.id("data.job_id"))), HaveKeyWithValue(v1beta1.LabelBrand, "acme")))
		Expect(v.Spec.BrandRef.Name).To(Equal("acme"))
		Expect(v.Spec.Avatar).To(Equal(v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: fmt.Sprintf("media-%d", avatar)}}))
		Expect(v.Spec.HookText).To(BeNil(), "the hook is written from the brand's profile")
		Expect(v.Spec.LoopCount).To(Equal(int32(1)))
		Expect(v.Spec.AspectRatio).To(Equal("9:16"))
		d := get("/shorts/%d", a.id("data.job_id")).with(key).succeeds(200)
		Expect(d.at("data.type_data.text_settings")).To(Equal(object{
			"position": object{"x": 50.0, "y": 30.0}, "align": "center", "font_family": nil, "font_size": nil, "color": nil, "stroke_color": nil, "background_color": nil,
		}))
	})

	It("is accepted without demos, with a warning", func() {
		Expect(create(object{"avatar_media_id": t.avatar()}).succeeds(202).at("meta.warnings")).To(Equal([]any{object{
			"code": "no_product_demos", "message": "There are no product demos, so the video shows only the avatar.",
		}}))
		Expect(create(object{"avatar_media_id": t.avatar(), "product_demo_media_ids": []int64{t.clip("product_demo")}}).succeeds(202).meta()).To(BeEmpty())
	})

	It("stores all fields, demos by id before demos by URL, each in their order", func() {
		first, second := t.clip("product_demo"), t.clip("user_upload")
		tune := heard(track(t.namespace, "Tune", nil))
		body := object{
			"hook_text": "  I slept badly.  ", "avatar_media_id": fmt.Sprint(t.avatar()), "product_demo_media_ids": []any{second, fmt.Sprint(first), second},
			"product_demo_urls": []string{publicSite + "/one.mp4", publicSite + "/two.mp4"}, "background_music_id": tune, "loop_count": 3,
			"title": "One thing", "caption": "What ten bad years taught us.", "tags": " sleep, , calm ", "aspect_ratio": "4:5", "language": "EN-us",
			"voice": object{"mode": "speak", "name": "en-gb+f3"},
			"text_settings": object{
				"position": object{"x": 40, "y": 70}, "align": "left", "font_family": "Inter", "font_size": 90, "color": "#fff", "stroke_color": "#000000", "background_color": "#11223344",
			},
		}
		id := create(body).succeeds(202).id("data.job_id")
		a := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(a.data()).To(And(
			HaveKeyWithValue("short_type", "UGC"), HaveKeyWithValue("status", "processing"), HaveKeyWithValue("title", "One thing"), HaveKeyWithValue("slide_count", 0.0),
			HaveKeyWithValue("caption", "What ten bad years taught us."), HaveKeyWithValue("tags", "sleep,calm"), HaveKeyWithValue("aspect_ratio", "4:5"),
			HaveKeyWithValue("video_url", BeNil()), HaveKeyWithValue("preview_url", BeNil()), HaveKeyWithValue("thumbnail", BeNil()), HaveKeyWithValue("duration_seconds", BeNil()),
			HaveKeyWithValue("render_status", "none"), HaveKeyWithValue("posts", []any{}), HaveKeyWithValue("brand_id", float64(t.acmeID))))
		avatar := a.id("data.type_data.avatar_media_id")
		Expect(a.at("data.type_data")).To(Equal(object{
			"hook_text": "I slept badly.", "language": "en-US", "avatar_media_id": float64(avatar), "avatar_url": nil,
			"product_demo_media_ids": []any{float64(second), float64(first), float64(second)},
			"product_demo_urls":      []any{publicSite + "/one.mp4", publicSite + "/two.mp4"}, "background_music_id": float64(tune), "loop_count": 3.0,
			"voice": object{"mode": "speak", "name": "en-gb+f3"}, "clips": []any{}, "captions_url": nil,
			"product_demo_clips": []any{}, "avatar_layout": "full_screen",
			"text_settings": object{
				"position": object{"x": 40.0, "y": 70.0}, "align": "left", "font_family": "Inter", "font_size": 90.0, "color": "#FFFFFF", "stroke_color": "#000000", "background_color": "#11223344",
			},
		}))
		Expect(a.at("data.job.kind")).To(Equal("video_generation"))
	})

	It("reads a position in fractions, and uses the default for an omitted number", func() {
		for _, c := range []struct{ ask, shown object }{
			{object{"x": 0.25, "y": 0.8}, object{"x": 25.0, "y": 80.0}},
			{object{"x": 0.25}, object{"x": 25.0, "y": 30.0}},
			{object{"y": 80}, object{"x": 50.0, "y": 80.0}},
			{object{"x": 500, "y": -3}, object{"x": 100.0, "y": 0.0}},
			{object{}, object{"x": 50.0, "y": 30.0}},
		} {
			id := t.video(key, object{"text_settings": object{"position": c.ask}})
			Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.text_settings.position")).To(Equal(c.shown), "%v", c.ask)
		}
	})

	It("writes an empty hook, and omitted texts", func() {
		v := t.videoObject(t.video(key, object{"hook_text": " \n "}))
		Expect(v.Spec.HookText).To(BeNil())
		Expect([]any{v.Spec.Title, v.Spec.Caption, v.Spec.Tags}).To(HaveEach(BeNil()))
		v = t.videoObject(t.video(key, object{"hook_text": strings.Repeat("眠", 300), "tags": ""}))
		Expect(v.Spec.Tags).To(Equal(ptr.To("")), "no tags are requested")
	})

	Describe("with an avatar", func() {
		It("rejects a missing one with a 422 that names avatar_media_id", func() {
			create(object{"hook_text": "I slept badly."}).refused(422, catalog.ValidationFailed).about("avatar_media_id")
			create(object{"avatar_media_id": nil, "avatar_url": nil}).refused(422, catalog.ValidationFailed).about("avatar_media_id")
			create(object{"avatar_url": ""}).refused(422, catalog.ValidationFailed).about("avatar_media_id")
			create(nothing).refused(422, catalog.ValidationFailed).about("avatar_media_id")
		})

		It("accepts one of the brand, of its account and of the stock", func() {
			shared := t.clip("avatar_video", func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = nil })
			create(object{"avatar_media_id": shared}).succeeds(202)
			items := starterset.Items()
			clipOf(items[slices.IndexFunc(items, func(i starterset.Item) bool { return i.Kind == starterset.Clip })])
			stocked := func() *answer { return get("/media?source=stock&media_type=avatar_video").with(key).succeeds(200) }
			// It was created in the cluster: the front end sees it with a delay.
			Eventually(func() []any { return stocked().list() }).WithPolling(often).ShouldNot(BeEmpty())
			stock := stocked().id("data.0.id")
			id := create(object{"avatar_media_id": stock}).succeeds(202).id("data.job_id")
			Expect(t.videoObject(id).Spec.Avatar.LibraryRef).NotTo(BeNil())
			Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.avatar_media_id")).To(Equal(float64(stock)))
		})

		It("rejects one that is another brand's or account's, unknown, or not ready with a 422", func() {
			t.brand("other")
			others := t.clip("avatar_video", func(m *v1beta1.MediaAsset) { m.Spec.BrandRef.Name = "other" })
			waits, waiting := t.unprobedClip("avatar_video")
			broken, failed := t.unprobedClip("avatar_video")
			recordProbe(broken, func(s *v1beta1.MediaAssetStatus) {
				s.Work.State, s.Error = v1beta1.WorkFailed, &v1beta1.WorkError{Code: "validation_failed", Message: "It is no clip."}
			})
			short, tooShort := t.unprobedClip("avatar_video")
			recordProbe(short, func(s *v1beta1.MediaAssetStatus) { clipProbe(short)(s); s.Probe.DurationMilliseconds = 499 })
			for reason, ids := range map[string][]int64{
				"unknown": {999999999, others, newTenant().avatar(), 1<<53 - 1}, "not_an_avatar": {t.clip("product_demo"), t.clip("user_upload")},
				"not_ready_yet": {waiting}, "unusable": {failed}, "too_short": {tooShort},
			} {
				for _, id := range ids {
					a := create(object{"avatar_media_id": id}).refused(422, catalog.ValidationFailed).about("avatar_media_id")
					Expect(a.details()).To(HaveKeyWithValue("reason", reason))
					Expect(a.at("errors.0.retryable")).To(Equal(reason == "not_ready_yet"))
				}
			}
			Expect(t.videos()).To(BeEmpty())
			recordProbe(waits, clipProbe(waits))
			create(object{"avatar_media_id": waiting}).succeeds(202)
		})

		It("stores one by URL, but uses an id if both are given, with a warning", func() {
			address := publicSite + "/anna.mp4"
			id := create(object{"avatar_url": address}).succeeds(202).id("data.job_id")
			Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data")).To(And(HaveKeyWithValue("avatar_url", address), HaveKeyWithValue("avatar_media_id", BeNil())))
			a := create(object{"avatar_url": address, "avatar_media_id": t.avatar()}).succeeds(202)
			Expect(a.at("meta.warnings.0.code")).To(Equal("avatar_url_ignored"))
			Expect(t.videoObject(a.id("data.job_id")).Spec.Avatar.URL).To(BeNil())
		})

		It("rejects a forbidden URL with a 422 with the reason forbidden_address", func() {
			for _, address := range []string{"http://93.184.216.34/a.mp4", "https://127.0.0.1/a.mp4", "https://169.254.169.254/latest", "ftp://example.com/a.mp4", "no address"} {
				a := create(object{"avatar_url": address}).loosely().refused(422, catalog.ValidationFailed).about("avatar_url")
				Expect(a.details()).To(HaveKeyWithValue("reason", fetch.ReasonForbidden), address)
				a = create(object{"avatar_media_id": t.avatar(), "product_demo_urls": []string{publicSite + "/b.mp4", address}}).loosely().refused(422, catalog.ValidationFailed).about("product_demo_urls[1]")
				Expect(a.details()).To(HaveKeyWithValue("reason", fetch.ReasonForbidden), address)
			}
			Expect(t.videos()).To(BeEmpty())
		})
	})

	Describe("with demos", func() {
		It("rejects unknown ones, another brand's and other media with a 422 that lists them", func() {
			t.brand("other")
			good, others := t.clip("product_demo"), t.clip("product_demo", func(m *v1beta1.MediaAsset) { m.Spec.BrandRef.Name = "other" })
			picture, photo := t.unprobedClip("product_demo", func(m *v1beta1.MediaAsset) { m.Spec.ContentType = "image/png" })
			Expect(picture.Spec.ContentType).To(Equal("image/png"))
			a := create(object{"avatar_media_id": t.avatar(), "product_demo_media_ids": []int64{others, good, 999999999, photo, others}}).
				refused(422, catalog.ValidationFailed).about("product_demo_media_ids")
			Expect(a.details()["invalid_ids"]).To(Equal([]any{float64(others), 999999999.0, float64(photo)}))
			Expect(t.videos()).To(BeEmpty())
		})

		It("accepts those of the account and the stock, and those that are still being probed", func() {
			_, fresh := t.unprobedClip("product_demo")
			shared := t.clip("product_demo", func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = nil })
			id := t.video(key, object{"product_demo_media_ids": []int64{fresh, shared}})
			Expect(t.videoObject(id).Spec.Demos).To(Equal([]v1beta1.DemoClip{
				{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: fmt.Sprintf("media-%d", fresh)}}},
				{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: fmt.Sprintf("media-%d", shared)}}},
			}))
		})

		It("accepts five by id and five by URL", func() {
			demo, address := t.clip("product_demo"), publicSite+"/a.mp4"
			five, six := slices.Repeat([]int64{demo}, 5), slices.Repeat([]int64{demo}, 6)
			t.video(key, object{"product_demo_media_ids": five, "product_demo_urls": slices.Repeat([]string{address}, 5)})
			create(object{"avatar_media_id": t.avatar(), "product_demo_media_ids": six}).refused(422, catalog.ValidationFailed).about("product_demo_media_ids")
			create(object{"avatar_media_id": t.avatar(), "product_demo_urls": slices.Repeat([]string{address}, 6)}).refused(422, catalog.ValidationFailed).about("product_demo_urls")
		})
	})

	It("accepts music of the brand, of its account and of the library, and no other", func() {
		stranger := heard(track(newTenant().namespace, "Stranger", nil))
		for _, id := range []int64{999999999, stranger} {
			create(object{"avatar_media_id": t.avatar(), "background_music_id": id}).refused(422, catalog.ValidationFailed).about("background_music_id")
		}
		Expect(t.videoObject(t.video(key, object{"background_music_id": nil})).Spec.Music).To(BeNil())
		stock := heard(track(systemNamespace, "Stock", nil))
		Expect(t.videoObject(t.video(key, object{"background_music_id": stock})).Spec.Music.LibraryTrackRef).NotTo(BeNil())
	})

	DescribeTable("rejects values outside the accepted ones, and names the field", func(field string, value any) {
		body := object{"avatar_media_id": t.avatar()}
		name, inner, nested := strings.Cut(field, ".")
		body[name] = value
		if nested {
			body[name] = object{inner: value}
		}
		create(body).refused(422, catalog.ValidationFailed).about(field)
		Expect(t.videos()).To(BeEmpty())
	},
		Entry("no loop", "loop_count", 0),
		Entry("six loops", "loop_count", 6),
		Entry("half a loop", "loop_count", 1.5),
		Entry("a hook over 300 characters", "hook_text", strings.Repeat("x", 301)),
		Entry("a hook that is not a text", "hook_text", 7),
		Entry("a title over 200 characters", "title", strings.Repeat("x", 201)),
		Entry("a caption over 5000 characters", "caption", strings.Repeat("x", 5001)),
		Entry("31 tags", "tags", strings.Repeat("a,", 31)),
		Entry("an unknown ratio", "aspect_ratio", "16:9"),
		Entry("an unknown language", "language", "not a language"),
		Entry("an invalid id", "avatar_media_id", "anna"),
		Entry("demos that are not a list", "product_demo_media_ids", 7),
		Entry("text settings that are not an object", "text_settings", "center"),
		Entry("an unknown alignment", "text_settings.align", "justify"),
		Entry("an unknown position", "text_settings.position", "top"),
		Entry("an invalid voice", "voice.mode", "shout"),
	)

	It("rejects a voice that does not exist or does not speak the language, and lists those that do", func() {
		speaks := func(voice string, more object) *request {
			body := object{"avatar_media_id": t.avatar(), "voice": object{"name": voice}}
			maps.Copy(body, more)
			return create(body)
		}
		german := object{"hook_text": "Ich habe zehn Jahre schlecht geschlafen und dann eine Sache geändert."}
		a := speaks("alloy", german).refused(422, catalog.ValidationFailed).about("voice.name")
		Expect(a.details()).To(And(HaveKeyWithValue("reason", "unknown_voice"), HaveKeyWithValue("accepted", []any{"female", "male", "de"})))
		a = speaks("slt", german).refused(422, catalog.ValidationFailed).about("voice.name")
		Expect(a.details()).To(And(HaveKeyWithValue("reason", "other_language"), HaveKeyWithValue("accepted", []any{"female", "male", "de"})))
		a = speaks("de+f3", object{"language": "en", "hook_text": "I slept badly."}).refused(422, catalog.ValidationFailed).about("voice.name")
		Expect(a.at("errors.0.details.accepted")).To(And(ContainElements("female", "slt", "en-gb"), Not(ContainElement("de"))))
		a = speaks("female", object{"language": "th"}).refused(422, catalog.ValidationFailed).about("voice.name")
		Expect(a.details()).To(And(HaveKeyWithValue("reason", "unsupported_language"), HaveKeyWithValue("accepted", BeEmpty())))
		Expect(t.videos()).To(BeEmpty())

		Expect(t.videoObject(speaks("de+f3", german).succeeds(202).id("data.job_id")).Spec.Voice.Name).To(Equal("de+f3"))
		speaks("nobody", object{"voice": object{"mode": "none", "name": "nobody"}}).succeeds(202)
	})

	It("accepts the voices of the speech service if there is one", func() {
		f := newFront(frontOptions{change: func(c *apiserver.Config) {
			c.Voices = voices.Set{Service: true, Named: []voices.Voice{{Name: "alloy"}, {Name: "jf_alpha", Languages: []string{"ja"}}}}
		}})
		body := object{"avatar_media_id": t.avatar(), "language": "en", "voice": object{"name": "slt"}}
		Expect(create(body).at(f).refused(422, catalog.ValidationFailed).about("voice.name").details()).To(HaveKeyWithValue("accepted", []any{"alloy"}))
		body["voice"] = object{"name": "alloy"}
		create(body).at(f).succeeds(202)
	})

	It("corrects looks that cannot be drawn to the nearest that can", func() {
		id := t.video(key, object{"text_settings": object{"font_family": strings.Repeat("x", 200), "font_size": 1e12, "color": "reddish"}})
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.text_settings.color")).To(Equal("reddish"))
	})

	It("counts as one slideshow of the plan, and is rejected with quota_exceeded when the plan is used up", func() {
		t = newTenant(planned(1), credited(0))
		key = t.everything()
		avatar := t.avatar()
		create(object{"avatar_media_id": 999999999}).refused(422, catalog.ValidationFailed)
		create(object{"avatar_media_id": avatar}).succeeds(202)
		Expect(plan(key)).To(And(HaveKeyWithValue("slideshows_used", 1.0), HaveKeyWithValue("slideshows_remaining", 0.0)))
		a := create(object{"avatar_media_id": avatar}).refused(403, catalog.QuotaExceeded)
		Expect(a.details()).To(Equal(object{"slideshow_limit_exceeded": true, "limit": 1.0, "used": 1.0, "remaining": 0.0, "resets_at": nextMonth()}))
		post("/slideshows", object{"context": unwritable}).with(key).refused(403, catalog.QuotaExceeded)
		Expect(t.videos()).To(HaveLen(1))
	})

	It("counts against the rate limit of slideshows and renders, if accepted", func() {
		f := newFront(frontOptions{change: func(c *apiserver.Config) {
			all := limit.Default()
			all[limit.Generation] = limit.Ceiling{Limit: 2, Window: time.Hour}
			c.Limits = limit.New(all, c.Clock)
		}})
		avatar := t.avatar()
		post("/slideshows", object{"context": unwritable}).with(key).at(f).succeeds(202).hasRateLimit(2, 1, 3600)
		create(object{"avatar_media_id": 999999999}).at(f).refused(422, catalog.ValidationFailed).hasRateLimit(2, 1, 3600)
		create(object{"avatar_media_id": avatar}).at(f).succeeds(202).hasRateLimit(2, 0, 3600)
		create(object{"avatar_media_id": avatar}).at(f).limited("generation", 2, 3600)
		post("/slideshows", object{"context": unwritable}).with(key).at(f).limited("generation", 2, 3600)
	})

	It("happens once per idempotency key", func() {
		t = newTenant(planned(5))
		key = t.everything()
		body := object{"avatar_media_id": t.avatar(), "colour": "red"}
		first := create(body).once("k").succeeds(202)
		again := create(body).once("k").succeeds(202)
		Expect(again.at("data")).To(Equal(first.at("data")))
		Expect(again.meta()).To(And(HaveKeyWithValue("idempotent_replay", true), HaveKeyWithValue("ignored_fields", []any{"colour"}), HaveKeyWithValue("warnings", HaveLen(1))))
		Expect(again.header.Get("Retry-After")).To(Equal(first.header.Get("Retry-After")))
		other := object{"avatar_media_id": body["avatar_media_id"]}
		Expect(create(other).once("k").refused(409, catalog.IdempotencyConflict).details()).To(Equal(object{"endpoint": "POST /api/v1/videos", "in_flight": false}))
		Expect(t.videos()).To(HaveLen(1))
		Expect(plan(key)).To(HaveKeyWithValue("slideshows_used", 1.0))
	})

	It("uses the named brand: its own media and the account's, not those of the key's brand", func() {
		_, other := t.brand("other")
		avatar := t.avatar()
		post("/videos?brand_id=%d", other, object{"avatar_media_id": avatar}).with(key).refused(422, catalog.ValidationFailed).about("avatar_media_id")
		theirs := t.clip("avatar_video", func(m *v1beta1.MediaAsset) { m.Spec.BrandRef.Name = "other" })
		id := post("/videos?brand_id=%d", other, object{"avatar_media_id": theirs}).with(key).succeeds(202).id("data.job_id")
		Expect(t.videoObject(id).Spec.BrandRef.Name).To(Equal("other"))
		get("/jobs/%d", id).with(key).refused(404, catalog.JobNotFound)
		get("/jobs/%d?brand_id=%d", id, other).with(key).succeeds(200)
	})

	It("is visible in the next request, on this replica and on another", func() {
		another := newFront(frontOptions{change: replica})
		id := t.video(key, object{})
		for _, f := range []*front{service, another} {
			get("/jobs/%d", id).with(key).at(f).succeeds(200)
			Expect(get("/shorts/%d", id).with(key).at(f).succeeds(200).at("data.short_type")).To(Equal("UGC"))
		}
		Expect(get("/shorts").with(key).succeeds(200).list()).To(ContainElement(HaveKeyWithValue("id", float64(id))))
	})

	It("fetches its own clips, which are in no list of media", func() {
		id := t.video(key, object{})
		v := t.videoObject(id)
		own, _ := t.unprobedClip("product_demo", func(m *v1beta1.MediaAsset) {
			m.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1beta1.GroupVersion.String(), Kind: "Video", Name: v.Name, UID: v.UID}}
		})
		recordProbe(own, clipProbe(own))
		listed := get("/media").with(key).succeeds(200).list()
		Expect(listed).To(HaveLen(1), "the clip of the avatar")
		Expect(client.IgnoreNotFound(access.Client.Delete(ctx, own))).To(Succeed())
	})
})
