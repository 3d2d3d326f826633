// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
)

var start = time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)

// renderJob returns a RenderJob whose first attempt is running.
func renderJob(change ...func(*v1beta1.RenderJob)) *v1beta1.RenderJob {
	j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea-r1", UID: "u", Generation: 1, CreationTimestamp: metav1.NewTime(start)}}
	j.Spec.Source.Name = "tea"
	j.Status = v1beta1.RenderJobStatus{Work: &v1beta1.Work{State: v1beta1.WorkQueued, Attempt: 1}, Revision: 1, MemoryBytes: 1 << 30}
	j.Status.TimelineKey, j.Status.JobName = timelineKey(j), jobName(j, 1)
	for _, c := range change {
		c(j)
	}
	return j
}

// fresh returns a RenderJob that has not started.
func fresh(change ...func(*v1beta1.RenderJob)) *v1beta1.RenderJob {
	j := renderJob()
	j.Status = v1beta1.RenderJobStatus{}
	for _, c := range change {
		c(j)
	}
	return j
}

func reported(attempt int32, out *v1beta1.RenderOutput, e *v1beta1.WorkError) func(*v1beta1.RenderJob) {
	return func(j *v1beta1.RenderJob) {
		j.Status.Report = &v1beta1.RenderReport{Attempt: attempt, Output: out, Error: e}
	}
}

func attempt(n int32) func(*v1beta1.RenderJob) {
	return func(j *v1beta1.RenderJob) { j.Status.Work.Attempt, j.Status.JobName = n, jobName(j, n) }
}

// job returns the attempt's Job, created at start, with the given conditions.
func job(conditions ...batchv1.JobCondition) *batchv1.Job {
	b := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(start)}}
	b.Status.Conditions = conditions
	return b
}

func ends(t batchv1.JobConditionType, reason string) batchv1.JobCondition {
	return batchv1.JobCondition{Type: t, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: metav1.NewTime(start.Add(time.Minute))}
}

func podIn(phase corev1.PodPhase, t *corev1.ContainerStateTerminated) *corev1.Pod {
	p := &corev1.Pod{Spec: corev1.PodSpec{ActiveDeadlineSeconds: ptr.To[int64](900)}, Status: corev1.PodStatus{Phase: phase}}
	if phase != corev1.PodPending {
		p.Status.StartTime = ptr.To(metav1.NewTime(start))
	}
	if t != nil {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: t}}}
	}
	return p
}

