// SPDX-License-Identifier: Apache-2.0

package musictrack

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/intake"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
	"github.com/reelops/reelops/internal/work/runner"
)

var (
	cluster testkit.Shared
	store   *blob.Store
	folder  string
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "musictrack-")
	if err != nil {
		panic(err)
	}
	folder = filepath.Join(dir, "blobs")
	store, err = blob.Open(context.Background(), blob.Config{URL: "file://" + folder, BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32)})
	if err != nil {
		panic(err)
	}
	cluster.Main(m)
}

// song begins like an MP3; only the renderer reads the rest.
var song = []byte("\xff\xfb\x90\x64" + strings.Repeat("x", 100))

// run is one track in its own namespace. The test acts as the Job controller and the renderer.
type run struct {
	t     *testing.T
	r     *Reconciler
	rec   *testkit.Recorder
	key   client.ObjectKey
	clock *clocktesting.FakeClock
}

func start(t *testing.T, namespace string, source v1beta1.MediaSource) *run {
	t.Helper()
	return startBehind(t, nil, namespace, source)
}

// startBehind is start with a gate.
func startBehind(t *testing.T, gate *tenancy.Gate, namespace string, source v1beta1.MediaSource) *run {
	t.Helper()
	rec, err := cluster.Start(t).Recorder(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &v1beta1.MusicTrack{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "song"}, Spec: v1beta1.MusicTrackSpec{Title: "Song", Source: source}}
	for _, o := range []client.Object{testkit.Namespace(namespace), m} {
		if err := cluster.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	u := &run{t: t, rec: rec, key: client.ObjectKeyFromObject(m), clock: clocktesting.NewFakeClock(m.CreationTimestamp.Add(time.Second))}
	u.r = &Reconciler{Client: rec, NextID: func(context.Context) (int64, error) { return 3, nil }, Intake: &intake.Intake{
		Gate: gate, Clock: u.clock, Store: store, Fetch: fetch.New(time.Minute), Jobs: &runner.Runner{
			Client: rec, Clock: u.clock, Store: store, Slots: runner.NewSlots(2),
			Pod: pod.Options{Image: "renderer", CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), Scratch: resource.MustParse("1Gi")},
		},
	}}
	u.settle()
	return u
}

func (u *run) live() *v1beta1.MusicTrack {
	u.t.Helper()
	m := &v1beta1.MusicTrack{}
	if err := u.rec.Get(u.t.Context(), u.key, m); apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		u.t.Fatal(err)
	}
	return m
}

// settle runs passes until one writes nothing.
func (u *run) settle() {
	u.t.Helper()
	for range 20 {
		m, n := u.live(), len(u.rec.Writes)
		if m == nil {
			return
		}
		if _, err := u.r.Reconcile(u.t.Context(), m); err != nil {
			u.t.Fatal(err)
		}
		if len(u.rec.Writes) == n {
			return
		}
	}
	u.t.Fatalf("the passes keep writing: %v", u.rec.Writes)
}

func (u *run) order() *order.Order {
	u.t.Helper()
	m := u.live()
	doc, err := os.ReadFile(filepath.Join(folder, runner.MediaPrefix(m), "order-"+strconv.Itoa(int(m.Status.Work.Attempt))+".json"))
	if err != nil {
		u.t.Fatal(err)
	}
	o, err := order.Parse(doc)
	if err != nil {
		u.t.Fatal(err)
	}
	return o
}

// finishJob ends the current attempt's Job with a pod that reports an outcome.
func (u *run) finishJob(out *outcome.Outcome) {
	u.t.Helper()
	ctx := u.t.Context()
	job := &batchv1.Job{}
	if err := u.rec.Get(ctx, client.ObjectKey{Namespace: u.key.Namespace, Name: u.live().Status.JobName}, job); err != nil {
		u.t.Fatal(err)
	}
	doc, err := json.Marshal(out)
	if err != nil {
		u.t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: job.Namespace, Name: job.Name, Labels: job.Spec.Template.Labels,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
	}, Spec: job.Spec.Template.Spec}
	pod.Labels[batchv1.JobNameLabel] = job.Name
	if err := cluster.Client.Create(ctx, pod); err != nil {
		u.t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodSucceeded
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "renderer", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{Message: string(doc), FinishedAt: metav1.NewTime(u.clock.Now())},
	}}}
	if err := cluster.Client.Status().Update(ctx, pod); err != nil {
		u.t.Fatal(err)
	}
	u.settle()
}

func probed(bytes int64, l *outcome.Loudness) *outcome.Outcome {
	return &outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Media: &outcome.Media{
		ContentType: "audio/mpeg", Bytes: bytes, DurationMilliseconds: 61_000, AudioCodec: "mp3", Loudness: l,
	}}
}

func (u *run) ready(want bool, says string) {
	u.t.Helper()
	m := u.live()
	c := meta.FindStatusCondition(m.Status.Conditions, string(v1beta1.ConditionReady))
	if c == nil || (c.Status == "True") != want || !strings.Contains(c.Message, says) || c.ObservedGeneration != m.Generation {
		u.t.Errorf("Ready is %+v, want %v with %q", c, want, says)
	}
}

