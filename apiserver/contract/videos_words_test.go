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

// unprobedClip applies a clip of acme, as an upload creates it. It has not been probed: recordProbe records a result.
func (t *tenant) unprobedClip(mediaType string, change ...func(*v1beta1.MediaAsset)) (*v1beta1.MediaAsset, int64) {
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

// mp4 begins like a clip. Probing it would need a Job, which does not run here.
const mp4 = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"

// recordProbe records the result of probing a file.
func recordProbe(m *v1beta1.MediaAsset, found func(*v1beta1.MediaAssetStatus)) {
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

// clipProbe returns the probe result of a valid clip of six seconds.
func clipProbe(m *v1beta1.MediaAsset) func(*v1beta1.MediaAssetStatus) {
	return func(s *v1beta1.MediaAssetStatus) {
		s.BlobKey = fmt.Sprintf("media/%s/%s/file.mp4", m.Namespace, m.UID)
		s.Probe = &v1beta1.MediaProbe{
			Kind: "video", ContentType: "video/mp4", Bytes: 6, Width: 1080, Height: 1920, DurationMilliseconds: 6000, FrameRate: 30, VideoCodec: "h264",
		}
	}
}

// clip returns a clip that is ready.
func (t *tenant) clip(mediaType string, change ...func(*v1beta1.MediaAsset)) int64 {
	GinkgoHelper()
	m, id := t.unprobedClip(mediaType, change...)
	recordProbe(m, clipProbe(m))
	Expect(store.Put(ctx, m.Status.BlobKey, "video/mp4", strings.NewReader("a clip"))).To(Succeed())
	return id
}

// avatar returns an avatar clip of acme that is ready.
func (t *tenant) avatar() int64 { GinkgoHelper(); return t.clip("avatar_video") }

// video creates a video through the API.
func (t *tenant) video(key string, body object) int64 {
	GinkgoHelper()
	if body["avatar_media_id"] == nil {
		body["avatar_media_id"] = t.avatar()
	}
	return post("/videos", body).with(key).succeeds(202).id("data.job_id")
}

// videoObject returns the object of a video that the API created.
func (t *tenant) videoObject(id int64) *v1beta1.Video {
	GinkgoHelper()
	v := &v1beta1.Video{}
	Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: fmt.Sprintf("video-%d", id)}, v)).To(Succeed())
	return v
}

// videos returns the videos of the account in the cluster.
func (t *tenant) videos() []v1beta1.Video {
	GinkgoHelper()
	var l v1beta1.VideoList
	Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
	return l.Items
}

// turns writes a status as the video controller would. The Jobs that speak do not run here.
func (t *tenant) turns(id int64, change func(*v1beta1.VideoStatus)) {
	GinkgoHelper()
	Eventually(func() error {
		v := t.videoObject(id)
		change(&v.Status)
		v.Status.ObservedGeneration = v.Generation
		return access.Plain.Status().Update(ctx, v)
	}).WithPolling(often).Should(Succeed())
}

// filmedVideo creates a video without speech through the API, and waits until it is rendered. Every clip has six
// seconds.
func (t *tenant) filmedVideo(key string, body object) int64 {
	GinkgoHelper()
	body["voice"] = object{"mode": "none"}
	id := t.video(key, body)
	Expect(t.settledVideo(key, id).at("data.status")).To(Equal("succeeded"))
	return id
}

// captions returns the blob key of some captions: the Jobs that speak do not run here.
func (t *tenant) captions() string {
	GinkgoHelper()
	key := "videos/" + t.namespace + "/captions.vtt"
	Expect(store.Put(ctx, key, "text/vtt", strings.NewReader("WEBVTT\n"))).To(Succeed())
	return key
}

// settledVideo waits until the work on a video has ended, and returns the job.
func (t *tenant) settledVideo(key string, id int64) *answer {
	GinkgoHelper()
	Eventually(func() bool {
		w := t.videoObject(id).Status.Work
		return w != nil && w.State.Settled()
	}).WithPolling(often).Should(BeTrue())
	var a *answer
	Eventually(func() any { // the front end's cache may lag behind the cluster
		a = get("/jobs/%d", id).with(key).succeeds(200)
		return a.at("data.status")
	}).WithPolling(100 * time.Millisecond).Should(BeElementOf("succeeded", "failed"))
	return a
}
