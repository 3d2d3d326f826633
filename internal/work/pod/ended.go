// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CacheGrace is how long the pod of a failed Job may take to appear in the cache with its last words, Glance the wait
// between looks during it.
const (
	CacheGrace = 3 * time.Second
	Glance     = 250 * time.Millisecond
)

// clockSkew is how much later than here the node's clock may be.
const clockSkew = 2 * time.Second

// Ended says when a Job ended, whichever way.
func Ended(job *batchv1.Job) (at time.Time, over bool) {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobFailed || c.Type == batchv1.JobComplete) && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time, true
		}
	}
	return time.Time{}, false
}

// Overdue says that work was ended by a deadline: the pod's, or the Job's, which counts the wait for a node as well.
// Both may be nil.
func Overdue(job *batchv1.Job, pod *corev1.Pod) bool {
	if pod != nil && pod.Status.Reason == batchv1.JobReasonDeadlineExceeded { // the kubelet's word for it is the same
		return true
	}
	if job == nil {
		return false
	}
	for _, c := range job.Status.Conditions {
		if c.Status == corev1.ConditionTrue && c.Reason == batchv1.JobReasonDeadlineExceeded {
			return true
		}
	}
	return false
}

// Due says that a pod's deadline has come, whatever its status says yet.
func Due(p *corev1.Pod, now time.Time) bool {
	if p == nil || p.Status.StartTime == nil || p.Spec.ActiveDeadlineSeconds == nil {
		return false
	}
	return now.Add(clockSkew).Sub(p.Status.StartTime.Time) >= time.Duration(*p.Spec.ActiveDeadlineSeconds)*time.Second
}

// Of returns the pod of a Job among those that carry its name in a label; nil for none. The label is not enough: a
// user who may create pods in the namespace can set it, and a pod's termination message is taken for the outcome of
// the work.
func Of(job *batchv1.Job, pods []corev1.Pod) *corev1.Pod {
	for i := range pods {
		if metav1.IsControlledBy(&pods[i], job) {
			return &pods[i]
		}
	}
	return nil
}

// Terminated is how a pod's container ended; nil while it has not.
func Terminated(p *corev1.Pod) *corev1.ContainerStateTerminated {
	if p == nil || len(p.Status.ContainerStatuses) == 0 {
		return nil
	}
	return p.Status.ContainerStatuses[0].State.Terminated
}

// OutOfMemory says that the kernel ended a pod's container for want of memory.
func OutOfMemory(p *corev1.Pod) bool {
	t := Terminated(p)
	return t != nil && t.Reason == "OOMKilled"
}

// Running says that a pod's container works.
func Running(p *corev1.Pod) bool {
	return p != nil && p.Status.Phase == corev1.PodRunning
}

// Over says that a pod has ended, whichever way.
func Over(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// Held says that a Job waits for somebody to let it go, as Kueue does: no deadline of its own runs meanwhile.
func Held(job *batchv1.Job) bool {
	return job != nil && job.Spec.Suspend != nil && *job.Spec.Suspend
}
