// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
)

func TestJudge(t *testing.T) {
	begin := time.Unix(1000, 0)
	job := func(reason string) *batchv1.Job {
		j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(begin)}}
		if reason != "" {
			j.Status.Conditions = []batchv1.JobCondition{{
				Type: batchv1.JobFailed, Status: corev1.ConditionTrue,
				Reason: reason, LastTransitionTime: metav1.NewTime(begin),
			}}
		}
		return j
	}
	ended := func(reason string) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason}}},
		}}}
	}
	held := func() *batchv1.Job {
		j := job("")
		j.Spec.Suspend = ptr.To(true)
		return j
	}
	good := &outcome.Outcome{State: outcome.Succeeded, Media: &outcome.Media{Bytes: 1}}
	bad := func(retryable bool) *outcome.Outcome {
		return &outcome.Outcome{State: outcome.Failed, Error: &outcome.Failure{
			Code: outcome.ValidationFailed, Reason: outcome.TooLong, Message: "Too long.", Retryable: retryable,
		}}
	}
	for name, c := range map[string]struct {
		why   string
		seen  Seen
		after time.Duration
		next  Next
		code  catalog.Code
		says  string
	}{
		"gone with its words": {"its outcome was stored", Seen{Said: good}, 0, Done, "", ""},
		"no job":              {"it was never made, or is gone: make it", Seen{}, 0, Make, "", ""},
		"somebody else's": {
			"adopting it would believe its words",
			Seen{Foreign: true},
			0, Refuse,
			catalog.InternalError, "",
		},
		"at work": {"events come", Seen{Job: job("")}, time.Minute, Wait, "", ""},
		"at work for too long": {
			"the deadline is Kubernetes' to enforce, but events may be missed",
			Seen{Job: job("")},
			10 * time.Hour, Wait, "", "",
		},
		"said well": {"even while the pod is still there", Seen{Job: job(""), Said: good}, 0, Done, "", ""},
		"said well, then lost": {
			"what was said counts first",
			Seen{Job: job("BackoffLimitExceeded"), Said: good},
			time.Hour, Done, "", "",
		},
		"refused": {
			"for good",
			Seen{Job: job("BackoffLimitExceeded"), Said: bad(false)},
			0, Refuse,
			catalog.ValidationFailed, "Too long.",
		},
		"a bad moment": {
			"may pass",
			Seen{Job: job("BackoffLimitExceeded"), Said: bad(true)},
			0, Lost,
			catalog.ValidationFailed, "Too long.",
		},
		"ended, no pod yet": {
			"its words may still come",
			Seen{Job: job("BackoffLimitExceeded")},
			time.Second, Wait, "",
			"",
		},
		"ended without words": {
			"they did not come",
			Seen{Job: job("BackoffLimitExceeded")},
			pod.CacheGrace, Lost,
			catalog.GenerationFailed, "The worker that had the file was lost",
		},
		"killed": {
			"its pod says no more",
			Seen{Job: job("BackoffLimitExceeded"), Pod: ended("Error")},
			0,
			Lost, catalog.GenerationFailed, "The worker that had the file was lost",
		},
		"out of memory": {
			"the kernel ended all of it",
			Seen{
				Job: job("BackoffLimitExceeded"),
				Pod: ended("OOMKilled"),
			},
			0, Lost, catalog.GenerationFailed,
			"The work on the file needed more memory than it may have",
		},
		"overdue": {
			"with a pod that worked",
			Seen{Job: job("DeadlineExceeded"), Pod: ended("Error")},
			0,
			Lost, catalog.GenerationFailed, "The work on the file took too long",
		},
		"held": {"no deadline of its own runs", Seen{Job: held()}, time.Minute, Wait, "", ""},
		"held for too long": {
			"nobody let it go",
			Seen{Job: held()},
			catalog.QueueDeadline, Lost,
			catalog.GenerationFailed, "No worker was free in time",
		},
		"never begun": {
			"no node had room",
			Seen{Job: job("DeadlineExceeded")},
			time.Minute, Lost,
			catalog.GenerationFailed, "No worker was free in time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := Judge(&c.seen, begin.Add(c.after))
			if v.Next != c.next {
				t.Fatalf("got %d, want %d: %s", v.Next, c.next, c.why)
			}
			if v.Next == Wait && v.Again <= 0 {
				t.Error("nobody looks again")
			}
			if (v.Err != nil) != (c.code != "") ||
				v.Err != nil && (v.Err.Code != string(c.code) || c.says != "" && v.Err.Message != c.says) {
				t.Errorf("%+v", v.Err)
			}
		})
	}
}

func TestSlots(t *testing.T) {
	s := NewSlots(3)
	take := func(ns, uid string, want bool, why string) {
		t.Helper()
		if got := s.Take(ns, types.UID(uid)); got != want {
			t.Errorf("%s of %s: %v: %s", uid, ns, got, why)
		}
	}
	take("a", "1", true, "all are free")
	take("a", "2", true, "two are free")
	take("a", "3", false, "the last is for others")
	take("a", "1", true, "it has one")
	take("b", "4", true, "the last is for others")
	take("c", "5", false, "none is free")
	s.Hold("c", "6")
	take("c", "6", true, "its Job was there before")
	s.Free("1")
	take("b", "5", false, "one more than there are is at work")
	s.Free("6")
	take("c", "5", true, "one is free")
	s.Free("nobody")

	one := NewSlots(1)
	if !one.Take("a", "1") || one.Take("b", "2") {
		t.Error("one slot is for one")
	}
}

func TestSeen_ReportsMissingConfinement(t *testing.T) {
	if parts := (&Seen{}).Unconfined("media"); parts != nil {
		t.Errorf("nothing was said, but %v is missing", parts)
	}
	counter := metric.Unconfined.WithLabelValues("media", "seccomp")
	before := testutil.ToFloat64(counter)
	s := &Seen{Said: &outcome.Outcome{Unconfined: []string{"seccomp"}}}
	if parts := s.Unconfined("media"); len(parts) != 1 || testutil.ToFloat64(counter)-before != 1 {
		t.Errorf("%v, counted %g", parts, testutil.ToFloat64(counter)-before)
	}
}
