// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/kube/ids"
)

// song is the content of music files in these specs: it begins like an MP3, and is never decoded.
var song = "ID3\x04\x00\x00\x00\x00\x00\x00" + "\xff\xfb\x90\x64" + strings.Repeat("\x00", 5000)

// track applies a piece of music as a manifest would. It is not ingested: heard does that.
func track(namespace, title string, change func(*v1beta1.MusicTrackSpec)) *v1beta1.MusicTrack {
	GinkgoHelper()
	id := next(ids.Tracks)
	key := fmt.Sprintf("imports/%s/song-%d.mp3", namespace, id)
	t := &v1beta1.MusicTrack{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("song-%d", id), Labels: identified(id)},
		Spec:       v1beta1.MusicTrackSpec{Title: title, Source: v1beta1.MediaSource{BlobKey: &key}},
	}
	if change != nil {
		change(&t.Spec)
	}
	Expect(store.Put(ctx, key, "audio/mpeg", strings.NewReader(song))).To(Succeed())
	apply(t)
	return t
}

// settle simulates the Job that probes a track, which would need a node: it records the Job's result.
func settle(t *v1beta1.MusicTrack, found func(*v1beta1.MusicTrackStatus)) *v1beta1.MusicTrack {
	GinkgoHelper()
	Eventually(func() error {
		if err := access.Plain.Get(ctx, client.ObjectKeyFromObject(t), t); err != nil {
			return err
		}
		now := metav1.Now()
		t.Status.Error = nil
		t.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &now, FinishedAt: &now}
		found(&t.Status)
		return access.Plain.Status().Update(ctx, t)
	}).WithPolling(often).Should(Succeed())
	return t
}

// heard ingests a track of 61.5 seconds.
func heard(t *v1beta1.MusicTrack) int64 {
	GinkgoHelper()
	key := fmt.Sprintf("media/%s/%s/file.mp3", t.Namespace, t.UID)
	Expect(store.Put(ctx, key, "audio/mpeg", strings.NewReader(song))).To(Succeed())
	settle(t, func(s *v1beta1.MusicTrackStatus) {
		s.BlobKey = key
		s.Probe = &v1beta1.TrackProbe{
			ContentType: "audio/mpeg", Bytes: int64(len(song)), DurationMilliseconds: 61_500, AudioCodec: "mp3",
			Loudness: &v1beta1.Loudness{IntegratedLUFS: -11, TruePeakDBTP: -0.3, RangeLU: 5, ThresholdLUFS: -21},
		}
	})
	return idNamed(t)
}

// idNamed returns the id of a track.
func idNamed(t *v1beta1.MusicTrack) int64 {
	GinkgoHelper()
	id, err := strconv.ParseInt(t.Labels[v1beta1.LabelID], 10, 64)
	Expect(err).NotTo(HaveOccurred())
	return id
}

// noise records that a track's file is not music.
func noise(t *v1beta1.MusicTrack) int64 {
	GinkgoHelper()
	settle(t, func(s *v1beta1.MusicTrackStatus) {
		s.Work.State, s.Error = v1beta1.WorkFailed, &v1beta1.WorkError{Code: string(catalog.ValidationFailed), Message: "The file is no music."}
	})
	return idNamed(t)
}

