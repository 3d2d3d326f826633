// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// stage is the environment that the scenarios share.
type stage struct {
	cluster *testkit.Cluster
	store   *blob.Store
	dir     string
	signer  *callback.Signer
}

var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

func newStage(t *testing.T) *stage {
	t.Helper()
	cluster.Start(t)
	key, dir := bytes.Repeat([]byte{1}, 32), filepath.Join(t.TempDir(), "blobs")
	store, err := blob.Open(t.Context(), blob.Config{URL: "file://" + dir, BaseURL: "http://127.0.0.1", SigningKey: key})
	if err != nil {
		t.Fatal(err)
	}
	signer, err := callback.NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{cluster: cluster.Cluster, store: store, dir: dir, signer: signer}
}

// run is one scenario: a slideshow and its RenderJob. The test acts as the Job controller and the renderer.
type run struct {
	*stage
	t      *testing.T
	key    client.ObjectKey
	r      *Reconciler
	rec    *testkit.Recorder
	clock  *clocktesting.FakeClock
	events *events.FakeRecorder
}

func (st *stage) run(t *testing.T, namespace string, failAt int, f testkit.Fault) *run {
	t.Helper()
	ctx := t.Context()
	rec, err := st.cluster.Recorder(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := testkit.HandWritten(namespace, "tea", "acme", "One", "Two", "Three")
	s.Labels = map[string]string{v1beta1.LabelID: "7"}
	j := &v1beta1.RenderJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tea-r1"},
		Spec:       v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Name: s.Name}},
	}
	for _, o := range []client.Object{testkit.Namespace(namespace), s, j} {
		if err := st.cluster.Client.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	drawn := slideshow()
	s.Status = drawn.Status
	s.Status.ObservedGeneration = s.Generation
	if err := st.cluster.Client.Status().Update(ctx, s); err != nil {
		t.Fatal(err)
	}
	u := &run{
		stage: st, t: t, key: client.ObjectKeyFromObject(j), rec: rec, events: events.NewFakeRecorder(100),
		clock: clocktesting.NewFakeClock(j.CreationTimestamp.Add(time.Second)),
	}
	u.r = &Reconciler{
		Client: rec, Clock: u.clock, Events: u.events, Store: st.store, Signer: st.signer, CallbackURL: "http://127.0.0.1:1", Pod: podOptions(),
	}
	rec.FailAt, rec.Fault = failAt, f
	return u
}

// live returns the RenderJob; nil if it does not exist.
func (u *run) live() *v1beta1.RenderJob {
	u.t.Helper()
	j := &v1beta1.RenderJob{}
	err := u.rec.Get(u.t.Context(), u.key, j)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		u.t.Fatal(err)
	}
	return j
}

