// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	t0      = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	waiting = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reasonCreating}}
	runs    = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(t0)}}
)

func exit(code int32) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, FinishedAt: metav1.NewTime(t0)}}
}

func many(init bool, states ...corev1.ContainerState) (out []*containerState) {
	for _, s := range states {
		out = append(out, &containerState{spec: &corev1.Container{Name: "c"}, init: init, state: s, ready: true})
	}
	return out
}

func TestPhase(t *testing.T) {
	crashed := many(false, waiting)
	crashed[0].last = exit(1)
	for name, c := range map[string]struct {
		policy corev1.RestartPolicy
		pod    podState
		want   corev1.PodPhase
	}{
		"nothing runs yet":             {"Never", podState{mains: many(false, waiting)}, "Pending"},
		"an init container runs":       {"Never", podState{inits: many(true, runs), mains: many(false, waiting)}, "Pending"},
		"an init container failed":     {"Never", podState{inits: many(true, exit(1)), mains: many(false, waiting)}, "Failed"},
		"an init container is retried": {"Always", podState{inits: many(true, exit(1)), mains: many(false, waiting)}, "Pending"},
		"running":                      {"Never", podState{inits: many(true, exit(0)), mains: many(false, runs)}, "Running"},
		"one of two not started":       {"Never", podState{mains: many(false, runs, waiting)}, "Pending"},
		"one of two ended":             {"Never", podState{mains: many(false, exit(1), runs)}, "Running"},
		"all succeeded":                {"Never", podState{mains: many(false, exit(0), exit(0))}, "Succeeded"},
		"one failed":                   {"Never", podState{mains: many(false, exit(0), exit(2))}, "Failed"},
		"always never ends":            {"Always", podState{mains: many(false, exit(0))}, "Running"},
		"on failure, succeeded":        {"OnFailure", podState{mains: many(false, exit(0))}, "Succeeded"},
		"on failure, to be restarted":  {"OnFailure", podState{mains: many(false, exit(1))}, "Running"},
		"waiting after a crash":        {"Always", podState{mains: crashed}, "Running"},
		"deleted":                      {"Always", podState{reason: reasonDeadline, mains: many(false, exit(0))}, "Failed"},
		"deleted, never ran":           {"Never", podState{reason: reasonDeadline, mains: many(false, waiting)}, "Failed"},
		"deleted, still runs":          {"Never", podState{reason: reasonDeadline, mains: busy()}, "Running"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := phase(c.policy, &c.pod); got != c.want {
				t.Errorf("got phase %s, want %s", got, c.want)
			}
		})
	}
}

func busy() []*containerState {
	m := many(false, runs)
	m[0].proc = &running{}
	return m
}

func TestBackOff(t *testing.T) {
	for _, c := range []struct {
		restarts int32
		ran      time.Duration
		want     time.Duration
	}{
		{0, time.Second, 0},
		{1, time.Second, 10 * time.Second},
		{2, 0, 20 * time.Second},
		{5, 0, 160 * time.Second},
		{6, 0, 5 * time.Minute},
		{1000, 0, 5 * time.Minute},
		{1000, 11 * time.Minute, 0},
	} {
		if got := backOff(c.restarts, c.ran); got != c.want {
			t.Errorf("after %d restarts and %s: got %s, want %s", c.restarts, c.ran, got, c.want)
		}
	}
}

func TestAdopt_LostPods(t *testing.T) {
	pod := &corev1.Pod{
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "lost"}, {Name: "kept"}, {Name: "done"}, {Name: "new"}}},
		Status: corev1.PodStatus{StartTime: &metav1.Time{Time: t0}, ContainerStatuses: []corev1.ContainerStatus{
			{Name: "lost", State: runs, ContainerID: "x://lost", RestartCount: 2},
			{Name: "kept", State: runs, ContainerID: "x://kept"},
			{Name: "done", State: exit(0), ContainerID: "x://done"},
		}},
	}
	now := t0.Add(time.Hour)
	p := adopt(pod, now, func(id string) (corev1.ContainerStateTerminated, bool) {
		return corev1.ContainerStateTerminated{ExitCode: 4, ContainerID: id}, id == "x://kept"
	})
	if !p.start.Equal(t0) {
		t.Errorf("got started %s", p.start)
	}
	lost := p.mains[0].state.Terminated
	if lost == nil || lost.ExitCode != 137 || lost.Reason != reasonUnknown || !lost.FinishedAt.Time.Equal(now) || !lost.StartedAt.Time.Equal(t0) || p.mains[0].restarts != 2 {
		t.Errorf("got the lost pod %+v", p.mains[0])
	}
	if k := p.mains[1].state.Terminated; k == nil || k.ExitCode != 4 {
		t.Errorf("got the pod with a record %+v", p.mains[1].state)
	}
	if d := cmp.Diff(exit(0), p.mains[2].state); d != "" {
		t.Error(d)
	}
	if p.mains[3].state.Waiting == nil {
		t.Errorf("got the new pod %+v", p.mains[3].state)
	}
}

func TestBuildStatus(t *testing.T) {
	long := metav1.NewTime(t0.Add(-time.Hour))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 3}, Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: long},
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: long},
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: long},
	}}}
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	p := &podState{start: t0, mains: many(false, runs)}
	got := buildStatus(pod, p, t0)
	at := map[corev1.PodConditionType]corev1.PodCondition{}
	for _, c := range got.Conditions {
		at[c.Type] = c
	}
	if c := at[corev1.PodScheduled]; c.Status != corev1.ConditionTrue || !c.LastTransitionTime.Equal(&long) {
		t.Errorf("got another program's condition %+v", c)
	}
	if c := at[corev1.PodInitialized]; !c.LastTransitionTime.Equal(&long) {
		t.Errorf("the time of an unchanged condition changed: %+v", c)
	}
	if c := at[corev1.PodReady]; c.Status != corev1.ConditionTrue || !c.LastTransitionTime.Time.Equal(t0) {
		t.Errorf("got ready %+v", c)
	}
	if got.Phase != corev1.PodRunning || got.PodIP != "127.0.0.1" || got.QOSClass != corev1.PodQOSBestEffort || got.ObservedGeneration != 3 || !got.ContainerStatuses[0].Ready {
		t.Errorf("got status %+v", got)
	}
	pod.Status = got
	if d := cmp.Diff(got, buildStatus(pod, p, t0.Add(time.Minute))); d != "" {
		t.Errorf("the status changed without an event: %s", d)
	}
	p.mains[0].ready = false
	if s := buildStatus(pod, p, t0); s.ContainerStatuses[0].Ready {
		t.Error("ready although the probe fails")
	}
}

func TestTerminated(t *testing.T) {
	for _, c := range []struct {
		code       int
		oom        bool
		want       int32
		wantReason string
	}{{0, false, 0, "Completed"}, {3, false, 3, "Error"}, {137, false, 137, "Error"}, {137, true, 137, "OOMKilled"}, {1, true, 137, "OOMKilled"}} {
		if got := terminated("x://y", c.code, c.oom, t0, t0, ""); got.ExitCode != c.want || got.Reason != c.wantReason {
			t.Errorf("got %d, oom %t: %+v", c.code, c.oom, got)
		}
	}
}
