// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"cmp"
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
)

var _ = Describe("A video", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})

	It("that is done has a job with its video, an image of its beginning and the spoken text, and no slides", func() {
		id := t.filmedVideo(key, object{})
		t.turns(id, func(s *v1beta1.VideoStatus) { s.CaptionsKey = t.captions() })
		var a *answer
		Eventually(func() any {
			a = get("/jobs/%d", id).with(key).succeeds(200)
			return a.at("data.result.captions_url")
		}).ShouldNot(BeNil())
		Expect(a.header.Get("Retry-After")).To(Equal(fmt.Sprint(a.at("data.poll_after_seconds"))))
		Expect(a.data()).To(And(
			HaveKeyWithValue("kind", "video_generation"), HaveKeyWithValue("progress", 100.0), HaveKeyWithValue("status_message", "Ready."), HaveKeyWithValue("poll_after_seconds", withinSeconds(30)),
			HaveKeyWithValue("finished_at", MatchRegexp(moment)), Not(HaveKey("estimated_completion_at")), Not(HaveKey("error"))))
		Expect(a.at("data.result")).To(And(HaveKeyWithValue("short_id", float64(id)), HaveKeyWithValue("slides", object{"count": 0.0})))
		for path, kind := range map[string]string{"preview_url": "image/", "video_url": "video/mp4", "captions_url": "text/vtt"} {
			_, got := fetched(a.at("data.result." + path))
			Expect(got).To(HavePrefix(kind))
		}
	})

	It("in progress reports its progress", func() {
		id := t.video(key, object{})
		t.turns(id, func(s *v1beta1.VideoStatus) {
			now := metav1.Now()
			s.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1, StartedAt: &now}
			s.Text = &v1beta1.VideoText{Language: "en", Hook: "I slept badly."}
		})
		var a *answer
		Eventually(func() any {
			a = get("/jobs/%d", id).with(key).succeeds(200)
			return a.at("data.status")
		}).Should(Equal("processing"))
		Expect(a.data()).To(And(
			HaveKeyWithValue("status_message", "Building the video."), HaveKeyWithValue("progress", And(BeNumerically(">", 0), BeNumerically("<", 100))),
			HaveKeyWithValue("estimated_completion_at", MatchRegexp(moment)), HaveKeyWithValue("started_at", MatchRegexp(moment)), Not(HaveKey("result"))))
	})

	It("that failed has an error that names the invalid field", func() {
		id := t.video(key, object{})
		t.turns(id, func(s *v1beta1.VideoStatus) {
			now := metav1.Now()
			s.Work = &v1beta1.Work{
				State: v1beta1.WorkFailed, Attempt: 1, StartedAt: &now, FinishedAt: &now,
				Error: &v1beta1.WorkError{Code: "validation_failed", Message: "The clip cannot be read", Details: map[string]string{"field": "product_demo_urls[0]"}},
			}
		})
		var a *answer
		Eventually(func() any {
			a = get("/jobs/%d", id).with(key).succeeds(200)
			return a.at("data.status")
		}).Should(Equal("failed"))
		Expect(a.at("data.error")).To(Equal(object{
			"code": "validation_failed", "message": "The clip cannot be read", "retryable": false, "details": object{"field": "product_demo_urls[0]"},
		}))
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.status")).To(Equal("failed"))
		Expect(get("/shorts?status=failed").with(key).succeeds(200).list()).To(HaveLen(1))
	})

	It("has a detail with its clips in order, each once, with URLs that need no key", func() {
		avatar, first, second := t.avatar(), t.clip("product_demo"), t.clip("user_upload")
		id := t.filmedVideo(key, object{
			"avatar_media_id": avatar, "product_demo_media_ids": []int64{first, second}, "loop_count": 3, "hook_text": "I slept badly.", "title": "One thing",
			"caption": "What ten bad years taught us.", "tags": "sleep, calm",
		})
		t.turns(id, func(s *v1beta1.VideoStatus) { s.CaptionsKey = t.captions() })
		a := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(a.data()).To(And(
			HaveKeyWithValue("status", "success"), HaveKeyWithValue("short_type", "UGC"), HaveKeyWithValue("render_status", "succeeded"), HaveKeyWithValue("duration_seconds", 42.0),
			HaveKeyWithValue("slide_count", 0.0), HaveKeyWithValue("revision", 1.0), HaveKeyWithValue("title", "One thing"), HaveKeyWithValue("caption", "What ten bad years taught us."),
			HaveKeyWithValue("tags", "sleep,calm"), HaveKeyWithValue("created_at", MatchRegexp(moment)), HaveKeyWithValue("updated_at", MatchRegexp(moment)),
			HaveKeyWithValue("post_counts", object{"total": 0.0, "scheduled": 0.0, "success": 0.0, "failed": 0.0})))
		Expect(a.at("data.thumbnail")).To(And(HaveKeyWithValue("url", a.at("data.thumbnail_url")), HaveKeyWithValue("width", 360.0), HaveKeyWithValue("height", 640.0)))
		Expect(a.at("data.job.status")).To(Equal("succeeded"))
		Expect(a.at("data.type_data.hook_text")).To(Equal("I slept badly."))
		clips := a.at("data.type_data.clips").([]any)
		Expect(clips).To(HaveLen(3))
		Expect(clips[0]).To(And(HaveKeyWithValue("role", "avatar"), HaveKeyWithValue("media_id", float64(avatar)), HaveKeyWithValue("start_seconds", 0.0), HaveKeyWithValue("duration_seconds", 6.0)))
		Expect(clips[1]).To(And(HaveKeyWithValue("role", "product_demo"), HaveKeyWithValue("media_id", float64(first)), HaveKeyWithValue("start_seconds", 6.0), HaveKeyWithValue("duration_seconds", 6.0)))
		Expect(clips[2]).To(And(HaveKeyWithValue("media_id", float64(second)), HaveKeyWithValue("start_seconds", 12.0)))
		for _, address := range []any{
			a.at("data.video_url"), a.at("data.preview_url"), a.at("data.thumbnail_url"), a.at("data.type_data.captions_url"), clips[0].(object)["url"], clips[2].(object)["url"],
		} {
			fetched(address)
		}
	})

	It("is in one list with slideshows, newest first, and can be filtered by type and status", func() {
		first := t.laidOut()
		second := t.filmedVideo(key, object{"title": "Two"})
		third := t.withoutSlides()
		fourth := t.video(key, object{"title": "Four"})
		listed := func(query string) []int64 {
			GinkgoHelper()
			a := get("/shorts%s", query).with(key).loosely().succeeds(200)
			var out []int64
			for i := range a.list() {
				out = append(out, a.id(fmt.Sprintf("data.%d.id", i)))
			}
			Expect(a.at("meta.pagination.total_count")).To(Equal(float64(len(out))), query)
			return out
		}
		Expect(listed("")).To(ConsistOf(first, second, third, fourth))
		newestFirst := slices.IsSortedFunc(get("/shorts").with(key).succeeds(200).list(), func(a, b any) int {
			return cmp.Or(
				cmp.Compare(b.(object)["created_at"].(string), a.(object)["created_at"].(string)), cmp.Compare(b.(object)["id"].(float64), a.(object)["id"].(float64)))
		})
		Expect(newestFirst).To(BeTrue())
		Expect(listed("?short_type=all")).To(HaveLen(4))
		for _, ugc := range []string{"UGC", "ugc", "Ugc"} {
			Expect(listed("?short_type=" + ugc)).To(Equal([]int64{fourth, second}))
		}
		Expect(listed("?short_type=slideshow")).To(ConsistOf(third, first))
		Eventually(func() []int64 { return listed("?status=success") }).Should(Equal([]int64{second}))
		Expect(listed("?status=completed")).To(Equal([]int64{second}), "an alias of the type")
		Expect(listed("?status=processing")).To(Equal([]int64{fourth}))
		Expect(listed("?status=success&short_type=SLIDESHOW")).To(BeEmpty())
		Expect(get("/shorts?short_type=UGC&status=success").with(key).succeeds(200).at("data.0")).To(And(
			HaveKeyWithValue("title", "Two"), HaveKeyWithValue("duration_seconds", 6.0), HaveKeyWithValue("video_url", Not(BeNil())), HaveKeyWithValue("preview_url", Not(BeNil()))))
		Expect(get("/brand").with(key).succeeds(200).at("data.stats")).To(And(HaveKeyWithValue("total_shorts", 4.0), HaveKeyWithValue("total_hooks", 2.0)))
	})

	It("is not a slideshow: it cannot be edited or rendered", func() {
		id := t.filmedVideo(key, object{})
		patch("/slideshows/%d", id, object{"title": "Another"}).with(key).refused(404, catalog.NotFound)
		put("/slideshows/%d", id, object{"title": "Another"}).with(key).refused(404, catalog.NotFound)
		post("/slideshows/%d/render", id, nothing).with(key).refused(404, catalog.NotFound)
	})

	It("is a 404 for another account and another brand", func() {
		id := t.video(key, object{})
		_, other := t.brand("other")
		for _, path := range []string{"/shorts/%d", "/jobs/%d"} {
			code := map[string]catalog.Code{"/shorts/%d": catalog.NotFound, "/jobs/%d": catalog.JobNotFound}[path]
			get(path, id).with(newTenant().everything()).refused(404, code)
			get(path+"?brand_id=%d", id, other).with(key).refused(404, code)
		}
	})

	It("from a suspended manifest is a draft without a job, and has one once it is resumed", func() {
		id := next(ids.Shorts)
		v := &v1beta1.Video{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "by-hand", Labels: identified(id)},
			Spec: v1beta1.VideoSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, Suspend: true, Avatar: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "later"}},
			},
		}
		apply(v)
		Expect(get("/shorts/%d", id).with(key).succeeds(200).data()).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("job", BeNil()),
			HaveKeyWithValue("type_data", And(HaveKeyWithValue("hook_text", BeNil()), HaveKeyWithValue("avatar_media_id", BeNil())))))
		get("/jobs/%d", id).with(key).refused(404, catalog.JobNotFound)
		change(v, func() { v.Spec.Suspend = false })
		Expect(get("/jobs/%d", id).with(key).succeeds(200).at("data.kind")).To(Equal("video_generation"))
	})

	It("is posted as its video file, once that exists", func() {
		release := executor.hold(t.namespace)
		id := t.video(key, object{"voice": object{"mode": "none"}, "caption": "What ten bad years taught us.", "tags": "sleep, calm"})
		accounts := []int64{t.social("tiktok"), t.social("youtube")}
		body := object{"short_id": id, "social_data_ids": accounts}
		a := post("/posts", body).with(key).refused(422, catalog.ShortNotPostable)
		Expect(a.at("errors")).To(HaveLen(2))
		Expect(a.at("errors.0.retryable")).To(BeTrue())
		asked := post("/posts/validate", body).with(key).succeeds(200)
		Expect(asked.at("data.ok")).To(BeFalse())
		Expect(asked.at("data.issues.0.code")).To(Equal("short_not_postable"))

		release()
		t.settledVideo(key, id)
		Expect(post("/posts/validate", body).with(key).succeeds(200).at("data.ok")).To(BeTrue())
		made := post("/posts", body).with(key).succeeds(202)
		Expect(made.at("data.overall_status")).To(Equal("success"))
		for i := range accounts {
			p := t.post(made.id(fmt.Sprintf("data.results.%d.share_id", i)))
			Expect(p.Spec.Media).To(And(HaveField("Kind", "video"), HaveField("VideoKey", HaveSuffix(".mp4")), HaveField("DurationMillis", int64(6000))))
			Expect(p.Spec.ShortID).To(Equal(id))
		}
		Expect(get("/posts?short_id=%d", id).with(key).succeeds(200).list()).To(HaveLen(2))
		d := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(d.at("data.posts")).To(HaveLen(2))
		Expect(d.at("data.post_counts.total")).To(Equal(2.0))
		Expect(d.at("data.posts.0.media_kind")).To(Equal("video"))
		Expect(d.at("data.posts.1.caption")).To(Equal("What ten bad years taught us.\n\n#sleep #calm"))
	})
})