// settle reconciles until a reconcile succeeds and writes nothing, like the work queue and the watches.
func (u *run) settle() {
	u.t.Helper()
	var last error
	for range 40 {
		j, n := u.live(), len(u.rec.Writes)
		if j == nil {
			return
		}
		result, err := u.r.Reconcile(u.t.Context(), j)
		last = err
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
	u.t.Fatalf("the reconciles never end: %v, %v", last, u.rec.Writes)
}

// lose ends the current attempt's Job like the Job controller after the loss of its pod.
func (u *run) lose() {
	u.t.Helper()
	u.end()
	u.clock.Step(time.Minute)
	u.settle()
}

// end marks the current attempt's Job as ended.
func (u *run) end() {
	u.t.Helper()
	b := &batchv1.Job{}
	if err := u.rec.Get(u.t.Context(), client.ObjectKey{Namespace: u.key.Namespace, Name: u.live().Status.JobName}, b); err != nil {
		u.t.Fatal(err)
	}
	now := metav1.NewTime(u.clock.Now())
	b.Status.StartTime, b.Status.Failed, b.Status.UncountedTerminatedPods = &now, 1, &batchv1.UncountedTerminatedPods{}
	for _, c := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		b.Status.Conditions = append(b.Status.Conditions, batchv1.JobCondition{Type: c, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", LastTransitionTime: now})
	}
	if err := u.cluster.Client.Status().Update(u.t.Context(), b); err != nil {
		u.t.Fatal(err)
	}
}

// report stores the outcome of the current attempt like its renderer, and ends its Job.
func (u *run) report(out *v1beta1.RenderOutput, e *v1beta1.WorkError) {
	u.t.Helper()
	u.storeOutcome(u.live().Status.JobName, out, e)
	u.end()
	u.settle()
}

// complete stores the video's outcome and reports completion, like a renderer before it ends.
func (u *run) complete(out *v1beta1.RenderOutput) {
	u.t.Helper()
	u.storeOutcome(u.live().Status.JobName, out, nil)
	j := u.live()
	j.Status.Progress = &v1beta1.RenderProgress{Attempt: j.Status.Work.Attempt, Percent: callback.Complete, Frame: out.Frames}
	if err := u.cluster.Client.Status().Update(u.t.Context(), j); err != nil {
		u.t.Fatal(err)
	}
	u.settle()
}

// storeOutcome stores an outcome of an order at the key of the current attempt.
func (u *run) storeOutcome(order string, out *v1beta1.RenderOutput, e *v1beta1.WorkError) {
	u.t.Helper()
	o := &outcome.Outcome{Version: outcome.Version, Order: order, State: outcome.Succeeded}
	if out != nil {
		o.Film = &outcome.Film{
			Bytes: out.Bytes, SHA256: out.SHA256, DurationSeconds: float64(out.DurationMilliseconds) / 1000, Width: int(out.Width), Height: int(out.Height), Frames: int(out.Frames),
		}
	} else {
		o.State, o.Error = outcome.Failed, &outcome.Failure{Code: outcome.Code(e.Code), Message: e.Message, Retryable: e.Retryable}
	}
	doc, err := o.Encode()
	if err != nil {
		u.t.Fatal(err)
	}
	if err := u.store.Put(u.t.Context(), attemptOf(u.live()).OutcomeKey(), "application/json", bytes.NewReader(doc)); err != nil {
		u.t.Fatal(err)
	}
}

// film stores a video of the current attempt and returns its description.
func (u *run) film() *v1beta1.RenderOutput {
	u.t.Helper()
	if err := u.store.Put(u.t.Context(), filmKey(u.live()), "video/mp4", strings.NewReader("0123456789")); err != nil {
		u.t.Fatal(err)
	}
	return &v1beta1.RenderOutput{
		Bytes: 10, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte("0123456789"))), DurationMilliseconds: 9000, Width: 1080, Height: 1920, Frames: 270,
	}
}

