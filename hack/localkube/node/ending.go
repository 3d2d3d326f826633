// SPDX-License-Identifier: Apache-2.0

package node

import (
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// grace returns how long containers may take to end by themselves.
func (w *worker) grace() time.Duration {
	for _, s := range []*int64{w.pod.DeletionGracePeriodSeconds, w.pod.Spec.TerminationGracePeriodSeconds} {
		if s != nil {
			return time.Duration(*s) * time.Second
		}
	}
	return 30 * time.Second
}

// begin starts to end all containers. A later call can only shorten the grace period.
func (w *worker) begin(grace time.Duration) {
	at := w.n.clock.Now().Add(grace)
	if w.ending {
		if at.Before(w.killAt) {
			w.killAt = at
		}
		return
	}
	w.ending, w.killAt, w.nextTry = true, at, time.Time{}
	if w.p.busy() && !w.gone {
		w.n.event(w.pod, corev1.EventTypeNormal, "Killing", "Stopping the pod's containers")
	}
	w.signal(syscall.SIGTERM)
}

func (w *worker) signal(s syscall.Signal) {
	for _, c := range w.p.all() {
		if c.proc != nil {
			c.proc.signal(s)
		}
	}
}

// neverStarted marks the unstarted containers of a deleted pod as terminated, so that a Job counts the pod as finished.
func (w *worker) neverStarted() {
	now := metav1.NewTime(w.n.clock.Now())
	for _, c := range w.p.all() {
		if c.state.Terminated == nil {
			c.state = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: exitKilled, Reason: reasonUnknown, Message: "the pod was deleted before the container could run", FinishedAt: now,
			}}
		}
	}
	if !over(phase(w.pod.Spec.RestartPolicy, w.p)) {
		// The pod was stopped by request, so it is finished regardless of its restart policy.
		w.pod = w.pod.DeepCopy()
		w.pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	}
}
