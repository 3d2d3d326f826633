// SPDX-License-Identifier: Apache-2.0

package node

import (
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// grace is how long containers get to end by themselves.
func (w *worker) grace() time.Duration {
	for _, s := range []*int64{w.pod.DeletionGracePeriodSeconds, w.pod.Spec.TerminationGracePeriodSeconds} {
		if s != nil {
			return time.Duration(*s) * time.Second
		}
	}
	return 30 * time.Second
}

// begin asks everything to end; a later call can only make it sooner.
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

// neverStarted ends a deleted pod's containers that were still to come, so
// that a Job counts the pod as over.
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
		// Stopped by request: whatever the restart policy says, it is over.
		w.pod = w.pod.DeepCopy()
		w.pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	}
}
