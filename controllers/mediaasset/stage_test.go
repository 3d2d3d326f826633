// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/media/intake"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
	"github.com/reelops/reelops/internal/work/runner"
)

// stage is shared by the scenarios.
type stage struct {
	cluster testkit.Shared
	store   *blob.Store
	dir     string
}

var theStage *stage

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mediaasset-")
	if err != nil {
		panic(err)
	}
	theStage = &stage{dir: filepath.Join(dir, "blobs")}
	theStage.store, err = blob.Open(context.Background(), blob.Config{URL: "file://" + theStage.dir, BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32)})
	if err != nil {
		panic(err)
	}
	theStage.cluster.Main(m)
}

// run is one scenario: a MediaAsset in its own namespace. The test acts as the Job controller and the renderer.
type run struct {
	*stage
	t     *testing.T
	key   client.ObjectKey
	r     *Reconciler
	rec   *testkit.Recorder
	clock *clocktesting.FakeClock
	told  *events.FakeRecorder
	last  time.Duration // requeue delay of the last pass
}

// start creates the namespace and the asset. NAMESPACE in a blob key of the spec is replaced.
func (st *stage) start(t *testing.T, namespace string, failAt int, f testkit.Fault, spec v1beta1.MediaAssetSpec) *run {
	t.Helper()
	rec, err := st.cluster.Start(t).Recorder(nil)
	if err != nil {
		t.Fatal(err)
	}
	if k := spec.Source.BlobKey; k != nil {
		spec.Source.BlobKey = ptr.To(strings.ReplaceAll(*k, "NAMESPACE", namespace))
	}
	m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tea"}, Spec: spec}
	if err := st.cluster.Client.Create(t.Context(), testkit.Namespace(namespace)); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	if err := st.cluster.Client.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	u := &run{stage: st, t: t, key: client.ObjectKeyFromObject(m), rec: rec, clock: clocktesting.NewFakeClock(m.CreationTimestamp.Add(time.Second)), told: events.NewFakeRecorder(100)}
	in := &intake.Intake{Clock: u.clock, Store: st.store, Fetch: fetch.Open(fetch.Config{Timeout: time.Minute, Allow: []string{"127.0.0.1"}, Resolver: noNames{}}), Events: u.told, Jobs: &runner.Runner{
		Client: rec, Clock: u.clock, Store: st.store, Slots: runner.NewSlots(2),
		Pod: pod.Options{Image: "renderer", CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), Scratch: resource.MustParse("1Gi"), TTLSeconds: 600},
	}}
	u.r = New(rec, in, func(context.Context) (int64, error) { return 7, nil })
	rec.FailAt, rec.Fault = failAt, f
	return u
}

func (u *run) live() *v1beta1.MediaAsset {
	u.t.Helper()
	m := &v1beta1.MediaAsset{}
	err := u.rec.Get(u.t.Context(), u.key, m)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		u.t.Fatal(err)
	}
	return m
}

// settle runs passes until one writes nothing and does not fail, like the work queue and the watches.
func (u *run) settle() {
	u.t.Helper()
	var last error
	for range 40 {
		m, n := u.live(), len(u.rec.Writes)
		if m == nil {
			return
		}
		result, err := u.r.Reconcile(u.t.Context(), m)
		last, u.last = err, result.RequeueAfter
		if err != nil && !errors.Is(err, testkit.ErrFault) {
			u.t.Fatal(err)
		}
		if err == nil && len(u.rec.Writes) == n {
			return
		}
		if result.RequeueAfter < time.Second { // longer ones are for missed events
			u.clock.Step(result.RequeueAfter)
		}
	}
	u.t.Fatalf("the passes keep writing: %v, %v", last, u.rec.Writes)
}

// order returns the order of the current attempt.
func (u *run) order() *order.Order {
	u.t.Helper()
	m := u.live()
	doc, err := os.ReadFile(filepath.Join(u.dir, runner.MediaPrefix(m), fmt.Sprintf("order-%d.json", m.Status.Work.Attempt)))
	if err != nil {
		u.t.Fatal(err)
	}
	o, err := order.Parse(doc)
	if err != nil {
		u.t.Fatal(err)
	}
	return o
}

func clip(bytes int64) *outcome.Outcome {
	return &outcome.Outcome{Version: outcome.Version, State: outcome.Succeeded, Media: &outcome.Media{
		ContentType: "video/mp4", Bytes: bytes, DurationMilliseconds: 2000, Width: 1080, Height: 1920, FrameRate: 30, VideoCodec: "h264", AudioCodec: "aac", Thumbnail: true,
	}}
}

