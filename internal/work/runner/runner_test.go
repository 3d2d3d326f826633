// SPDX-License-Identifier: Apache-2.0

package runner_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// TestObserve_IgnoresForeignPods sets the labels of the Job's pod on pods that the Job did not create.
func TestObserve_IgnoresForeignPods(t *testing.T) {
	owner := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "asset"}}
	name := runner.Media(owner, 1).Name()
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: "tenant", Name: name, UID: "job",
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner,
			v1beta1.GroupVersion.WithKind("MediaAsset"))},
	}}
	pod := func(podName string, by *batchv1.Job, codec string) *corev1.Pod {
		out := outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Media: &outcome.Media{
			ContentType: "audio/mpeg", Bytes: 1, DurationMilliseconds: 1000, AudioCodec: codec,
		}}
		doc, err := out.Encode()
		if err != nil {
			t.Fatal(err)
		}
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "tenant", Name: podName,
			Labels: map[string]string{batchv1.JobNameLabel: name},
		}}
		if by != nil {
			p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(by, batchv1.SchemeGroupVersion.WithKind("Job"))}
		}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: string(doc)}},
		}}
		return p
	}
	earlier := job.DeepCopy()
	earlier.UID = "earlier"
	forged, stale, own := pod("a-forged", nil, "forged"), pod("b-stale", earlier, "stale"), pod("c-own", job, "mp3")
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(job, forged, stale).Build()
	run := &runner.Runner{Client: c, Store: folder(t)}
	s, err := run.Observe(t.Context(), runner.Media(owner, 1))
	if err != nil || s.Pod != nil || s.Outcome != nil {
		t.Fatalf("got %+v, %v, want no pod and no outcome", s, err)
	}
	if err := c.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if s, err = run.Observe(t.Context(), runner.Media(owner, 1)); err != nil || s.Pod == nil || s.Pod.Name != own.Name ||
		s.Outcome == nil || s.Outcome.Media.AudioCodec != "mp3" {
		t.Fatalf("got %+v, %v, want the outcome of the Job's own pod", s, err)
	}
}

func folder(t *testing.T) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1",
		SigningKey: make([]byte, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stage is an attempt of a media asset whose Job exists.
type stage struct {
	t   *testing.T
	a   runner.Attempt
	run *runner.Runner
	job *batchv1.Job
	pod *corev1.Pod
}

func newStage(t *testing.T, n int32) *stage {
	t.Helper()
	owner := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "asset"}}
	s := &stage{t: t, a: runner.Media(owner, n)}
	s.job = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: "tenant", Name: s.a.Name(), UID: "job",
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner,
			v1beta1.GroupVersion.WithKind("MediaAsset"))},
	}}
	s.pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "tenant", Name: "tea", Labels: map[string]string{batchv1.JobNameLabel: s.job.Name},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(s.job, batchv1.SchemeGroupVersion.WithKind("Job"))},
	}}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithStatusSubresource(&corev1.Pod{})
	s.run = &runner.Runner{Client: c.WithObjects(s.job, s.pod).Build(), Store: folder(t)}
	return s
}

// spoken returns an outcome of an order. A test recognizes the outcome by its codec.
func spoken(order, codec string) *outcome.Outcome {
	return &outcome.Outcome{Version: outcome.Version, Order: order, State: outcome.Succeeded, Media: &outcome.Media{
		ContentType: "audio/mpeg", Bytes: 1, DurationMilliseconds: 1000, AudioCodec: codec,
	}}
}

// previous returns an outcome in the form of the previous release.
func previous(codec string) string {
	return `{"version":1,"state":"succeeded","result":` +
		`{"content_type":"audio/mpeg","bytes":1,"duration_milliseconds":1,"audio_codec":"` + codec + `"}}`
}

// stores stores a document at the key of the outcome.
func (s *stage) stores(doc []byte) {
	s.t.Helper()
	if err := s.run.Store.Put(s.t.Context(), s.a.OutcomeKey(), "application/json", bytes.NewReader(doc)); err != nil {
		s.t.Fatal(err)
	}
}

// ends sets the state of the pod to terminated, with a termination message.
func (s *stage) ends(message string) {
	s.t.Helper()
	s.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: message}},
	}}
	if err := s.run.Client.Status().Update(s.t.Context(), s.pod); err != nil {
		s.t.Fatal(err)
	}
}

// codec returns the codec of the outcome that the runner reads; empty for none.
func (s *stage) codec() string {
	s.t.Helper()
	observed, err := s.run.Observe(s.t.Context(), s.a)
	if err != nil {
		s.t.Fatal(err)
	}
	if observed.Outcome == nil {
		return ""
	}
	return observed.Outcome.Media.AudioCodec
}