func put(t *testing.T, key string, content []byte) v1beta1.MediaSource {
	t.Helper()
	if err := store.Put(t.Context(), key, "application/octet-stream", bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	return v1beta1.MediaSource{BlobKey: &key}
}

func TestTrack_IsProbedByAJob(t *testing.T) {
	u := start(t, "heard", put(t, "imports/heard/song.mp3", song))
	u.ready(false, "Inspecting the file")
	if o := u.order(); o.Kind != order.ProbeAudio || o.Input.ContentType != "audio/mpeg" || o.Thumbnail != nil ||
		o.Limits.DurationMilliseconds != catalog.MaxTrackDuration.Milliseconds() {
		t.Errorf("got order %+v", o)
	}
	u.finishJob(probed(int64(len(song)), &outcome.Loudness{IntegratedLUFS: -16.2, TruePeakDBTP: -1, RangeLU: 4, ThresholdLUFS: -26}))
	u.ready(true, "audio/mpeg, 1m1s, -16.2 LUFS")
	m := u.live()
	want := v1beta1.Loudness{IntegratedLUFS: -16.2, TruePeakDBTP: -1, RangeLU: 4, ThresholdLUFS: -26}
	if p := m.Status.Probe; p == nil || p.Loudness == nil || *p.Loudness != want || p.DurationMilliseconds != 61_000 || p.AudioCodec != "mp3" {
		t.Errorf("got probe %+v", p)
	}
	if m.Labels[v1beta1.LabelID] != "3" || !strings.HasSuffix(m.Status.BlobKey, "/file.mp3") {
		t.Errorf("got labels %v, blob key %s", m.Labels, m.Status.BlobKey)
	}
	if err := cluster.Client.Delete(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	u.settle()
	if u.live() != nil {
		t.Error("the deleted track still exists")
	}
	if ok, err := store.Exists(t.Context(), m.Status.BlobKey); ok || err != nil {
		t.Errorf("the file of the deleted track is left: %v", err)
	}
	if ok, err := store.Exists(t.Context(), "imports/heard/song.mp3"); !ok || err != nil {
		t.Errorf("the import was deleted: %v", err)
	}
}

func TestTrack_SilenceHasNoLoudness(t *testing.T) {
	u := start(t, "silent", put(t, "imports/silent/song.mp3", song))
	u.finishJob(probed(int64(len(song)), nil))
	u.ready(true, "silent")
	if u.live().Status.Probe.Loudness != nil {
		t.Errorf("got loudness %+v, want none", u.live().Status.Probe.Loudness)
	}
}

func TestTrack_Rejections(t *testing.T) {
	for name, c := range map[string]struct {
		content []byte
		says    *outcome.Outcome
		code    catalog.Code
	}{
		"an unsupported type":  {[]byte("#EXTM3U\n"), nil, catalog.UnsupportedMediaType},
		"an impossible length": {song, probed(int64(len(song)), nil), catalog.InternalError},
		"damaged":              {song, &outcome.Outcome{Version: outcome.Version, State: outcome.Failed, Error: &outcome.Failure{Code: outcome.ValidationFailed, Reason: outcome.Unreadable, Message: "Damaged."}}, catalog.ValidationFailed},
	} {
		t.Run(name, func(t *testing.T) {
			ns := "refused-" + strconv.Itoa(len(name))
			u := start(t, ns, put(t, "imports/"+ns+"/song", c.content))
			if c.says != nil {
				if c.code == catalog.InternalError {
					c.says.Media.DurationMilliseconds = 1 << 35
				}
				u.finishJob(c.says)
			}
			m := u.live()
			if e := m.Status.Error; e == nil || e.Code != string(c.code) || e.Retryable || m.Status.Work.State != v1beta1.WorkFailed || m.Status.BlobKey != "" {
				t.Fatalf("got status %+v", m.Status)
			}
			u.ready(false, strings.TrimSuffix(m.Status.Error.Message, "."))
		})
	}
}

func TestTrack_StarterIsCreatedByAJob(t *testing.T) {
	u := start(t, "starter", v1beta1.MediaSource{Starter: ptr.To("morning-light")})
	o := u.order()
	if o.Kind != order.StarterTrack || o.Starter != "morning-light" || o.File == nil || o.Input != nil {
		t.Fatalf("got order %+v", o)
	}
	put(t, runner.MediaPrefix(u.live())+"file.flac", song)
	u.finishJob(probed(int64(len(song)), nil))
	u.ready(true, "audio/mpeg")
	if k := u.live().Status.BlobKey; !strings.HasSuffix(k, "/file.flac") {
		t.Errorf("got blob key %s", k)
	}
}

func TestTrack_WaitsForAnAccount(t *testing.T) {
	u := startBehind(t, &tenancy.Gate{Accounts: cluster.Start(t).Client}, "no-account", put(t, "imports/no-account/song.mp3", song))
	u.ready(false, "The namespace no-account has no Account")
	if m := u.live(); m.Status.Work != nil || m.Status.BlobKey != "" || m.Status.JobName != "" {
		t.Errorf("want no work without an Account: %+v", m.Status)
	}
	if err := cluster.Client.Create(t.Context(), testkit.Account("no-account")); err != nil {
		t.Fatal(err)
	}
	u.settle()
	u.ready(false, "Inspecting the file")
}