func failure(retryable bool) *outcome.Outcome {
	return &outcome.Outcome{Version: outcome.Version, State: outcome.Failed, Error: &outcome.Failure{
		Code: outcome.ValidationFailed, Reason: outcome.TooLong, Message: "The clip is too long.", Retryable: retryable,
	}}
}

// ends ends the current attempt's Job. Its pod leaves the outcome as termination message, or none.
func (u *run) ends(out *outcome.Outcome) {
	u.t.Helper()
	ctx := u.t.Context()
	m := u.live()
	job := &batchv1.Job{}
	if err := u.rec.Get(ctx, client.ObjectKey{Namespace: u.key.Namespace, Name: m.Status.JobName}, job); err != nil {
		u.t.Fatal(err)
	}
	if out != nil {
		if out.Media != nil && out.Media.Thumbnail {
			if err := u.store.Put(ctx, runner.MediaPrefix(m)+thumbnailFile, thumbnailType, strings.NewReader("thumbnail")); err != nil {
				u.t.Fatal(err)
			}
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
		if err := u.cluster.Client.Create(ctx, pod); err != nil {
			u.t.Fatal(err)
		}
		pod.Status.Phase = corev1.PodSucceeded
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "renderer", State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{Message: string(doc), FinishedAt: metav1.NewTime(u.clock.Now())},
		}}}
		if err := u.cluster.Client.Status().Update(ctx, pod); err != nil {
			u.t.Fatal(err)
		}
	}
	now := metav1.NewTime(u.clock.Now())
	job.Status.StartTime, job.Status.Failed, job.Status.UncountedTerminatedPods = &now, 1, &batchv1.UncountedTerminatedPods{}
	for _, c := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: c, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", LastTransitionTime: now})
	}
	if err := u.cluster.Client.Status().Update(ctx, job); err != nil {
		u.t.Fatal(err)
	}
	u.clock.Step(time.Minute)
	u.settle()
}

// put stores a file under a key; NAMESPACE in the key is replaced.
func (st *stage) put(t *testing.T, key string, content []byte) {
	t.Helper()
	if err := st.store.Put(t.Context(), key, "application/octet-stream", bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

func (u *run) blob(key string) []byte {
	u.t.Helper()
	r, err := u.store.Get(u.t.Context(), key)
	if err != nil {
		u.t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	b, err := io.ReadAll(r)
	if err != nil {
		u.t.Fatal(err)
	}
	return b
}

// blobs lists the stored files of the namespace, without uids.
func (u *run) blobs() []string {
	u.t.Helper()
	var out []string
	for _, root := range []string{"media", "uploads", "imports"} {
		err := filepath.WalkDir(filepath.Join(u.dir, root, u.key.Namespace), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && !d.IsDir() {
				out = append(out, root+"/"+filepath.Base(path))
			}
			return err
		})
		if err != nil {
			u.t.Fatal(err)
		}
	}
	slices.Sort(out)
	return out
}

// createdJobs lists the created Jobs, each once, in order.
func (u *run) createdJobs() []string {
	var out []string
	for i, w := range u.rec.Writes {
		if n := u.rec.Names[i]; w == "create Job" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// final returns the status without values that differ between runs: times, and values that depend on the uid.
func (u *run) final() v1beta1.MediaAssetStatus {
	u.t.Helper()
	st := u.live().Status.DeepCopy()
	st.Work.StartedAt, st.Work.FinishedAt = nil, nil
	for i := range st.Conditions {
		st.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	if st.JobName != "" {
		st.JobName = "job"
	}
	for _, k := range []*string{&st.BlobKey, &st.ThumbnailKey} {
		if *k != "" {
			*k = filepath.Base(*k)
		}
	}
	return *st
}

func (u *run) noSecrets() {
	u.t.Helper()
	var list corev1.SecretList
	if err := u.rec.List(u.t.Context(), &list, client.InNamespace(u.key.Namespace)); err != nil {
		u.t.Fatal(err)
	}
	for i := range list.Items {
		u.t.Errorf("the Secret %s is left", list.Items[i].Name)
	}
}

func pngOf(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = byte(i)
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// film begins like an MP4; only the renderer reads the rest.
var film = []byte("\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomavc1" + strings.Repeat("x", 100))

// noNames is a resolver that resolves no name.
type noNames struct{}

func (noNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}
