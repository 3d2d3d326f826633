// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/ids"
)

// unseen applies a clip of acme's own, as an upload makes it. Nobody has looked at it: seen does that.
func (t *tenant) unseen(mediaType string, change ...func(*v1alpha1.MediaAsset)) (*v1alpha1.MediaAsset, int64) {
	GinkgoHelper()
	id := next(ids.Media)
	m := &v1alpha1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: t.namespace, Name: fmt.Sprintf("media-%d", id), Finalizers: []string{v1alpha1.FinalizerMediaAsset}, Labels: identified(id),
		},
		Spec: v1alpha1.MediaAssetSpec{
			BrandRef: &v1alpha1.LocalRef{Name: "acme"}, MediaType: mediaType, ContentType: "video/mp4", Title: "A clip",
			Source: v1alpha1.MediaSource{BlobKey: ptr.To(fmt.Sprintf("imports/%s/%d.mp4", t.namespace, id))},
		},
	}
	for _, f := range change {
		f(m)
	}
	Expect(store.Put(ctx, *m.Spec.Source.BlobKey, m.Spec.ContentType, strings.NewReader(mp4))).To(Succeed())
	apply(m)
	return m, id
}

// mp4 begins as a clip does: who looks closer needs a Job, which nobody plays here.
const mp4 = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"

// looked writes down what looking at a file found.
func looked(m *v1alpha1.MediaAsset, found func(*v1alpha1.MediaAssetStatus)) {
	GinkgoHelper()
	Eventually(func() error {
		if err := access.Plain.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		now := metav1.Now()
		m.Status.Work, m.Status.Error = &v1alpha1.Work{State: v1alpha1.WorkSucceeded, Attempt: 1, StartedAt: &now, FinishedAt: &now}, nil
		found(&m.Status)
		return access.Plain.Status().Update(ctx, m)
	}).WithPolling(often).Should(Succeed())
}

// aClip is what looking at a sound clip of six seconds finds.
func aClip(m *v1alpha1.MediaAsset) func(*v1alpha1.MediaAssetStatus) {
	return func(s *v1alpha1.MediaAssetStatus) {
		s.BlobKey = fmt.Sprintf("media/%s/%s/file.mp4", m.Namespace, m.UID)
		s.Probe = &v1alpha1.MediaProbe{
			Kind: "video", ContentType: "video/mp4", Bytes: 6, Width: 1080, Height: 1920, DurationMilliseconds: 6000, FrameRate: 30, VideoCodec: "h264",
		}
	}
}

// clip is a clip that is ready.
func (t *tenant) clip(mediaType string, change ...func(*v1alpha1.MediaAsset)) int64 {
	GinkgoHelper()
	m, id := t.unseen(mediaType, change...)
	looked(m, aClip(m))
	Expect(store.Put(ctx, m.Status.BlobKey, "video/mp4", strings.NewReader("a clip"))).To(Succeed())
	return id
}

// avatar is one of acme that is ready.
func (t *tenant) avatar() int64 { GinkgoHelper(); return t.clip("avatar_video") }

// video makes one over the interface.
func (t *tenant) video(key string, body object) int64 {
	GinkgoHelper()
	if body["avatar_media_id"] == nil {
		body["avatar_media_id"] = t.avatar()
	}
	return post("/videos", body).with(key).succeeds(202).id("data.job_id")
}

// aVideo is the object of a video that the interface made.
func (t *tenant) aVideo(id int64) *v1alpha1.Video {
	GinkgoHelper()
	v := &v1alpha1.Video{}
	Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: fmt.Sprintf("video-%d", id)}, v)).To(Succeed())
	return v
}

// videos of the account in the cluster.
func (t *tenant) videos() []v1alpha1.Video {
	GinkgoHelper()
	var l v1alpha1.VideoList
	Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
	return l.Items
}

// turns writes what the controller of videos would; the Jobs that speak are not played here.
func (t *tenant) turns(id int64, change func(*v1alpha1.VideoStatus)) {
	GinkgoHelper()
	Eventually(func() error {
		v := t.aVideo(id)
		change(&v.Status)
		v.Status.ObservedGeneration = v.Generation
		return access.Plain.Status().Update(ctx, v)
	}).WithPolling(often).Should(Succeed())
}

// shown ends a video well: an avatar and, so often as it is to be, two demos.
func (t *tenant) shown(id int64, loops int) {
	GinkgoHelper()
	prefix := fmt.Sprintf("videos/%s/%d/", t.namespace, id)
	for name, kind := range map[string]string{
		"film.mp4": "video/mp4", "poster.jpg": "image/jpeg", "thumbnail.jpg": "image/jpeg", "captions.vtt": "text/vtt", "anna.mp4": "video/mp4", "demo.mp4": "video/mp4",
	} {
		Expect(store.Put(ctx, prefix+name, kind, bytes.NewReader(film))).To(Succeed())
	}
	t.turns(id, func(s *v1alpha1.VideoStatus) {
		now := metav1.Now()
		s.Work = &v1alpha1.Work{State: v1alpha1.WorkSucceeded, Attempt: 1, StartedAt: &now, FinishedAt: &now}
		s.Charge = &v1alpha1.Charge{PeriodStart: now, Charges: 1}
		s.Text = &v1alpha1.VideoText{Language: "en", Hook: "I slept badly.", Title: "One thing", Caption: "What ten bad years taught us.", Tags: []string{"sleep", "calm"}}
		s.Speech = &v1alpha1.Speech{Source: "package", BlobKey: prefix + "speech.wav", DurationMilliseconds: 4000}
		s.Clips = []v1alpha1.VideoClip{{Role: "avatar", Asset: "anna", MediaID: 41, BlobKey: prefix + "anna.mp4", DurationMilliseconds: 4400, SourceMilliseconds: 6000}}
		for i := range int64(2 * loops) {
			s.Clips = append(s.Clips, v1alpha1.VideoClip{
				Role: "product_demo", Asset: "demo", MediaID: 42, BlobKey: prefix + "demo.mp4", StartMilliseconds: 4400 + 6000*i, DurationMilliseconds: 6000, SourceMilliseconds: 6000,
			})
		}
		s.Revision = 1
		s.Output = &v1alpha1.RenderOutput{
			BlobKey: prefix + "film.mp4", Bytes: int64(len(film)), SHA256: strings.Repeat("a", 64), DurationMilliseconds: 16_400, Width: 1080, Height: 1920,
		}
		s.PosterKey, s.ThumbnailKey, s.CaptionsKey = prefix+"poster.jpg", prefix+"thumbnail.jpg", prefix+"captions.vtt"
	})
}
