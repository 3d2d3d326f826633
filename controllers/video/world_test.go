// SPDX-License-Identifier: Apache-2.0

package video

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/subtitle"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
	"github.com/reelops/reelops/internal/work/runner"
)

// writer is a text model that counts its calls.
type writer struct {
	calls int
	err   error
}

func (w *writer) WriteHook(_ context.Context, r textgen.HookRequest) (textgen.HookDraft, error) {
	w.calls++
	return r.Kept(textgen.HookDraft{Language: "en", Hook: "Tea, picked by hand", Title: "Tea", Caption: "About tea.", Tags: []string{"tea", "leaf", "hand"}}), w.err
}

// voice is a speech service that counts its requests.
type voice struct {
	calls int
	err   error
}

func (s *voice) Speak(context.Context, speech.Request) (*speech.Audio, error) {
	s.calls++
	if s.err != nil {
		return nil, s.err
	}
	return &speech.Audio{ContentType: "audio/wav", Data: []byte("RIFF\x24\x00\x00\x00WAVEfmt sound")}, nil
}

// drawer draws one fixed image for each word.
type drawer struct{ err error }

func (d *drawer) DrawTexts(_ context.Context, r TextRequest) (*DrawnTexts, error) {
	if d.err != nil {
		return nil, d.err
	}
	out := &DrawnTexts{WebVTT: []byte("WEBVTT\n"), SRT: []byte("1\n"), Normalizations: []v1beta1.Normalization{{Field: "fontFamily", Reason: "font_unsupported"}}}
	for i, w := range r.Words {
		p := subtitle.Picture{PNG: []byte(w.Text), X: 10 * i, Y: 500, Width: 10, Height: 20}
		out.States = append(out.States, subtitle.State{Picture: p, From: w.StartMilliseconds, To: w.EndMilliseconds})
	}
	for i, l := range r.Labels {
		out.Labels = append(out.Labels, subtitle.Picture{PNG: []byte(l.Text), X: 10 * i, Y: 100, Width: 10, Height: 20})
	}
	return out, nil
}

// world is shared by the scenarios of a test.
type world struct {
	cluster *testkit.Cluster
	store   *blob.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctrl.SetLogger(logr.Discard())
	cluster := shared.Start(t)
	store, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + filepath.Join(t.TempDir(), "blobs"), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Client.Create(t.Context(), testkit.Namespace(library)); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	return &world{cluster: cluster, store: store}
}

// run is one scenario: a tenant with a plan of one short, an avatar and a demo, and a video of them.
type run struct {
	t     *testing.T
	w     *world
	key   client.ObjectKey
	r     *Reconciler
	rec   *testkit.Recorder
	clock *clocktesting.FakeClock
	text  *writer
	voice *voice
	// speechFailure returns the outcome of the speech Job; nil for success. It is called once for each attempt.
	speechFailure func(attempt int) *outcome.Failure
	// renderFailure returns the outcome of a render; nil for success.
	renderFailure func() *v1beta1.WorkError
	// fetched sets the clip of a URL to ready or failed.
	fetched func(*v1beta1.MediaAsset)
	// door creates the reservation of the front end before the video.
	door quota.Need
	// lostText reports whether the text model had answered and the text was not stored when the write failed.
	lostText bool
	spoken   int
}