// created returns the names of the created Jobs, each once, in order.
func (u *run) created() []string {
	var out []string
	for i, w := range u.rec.Writes {
		if n := u.rec.Names[i]; w == "create Job" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// blobs returns the keys of the namespace in the store, without the part with UIDs.
func (u *run) blobs() []string {
	u.t.Helper()
	root := filepath.Join(u.dir, "renders", u.key.Namespace)
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".attrs") {
			rel, _ := filepath.Rel(root, path)
			_, name, _ := strings.Cut(rel, "/")
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return out
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

// final returns the status without the fields that differ between runs: times, and names with the UID.
func (u *run) final() v1beta1.RenderJobStatus {
	u.t.Helper()
	j := u.live()
	st := j.Status.DeepCopy()
	st.Work.StartedAt, st.Work.FinishedAt = nil, nil
	for i := range st.Conditions {
		st.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	if st.JobName != jobName(j, st.Work.Attempt) {
		u.t.Errorf("got job name %q", st.JobName)
	}
	st.JobName, st.TimelineKey = "", ""
	if st.Output != nil {
		if st.Output.BlobKey != keptKey(j, filmFile) {
			u.t.Errorf("got video %q", st.Output.BlobKey)
		}
		st.Output.BlobKey = ""
	}
	return *st
}

func everyFault(t *testing.T, prefix string, scenario func(t *testing.T, namespace string, failAt int, f testkit.Fault) *run, check func(t *testing.T, clean, u *run)) {
	clean := scenario(t, prefix+"-clean", 0, "")
	check(t, clean, clean)
	for _, cell := range testkit.Cells(clean.rec.Writes) {
		t.Run(cell.String(), func(t *testing.T) {
			t.Parallel() // each has its own namespace
			check(t, clean, scenario(t, prefix+"-"+cell.Tag, cell.At, cell.Fault))
		})
	}
}

func TestReconcile_SurvivesFaults(t *testing.T) {
	st := newStage(t)

	t.Run("a video at the second attempt", func(t *testing.T) {
		everyFault(t, "good", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			u := st.run(t, ns, n, f)
			u.settle()
			u.lose()
			u.report(u.film(), nil)
			return u
		}, func(t *testing.T, clean, u *run) {
			u.t = t
			if diff := cmp.Diff(clean.final(), u.final()); diff != "" {
				t.Errorf("the final state differs (-clean +this):\n%s", diff)
			}
			j := u.live()
			if j.Status.Work.State != v1beta1.WorkSucceeded || j.Status.Work.Attempt != 2 {
				t.Errorf("got work %+v", j.Status.Work)
			}
			if diff := cmp.Diff([]string{jobName(j, 1), jobName(j, 2)}, u.created()); diff != "" {
				t.Errorf("created Jobs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"a2/outcome.json", "film.mp4", "timeline.json"}, u.blobs()); diff != "" {
				t.Errorf("in the store (-want +got):\n%s", diff)
			}
			u.noSecrets()
		})
	})

	t.Run("a video that is reported while the pod runs", func(t *testing.T) {
		everyFault(t, "running", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			u := st.run(t, ns, n, f)
			u.settle()
			u.complete(u.film())
			return u
		}, func(t *testing.T, clean, u *run) {
			u.t = t
			if diff := cmp.Diff(clean.final(), u.final()); diff != "" {
				t.Errorf("the final state differs (-clean +this):\n%s", diff)
			}
			j := u.live()
			if j.Status.Work.State != v1beta1.WorkSucceeded || j.Status.Work.Attempt != 1 {
				t.Errorf("got work %+v", j.Status.Work)
			}
			if diff := cmp.Diff([]string{"a1/outcome.json", "film.mp4", "timeline.json"}, u.blobs()); diff != "" {
				t.Errorf("in the store (-want +got):\n%s", diff)
			}
			u.noSecrets()
		})
	})

	t.Run("a failure at the third attempt", func(t *testing.T) {
		everyFault(t, "bad", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			u := st.run(t, ns, n, f)
			u.settle()
			u.lose()
			// The second and third attempts report a failure.
			u.film()
			u.report(nil, &v1beta1.WorkError{Code: "generation_failed", Message: "The disk is full", Retryable: true})
			u.film()
			u.report(nil, &v1beta1.WorkError{Code: "generation_failed", Message: "The disk is full", Retryable: true})
			return u
		}, func(t *testing.T, clean, u *run) {
			u.t = t
			if diff := cmp.Diff(clean.final(), u.final()); diff != "" {
				t.Errorf("the final state differs (-clean +this):\n%s", diff)
			}
			j := u.live()
			if j.Status.Work.State != v1beta1.WorkFailed || j.Status.Work.Attempt != 3 {
				t.Errorf("got work %+v", j.Status.Work)
			}
			if diff := cmp.Diff([]string{jobName(j, 1), jobName(j, 2), jobName(j, 3)}, u.created()); diff != "" {
				t.Errorf("created Jobs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"a3/outcome.json", "timeline.json"}, u.blobs()); diff != "" {
				t.Errorf("in the store (-want +got):\n%s", diff)
			}
			u.noSecrets()
		})
	})

	t.Run("deleted while it runs", func(t *testing.T) {
		everyFault(t, "gone", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			u := st.run(t, ns, n, f)
			u.settle()
			if err := st.cluster.Client.Delete(t.Context(), u.live()); err != nil {
				t.Fatal(err)
			}
			u.settle()
			return u
		}, func(t *testing.T, clean, u *run) {
			u.t = t
			if j := u.live(); j != nil {
				t.Fatalf("the RenderJob still exists: %v", j.Finalizers)
			}
			if left := u.blobs(); len(left) > 0 {
				t.Errorf("left in the store: %v", left)
			}
			var jobs batchv1.JobList
			if err := u.rec.List(t.Context(), &jobs, client.InNamespace(u.key.Namespace)); err != nil {
				t.Fatal(err)
			}
			if len(jobs.Items) > 0 {
				t.Error("the Job still exists") // the garbage collector removes the Secret
			}
		})
	})
}

// TestKeep_RejectsAReplacedVideo replaces the video of an attempt with its signed URL. Before the video is stored,
// the reported digest detects this. Afterwards, no signed URL writes to the copy.
func TestKeep_RejectsAReplacedVideo(t *testing.T) {
	st := newStage(t)
	replace := func(u *run, attempt int32) {
		t.Helper()
		if err := u.store.Put(t.Context(), runner.Film(u.live(), attempt).FilmKey(filmFile), "video/mp4", strings.NewReader("9876543210")); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("before it is stored", func(t *testing.T) {
		u := st.run(t, "replaced-before", 0, "")
		u.settle()
		out := u.film()
		replace(u, 1)
		u.report(out, nil)
		if w := u.live().Status.Work; w.State.Settled() || w.Attempt != 2 {
			t.Fatalf("got work %+v", w)
		}
		u.report(u.film(), nil)
		if j := u.live(); j.Status.Work.State != v1beta1.WorkSucceeded || u.stored(j.Status.Output.BlobKey) != "0123456789" {
			t.Errorf("got work %+v, %q", j.Status.Work, u.stored(j.Status.Output.BlobKey))
		}
	})
	t.Run("three times", func(t *testing.T) {
		u := st.run(t, "replaced-always", 0, "")
		u.settle()
		for n := int32(1); n <= 3; n++ {
			out := u.film()
			replace(u, n)
			u.report(out, nil)
		}
		if j := u.live(); j.Status.Work.State != v1beta1.WorkFailed || j.Status.Work.Error.Code != "generation_failed" || j.Status.Output != nil {
			t.Errorf("got work %+v", j.Status.Work)
		}
		if diff := cmp.Diff([]string{"a3/outcome.json", "timeline.json"}, u.blobs()); diff != "" {
			t.Errorf("in the store (-want +got):\n%s", diff)
		}
	})
	t.Run("after it was stored", func(t *testing.T) {
		u := st.run(t, "replaced-after", 0, "")
		u.settle()
		u.report(u.film(), nil)
		replace(u, 1)
		u.settle()
		if got := u.stored(u.live().Status.Output.BlobKey); got != "0123456789" {
			t.Errorf("got video %q", got)
		}
	})
}

func (u *run) stored(key string) string {
	u.t.Helper()
	b, err := u.store.Head(u.t.Context(), key, 100)
	if err != nil {
		u.t.Fatal(err)
	}
	return string(b)
}

// TestOutcome_OfAnotherOrderIsIgnored stores an outcome of another attempt's order at the key of the current attempt.
func TestOutcome_OfAnotherOrderIsIgnored(t *testing.T) {
	u := newStage(t).run(t, "other-order", 0, "")
	u.settle()
	u.lose()
	u.storeOutcome(jobName(u.live(), 1), u.film(), nil)
	u.lose()
	if w := u.live().Status.Work; w.State.Settled() || w.Attempt != 3 {
		t.Errorf("got work %+v, want the third attempt", w)
	}
}

// TestOutcome_OutlivesItsPodAndJob deletes the Job of an attempt that has stored its outcome.
func TestOutcome_OutlivesItsPodAndJob(t *testing.T) {
	u := newStage(t).run(t, "job-gone", 0, "")
	u.settle()
	u.storeOutcome(u.live().Status.JobName, u.film(), nil)
	b := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: u.key.Namespace, Name: u.live().Status.JobName}}
	if err := u.cluster.Client.Delete(t.Context(), b, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	u.settle()
	if w := u.live().Status.Work; w.State != v1beta1.WorkSucceeded || w.Attempt != 1 {
		t.Errorf("got work %+v", w)
	}
}

// TestUpgrade_ReportInTheStatus writes status.report like a front end of the previous release.
func TestUpgrade_ReportInTheStatus(t *testing.T) {
	u := newStage(t).run(t, "before", 0, "")
	u.settle()
	out, j := u.film(), u.live()
	before := j.DeepCopy()
	j.Status.Report = &v1beta1.RenderReport{Attempt: 1, Output: out}
	if err := u.cluster.Client.Status().Patch(t.Context(), j, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	u.settle()
	if w := u.live().Status.Work; w.State != v1beta1.WorkSucceeded || w.Attempt != 1 {
		t.Errorf("got work %+v", w)
	}
}
