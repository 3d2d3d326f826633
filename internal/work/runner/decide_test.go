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

func TestDecide(t *testing.T) {
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
		why      string
		observed Observed
		after    time.Duration
		next     Next
		code     catalog.Code
		message  string
	}{
		"stored outcome without Job": {"the outcome was stored", Observed{Outcome: good}, 0, Done, "", ""},
		"no job":                     {"it was not created, or no longer exists", Observed{}, 0, Create, "", ""},
		"foreign Job": {
			"its outcome is not the one of the attempt",
			Observed{Foreign: true},
			0, Refuse,
			catalog.InternalError, "",
		},
		"running": {"events trigger the next reconcile", Observed{Job: job("")}, time.Minute, Wait, "", ""},
		"running for too long": {
			"Kubernetes enforces the deadline, but an event may be missed",
			Observed{Job: job("")},
			10 * time.Hour, Wait, "", "",
		},
		"success while the pod runs": {
			"the outcome takes precedence",
			Observed{Job: job(""), Outcome: good},
			0, Done, "", "",
		},
		"success, then a failed Job": {
			"the outcome takes precedence",
			Observed{Job: job("BackoffLimitExceeded"), Outcome: good},
			time.Hour, Done, "", "",
		},
		"final failure": {
			"another attempt cannot succeed",
			Observed{Job: job("BackoffLimitExceeded"), Outcome: bad(false)},
			0, Refuse,
			catalog.ValidationFailed, "Too long.",
		},
		"retryable failure": {
			"another attempt may succeed",
			Observed{Job: job("BackoffLimitExceeded"), Outcome: bad(true)},
			0, Lost,
			catalog.ValidationFailed, "Too long.",
		},
		"ended, pod not in the cache": {
			"the termination message may still appear",
			Observed{Job: job("BackoffLimitExceeded")},
			time.Second, Wait, "",
			"",
		},
		"ended without outcome": {
			"the termination message did not appear",
			Observed{Job: job("BackoffLimitExceeded")},
			pod.CacheGrace, Lost,
			catalog.GenerationFailed, "The worker of the file was lost",
		},
		"killed": {
			"the pod left no termination message",
			Observed{Job: job("BackoffLimitExceeded"), Pod: ended("Error")},
			0,
			Lost, catalog.GenerationFailed, "The worker of the file was lost",
		},
		"out of memory": {
			"the kernel killed the container",
			Observed{
				Job: job("BackoffLimitExceeded"),
				Pod: ended("OOMKilled"),
			},
			0, Lost, catalog.GenerationFailed,
			"The work on the file exceeded its memory limit",
		},
		"overdue": {
			"the pod ran",
			Observed{Job: job("DeadlineExceeded"), Pod: ended("Error")},
			0,
			Lost, catalog.GenerationFailed, "The work on the file took too long",
		},
		"suspended": {"the deadline of the Job does not run", Observed{Job: held()}, time.Minute, Wait, "", ""},
		"suspended for too long": {
			"no queue admitted the Job",
			Observed{Job: held()},
			catalog.QueueDeadline, Lost,
			catalog.GenerationFailed, "No worker was free in time",
		},
		"never scheduled": {
			"no node had room",
			Observed{Job: job("DeadlineExceeded")},
			time.Minute, Lost,
			catalog.GenerationFailed, "No worker was free in time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := Decide(&c.observed, begin.Add(c.after))
			if v.Next != c.next {
				t.Fatalf("got %d, want %d: %s", v.Next, c.next, c.why)
			}
			if v.Next == Wait && v.Again <= 0 {
				t.Error("no further reconcile is requested")
			}
			if (v.Err != nil) != (c.code != "") ||
				v.Err != nil && (v.Err.Code != string(c.code) || c.message != "" && v.Err.Message != c.message) {
				t.Errorf("got %+v", v.Err)
			}
		})
	}
}

func TestSlots(t *testing.T) {
	s := NewSlots(3)
	take := func(ns, uid string, want bool, why string) {
		t.Helper()
		if got := s.Take(ns, types.UID(uid)); got != want {
			t.Errorf("%s of %s: got %v: %s", uid, ns, got, why)
		}
	}
	take("a", "1", true, "all slots are free")
	take("a", "2", true, "two slots are free")
	take("a", "3", false, "the last slot is for other namespaces")
	take("a", "1", true, "the owner has a slot")
	take("b", "4", true, "the last slot is for other namespaces")
	take("c", "5", false, "no slot is free")
	s.Hold("c", "6")
	take("c", "6", true, "Hold recorded a slot")
	s.Free("1")
	take("b", "5", false, "more slots are held than there are")
	s.Free("6")
	take("c", "5", true, "one slot is free")
	s.Free("unknown")

	one := NewSlots(1)
	if !one.Take("a", "1") || one.Take("b", "2") {
		t.Error("a single slot was not acquired exactly once")
	}
}

func TestUnconfined_CountsMissingParts(t *testing.T) {
	if parts := (&Observed{}).Unconfined("media"); parts != nil {
		t.Errorf("no outcome, but %v is missing", parts)
	}
	counter := metric.Unconfined.WithLabelValues("media", "seccomp")
	before := testutil.ToFloat64(counter)
	s := &Observed{Outcome: &outcome.Outcome{Unconfined: []string{"seccomp"}}}
	if parts := s.Unconfined("media"); len(parts) != 1 || testutil.ToFloat64(counter)-before != 1 {
		t.Errorf("got %v, counted %g", parts, testutil.ToFloat64(counter)-before)
	}
}