func TestDecide(t *testing.T) {
	late := podIn(corev1.PodFailed, nil)
	late.Status.Reason = "DeadlineExceeded"
	film := &v1beta1.RenderOutput{Bytes: 10, Width: 1080, Height: 1920, DurationMilliseconds: 9000}
	lost := job(ends(batchv1.JobFailed, "BackoffLimitExceeded"))
	reportedFailure := func(f *outcome.Failure) *outcome.Outcome {
		return &outcome.Outcome{Version: outcome.Version, State: outcome.Failed, Error: f}
	}
	fault := func(retryable bool, reason outcome.Reason) *v1beta1.WorkError {
		return &v1beta1.WorkError{Code: "generation_failed", Message: "no", Retryable: retryable, Details: map[string]string{"reason": string(reason)}}
	}
	source := func(change func(*v1beta1.Slideshow)) *v1beta1.Slideshow {
		s := slideshow()
		change(s)
		return s
	}
	pinned := func(r int64) func(*v1beta1.RenderJob) {
		return func(j *v1beta1.RenderJob) { j.Spec.Revision = &r }
	}
	deleted := func(j *v1beta1.RenderJob) {
		j.DeletionTimestamp = ptr.To(metav1.NewTime(start.Add(time.Minute)))
	}
	const minute = time.Minute

	type want struct {
		kind    action
		attempt int32
		code    catalog.Code
		retry   bool
		memory  bool
		running bool
		requeue time.Duration
	}
	for name, c := range map[string]struct {
		why  string
		j    *v1beta1.RenderJob
		o    observed
		at   time.Duration
		want want
	}{
		"settled":                   {"a settled render does not change", renderJob(), observed{before: v1beta1.WorkSucceeded}, 0, want{kind: actionNothing}},
		"deleted":                   {"no attempt runs, so the files can be removed", renderJob(deleted), observed{}, minute, want{kind: actionClean}},
		"deleted while it runs":     {"a video that is uploaded later would never be removed", renderJob(deleted), observed{running: true}, minute, want{kind: actionStop, requeue: stopTime}},
		"deleted, node gone":        {"a pod on a lost node must not block the deletion", renderJob(deleted), observed{running: true}, 2 * minute, want{kind: actionClean}},
		"no source":                 {"it may be applied later", fresh(), observed{}, minute, want{kind: actionWait, requeue: 29 * minute}},
		"source never created":      {"work waits for thirty minutes at most", fresh(), observed{}, 30 * minute, want{kind: actionFail, code: catalog.ValidationFailed}},
		"source not rendered":       {"there is nothing to render yet", fresh(), observed{source: source(func(s *v1beta1.Slideshow) { s.Status.Work = nil })}, 0, want{kind: actionWait, requeue: 30 * minute}},
		"source in progress":        {"its slides may still change", fresh(), observed{source: source(func(s *v1beta1.Slideshow) { s.Status.Work.State = v1beta1.WorkProcessing })}, 0, want{kind: actionWait, requeue: 30 * minute}},
		"source edited just now":    {"a render that was applied with an edit renders the edited slides", fresh(), observed{source: source(func(s *v1beta1.Slideshow) { s.Generation = 2 })}, 0, want{kind: actionWait, requeue: 30 * minute}},
		"pinned, edited just now":   {"the pinned revision is the current one", fresh(pinned(1)), observed{source: source(func(s *v1beta1.Slideshow) { s.Generation = 2 })}, 0, want{kind: actionStart, attempt: 1}},
		"source failed":             {"there will be no slides", fresh(), observed{source: source(func(s *v1beta1.Slideshow) { s.Status.Work.State = v1beta1.WorkFailed })}, 0, want{kind: actionFail, code: catalog.Conflict}},
		"later revision":            {"the edit may still be rendered", fresh(pinned(2)), observed{source: slideshow()}, 0, want{kind: actionWait, requeue: 30 * minute}},
		"earlier revision":          {"the images of an old revision do not exist", fresh(pinned(1)), observed{source: source(func(s *v1beta1.Slideshow) { s.Status.Revision = 2 })}, 0, want{kind: actionFail, code: catalog.Conflict}},
		"first attempt":             {"the source is ready", fresh(), observed{source: slideshow()}, 0, want{kind: actionStart, attempt: 1}},
		"video reported and stored": {"the video is reported and stored", renderJob(reported(1, film, nil)), observed{stored: 10, job: job()}, 0, want{kind: actionSucceed}},
		"video after a lost pod":    {"the outcome takes precedence over the pod", renderJob(reported(1, film, nil)), observed{stored: 10, job: lost}, 0, want{kind: actionSucceed}},
		"video after its deadline":  {"a stored video counts in spite of the deadline", renderJob(reported(1, film, nil)), observed{stored: 10, job: job(ends(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded))}, 0, want{kind: actionSucceed}},
		"video missing":             {"a reported video must be stored", renderJob(reported(1, film, nil)), observed{stored: -1, job: job()}, 0, want{kind: actionStart, attempt: 2}},
		"video of another length":   {"a stored video must be complete", renderJob(reported(1, film, nil)), observed{stored: 9, job: job()}, 0, want{kind: actionStart, attempt: 2}},
		"video missing three times": {"there are three attempts", renderJob(attempt(3), reported(3, film, nil)), observed{stored: -1, job: job()}, 0, want{kind: actionFail, code: catalog.GenerationFailed, retry: true}},
		"invalid input":             {"another attempt cannot succeed", renderJob(reported(1, nil, &v1beta1.WorkError{Code: "validation_failed"})), observed{stored: -1, job: job()}, 0, want{kind: actionFail, code: catalog.ValidationFailed}},
		"retryable failure":         {"another node has another disk", renderJob(reported(1, nil, fault(true, outcome.NoSpace))), observed{stored: -1, job: job()}, 0, want{kind: actionStart, attempt: 2}},
		"encoder killed":            {"if the memory is used up, the kernel kills the encoder", renderJob(reported(1, nil, fault(true, outcome.EncoderKilled))), observed{stored: -1, job: job(), memory: 1 << 30}, 0, want{kind: actionStart, attempt: 2, memory: true}},
		"encoder killed again":      {"memory is raised once", renderJob(attempt(2), reported(2, nil, fault(true, outcome.EncoderKilled))), observed{stored: -1, job: job(), memory: 1 << 29}, 0, want{kind: actionStart, attempt: 3}},
		"late report":               {"the outcome of an earlier attempt does not count", renderJob(attempt(2), reported(1, nil, fault(false, ""))), observed{stored: -1, job: job()}, 0, want{kind: actionWait, requeue: 30 * minute}},
		"foreign job":               {"a foreign Job is not adopted", renderJob(), observed{foreign: true}, 0, want{kind: actionFail, code: catalog.InternalError}},
		"job missing":               {"the attempt is recorded, so its Job is created", renderJob(), observed{}, 0, want{kind: actionEnsure}},
		"job cannot be created":     {"attempts to create the Job end", renderJob(), observed{}, 46 * minute, want{kind: actionFail, code: catalog.GenerationFailed, retry: true}},
		"pending":                   {"the pod is not scheduled", renderJob(), observed{job: job(), pod: podIn(corev1.PodPending, nil)}, 10 * minute, want{kind: actionWait, requeue: 20 * minute}},
		"never scheduled":           {"the queue deadline is thirty minutes", renderJob(), observed{job: job(), pod: podIn(corev1.PodPending, nil)}, 30 * minute, want{kind: actionFail, code: catalog.GenerationFailed, retry: true}},
		"scheduled late":            {"the time in the queue does not count", renderJob(), observed{job: job(), pod: podIn(corev1.PodRunning, nil)}, 40 * minute, want{kind: actionWait, running: true, requeue: 15 * minute}},
		"running":                   {"the container runs", renderJob(), observed{job: job(), pod: podIn(corev1.PodRunning, nil)}, 0, want{kind: actionWait, running: true, requeue: 15 * minute}},
		"pod's deadline":            {"the kubelet enforces the deadline", renderJob(), observed{job: lost, pod: late}, 16 * minute, want{kind: actionFail, code: catalog.GenerationFailed, retry: true}},
		"deadline":                  {"another attempt would take as long", renderJob(), observed{job: job(ends(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded))}, 0, want{kind: actionFail, code: catalog.GenerationFailed, retry: true}},
		"stopped by the deadline":   {"the renderer does not know the cause, and reports before the Job", renderJob(reported(1, nil, fault(true, outcome.Stopped))), observed{stored: -1, job: job(), pod: podIn(corev1.PodRunning, nil)}, 15 * minute, want{kind: actionFail, code: catalog.GenerationFailed, retry: true}},
		"stopped by a drain":        {"another node may succeed", renderJob(reported(1, nil, fault(true, outcome.Stopped))), observed{stored: -1, job: job(), pod: podIn(corev1.PodRunning, nil)}, minute, want{kind: actionStart, attempt: 2}},
		"out of memory":             {"the next attempt has more memory", renderJob(), observed{job: lost, pod: podIn(corev1.PodFailed, &corev1.ContainerStateTerminated{Reason: "OOMKilled"}), memory: 1 << 30}, 2 * minute, want{kind: actionStart, attempt: 2, memory: true}},
		"out of raised memory":      {"memory is raised once", renderJob(attempt(2)), observed{job: lost, pod: podIn(corev1.PodFailed, &corev1.ContainerStateTerminated{Reason: "OOMKilled"}), memory: 1 << 29}, 2 * minute, want{kind: actionStart, attempt: 3}},
		"lost without a pod":        {"the termination message may still appear", renderJob(), observed{job: lost}, minute + time.Second, want{kind: actionWait, running: true, requeue: pod.Glance}},
		"lost without outcome":      {"the termination message did not appear", renderJob(), observed{job: lost}, minute + pod.CacheGrace, want{kind: actionStart, attempt: 2}},
		"lost three times":          {"there are three attempts", renderJob(attempt(3)), observed{job: lost}, 2 * minute, want{kind: actionFail, code: catalog.GenerationFailed, retry: true}},
		"message of a failure": {
			"the stored outcome was lost, the termination message was not", renderJob(),
			observed{stored: -1, job: lost, outcome: reportedFailure(&outcome.Failure{Code: outcome.ValidationFailed, Message: "broken"})},
			2 * minute,
			want{kind: actionFail, code: catalog.ValidationFailed},
		},
		"message of a stop": {
			"the video is not the cause, whatever the renderer reports", renderJob(),
			observed{stored: -1, job: lost, outcome: reportedFailure(&outcome.Failure{Code: outcome.GenerationFailed, Message: "stopped", Reason: outcome.Stopped})},
			2 * minute,
			want{kind: actionStart, attempt: 2},
		},
		"message of a video": {
			"the stored outcome was lost, the video is stored", renderJob(),
			observed{stored: 10, job: lost, outcome: &outcome.Outcome{Film: &outcome.Film{Bytes: 10, DurationSeconds: 9}}},
			2 * minute,
			want{kind: actionSucceed},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.o.before == "" && c.j.Status.Work != nil {
				c.o.before = c.j.Status.Work.State
			}
			d := decide(c.j, &c.o, start.Add(c.at))
			got := want{kind: d.kind, attempt: d.attempt, memory: d.memory, running: d.running, requeue: d.requeue}
			if d.err != nil {
				got.code, got.retry = catalog.Code(d.err.Code), d.err.Retryable
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
			if d.kind == actionSucceed && (d.output.BlobKey != keptKey(c.j, filmFile) || d.output.DurationMilliseconds != 9000) {
				t.Errorf("got output %+v", d.output)
			}
			if d.kind == actionWait && c.j.Status.JobName == "" && (d.reason == "" || d.message == "") {
				t.Error("got a wait without a reason or a message")
			}
		})
	}
}

