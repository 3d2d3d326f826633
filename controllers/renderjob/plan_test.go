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
	"github.com/reelops/reelops/internal/film/renderwork"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/work/renderpod"
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

func pod(phase corev1.PodPhase, t *corev1.ContainerStateTerminated) *corev1.Pod {
	p := &corev1.Pod{Spec: corev1.PodSpec{ActiveDeadlineSeconds: ptr.To[int64](900)}, Status: corev1.PodStatus{Phase: phase}}
	if phase != corev1.PodPending {
		p.Status.StartTime = ptr.To(metav1.NewTime(start))
	}
	if t != nil {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: t}}}
	}
	return p
}

func TestPlan(t *testing.T) {
	late := pod(corev1.PodFailed, nil)
	late.Status.Reason = "DeadlineExceeded"
	film := &v1beta1.RenderOutput{Bytes: 10, Width: 1080, Height: 1920, DurationMilliseconds: 9000}
	lost := job(ends(batchv1.JobFailed, "BackoffLimitExceeded"))
	said := func(f *renderwork.Failure) *renderwork.Outcome {
		return &renderwork.Outcome{Version: renderwork.Version, State: renderwork.Failed, Error: f}
	}
	fault := func(retryable bool, reason string) *v1beta1.WorkError {
		return &v1beta1.WorkError{Code: "generation_failed", Message: "no", Retryable: retryable, Details: map[string]string{"reason": reason}}
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
		kind    stepKind
		attempt int32
		code    catalog.Code
		retry   bool
		memory  bool
		begun   bool
		again   time.Duration
	}
	for name, c := range map[string]struct {
		why  string
		j    *v1beta1.RenderJob
		o    seen
		at   time.Duration
		want want
	}{
		"settled":                  {"what ended stays as it is", renderJob(), seen{before: v1beta1.WorkSucceeded}, 0, want{kind: stepNothing}},
		"deleted":                  {"nothing works for it: its blobs can go", renderJob(deleted), seen{}, minute, want{kind: stepClean}},
		"deleted while it runs":    {"a film uploaded after the cleaning would stay for ever", renderJob(deleted), seen{working: true}, minute, want{kind: stepStop, again: stopTime}},
		"deleted, node gone":       {"a pod nobody can end must not hold the object for ever", renderJob(deleted), seen{working: true}, 2 * minute, want{kind: stepClean}},
		"no source":                {"it may be applied later", fresh(), seen{}, minute, want{kind: stepWait, again: 29 * minute}},
		"no source for ever":       {"work waits for thirty minutes at most", fresh(), seen{}, 30 * minute, want{kind: stepFail, code: catalog.ValidationFailed}},
		"source not drawn":         {"there is nothing to render yet", fresh(), seen{source: source(func(s *v1beta1.Slideshow) { s.Status.Work = nil })}, 0, want{kind: stepWait, again: 30 * minute}},
		"source at work":           {"its slides may still change", fresh(), seen{source: source(func(s *v1beta1.Slideshow) { s.Status.Work.State = v1beta1.WorkProcessing })}, 0, want{kind: stepWait, again: 30 * minute}},
		"source edited just now":   {"applied together with an edit, the edited slides are meant", fresh(), seen{source: source(func(s *v1beta1.Slideshow) { s.Generation = 2 })}, 0, want{kind: stepWait, again: 30 * minute}},
		"pinned, edited just now":  {"the pinned revision is the current one", fresh(pinned(1)), seen{source: source(func(s *v1beta1.Slideshow) { s.Generation = 2 })}, 0, want{kind: stepStart, attempt: 1}},
		"source failed":            {"there will be no slides", fresh(), seen{source: source(func(s *v1beta1.Slideshow) { s.Status.Work.State = v1beta1.WorkFailed })}, 0, want{kind: stepFail, code: catalog.Conflict}},
		"revision to come":         {"the edit may still be drawn", fresh(pinned(2)), seen{source: slideshow()}, 0, want{kind: stepWait, again: 30 * minute}},
		"revision gone":            {"pictures of an old revision are not rendered", fresh(pinned(1)), seen{source: source(func(s *v1beta1.Slideshow) { s.Status.Revision = 2 })}, 0, want{kind: stepFail, code: catalog.Conflict}},
		"first attempt":            {"the slides are there", fresh(), seen{source: slideshow()}, 0, want{kind: stepStart, attempt: 1}},
		"film reported and stored": {"reported and there: done", renderJob(reported(1, film, nil)), seen{stored: 10, job: job()}, 0, want{kind: stepSucceed}},
		"film after a lost pod":    {"what the renderer said counts before what became of its pod", renderJob(reported(1, film, nil)), seen{stored: 10, job: lost}, 0, want{kind: stepSucceed}},
		"film after its deadline":  {"a film that is there in spite of the deadline is a film", renderJob(reported(1, film, nil)), seen{stored: 10, job: job(ends(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded))}, 0, want{kind: stepSucceed}},
		"film missing":             {"a film that is not there is not believed", renderJob(reported(1, film, nil)), seen{stored: -1, job: job()}, 0, want{kind: stepStart, attempt: 2}},
		"film of another length":   {"half a film is none", renderJob(reported(1, film, nil)), seen{stored: 9, job: job()}, 0, want{kind: stepStart, attempt: 2}},
		"film missing three times": {"three attempts are all", renderJob(attempt(3), reported(3, film, nil)), seen{stored: -1, job: job()}, 0, want{kind: stepFail, code: catalog.GenerationFailed, retry: true}},
		"input at fault":           {"the same input gives the same answer", renderJob(reported(1, nil, &v1beta1.WorkError{Code: "validation_failed"})), seen{stored: -1, job: job()}, 0, want{kind: stepFail, code: catalog.ValidationFailed}},
		"fault that may pass":      {"a full disk is another disk next time", renderJob(reported(1, nil, fault(true, renderwork.ReasonNoSpace))), seen{stored: -1, job: job()}, 0, want{kind: stepStart, attempt: 2}},
		"encoder killed":           {"the kernel ends the encoder first when the memory is used up", renderJob(reported(1, nil, fault(true, renderwork.ReasonEncoderKilled))), seen{stored: -1, job: job(), memory: 1 << 30}, 0, want{kind: stepStart, attempt: 2, memory: true}},
		"encoder killed again":     {"memory is raised once", renderJob(attempt(2), reported(2, nil, fault(true, renderwork.ReasonEncoderKilled))), seen{stored: -1, job: job(), memory: 1 << 29}, 0, want{kind: stepStart, attempt: 3}},
		"late report":              {"an attempt that was given up says nothing about the current one", renderJob(attempt(2), reported(1, nil, fault(false, ""))), seen{stored: -1, job: job()}, 0, want{kind: stepWait, again: 30 * minute}},
		"foreign job":              {"what belongs to somebody else is left alone", renderJob(), seen{foreign: true}, 0, want{kind: stepFail, code: catalog.InternalError}},
		"job gone":                 {"recorded and not there: made", renderJob(), seen{}, 0, want{kind: stepEnsure}},
		"job cannot be made":       {"nothing is tried for ever", renderJob(), seen{}, 46 * minute, want{kind: stepFail, code: catalog.GenerationFailed, retry: true}},
		"pending":                  {"the pod has no place yet", renderJob(), seen{job: job(), pod: pod(corev1.PodPending, nil)}, 10 * minute, want{kind: stepWait, again: 20 * minute}},
		"never placed":             {"thirty minutes are all that work may wait", renderJob(), seen{job: job(), pod: pod(corev1.PodPending, nil)}, 30 * minute, want{kind: stepFail, code: catalog.GenerationFailed, retry: true}},
		"placed late":              {"waiting does not take from the time to render", renderJob(), seen{job: job(), pod: pod(corev1.PodRunning, nil)}, 40 * minute, want{kind: stepWait, begun: true, again: 15 * minute}},
		"running":                  {"the container runs", renderJob(), seen{job: job(), pod: pod(corev1.PodRunning, nil)}, 0, want{kind: stepWait, begun: true, again: 15 * minute}},
		"pod's deadline":           {"the node ends what takes too long", renderJob(), seen{job: lost, pod: late}, 16 * minute, want{kind: stepFail, code: catalog.GenerationFailed, retry: true}},
		"deadline":                 {"a film that takes fifteen minutes takes them again", renderJob(), seen{job: job(ends(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded))}, 0, want{kind: stepFail, code: catalog.GenerationFailed, retry: true}},
		"stopped by the deadline":  {"the renderer cannot know why it is stopped, and speaks before the Job", renderJob(reported(1, nil, fault(true, renderwork.ReasonStopped))), seen{stored: -1, job: job(), pod: pod(corev1.PodRunning, nil)}, 15 * minute, want{kind: stepFail, code: catalog.GenerationFailed, retry: true}},
		"stopped by a drain":       {"another node may do it", renderJob(reported(1, nil, fault(true, renderwork.ReasonStopped))), seen{stored: -1, job: job(), pod: pod(corev1.PodRunning, nil)}, minute, want{kind: stepStart, attempt: 2}},
		"out of memory":            {"the next attempt gets more", renderJob(), seen{job: lost, pod: pod(corev1.PodFailed, &corev1.ContainerStateTerminated{Reason: "OOMKilled"}), memory: 1 << 30}, 2 * minute, want{kind: stepStart, attempt: 2, memory: true}},
		"out of raised memory":     {"memory is raised once", renderJob(attempt(2)), seen{job: lost, pod: pod(corev1.PodFailed, &corev1.ContainerStateTerminated{Reason: "OOMKilled"}), memory: 1 << 29}, 2 * minute, want{kind: stepStart, attempt: 3}},
		"lost without a pod":       {"the pod's last words may still come", renderJob(), seen{job: lost}, minute + time.Second, want{kind: stepWait, begun: true, again: renderpod.Glance}},
		"lost without words":       {"they did not come", renderJob(), seen{job: lost}, minute + renderpod.CacheGrace, want{kind: stepStart, attempt: 2}},
		"lost three times":         {"three attempts are all", renderJob(attempt(3)), seen{job: lost}, 2 * minute, want{kind: stepFail, code: catalog.GenerationFailed, retry: true}},
		"last words of a failure": {
			"the callback was lost, the words were not", renderJob(),
			seen{stored: -1, job: lost, said: said(&renderwork.Failure{Code: renderwork.ValidationFailed, Message: "broken"})},
			2 * minute,
			want{kind: stepFail, code: catalog.ValidationFailed},
		},
		"last words of a stop": {
			"the film was not at fault, whatever the renderer thought", renderJob(),
			seen{stored: -1, job: lost, said: said(&renderwork.Failure{Code: renderwork.GenerationFailed, Message: "stopped", Details: map[string]string{"reason": "stopped"}})},
			2 * minute,
			want{kind: stepStart, attempt: 2},
		},
		"last words of a film": {
			"the callback was lost, the film is there", renderJob(),
			seen{stored: 10, job: lost, said: &renderwork.Outcome{Result: &renderwork.Result{Bytes: 10, DurationSeconds: 9}}},
			2 * minute,
			want{kind: stepSucceed},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.o.before == "" && c.j.Status.Work != nil {
				c.o.before = c.j.Status.Work.State
			}
			st := plan(c.j, &c.o, start.Add(c.at))
			got := want{kind: st.kind, attempt: st.attempt, memory: st.memory, begun: st.begun, again: st.again}
			if st.err != nil {
				got.code, got.retry = catalog.Code(st.err.Code), st.err.Retryable
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
			if st.kind == stepSucceed && (st.output.BlobKey != keptKey(c.j, filmFile) || st.output.DurationMilliseconds != 9000) {
				t.Errorf("output %+v", st.output)
			}
			if st.kind == stepWait && c.j.Status.JobName == "" && (st.reason == "" || st.say == "") {
				t.Error("it waits and does not say for what")
			}
		})
	}
}

