// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/textgen/offline"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/pod"
)

// These specs run every controller in one manager against a real API server. There is no Job controller: the specs
// act as the Job controller and the renderer.

var (
	cluster *testkit.Cluster
	k8s     client.Client
	store   *blob.Store
	truth   *testkit.Truth
	ctx     context.Context
)

func TestControllers(t *testing.T) {
	testkit.NeedCluster(t)
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(60 * time.Second)
	SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	RunSpecs(t, "Controllers")
}

var _ = BeforeSuite(func() {
	ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	var cancel context.CancelFunc
	ctx, cancel = context.WithCancel(context.Background())
	DeferCleanup(cancel)
	var err error
	cluster, err = testkit.StartCluster()
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(cluster.Stop)
	k8s = cluster.Client
	truth, err = cluster.WatchTruth(ctx)
	Expect(err).NotTo(HaveOccurred())
	Expect(k8s.Create(ctx, testkit.Namespace("reelops-system"))).To(Succeed())

	key := bytes.Repeat([]byte{1}, 32)
	dir := filepath.Join(GinkgoT().TempDir(), "blobs")
	store, err = blob.Open(ctx, blob.Config{URL: "file://" + dir, BaseURL: "http://127.0.0.1", SigningKey: key})
	Expect(err).NotTo(HaveOccurred())
	engine, err := overlay.New()
	Expect(err).NotTo(HaveOccurred())
	signer, err := callback.NewSigner(key)
	Expect(err).NotTo(HaveOccurred())
	sealer, err := envelope.New(key)
	Expect(err).NotTo(HaveOccurred())
	mgr, err := ctrl.NewManager(cluster.Config, ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Client: client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
	})
	Expect(err).NotTo(HaveOccurred())
	hooks, err := webhooksecret.New(make([]byte, 32))
	Expect(err).NotTo(HaveOccurred())
	Expect(controllers.Setup(ctx, mgr, controllers.Config{
		Store: store, Writer: offline.New(), Engine: engine, Signer: signer, CallbackURL: "http://127.0.0.1:1",
		Pod:        pod.Options{Image: "renderer", CPU: resource.MustParse("1"), Memory: resource.MustParse("512Mi"), Scratch: resource.MustParse("1Gi"), TTLSeconds: 600},
		AllowHosts: []string{"localhost"}, WebhookHosts: []string{"localhost"}, IDs: ids.New(k8s, "reelops-system"), Slideshows: 2, Drawings: 2, Clock: clock.RealClock{},
		Keeper: credential.New(credential.Config{Client: k8s, Sealer: sealer, Clock: clock.RealClock{}}), Sealer: sealer,
		WebhookSecrets: hooks,
		EventData: func(_ context.Context, _ client.Reader, o client.Object) (any, error) {
			return map[string]string{"name": o.GetName()}, nil
		},
	})).To(Succeed())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	DeferCleanup(func() { cancel(); Eventually(done).Should(Receive(Not(HaveOccurred()))) })
})

// tenant creates a namespace with an account and a brand.
func tenant(limit *int32) string {
	GinkgoHelper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "tenant-"}}
	Expect(k8s.Create(ctx, ns)).To(Succeed())
	account := testkit.Account(ns.Name)
	account.Spec.Plan.SlideshowLimit = limit
	Expect(k8s.Create(ctx, account)).To(Succeed())
	Expect(k8s.Create(ctx, testkit.Brand(ns.Name, "acme"))).To(Succeed())
	return ns.Name
}

func settled[T client.Object](o T, work func() *v1beta1.Work) T {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		g.Expect(work()).NotTo(BeNil())
		g.Expect(work().State.Settled()).To(BeTrue())
	}).Should(Succeed())
	return o
}