// TestReport_IsStable reports twice. A status that changes each time would trigger its own controller without end.
func TestReport_IsStable(t *testing.T) {
	o := &observed{}
	for name, j := range map[string]*v1beta1.RenderJob{
		"waiting": fresh(), "queued": renderJob(),
		"running": renderJob(func(j *v1beta1.RenderJob) { j.Status.Work.State = v1beta1.WorkProcessing }),
		"succeeded": renderJob(func(j *v1beta1.RenderJob) {
			j.Status.Work.State, j.Status.Output = v1beta1.WorkSucceeded, &v1beta1.RenderOutput{}
		}),
		"failed": renderJob(func(j *v1beta1.RenderJob) {
			j.Status.Work.State, j.Status.Work.Error = v1beta1.WorkFailed, &v1beta1.WorkError{Message: "No."}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			if j.Status.Work != nil {
				o.before = j.Status.Work.State
			} else {
				o.before = ""
			}
			d := decide(j, o, start)
			report(j, o, d)
			past := metav1.NewTime(start.Add(-time.Hour))
			for i := range j.Status.Conditions {
				j.Status.Conditions[i].LastTransitionTime = past
			}
			before := j.DeepCopy()
			report(j, o, d)
			if diff := cmp.Diff(before.Status, j.Status); diff != "" {
				t.Errorf("the second report changes the status:\n%s", diff)
			}
			if len(j.Status.Conditions) == 0 || j.Status.Conditions[0].Type != string(v1beta1.ConditionReady) {
				t.Errorf("got conditions %+v, want Ready", j.Status.Conditions)
			}
		})
	}
}