// TestReportStandsStill checks that repeating a report does not change the status: a status that alternates would wake
// its own controller endlessly.
func TestReportStandsStill(t *testing.T) {
	o := &seen{}
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
			st := plan(j, o, start)
			report(j, o, st)
			past := metav1.NewTime(start.Add(-time.Hour))
			for i := range j.Status.Conditions {
				j.Status.Conditions[i].LastTransitionTime = past
			}
			before := j.DeepCopy()
			report(j, o, st)
			if diff := cmp.Diff(before.Status, j.Status); diff != "" {
				t.Errorf("the second pass changes the status:\n%s", diff)
			}
			if len(j.Status.Conditions) == 0 || j.Status.Conditions[0].Type != string(v1beta1.ConditionReady) {
				t.Errorf("Ready is always there: %+v", j.Status.Conditions)
			}
		})
	}
}

func TestRecord(t *testing.T) {
	at := start.Add(time.Minute)
	t.Run("a next attempt goes on with work that was going on", func(t *testing.T) {
		j := renderJob(func(j *v1beta1.RenderJob) {
			j.Status.Work.State, j.Status.Progress = v1beta1.WorkProcessing, &v1beta1.RenderProgress{Attempt: 1, Percent: 50}
		}, reported(1, nil, &v1beta1.WorkError{}))
		record(j, step{kind: stepStart, attempt: 2, memory: true}, at)
		s := j.Status
		if s.Work.State != v1beta1.WorkProcessing || s.Work.Attempt != 2 || s.JobName != jobName(j, 2) {
			t.Errorf("%+v, job %q", s.Work, s.JobName)
		}
		if s.Progress != nil || s.Report != nil || s.MemoryBytes != 2<<30 {
			t.Errorf("progress %v, report %v, memory %d: of the attempt before", s.Progress, s.Report, s.MemoryBytes)
		}
	})
	t.Run("progress says that the work has begun, whatever the cache knows of the pod", func(t *testing.T) {
		j := renderJob(func(j *v1beta1.RenderJob) { j.Status.Progress = &v1beta1.RenderProgress{Attempt: 1} })
		record(j, step{kind: stepWait}, at)
		if w := j.Status.Work; w.State != v1beta1.WorkProcessing || !w.StartedAt.Time.Equal(at) || w.EstimatedCompletionAt == nil {
			t.Errorf("%+v", w)
		}
	})
	t.Run("work that fails before it began has a record too", func(t *testing.T) {
		j := fresh()
		record(j, failed(catalog.Conflict, false, "No", nil), at)
		if w := j.Status.Work; w.State != v1beta1.WorkFailed || w.Attempt != 1 || w.FinishedAt == nil || w.Error.Code != "conflict" {
			t.Errorf("%+v", w)
		}
	})
}