var _ = Describe("Background music", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	ofAcme := func(s *v1beta1.MusicTrackSpec) { s.BrandRef = &v1beta1.LocalRef{Name: "acme"} }
	list := func(with string) *answer { GinkgoHelper(); return get("/background_music").with(with).succeeds(200) }
	has := func(id int64) {
		GinkgoHelper()
		Eventually(func() []int64 { return idsOf(list(key)) }).WithPolling(400 * time.Millisecond).Should(ContainElement(id))
	}
	byID := func(id int64) object {
		GinkgoHelper()
		for _, item := range list(key).list() {
			if item.(object)["id"] == float64(id) {
				return item.(object)
			}
		}
		Fail(fmt.Sprintf("there is no track %d", id))
		return nil
	}

	Describe("in the list", func() {
		It("has every field, with null for absent values", func() {
			bare := heard(track(t.namespace, "Bare", nil))
			full := heard(track(t.namespace, "Full", func(s *v1beta1.MusicTrackSpec) {
				s.Artist, s.Genre, s.Moods, s.BPM = "Ann", "jazz", []string{"calm", "late"}, ptr.To[int32](72)
				s.License = &v1beta1.MusicLicense{Name: "CC BY 4.0", URL: "https://creativecommons.org/licenses/by/4.0/", AttributionRequired: true}
			}))
			has(bare)
			has(full)
			Expect(byID(full)).To(And(
				HaveKeyWithValue("title", "Full"), HaveKeyWithValue("artist", "Ann"), HaveKeyWithValue("duration_seconds", 61.5), HaveKeyWithValue("source", "upload"),
				HaveKeyWithValue("genre", "jazz"), HaveKeyWithValue("moods", []any{"calm", "late"}), HaveKeyWithValue("bpm", 72.0),
				HaveKeyWithValue("created_at", MatchRegexp(moment)),
				HaveKeyWithValue("license", Equal(object{"name": "CC BY 4.0", "url": "https://creativecommons.org/licenses/by/4.0/", "attribution_required": true}))))
			Expect(byID(bare)).To(And(HaveKeyWithValue("artist", BeNil()), HaveKeyWithValue("genre", BeNil()), HaveKeyWithValue("moods", []any{}),
				HaveKeyWithValue("bpm", BeNil()), HaveKeyWithValue("license", BeNil())))
		})

		It("has a URL that works without a key", func() {
			id := heard(track(t.namespace, "Listen", nil))
			has(id)
			body, _ := fetched(byID(id)["url"])
			Expect(string(body)).To(Equal(song))
		})

		It("is sorted: the library by title, then the brand's and account's newest first, then stock by title", func() {
			stock := heard(track(systemNamespace, "B stock", nil))
			starter := func(title string) int64 {
				return heard(track(systemNamespace, title, func(s *v1beta1.MusicTrackSpec) { s.Source = v1beta1.MediaSource{Starter: ptr.To("quiet-room")} }))
			}
			second, first := starter("Z starter"), starter("A starter")
			shared := heard(track(t.namespace, "Shared", nil))
			own := heard(track(t.namespace, "Own", ofAcme))
			for _, id := range []int64{stock, second, first, shared, own} {
				has(id)
			}
			sources := map[string]string{}
			var order []string
			for _, item := range list(key).list() {
				o := item.(object)
				if title := o["title"].(string); title != "Stock" { // of another spec
					order = append(order, title)
					sources[title] = o["source"].(string)
				}
			}
			Expect(order).To(Equal([]string{"A starter", "Z starter", "Own", "Shared", "B stock"}))
			Expect(sources).To(Equal(map[string]string{"A starter": "library", "Z starter": "library", "Own": "upload", "Shared": "upload", "B stock": "stock"}))
		})

		It("contains only ready tracks of the brand, of its account or of every account", func() {
			t.brand("other")
			other, _ := t.keyOf("other", nil)
			elsewhere := newTenant()
			hers := heard(track(t.namespace, "Hers", ofAcme))
			stranger := heard(track(elsewhere.namespace, "Stranger", nil))
			waiting := idNamed(track(t.namespace, "Waiting", nil))
			broken := noise(track(t.namespace, "Broken", nil))
			last := heard(track(t.namespace, "Last", nil))
			has(last)
			Expect(idsOf(list(key))).To(And(ContainElement(hers), Not(ContainElement(stranger)), Not(ContainElement(waiting)), Not(ContainElement(broken))))
			Expect(idsOf(list(other))).To(And(ContainElement(last), Not(ContainElement(hers))))
		})

		It("needs media:read", func() {
			get("/background_music").with(t.key("content:write")).refused(403, catalog.MissingScope)
		})
	})

	Describe("of a slideshow", func() {
		body := func(id any) object {
			return object{"context": habits, "slide_count": 3, "background_music_id": id}
		}
		music := func(id int64) any {
			GinkgoHelper()
			return get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.background_music_id")
		}
		// filmed returns the timeline of the newest render of a short.
		filmed := func(id int64) timeline.Timeline {
			GinkgoHelper()
			var renders v1beta1.RenderJobList
			Expect(access.Plain.List(ctx, &renders, client.InNamespace(t.namespace), client.MatchingLabels{v1beta1.LabelShort: fmt.Sprint(id)})).To(Succeed())
			Expect(renders.Items).NotTo(BeEmpty())
			newest := renders.Items[0]
			for _, r := range renders.Items {
				if r.Status.Revision > newest.Status.Revision {
					newest = r
				}
			}
			doc, err := store.Get(ctx, newest.Status.TimelineKey)
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = doc.Close() }()
			var film struct {
				Timeline timeline.Timeline `json:"timeline"`
			}
			Expect(json.NewDecoder(doc).Decode(&film)).To(Succeed())
			return film.Timeline
		}

		DescribeTable("is a track that the brand may use", func(where func() string, change func(*v1beta1.MusicTrackSpec)) {
			song := heard(track(where(), "Song", change))
			has(song)
			id := t.slideshow(key, body(song))
			Expect(music(id)).To(Equal(float64(song)))
			Expect(music(t.slideshow(key, body(fmt.Sprint(song))))).To(Equal(float64(song)), "an id as a text")
		},
			Entry("of its own", func() string { return t.namespace }, ofAcme),
			Entry("of its account", func() string { return t.namespace }, nil),
			Entry("of every account", func() string { return systemNamespace }, nil))

		It("is none if null or omitted", func() {
			Expect(music(t.slideshow(key, body(nil)))).To(BeNil())
			Expect(music(t.laidOut())).To(BeNil())
		})

		It("is rejected if the track is unknown, another brand's or account's, or failed", func() {
			t.brand("other")
			of := func(name string) func(*v1beta1.MusicTrackSpec) {
				return func(s *v1beta1.MusicTrackSpec) { s.BrandRef = &v1beta1.LocalRef{Name: name} }
			}
			others := heard(track(t.namespace, "Others", of("other")))
			strangers := heard(track(newTenant().namespace, "Strangers", nil))
			broken := noise(track(t.namespace, "Broken", nil))
			mine := heard(track(t.namespace, "Mine", nil))
			has(mine) // so the front end has received the earlier ones too
			for _, id := range []int64{others, strangers, broken, 1 << 40} {
				post("/slideshows", body(id)).with(key).refused(422, catalog.ValidationFailed).about("background_music_id")
			}
			post("/slideshows", body("loud")).with(key).refused(422, catalog.ValidationFailed).about("background_music_id")
		})

		It("is in the timeline of the video, repeated and faded out", func() {
			song := heard(track(t.namespace, "Song", nil))
			has(song)
			id := t.slideshow(key, body(song))
			post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
			Expect(settled(key, id).at("data.status")).To(Equal("succeeded"))
			audio := filmed(id).Audio
			Expect(audio).To(And(HaveField("Kind", timeline.Music), HaveField("Loop", true), HaveField("FadeOutFrames", 45)))
		})

		It("is waited for while it is ingested", func() {
			late := track(t.namespace, "Late", nil)
			var id int64
			Eventually(func(g Gomega) { // the front end may receive it with a delay
				a := post("/slideshows", body(idNamed(late))).with(key).send()
				g.Expect(a.status).To(Equal(202), a.raw)
				id = a.id("data.job_id")
			}).Should(Succeed())
			finished(id)
			Eventually(func(g Gomega) {
				g.Expect(post("/slideshows/%d/render", id, nothing).with(key).send().status).To(Equal(202))
			}).Should(Succeed())
			var renders v1beta1.RenderJobList
			Eventually(func(g Gomega) {
				g.Expect(access.Plain.List(ctx, &renders, client.InNamespace(t.namespace))).To(Succeed())
				g.Expect(renders.Items).To(HaveLen(1))
				g.Expect(renders.Items[0].Status.Conditions).To(ContainElement(And(HaveField("Type", "Ready"), HaveField("Reason", string(v1beta1.ReasonTrackNotReady)))))
			}).WithPolling(often).Should(Succeed())
			heard(late)
			Expect(settled(key, id).at("data.status")).To(Equal("succeeded"))
			Expect(filmed(id).Audio.Kind).To(Equal(timeline.Music))
		})

		It("can be changed and removed; the video is stale then, and the images stay", func() {
			song := heard(track(t.namespace, "Song", nil))
			has(song)
			id := t.laidOut()
			post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
			settled(key, id)
			before := get("/shorts/%d", id).with(key).succeeds(200)
			a := patch("/slideshows/%d", id, object{"background_music_id": song}).with(key).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("render_status", "stale"), HaveKeyWithValue("video_url", BeNil())))
			Expect(a.at("data.type_data.background_music_id")).To(Equal(float64(song)))
			Expect(a.at("data.revision")).To(Equal(before.at("data.revision").(float64) + 1))
			Expect(patch("/slideshows/%d", id, object{"background_music_id": song}).with(key).succeeds(200).at("data.revision")).To(Equal(a.at("data.revision")), "a repeated edit")
			patch("/slideshows/%d", id, object{"background_music_id": 1 << 40}).with(key).refused(422, catalog.ValidationFailed).about("background_music_id")
			post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
			settled(key, id)
			Expect(filmed(id).Audio.Kind).To(Equal(timeline.Music))
			Expect(patch("/slideshows/%d", id, object{"background_music_id": nil}).with(key).succeeds(200).at("data.type_data.background_music_id")).To(BeNil())
		})

		It("stays in a render that has begun, even if the track is deleted", func() {
			gone := track(t.namespace, "Gone", nil)
			has(heard(gone))
			id := t.slideshow(key, body(idNamed(gone)))
			release := executor.hold(t.namespace)
			defer release()
			post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
			var render v1beta1.RenderJob
			Eventually(func(g Gomega) {
				var renders v1beta1.RenderJobList
				g.Expect(access.Plain.List(ctx, &renders, client.InNamespace(t.namespace))).To(Succeed())
				g.Expect(renders.Items).To(HaveLen(1))
				render = renders.Items[0]
				g.Expect(render.Status.JobName).NotTo(BeEmpty())
			}).WithPolling(often).Should(Succeed())
			Expect(access.Plain.Delete(ctx, gone)).To(Succeed())
			Eventually(func() bool { there, err := store.Exists(ctx, gone.Status.BlobKey); return err == nil && !there }).WithPolling(often).Should(BeTrue())
			Expect(store.Exists(ctx, fmt.Sprintf("renders/%s/%s/music", t.namespace, render.UID))).To(BeTrue())
			release()
			Expect(settled(key, id).at("data.status")).To(Equal("succeeded"))
			Expect(store.Exists(ctx, fmt.Sprintf("renders/%s/%s/music", t.namespace, render.UID))).To(BeFalse(),
				"an unneeded copy of the track")
		})
	})
})