func TestRecord(t *testing.T) {
	at := start.Add(time.Minute)
	t.Run("the next attempt keeps the state of the work", func(t *testing.T) {
		j := renderJob(func(j *v1beta1.RenderJob) {
			j.Status.Work.State, j.Status.Progress = v1beta1.WorkProcessing, &v1beta1.RenderProgress{Attempt: 1, Percent: 50}
		}, reported(1, nil, &v1beta1.WorkError{}))
		record(j, &observed{}, decision{kind: actionStart, attempt: 2, memory: true}, at)
		s := j.Status
		if s.Work.State != v1beta1.WorkProcessing || s.Work.Attempt != 2 || s.JobName != jobName(j, 2) {
			t.Errorf("got %+v, job %q", s.Work, s.JobName)
		}
		if s.Progress != nil || s.Report != nil || s.MemoryBytes != 2<<30 {
			t.Errorf("progress %v, report %v, memory %d are of the previous attempt", s.Progress, s.Report, s.MemoryBytes)
		}
	})
	t.Run("progress starts the work, regardless of the pod in the cache", func(t *testing.T) {
		j := renderJob(func(j *v1beta1.RenderJob) { j.Status.Progress = &v1beta1.RenderProgress{Attempt: 1} })
		record(j, &observed{}, decision{kind: actionWait}, at)
		if w := j.Status.Work; w.State != v1beta1.WorkProcessing || !w.StartedAt.Time.Equal(at) || w.EstimatedCompletionAt == nil {
			t.Errorf("got work %+v", w)
		}
	})
	t.Run("work that fails before its start has a record", func(t *testing.T) {
		j := fresh()
		record(j, &observed{}, failed(catalog.Conflict, false, "No", nil), at)
		if w := j.Status.Work; w.State != v1beta1.WorkFailed || w.Attempt != 1 || w.FinishedAt == nil || w.Error.Code != "conflict" {
			t.Errorf("got work %+v", w)
		}
	})
}

