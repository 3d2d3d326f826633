// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/ids"
)

// unseen applies a clip of acme's own, as an upload makes it. Nobody has looked at it: seen does that.
func (t *tenant) unseen(mediaType string, change ...func(*v1beta1.MediaAsset)) (*v1beta1.MediaAsset, int64) {
	GinkgoHelper()
	id := next(ids.Media)
	m := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: t.namespace, Name: fmt.Sprintf("media-%d", id), Finalizers: []string{v1beta1.FinalizerMediaAsset}, Labels: identified(id),
		},
		Spec: v1beta1.MediaAssetSpec{
			BrandRef: &v1beta1.LocalRef{Name: "acme"}, MediaType: mediaType, ContentType: "video/mp4", Title: "A clip",
			Source: v1beta1.MediaSource{BlobKey: ptr.To(fmt.Sprintf("imports/%s/%d.mp4", t.namespace, id))},
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
func looked(m *v1beta1.MediaAsset, found func(*v1beta1.MediaAssetStatus)) {
	GinkgoHelper()
	Eventually(func() error {
		if err := access.Plain.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		now := metav1.Now()
		m.Status.Work, m.Status.Error = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &now, FinishedAt: &now}, nil
		found(&m.Status)
		return access.Plain.Status().Update(ctx, m)
	}).WithPolling(often).Should(Succeed())
}

// aClip is what looking at a sound clip of six seconds finds.
func aClip(m *v1beta1.MediaAsset) func(*v1beta1.MediaAssetStatus) {
	return func(s *v1beta1.MediaAssetStatus) {
		s.BlobKey = fmt.Sprintf("media/%s/%s/file.mp4", m.Namespace, m.UID)
		s.Probe = &v1beta1.MediaProbe{
			Kind: "video", ContentType: "video/mp4", Bytes: 6, Width: 1080, Height: 1920, DurationMilliseconds: 6000, FrameRate: 30, VideoCodec: "h264",
		}
	}
}

// clip is a clip that is ready.
func (t *tenant) clip(mediaType string, change ...func(*v1beta1.MediaAsset)) int64 {
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
func (t *tenant) aVideo(id int64) *v1beta1.Video {
	GinkgoHelper()
	v := &v1beta1.Video{}
	Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: fmt.Sprintf("video-%d", id)}, v)).To(Succeed())
	return v
}

// videos of the account in the cluster.
func (t *tenant) videos() []v1beta1.Video {
	GinkgoHelper()
	var l v1beta1.VideoList
	Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
	return l.Items
}

// turns writes what the controller of videos would; the Jobs that speak are not played here.
func (t *tenant) turns(id int64, change func(*v1beta1.VideoStatus)) {
	GinkgoHelper()
	Eventually(func() error {
		v := t.aVideo(id)
		change(&v.Status)
		v.Status.ObservedGeneration = v.Generation
		return access.Plain.Status().Update(ctx, v)
	}).WithPolling(often).Should(Succeed())
}

// filmedVideo makes one over the interface in which nobody speaks, and waits for its film. Every clip has six seconds.
func (t *tenant) filmedVideo(key string, body object) int64 {
	GinkgoHelper()
	body["voice"] = object{"mode": "none"}
	id := t.video(key, body)
	Expect(t.settledVideo(key, id).at("data.status")).To(Equal("succeeded"))
	return id
}

// captions is the blob of what is spoken in some video: the Jobs that speak are not played here.
func (t *tenant) captions() string {
	GinkgoHelper()
	key := "videos/" + t.namespace + "/captions.vtt"
	Expect(store.Put(ctx, key, "text/vtt", strings.NewReader("WEBVTT\n"))).To(Succeed())
	return key
}

// settledVideo waits until the work on a video has ended, and gives the job.
func (t *tenant) settledVideo(key string, id int64) *answer {
	GinkgoHelper()
	Eventually(func() bool {
		w := t.aVideo(id).Status.Work
		return w != nil && w.State.Settled()
	}).WithPolling(often).Should(BeTrue())
	var a *answer
	Eventually(func() any { // the front end's cache may be a moment behind the cluster
		a = get("/jobs/%d", id).with(key).succeeds(200)
		return a.at("data.status")
	}).WithPolling(100 * time.Millisecond).Should(BeElementOf("succeeded", "failed"))
	return a
}