// TestReport_MissingConfinement checks that a confinement which is missing on an attempt's node is reported by a
// condition, also after the next attempt.
func TestReport_MissingConfinement(t *testing.T) {
	j := renderJob(attempt(1), reported(1, nil, &v1beta1.WorkError{Code: "generation_failed", Message: "No", Retryable: true}))
	j.Status.Report.Unconfined = []string{"landlock"}
	o := &seen{stored: -1}
	o.unconfined = unconfined(j, o)
	st := plan(j, o, start)
	if st.kind != stepStart {
		t.Fatalf("step %v, want another attempt", st.kind)
	}
	counter := metric.Unconfined.WithLabelValues("render", "landlock")
	before := testutil.ToFloat64(counter)
	record(j, st, start)
	report(j, o, st)
	count(j, o, st)
	if n := testutil.ToFloat64(counter) - before; n != 1 {
		t.Errorf("counted %g attempts, want 1", n)
	}
	o = &seen{stored: -1}
	o.unconfined = unconfined(j, o)
	report(j, o, plan(j, o, start))
	c := meta.FindStatusCondition(j.Status.Conditions, string(v1beta1.ConditionConfined))
	if c == nil || c.Status != metav1.ConditionFalse || c.Reason != string(v1beta1.ReasonConfinementMissing) || !strings.Contains(c.Message, "landlock") {
		t.Errorf("condition %+v", c)
	}
	fine := renderJob(attempt(1))
	report(fine, &seen{stored: -1}, step{kind: stepWait})
	if meta.FindStatusCondition(fine.Status.Conditions, string(v1beta1.ConditionConfined)) != nil {
		t.Error("the condition is there without a report")
	}
}