func (w *world) run(t *testing.T, namespace string, failAt int, f testkit.Fault, prepare ...func(*run, *v1beta1.Account, *v1beta1.Video)) *run {
	t.Helper()
	ctx := t.Context()
	rec, err := w.cluster.Recorder(nil)
	if err != nil {
		t.Fatal(err)
	}
	account := testkit.Account(namespace)
	account.Spec.Plan.SlideshowLimit = ptr.To[int32](1)
	v := &v1beta1.Video{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tea"}}
	v.Spec.BrandRef.Name = "acme"
	v.Spec.Avatar.MediaRef = &v1beta1.LocalRef{Name: "anna"}
	v.Spec.Demos = []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "demo"}}}}
	u := &run{t: t, w: w, key: client.ObjectKeyFromObject(v), rec: rec, text: &writer{}, voice: &voice{}, clock: clocktesting.NewFakeClock(time.Now().Truncate(time.Second)), fetched: ready4s}
	u.r = &Reconciler{
		Client: rec, Live: rec, Ledger: ledger.New(rec, rec, u.clock), Clock: u.clock, Events: events.NewFakeRecorder(100), Writer: u.text, Drawer: &drawer{}, Store: w.store,
		Jobs: &runner.Runner{
			Client: rec, Clock: u.clock, Store: w.store, Slots: runner.NewSlots(4),
			Pod: pod.Options{Image: "renderer", CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), Scratch: resource.MustParse("1Gi"), TTLSeconds: 600},
		},
		NextID: func(context.Context) (int64, error) { return 7, nil }, Library: library,
	}
	for _, p := range prepare {
		p(u, account, v)
	}
	for _, o := range []client.Object{testkit.Namespace(namespace), account, testkit.Brand(namespace, "acme"), media(namespace, "anna"), media(namespace, "demo")} {
		if err := w.cluster.Client.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"anna", "demo"} {
		u.media(name, ready4s)
	}
	if u.door != (quota.Need{}) {
		if _, err := ledger.New(w.cluster.Client, w.cluster.Client, u.clock).Hold(ctx, namespace, v.Name, u.door); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.cluster.Client.Create(ctx, v); err != nil {
		t.Fatal(err)
	}
	u.clock.SetTime(v.CreationTimestamp.Add(time.Second))
	rec.FailAt, rec.Fault = failAt, f
	rec.OnFault = func() {
		v := &v1beta1.Video{}
		there := rec.Get(ctx, u.key, v) == nil
		u.lostText = there && u.text.calls == 1 && u.text.err == nil && v.Status.Text == nil
	}
	u.settle()
	return u
}

func media(namespace, name string) *v1beta1.MediaAsset {
	m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	m.Spec.Source.BlobKey = ptr.To("imports/" + namespace + "/" + name)
	return m
}

func ready4s(m *v1beta1.MediaAsset) { m.Status = clip(m.Name, 4000, "").Status }

// media does the work of the MediaAsset controller.
func (u *run) media(name string, do func(*v1beta1.MediaAsset)) {
	u.t.Helper()
	m := &v1beta1.MediaAsset{}
	if err := u.w.cluster.Client.Get(u.t.Context(), client.ObjectKey{Namespace: u.key.Namespace, Name: name}, m); err != nil {
		u.t.Fatal(err)
	}
	before := m.DeepCopy()
	do(m)
	if err := u.w.cluster.Client.Status().Patch(u.t.Context(), m, client.MergeFrom(before)); err != nil {
		u.t.Fatal(err)
	}
}

func (u *run) live() *v1beta1.Video {
	u.t.Helper()
	v := &v1beta1.Video{}
	if err := u.rec.Get(u.t.Context(), u.key, v); err != nil {
		u.t.Fatal(err)
	}
	return v
}

func (u *run) isDeleted() bool {
	err := u.rec.Get(u.t.Context(), u.key, &v1beta1.Video{})
	return apierrors.IsNotFound(err)
}

// settle runs passes until one requests no requeue and no other controller has work.
func (u *run) settle() {
	u.t.Helper()
	for range 120 {
		if u.isDeleted() {
			return
		}
		result, err := u.r.Reconcile(u.t.Context(), u.live())
		moved := u.others()
		if err == nil && !moved && (result.RequeueAfter == 0 || result.RequeueAfter > 5*time.Minute) {
			return
		}
		if !moved && result.RequeueAfter <= 5*time.Minute {
			u.clock.Step(result.RequeueAfter)
		}
	}
	u.t.Fatalf("the passes keep writing: %v", u.rec.Writes)
}

