// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

var _ = Describe("Video", func() {
	var ns string
	BeforeEach(func() { ns = tenant(nil) })

	jpg := func() *bytes.Buffer {
		var b bytes.Buffer
		Expect(jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, 216, 384)), nil)).To(Succeed())
		return &b
	}
	// brought creates a MediaAsset of a clip of four seconds, and acts as the Job that probes it.
	brought := func(name string) {
		GinkgoHelper()
		file := []byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2")
		Expect(store.Put(ctx, "imports/"+ns+"/"+name, "video/mp4", bytes.NewReader(file))).To(Succeed())
		m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
		m.Spec.Source.BlobKey = ptr.To("imports/" + ns + "/" + name)
		Expect(k8s.Create(ctx, m)).To(Succeed())
		b := &batchv1.Job{}
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(m), m)).To(Succeed())
			g.Expect(k8s.Get(ctx, client.ObjectKey{Namespace: ns, Name: m.Status.JobName}, b)).To(Succeed())
		}).Should(Succeed())
		Expect(store.Put(ctx, "media/"+ns+"/"+string(m.UID)+"/thumbnail.jpg", "image/jpeg", jpg())).To(Succeed())
		out := outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Media: &outcome.Media{
			ContentType: "video/mp4", Bytes: int64(len(file)), DurationMilliseconds: 4000, Width: 1080, Height: 1920, FrameRate: 30, VideoCodec: "h264", Thumbnail: true,
		}}
		said, err := out.Encode()
		Expect(err).NotTo(HaveOccurred())
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: ns, Name: b.Name + "-x", Labels: b.Spec.Template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(b, batchv1.SchemeGroupVersion.WithKind("Job"))},
		}, Spec: b.Spec.Template.Spec}
		pod.Labels[batchv1.JobNameLabel] = b.Name
		Expect(k8s.Create(ctx, pod)).To(Succeed())
		pod.Status.Phase = corev1.PodSucceeded
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "renderer", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: string(said)}}}}
		Expect(k8s.Status().Update(ctx, pod)).To(Succeed())
		now := metav1.Now()
		b.Status.StartTime, b.Status.CompletionTime, b.Status.Succeeded = &now, &now, 1
		b.Status.Conditions = []batchv1.JobCondition{
			{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue, LastTransitionTime: now},
			{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: now},
		}
		Expect(k8s.Status().Update(ctx, b)).To(Succeed())
	}
	video := func(change func(*v1beta1.Video)) *v1beta1.Video {
		v := &v1beta1.Video{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "tea"}}
		v.Spec.BrandRef.Name, v.Spec.HookText = "acme", ptr.To("This tea was picked by hand, and you can taste it.")
		v.Spec.Avatar.MediaRef = &v1beta1.LocalRef{Name: "anna"}
		v.Spec.Voice.Mode = "none"
		change(v)
		Expect(k8s.Create(ctx, v)).To(Succeed())
		return v
	}

	It("waits for its clips, is rendered with its subtitles, and deletes its files", func() {
		// A slideshow with the same name exists.
		s := testkit.HandWritten(ns, "tea", "acme", "One", "Two", "Three")
		s.Spec.AutoRender = true
		Expect(k8s.Create(ctx, s)).To(Succeed())
		v := video(func(v *v1beta1.Video) {
			v.Spec.Demos = []v1beta1.DemoClip{{
				ClipSource:        v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "demo"}},
				StartMilliseconds: 500, Text: "Picked by hand", CallToAction: "Taste it",
			}}
		})
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(v), v)).To(Succeed())
			g.Expect(ready(v.Status.Conditions)).NotTo(BeNil())
			g.Expect(ready(v.Status.Conditions).Reason).To(Equal(string(v1beta1.ReasonMediaNotFound)))
		}).Should(Succeed())
		Expect(v.Status.Charge).To(BeNil(), "a waiting video is charged")
		brought("anna")
		brought("demo")

		j := &v1beta1.RenderJob{}
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKey{Namespace: ns, Name: "tea-film"}, j)).To(Succeed())
			g.Expect(k8s.Get(ctx, client.ObjectKey{Namespace: ns, Name: j.Status.JobName}, &batchv1.Job{})).To(Succeed())
		}).Should(Succeed())
		folder := "renders/" + ns + "/" + string(j.UID) + "/a1/"
		r, err := store.Get(ctx, folder+"order.json")
		Expect(err).NotTo(HaveOccurred())
		doc := new(bytes.Buffer)
		_, err = doc.ReadFrom(r)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Close()).To(Succeed())
		o, err := order.Parse(doc.Bytes())
		Expect(err).NotTo(HaveOccurred())
		var film timeline.Timeline
		Expect(json.Unmarshal(o.Render.Timeline, &film)).To(Succeed())
		Expect(film.Validate()).To(Succeed())
		Expect(film.Clips).To(HaveLen(2))
		Expect(film.Clips[0].Frames).To(BeNumerically(">=", 120))
		Expect(len(film.Clips[0].Spots)).To(BeNumerically(">=", 11), "an image for each word")
		Expect(film.Clips[1].Frames).To(Equal(105))
		Expect(film.Clips[1].Footage.Start).To(Equal(15))
		Expect(film.Clips[1].Footage.Fit).To(Equal(timeline.FitAuto))
		Expect(film.Clips[1].Spots).To(HaveLen(2), "a text and a button")
		Expect(o.Render.Poster).NotTo(BeNil())
		for key, in := range o.Render.Inputs {
			Expect(in.URL).NotTo(BeEmpty(), key)
		}

		Expect(store.Put(ctx, folder+"film.mp4", "video/mp4", bytes.NewReader(make([]byte, 10)))).To(Succeed())
		Expect(store.Put(ctx, folder+"poster.jpg", "image/jpeg", jpg())).To(Succeed())
		before := j.DeepCopy()
		j.Status.Report = &v1beta1.RenderReport{Attempt: 1, Output: &v1beta1.RenderOutput{Bytes: 10, SHA256: fmt.Sprintf("%x", sha256.Sum256(make([]byte, 10))), DurationMilliseconds: 8000, Width: 1080, Height: 1920, Frames: 240}}
		Expect(k8s.Status().Patch(ctx, j, client.MergeFrom(before))).To(Succeed())
		settled(v, func() *v1beta1.Work { return v.Status.Work })
		Expect(v.Status.Work.State).To(Equal(v1beta1.WorkSucceeded), "%+v", v.Status.Work.Error)
		kept := "renders/" + ns + "/" + string(j.UID) + "/"
		Expect(v.Status.Output.BlobKey).To(Equal(kept + "film.mp4"))
		Expect(v.Status.PosterKey).To(Equal(kept + "poster.jpg"))
		Expect(picture(v.Status.ThumbnailKey).Size()).To(Equal(image.Pt(360, 640)))
		Expect(v.Labels[v1beta1.LabelID]).NotTo(BeEmpty())
		Expect(j.Labels).To(HaveKey(v1beta1.LabelShort))
		a := &v1beta1.Account{}
		Expect(k8s.Get(ctx, client.ObjectKey{Namespace: ns, Name: "account"}, a)).To(Succeed())
		Expect(a.Status.Usage.SlideshowsUsed).To(BeEquivalentTo(2), "one slideshow and one video")
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Status.Render).NotTo(BeNil())
			g.Expect(s.Status.Render.Name).To(Equal("tea-r1"))
		}).Should(Succeed())

		By("writing nothing in steady state")
		becomesStable(v)

		By("deleting its stored files")
		Expect(k8s.Delete(ctx, v)).To(Succeed())
		Eventually(func() bool { return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKeyFromObject(v), v)) }).Should(BeTrue())
		Expect(store.Exists(ctx, v.Status.WordsKey)).To(BeFalse())
		Expect(store.Exists(ctx, v.Status.ThumbnailKey)).To(BeFalse())
	})

	It("names the URL that cannot be used", func() {
		brought("anna")
		v := video(func(v *v1beta1.Video) {
			v.Spec.Demos = []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{URL: ptr.To("https://127.0.0.1/a.mp4")}}}
		})
		settled(v, func() *v1beta1.Work { return v.Status.Work })
		Expect(v.Status.Work.Error.Code).To(Equal("validation_failed"))
		Expect(v.Status.Work.Error.Details).To(HaveKeyWithValue("field", "product_demo_urls[0]"))
		Expect(v.Status.Work.Error.Details).To(HaveKeyWithValue("reason", "forbidden_address"))
		Expect(strings.Count(ready(v.Status.Conditions).Message, "demos[0]")).To(Equal(1))
	})
})