// TestReport_MissingConfinement checks that a confinement which is missing on an attempt's node is reported by a
// condition, also after the next attempt.
func TestReport_MissingConfinement(t *testing.T) {
	j := renderJob(attempt(1), reported(1, nil, &v1beta1.WorkError{Code: "generation_failed", Message: "No", Retryable: true}))
	j.Status.Report.Unconfined = []string{"landlock"}
	o := &observed{stored: -1}
	o.unconfined = unconfined(j, o)
	d := decide(j, o, start)
	if d.kind != actionStart {
		t.Fatalf("got step %v, want another attempt", d.kind)
	}
	counter := metric.Unconfined.WithLabelValues("render", "landlock")
	before := testutil.ToFloat64(counter)
	record(j, o, d, start)
	report(j, o, d)
	count(j, o, d)
	if n := testutil.ToFloat64(counter) - before; n != 1 {
		t.Errorf("counted %g attempts, want 1", n)
	}
	o = &observed{stored: -1}
	o.unconfined = unconfined(j, o)
	report(j, o, decide(j, o, start))
	c := meta.FindStatusCondition(j.Status.Conditions, string(v1beta1.ConditionConfined))
	if c == nil || c.Status != metav1.ConditionFalse || c.Reason != string(v1beta1.ReasonConfinementMissing) || !strings.Contains(c.Message, "landlock") {
		t.Errorf("got condition %+v", c)
	}
	fine := renderJob(attempt(1))
	report(fine, &observed{stored: -1}, decision{kind: actionWait})
	if meta.FindStatusCondition(fine.Status.Conditions, string(v1beta1.ConditionConfined)) != nil {
		t.Error("got the condition without a report")
	}
}