// becomesStable waits until an object was not written for a second. The pass that ends its work may be followed by
// one that records this. A controller that writes in steady state never becomes stable.
func becomesStable[T client.Object](o T) {
	GinkgoHelper()
	version := ""
	Eventually(func() bool {
		before := version
		Expect(k8s.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		version = o.GetResourceVersion()
		return before == version
	}).WithPolling(time.Second).Should(BeTrue(), "the object is written again and again")
}

func awaitWork(s *v1beta1.Slideshow) *v1beta1.Slideshow {
	GinkgoHelper()
	return settled(s, func() *v1beta1.Work { return s.Status.Work })
}

func ready(conditions []metav1.Condition) *metav1.Condition {
	return meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady))
}

func picture(key string) image.Rectangle {
	GinkgoHelper()
	r, err := store.Get(ctx, key)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = r.Close() }()
	img, _, err := image.Decode(r)
	Expect(err).NotTo(HaveOccurred())
	return img.Bounds()
}

var _ = Describe("Slideshow", func() {
	const context5 = "Five small habits for calmer mornings. Wake up at the same time every day. Drink a glass of water before coffee. " +
		"Leave the phone in another room. Write down one thing you look forward to. Walk for ten minutes in daylight."

	It("renders slides from a context", func() {
		ns := tenant(nil)
		s := testkit.Slideshow(ns, "mornings", "acme", context5)
		s.Spec.SlideCount = 6
		Expect(k8s.Create(ctx, s)).To(Succeed())
		awaitWork(s)
		Expect(s.Status.Work.State).To(Equal(v1beta1.WorkSucceeded), "%+v", s.Status.Work.Error)
		Expect(s.Labels).To(HaveKey(v1beta1.LabelID))
		Expect(s.Status.Slides).To(HaveLen(6))
		Expect(s.Status.Revision).To(BeEquivalentTo(1))
		seen := map[string]bool{}
		for _, sl := range s.Status.Slides {
			Expect(picture(sl.PictureKey).Size()).To(Equal(image.Pt(1080, 1920)))
			Expect(picture(sl.LayerKey).Size()).To(Equal(image.Pt(1080, 1920)))
			Expect(sl.TextOverlays).NotTo(BeEmpty())
			Expect(seen).NotTo(HaveKey(sl.Background.ID), "an image is used twice")
			seen[sl.Background.ID] = true
		}
		Expect(picture(s.Status.PreviewKey).Dx()).To(BeNumerically(">", 100))
		Expect(ready(s.Status.Conditions).Status).To(Equal(metav1.ConditionTrue))
		a := &v1beta1.Account{}
		Expect(k8s.Get(ctx, client.ObjectKey{Namespace: ns, Name: "account"}, a)).To(Succeed())
		Expect(a.Status.Usage.SlideshowsUsed).To(BeEquivalentTo(1))

		By("writing nothing in steady state")
		becomesStable(s)

		By("deleting its images")
		key := s.Status.Slides[0].PictureKey
		Expect(k8s.Delete(ctx, s)).To(Succeed())
		Eventually(func() bool { return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)) }).Should(BeTrue())
		Expect(store.Exists(ctx, key)).To(BeFalse())
	})

	It("renders hand-written slides as they are, and renders edited slides again", func() {
		s := testkit.HandWritten(tenant(nil), "hand", "acme", "One", "Two", "Three")
		s.Spec.DesignStyle = "bold_center"
		Expect(k8s.Create(ctx, s)).To(Succeed())
		awaitWork(s)
		Expect(s.Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
		Expect(s.Status.Text).To(BeNil())
		Expect(s.Status.Slides[1].TextOverlays[0].Text).To(ContainSubstring("Two"))
		before := s.DeepCopy()

		s.Spec.Slides[1].Heading = "Changed"
		Expect(k8s.Update(ctx, s)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Status.Revision).To(BeEquivalentTo(2))
		}).Should(Succeed())
		Expect(s.Status.Slides[1].TextOverlays[0].Text).To(ContainSubstring("Changed"))
		for i := range s.Status.Slides {
			Expect(s.Status.Slides[i].Background.ID).To(Equal(before.Status.Slides[i].Background.ID), "an edit of text keeps the image")
		}

		By("keeping the images when only the title changes")
		s.Spec.Title = ptr.To("A title")
		Expect(k8s.Update(ctx, s)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Status.ObservedGeneration).To(Equal(s.Generation))
		}).Should(Succeed())
		Expect(s.Status.Revision).To(BeEquivalentTo(2))
	})

	It("requests its video if configured", func() {
		s := testkit.HandWritten(tenant(nil), "auto", "acme", "One", "Two", "Three")
		s.Spec.AutoRender = true
		Expect(k8s.Create(ctx, s)).To(Succeed())
		Expect(awaitWork(s).Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
		Eventually(func() error {
			return k8s.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: "auto-r1"}, &v1beta1.RenderJob{})
		}).Should(Succeed())
	})

	It("waits for the music of its video, and continues when the track exists", func() {
		s := testkit.HandWritten(tenant(nil), "sung", "acme", "One", "Two", "Three")
		s.Spec.AutoRender, s.Spec.Music = true, &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: "theme"}}
		Expect(k8s.Create(ctx, s)).To(Succeed())
		waits := func(reason v1beta1.Reason, says string) {
			GinkgoHelper()
			Eventually(func(g Gomega) {
				g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
				g.Expect(ready(s.Status.Conditions)).NotTo(BeNil())
				g.Expect(ready(s.Status.Conditions).Reason).To(Equal(string(reason)))
				g.Expect(ready(s.Status.Conditions).Status).To(Equal(metav1.ConditionFalse))
				g.Expect(ready(s.Status.Conditions).Message).To(ContainSubstring(says))
			}).Should(Succeed())
		}
		film := client.ObjectKey{Namespace: s.Namespace, Name: "sung-r1"}
		waits(v1beta1.ReasonTrackNotFound, `"theme"`)
		Expect(s.Status.Slides).To(HaveLen(3))
		track := &v1beta1.MusicTrack{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "theme"}}
		track.Spec.Title, track.Spec.Source.BlobKey = "Theme", ptr.To("imports/"+s.Namespace+"/late.mp3")
		Expect(k8s.Create(ctx, track)).To(Succeed())
		waits(v1beta1.ReasonTrackNotReady, "no object with this key")
		Expect(k8s.Get(ctx, film, &v1beta1.RenderJob{})).NotTo(Succeed())
		Eventually(func() error {
			if err := k8s.Get(ctx, client.ObjectKeyFromObject(track), track); err != nil {
				return err
			}
			track.Status.Work, track.Status.BlobKey = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}, "music/theme"
			track.Status.Probe = &v1beta1.TrackProbe{ContentType: "audio/mpeg", DurationMilliseconds: 1000, Bytes: 1}
			return k8s.Status().Update(ctx, track)
		}).Should(Succeed())
		Eventually(func() error { return k8s.Get(ctx, film, &v1beta1.RenderJob{}) }).Should(Succeed())
	})

	It("waits for objects that are applied later", func() {
		ns := tenant(nil)
		s := testkit.HandWritten(ns, "early", "later", "One", "Two", "Three")
		Expect(k8s.Create(ctx, s)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(ready(s.Status.Conditions)).NotTo(BeNil())
			g.Expect(ready(s.Status.Conditions).Reason).To(Equal(string(v1beta1.ReasonBrandNotFound)))
			g.Expect(ready(s.Status.Conditions).Message).To(ContainSubstring(`"later"`))
		}).Should(Succeed())
		Expect(k8s.Create(ctx, testkit.Brand(ns, "later"))).To(Succeed())
		Expect(awaitWork(s).Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
	})

	It("stays a draft while suspended", func() {
		s := testkit.HandWritten(tenant(nil), "draft", "acme", "One", "Two", "Three")
		s.Spec.Suspend = true
		Expect(k8s.Create(ctx, s)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(ready(s.Status.Conditions)).NotTo(BeNil())
			g.Expect(ready(s.Status.Conditions).Reason).To(Equal(string(v1beta1.ReasonSuspended)))
		}).Should(Succeed())
		Expect(s.Status.Work).To(BeNil())
		s.Spec.Suspend = false
		Expect(k8s.Update(ctx, s)).To(Succeed())
		Expect(awaitWork(s).Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
	})

	It("fails with a code and a message, and retries when the cause is fixed", func() {
		s := testkit.HandWritten(tenant(nil), "style", "acme", "One", "Two", "Three")
		s.Spec.DesignStyle = "no_such_style"
		Expect(k8s.Create(ctx, s)).To(Succeed())
		awaitWork(s)
		Expect(s.Status.Work.State).To(Equal(v1beta1.WorkFailed))
		Expect(s.Status.Work.Error.Code).To(Equal("validation_failed"))
		Expect(ready(s.Status.Conditions).Message).To(Equal(`designStyle: There is no design style "no_such_style"`))
		s.Spec.DesignStyle = "bold_center"
		Expect(k8s.Update(ctx, s)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
		}).Should(Succeed())
	})

	It("applies the plan's limit to a manifest", func() {
		ns := tenant(ptr.To[int32](1))
		first := testkit.HandWritten(ns, "first", "acme", "One", "Two", "Three")
		Expect(k8s.Create(ctx, first)).To(Succeed())
		Expect(awaitWork(first).Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
		second := testkit.HandWritten(ns, "second", "acme", "One", "Two", "Three")
		Expect(k8s.Create(ctx, second)).To(Succeed())
		awaitWork(second)
		Expect(second.Status.Work.Error.Code).To(Equal("quota_exceeded"))
		Expect(ready(second.Status.Conditions).Reason).To(Equal(string(v1beta1.ReasonQuotaExceeded)))
	})
})