// others does the work of the Job controller with its pods, and of the controllers of MediaAssets and RenderJobs. It
// reports whether an event for the controller of videos occurred.
func (u *run) others() bool {
	u.t.Helper()
	ctx, c, ns := u.t.Context(), u.w.cluster.Client, client.InNamespace(u.key.Namespace)
	moved := false
	must := func(err error) {
		u.t.Helper()
		if err != nil {
			u.t.Fatal(err)
		}
	}
	var jobs batchv1.JobList
	must(c.List(ctx, &jobs, ns))
	for i := range jobs.Items {
		if _, over := pod.Ended(&jobs.Items[i]); !over && jobs.Items[i].DeletionTimestamp.IsZero() {
			u.speaks(&jobs.Items[i])
			moved = true
		}
	}
	var renders v1beta1.RenderJobList
	must(c.List(ctx, &renders, ns))
	for i := range renders.Items {
		j := &renders.Items[i]
		before := j.DeepCopy()
		switch {
		case !j.DeletionTimestamp.IsZero():
			j.Finalizers = nil
			must(c.Patch(ctx, j, client.MergeFrom(before)))
			moved = true
		case j.Status.Work == nil:
			u.renders(j)
			must(c.Status().Patch(ctx, j, client.MergeFrom(before)))
			moved = true
		}
	}
	var assets v1beta1.MediaAssetList
	must(c.List(ctx, &assets, ns))
	for i := range assets.Items {
		m := &assets.Items[i]
		before := m.DeepCopy()
		switch {
		case !m.DeletionTimestamp.IsZero():
			m.Finalizers = nil
			must(c.Patch(ctx, m, client.MergeFrom(before)))
			moved = true
		case m.Spec.Source.URL != nil && m.Status.Work == nil:
			u.media(m.Name, u.fetched)
			moved = true
		}
	}
	return moved
}

// speaks ends the speech Job like its pod.
func (u *run) speaks(job *batchv1.Job) {
	u.t.Helper()
	ctx, c := u.t.Context(), u.w.cluster.Client
	u.spoken++
	out := &outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded}
	var failure *outcome.Failure
	if u.speechFailure != nil {
		failure = u.speechFailure(u.spoken)
	}
	if failure != nil {
		out.State, out.Error = outcome.Failed, failure
	} else {
		v := u.live()
		key := ""
		if v.Status.Text != nil {
			key = speechKey(v, speechPackage)
		}
		if u.r.Speaker == nil && v.Status.Text != nil {
			if err := u.w.store.Put(ctx, key, "audio/wav", strings.NewReader("sound")); err != nil {
				u.t.Fatal(err)
			}
		}
		out.Media = &outcome.Media{ContentType: "audio/wav", Bytes: 5, DurationMilliseconds: 2000, AudioCodec: "pcm_s16le", Words: outcome.Times{0, 400, 500, 900, 1000, 1300, 1300, 1900}}
	}
	doc, err := out.Encode()
	if err != nil {
		u.t.Fatal(err)
	}
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace, Name: job.Name + "-x", Labels: job.Spec.Template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: *job.Spec.Template.Spec.DeepCopy(),
	}
	p.Labels[batchv1.JobNameLabel] = job.Name
	if err := c.Create(ctx, p); err != nil && !apierrors.IsAlreadyExists(err) {
		u.t.Fatal(err)
	}
	p.Status.Phase = corev1.PodSucceeded
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Component, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: string(doc)}}}}
	if err := c.Status().Update(ctx, p); err != nil {
		u.t.Fatal(err)
	}
	now := metav1.NewTime(u.clock.Now())
	job.Status.StartTime, job.Status.CompletionTime = &now, &now
	job.Status.Conditions = []batchv1.JobCondition{
		{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: now},
	}
	job.Status.Succeeded = 1
	if err := c.Status().Update(ctx, job); err != nil {
		u.t.Fatal(err)
	}
}