func encoded(t *testing.T, o *outcome.Outcome) []byte {
	t.Helper()
	doc, err := o.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestObserve_ReadsTheStoredOutcomeAfterThePod(t *testing.T) {
	s := newStage(t, 2)
	s.stores(encoded(t, spoken(s.a.Name(), "stored")))
	if got := s.codec(); got != "" {
		t.Errorf("got outcome %q while the pod runs", got)
	}
	s.ends(string(encoded(t, spoken(s.a.Name(), "message"))))
	if got := s.codec(); got != "stored" {
		t.Errorf("got %q, want the stored outcome", got)
	}
	if err := s.run.Client.Delete(t.Context(), s.job); err != nil {
		t.Fatal(err)
	}
	if got := s.codec(); got != "stored" {
		t.Errorf("got %q without a Job, want the stored outcome", got)
	}
}

func TestObserve_ReadsTheStoredOutcomeOfARunningPodThatReportedIt(t *testing.T) {
	j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea", UID: "render"}}
	name := runner.Film(j, 2).Name()
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: "tenant", Name: name, UID: "job",
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(j, v1beta1.GroupVersion.WithKind("RenderJob"))},
	}}
	run := &runner.Runner{
		Client: fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(job).Build(), Store: folder(t),
	}
	put := func() {
		t.Helper()
		doc := encoded(t, &outcome.Outcome{
			Version: outcome.Version, Order: name, State: outcome.Succeeded,
			Film: &outcome.Film{
				Bytes: 1, SHA256: strings.Repeat("0", 64), DurationSeconds: 1, Width: 1, Height: 1, Frames: 1,
			},
		})
		key := runner.Film(j, 2).OutcomeKey()
		if err := run.Store.Put(t.Context(), key, "application/json", bytes.NewReader(doc)); err != nil {
			t.Fatal(err)
		}
	}
	look := func(p v1beta1.RenderProgress) bool {
		t.Helper()
		j.Status.Progress = &p
		s, err := run.Observe(t.Context(), runner.Film(j, 2))
		if err != nil || s.Job == nil {
			t.Fatalf("got %+v, %v", s, err)
		}
		return s.Outcome != nil
	}
	if look(v1beta1.RenderProgress{Attempt: 2, Percent: 100}) {
		t.Error("got an outcome although none is stored")
	}
	put()
	if look(v1beta1.RenderProgress{Attempt: 1, Percent: 100}) || look(v1beta1.RenderProgress{Attempt: 2, Percent: 99}) {
		t.Error("an outcome that was not reported is read while the pod runs")
	}
	if !look(v1beta1.RenderProgress{Attempt: 2, Percent: 100}) {
		t.Error("the outcome is not read")
	}
	j.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	if look(v1beta1.RenderProgress{Attempt: 2, Percent: 100}) {
		t.Error("the outcome of an owner that is being deleted is read")
	}
}

// TestObserve_RejectsStoredOutcomes stores documents that a malicious pod or another attempt could store. The
// termination message of the pod must be used instead.
func TestObserve_RejectsStoredOutcomes(t *testing.T) {
	s := newStage(t, 2)
	earlier := runner.Media(s.a.Owner, 1)
	moved := s.a.Owner.DeepCopyObject().(*v1beta1.MediaAsset)
	moved.UID = "before-a-restore"
	film := &outcome.Outcome{Version: outcome.Version, Order: s.a.Name(), State: outcome.Succeeded, Film: &outcome.Film{
		Bytes: 1, SHA256: strings.Repeat("0", 64), DurationSeconds: 1, Width: 1, Height: 1, Frames: 1,
	}}
	good := encoded(t, spoken(s.a.Name(), "stored"))
	s.ends(string(encoded(t, spoken(s.a.Name(), "message"))))
	for name, doc := range map[string][]byte{
		"of an earlier attempt":           encoded(t, spoken(earlier.Name(), "stored")),
		"of another object with the name": encoded(t, spoken(runner.Media(moved, 2).Name(), "stored")),
		"of no order":                     encoded(t, spoken("", "stored")),
		"of other work":                   encoded(t, film),
		"of the previous release":         []byte(previous("stored")),
		"with an unknown field":           bytes.Replace(good, []byte(`"state"`), []byte(`"more":1,"state"`), 1),
		"with a second document":          append(slices.Clone(good), '{', '}'),
		"that is too large":               append(bytes.Repeat([]byte(" "), outcome.MaxBytes), good...),
		"that is not JSON":                []byte("\x00\x01"),
		"that is empty":                   nil,
	} {
		s.stores(doc)
		if got := s.codec(); got != "message" {
			t.Errorf("an outcome %s: got %q, want the termination message", name, got)
		}
	}
	render := &v1beta1.RenderJob{}
	if earlier.OutcomeKey() == s.a.OutcomeKey() ||
		runner.Film(render, 1).OutcomeKey() == runner.Film(render, 2).OutcomeKey() {
		t.Error("two attempts store their outcomes at one key")
	}
	s.stores(good)
	if got := s.codec(); got != "stored" {
		t.Errorf("got %q, want the stored outcome", got)
	}
}