var _ = Describe("RenderJob", func() {
	var s *v1beta1.Slideshow
	BeforeEach(func() {
		s = testkit.HandWritten(tenant(nil), "film", "acme", "One", "Two", "Three")
		Expect(k8s.Create(ctx, s)).To(Succeed())
		Expect(awaitWork(s).Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
	})

	// started creates a RenderJob and waits for the batch/v1 Job of the attempt.
	job := func(j *v1beta1.RenderJob, attempt int32) *batchv1.Job {
		GinkgoHelper()
		b := &batchv1.Job{}
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(j), j)).To(Succeed())
			g.Expect(j.Status.Work).NotTo(BeNil())
			g.Expect(j.Status.Work.Attempt).To(Equal(attempt))
			g.Expect(k8s.Get(ctx, client.ObjectKey{Namespace: j.Namespace, Name: j.Status.JobName}, b)).To(Succeed())
		}).Should(Succeed())
		return b
	}
	render := func() *v1beta1.RenderJob {
		j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "film-r1"}, Spec: v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Name: s.Name}}}
		Expect(k8s.Create(ctx, j)).To(Succeed())
		return j
	}
	// say writes a report as a front end of the previous release does.
	say := func(j *v1beta1.RenderJob, r v1beta1.RenderReport) {
		before := j.DeepCopy()
		j.Status.Report = &r
		ExpectWithOffset(1, k8s.Status().Patch(ctx, j, client.MergeFrom(before))).To(Succeed())
	}
	// lose ends a Job like the Job controller after the loss of its pod.
	lose := func(b *batchv1.Job, reason string) {
		now := metav1.Now()
		b.Status.StartTime = &now
		b.Status.Failed = 1
		b.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
		b.Status.Conditions = []batchv1.JobCondition{
			{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: now},
			{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: now},
		}
		ExpectWithOffset(1, k8s.Status().Update(ctx, b)).To(Succeed())
	}
	end := func(j *v1beta1.RenderJob) *v1beta1.RenderJob {
		GinkgoHelper()
		return settled(j, func() *v1beta1.Work { return j.Status.Work })
	}
	zeros := fmt.Sprintf("%x", sha256.Sum256(make([]byte, 10)))
	film := func(j *v1beta1.RenderJob, attempt string) string {
		return "renders/" + j.Namespace + "/" + string(j.UID) + "/" + attempt + "/film.mp4"
	}

	It("passes the pod only one signed URL", func() {
		j := render()
		b := job(j, 1)
		pod := b.Spec.Template.Spec
		Expect(*pod.AutomountServiceAccountToken).To(BeFalse())
		Expect(*pod.SecurityContext.RunAsNonRoot).To(BeTrue())
		Expect(pod.SecurityContext.SeccompProfile.Type).To(Equal(corev1.SeccompProfileTypeRuntimeDefault))
		c := pod.Containers[0]
		Expect(*c.SecurityContext.AllowPrivilegeEscalation).To(BeFalse())
		Expect(*c.SecurityContext.ReadOnlyRootFilesystem).To(BeTrue())
		Expect(c.SecurityContext.Capabilities.Drop).To(ConsistOf(corev1.Capability("ALL")))
		Expect(c.Resources.Limits).To(HaveKey(corev1.ResourceMemory))
		Expect(c.Resources.Requests).To(HaveKey(corev1.ResourceCPU))
		Expect(*b.Spec.ActiveDeadlineSeconds).To(BeEquivalentTo(2700), "thirty minutes in the queue, fifteen of rendering")
		Expect(*pod.ActiveDeadlineSeconds).To(BeEquivalentTo(900))
		Expect(*b.Spec.BackoffLimit).To(BeZero())
		Expect(c.Env).To(HaveLen(1))
		Expect(c.Env[0].ValueFrom.SecretKeyRef.Name).To(Equal(b.Name))
		Expect(metav1.IsControlledBy(b, j)).To(BeTrue())
		Expect(metav1.IsControlledBy(j, s)).To(BeTrue())

		r, err := store.Get(ctx, film(j, "a1")[:len(film(j, "a1"))-len("film.mp4")]+"order.json")
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = r.Close() }()
		doc := new(bytes.Buffer)
		_, err = doc.ReadFrom(r)
		Expect(err).NotTo(HaveOccurred())
		o, err := order.Parse(doc.Bytes())
		Expect(err).NotTo(HaveOccurred())
		var t timeline.Timeline
		Expect(json.Unmarshal(o.Render.Timeline, &t)).To(Succeed())
		Expect(t.Validate()).To(Succeed())
		Expect(t.Clips).To(HaveLen(3))
		Expect(o.Render.Inputs).To(HaveLen(6))
	})

	It("succeeds when the video is reported and stored, and cleans up", func() {
		j := render()
		b := job(j, 1)
		Expect(store.Put(ctx, film(j, "a1"), "video/mp4", bytes.NewReader(make([]byte, 10)))).To(Succeed())
		say(j, v1beta1.RenderReport{Attempt: 1, Output: &v1beta1.RenderOutput{Bytes: 10, SHA256: zeros, DurationMilliseconds: 9000, Width: 1080, Height: 1920, Frames: 270}})
		end(j)
		Expect(j.Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
		Expect(j.Status.Output.BlobKey).To(Equal("renders/" + j.Namespace + "/" + string(j.UID) + "/film.mp4"))
		Eventually(func() bool {
			return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: b.Name}, &corev1.Secret{}))
		}).Should(BeTrue(), "the Secret is left")
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Status.Render).NotTo(BeNil())
			g.Expect(s.Status.Render.State).To(Equal(v1beta1.WorkSucceeded))
		}).Should(Succeed())
	})

	It("retries when the reported video is not stored", func() {
		j := render()
		job(j, 1)
		say(j, v1beta1.RenderReport{Attempt: 1, Output: &v1beta1.RenderOutput{Bytes: 10}})
		job(j, 2)
		Expect(j.Status.Work.State).NotTo(Equal(v1beta1.WorkSucceeded))
		By("ignoring the late report of the first attempt")
		say(j, v1beta1.RenderReport{Attempt: 1, Error: &v1beta1.WorkError{Code: "generation_failed", Message: "late"}})
		Consistently(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(j), j)).To(Succeed())
			g.Expect(j.Status.Work.Attempt).To(BeEquivalentTo(2))
			g.Expect(j.Status.Work.State.Settled()).To(BeFalse())
		}, "500ms").Should(Succeed())
	})

	It("fails at once on invalid input", func() {
		j := render()
		job(j, 1)
		say(j, v1beta1.RenderReport{Attempt: 1, Error: &v1beta1.WorkError{Code: "validation_failed", Message: "The picture is broken.", Details: map[string]string{"field": "inputs.background-1"}}})
		end(j)
		Expect(j.Status.Work.Attempt).To(BeEquivalentTo(1))
		Expect(j.Status.Work.Error.Code).To(Equal("validation_failed"))
		Expect(ready(j.Status.Conditions).Message).To(Equal("The picture is broken"))
	})

	It("fails after three lost workers", func() {
		j := render()
		for attempt := int32(1); attempt <= 3; attempt++ {
			lose(job(j, attempt), "BackoffLimitExceeded")
		}
		end(j)
		Expect(j.Status.Work.Error.Code).To(Equal("generation_failed"))
		Expect(j.Status.Work.Error.Retryable).To(BeTrue())
	})

	It("fails at the deadline", func() {
		j := render()
		lose(job(j, 1), batchv1.JobReasonDeadlineExceeded)
		end(j)
		Expect(j.Status.Work.Attempt).To(BeEquivalentTo(1))
		Expect(j.Status.Work.Error.Message).To(Equal("Rendering took too long"))
	})

	It("rejects a revision that is no longer current", func() {
		s.Spec.Slides[0].Heading = "Changed"
		Expect(k8s.Update(ctx, s)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Status.Revision).To(BeEquivalentTo(2))
		}).Should(Succeed())
		j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "old"}, Spec: v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Name: s.Name}, Revision: ptr.To[int64](1)}}
		Expect(k8s.Create(ctx, j)).To(Succeed())
		end(j)
		Expect(j.Status.Work.Error.Code).To(Equal("conflict"))
		Expect(ready(j.Status.Conditions).Message).To(ContainSubstring("no longer current"))
	})
})