// renders ends a render like its controller.
func (u *run) renders(j *v1beta1.RenderJob) {
	u.t.Helper()
	now := metav1.NewTime(u.clock.Now())
	if u.renderFailure != nil {
		if e := u.renderFailure(); e != nil {
			j.Status.Work = &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 1, StartedAt: &now, FinishedAt: &now, Error: e}
			return
		}
	}
	var poster bytes.Buffer
	img := image.NewRGBA(image.Rect(0, 0, 108, 192))
	img.Set(1, 1, color.White)
	if err := jpeg.Encode(&poster, img, nil); err != nil {
		u.t.Fatal(err)
	}
	folder := fmt.Sprintf("renders/%s/%s/a1/", j.Namespace, j.UID)
	if err := u.w.store.Put(u.t.Context(), folder+"poster.jpg", "image/jpeg", &poster); err != nil {
		u.t.Fatal(err)
	}
	j.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &now, FinishedAt: &now}
	j.Status.Output = &v1beta1.RenderOutput{BlobKey: folder + "film.mp4", PosterKey: folder + "poster.jpg", Bytes: 9, SHA256: strings.Repeat("a", 64), DurationMilliseconds: 6500, Width: 1080, Height: 1920, Frames: 195}
}

// isStable checks that another pass writes nothing, even after some time.
func (u *run) isStable() {
	u.t.Helper()
	u.clock.Step(2 * time.Second)
	n := len(u.rec.Writes)
	u.settle()
	if extra := u.rec.Writes[n:]; len(extra) > 0 {
		u.t.Errorf("a pass in steady state wrote %v", extra)
	}
}

// used returns the number of counted shorts of the account and checks that nothing is reserved any more.
func (u *run) used() int32 {
	u.t.Helper()
	a := &v1beta1.Account{}
	if err := u.rec.Get(u.t.Context(), client.ObjectKey{Namespace: u.key.Namespace, Name: v1beta1.AccountName}, a); err != nil {
		u.t.Fatal(err)
	}
	if len(a.Status.Holds) > 0 {
		u.t.Errorf("still reserved: %+v", a.Status.Holds)
	}
	return quota.Of(a, u.clock.Now()).Used
}

// files returns the names of the stored files of the video.
func (u *run) files(prefixes ...string) []string {
	u.t.Helper()
	var out []string
	for _, p := range prefixes {
		if err := u.w.store.Walk(u.t.Context(), p, func(o blob.Object) error { out = append(out, strings.TrimPrefix(o.Key, p)); return nil }); err != nil {
			u.t.Fatal(err)
		}
	}
	slices.Sort(out)
	return out
}

// final returns the status without values that differ between runs: times, and values that depend on the uid.
func (u *run) final() v1beta1.VideoStatus {
	u.t.Helper()
	v := u.live()
	st := v.Status.DeepCopy()
	st.Work.StartedAt, st.Work.FinishedAt = nil, nil
	for i := range st.Transitions {
		st.Transitions[i].At = metav1.Time{}
	}
	for i := range st.Conditions {
		st.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	for i := range st.Clips {
		st.Clips[i].Asset, st.Clips[i].BlobKey = "", ""
	}
	keys := []*string{&st.WordsKey, &st.CaptionsKey, &st.ThumbnailKey}
	if st.Speech != nil && st.Speech.BlobKey != "" {
		keys = append(keys, &st.Speech.BlobKey)
	}
	for _, k := range keys {
		if *k != "" && !strings.HasPrefix(*k, Prefix(v)) {
			u.t.Errorf("%q is not below %q", *k, Prefix(v))
		}
		*k = filepath.Base(*k)
	}
	if st.Output != nil {
		st.Output.BlobKey, st.Output.PosterKey, st.PosterKey = "", "", filepath.Base(st.PosterKey)
	}
	return *st
}

// throughDoor creates the video like the front end, which reserves its charge and sets the finalizer.
func throughDoor(u *run, _ *v1beta1.Account, v *v1beta1.Video) {
	u.door = quota.Need{Slideshows: 1}
	v.Finalizers = []string{v1beta1.FinalizerVideo}
}

func demoByURL(_ *run, _ *v1beta1.Account, v *v1beta1.Video) {
	v.Spec.Demos = []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{URL: ptr.To("https://example.com/a.mp4")}}}
}

func withService(u *run, _ *v1beta1.Account, _ *v1beta1.Video) { u.r.Speaker = u.voice }

func failure(code catalog.Code, retryable bool) *v1beta1.WorkError {
	return &v1beta1.WorkError{Code: string(code), Message: "No", Retryable: retryable}
}