// TestObserve_MessageAndStoredOutcomeAgree reads each kind of outcome from the store and from the termination message.
func TestObserve_MessageAndStoredOutcomeAgree(t *testing.T) {
	for name, o := range map[string]*outcome.Outcome{
		"success": spoken("", "mp3"),
		"refusal": {
			Version: outcome.Version, State: outcome.Failed,
			Error: &outcome.Failure{Code: outcome.ValidationFailed, Reason: outcome.TooLong, Message: "Too long."},
		},
		"failure": {
			Version: outcome.Version, State: outcome.Failed, Unconfined: []string{outcome.Seccomp},
			Error: &outcome.Failure{Code: outcome.GenerationFailed, Field: "inputs.a", Message: "No.", Retryable: true},
		},
	} {
		byMessage, byStore := newStage(t, 1), newStage(t, 1)
		o.Order = byStore.a.Name()
		message, err := o.EncodeMessage()
		if err != nil {
			t.Fatal(err)
		}
		byMessage.ends(string(message))
		byStore.stores(encoded(t, o))
		byStore.ends("")
		var decisions []runner.Decision
		for _, s := range []*stage{byMessage, byStore} {
			observed, err := s.run.Observe(t.Context(), s.a)
			if err != nil || observed.Outcome == nil {
				t.Fatalf("%s: got %+v, %v", name, observed, err)
			}
			decisions = append(decisions, runner.Decide(observed, time.Now()))
		}
		if diff := cmp.Diff(decisions[0], decisions[1]); diff != "" {
			t.Errorf("%s (-message +stored):\n%s", name, diff)
		}
	}
}

// TestObserve_ReadsMessagesOfThePreviousRelease covers pods that run during an upgrade.
func TestObserve_ReadsMessagesOfThePreviousRelease(t *testing.T) {
	s := newStage(t, 1)
	s.ends(previous("before"))
	if got := s.codec(); got != "before" {
		t.Errorf("got %q", got)
	}
}

func TestStop_KeepsOnlyJobsThatStartNoOtherPod(t *testing.T) {
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	for name, c := range map[string]struct {
		state   corev1.ContainerState
		deleted bool
		kept    bool
	}{
		"its pod runs":      {state: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
		"its pod has ended": {state: ended, kept: true},
		"its pod has ended because it was deleted": {state: ended, deleted: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, 1)
			s.pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
			if err := s.run.Client.Update(t.Context(), s.pod); err != nil {
				t.Fatal(err)
			}
			s.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: c.state}}
			if err := s.run.Client.Status().Update(t.Context(), s.pod); err != nil {
				t.Fatal(err)
			}
			if c.deleted {
				if err := s.run.Client.Delete(t.Context(), s.pod); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.run.Stop(t.Context(), s.a); err != nil {
				t.Fatal(err)
			}
			err := s.run.Client.Get(t.Context(), client.ObjectKeyFromObject(s.job), &batchv1.Job{})
			if client.IgnoreNotFound(err) != nil || (err == nil) != c.kept {
				t.Errorf("kept %t (%v), want %t", err == nil, err, c.kept)
			}
		})
	}
}

// TestTidy_RetiresThePreviousAttempt covers work that ends between the record of an attempt and its launch.
func TestTidy_RetiresThePreviousAttempt(t *testing.T) {
	s := newStage(t, 1)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: s.a.Name()}}
	if err := s.run.Client.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	s.stores(encoded(t, spoken(s.a.Name(), "mp3")))
	if err := s.run.Tidy(t.Context(), runner.Media(s.a.Owner, 2)); err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{secret, s.job} {
		if err := s.run.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
			t.Errorf("%T of the first attempt: got %v, want not found", o, err)
		}
	}
	if _, err := s.run.Store.Size(t.Context(), s.a.OutcomeKey()); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("outcome of the first attempt: got %v, want not found", err)
	}
}