var _ = Describe("MediaAsset", func() {
	It("rejects internal addresses", func() {
		inside := httptest.NewTLSServer(nil)
		defer inside.Close()
		m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: tenant(nil), Name: "inside"}, Spec: v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{URL: &inside.URL}}}
		Expect(k8s.Create(ctx, m)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(m), m)).To(Succeed())
			g.Expect(m.Status.Error).NotTo(BeNil())
			g.Expect(m.Status.Error.Message).To(ContainSubstring("only over https from public addresses"))
		}).Should(Succeed())
	})

	It("becomes the background of a slide", func() {
		ns := tenant(nil)
		r, err := os.Open(filepath.Join("testdata", "gradient.png"))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = r.Close() }()
		Expect(store.Put(ctx, "imports/shared/gradient.png", "image/png", r)).To(Succeed())
		m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "gradient"}, Spec: v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: ptr.To("imports/shared/gradient.png")}}}
		Expect(k8s.Create(ctx, m)).To(Succeed())
		s := testkit.HandWritten(ns, "own", "acme", "One", "Two", "Three")
		s.Spec.Slides[1].Image = &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: "gradient"}}
		Expect(k8s.Create(ctx, s)).To(Succeed())
		awaitWork(s)
		Expect(s.Status.Work.State).To(Equal(v1beta1.WorkSucceeded), "%+v", s.Status.Work.Error)
		Expect(s.Status.Slides[1].Background.Source).To(Equal("media"))
		Expect(picture(s.Status.Slides[1].Background.BlobKey).Size()).To(Equal(image.Pt(1080, 1920)))
	})
})
