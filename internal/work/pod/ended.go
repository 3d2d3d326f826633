// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// CacheGrace is the time in which the pod of a failed Job must appear in the cache with its termination message.
	CacheGrace = 3 * time.Second
	// Glance is the time between reads of the cache until then.
	Glance = 250 * time.Millisecond
)

// clockSkew is how far the clock of a node may be ahead of the clock of the manager.
const clockSkew = 2 * time.Second

// Ended returns the time at which a Job completed or failed. over is false if the Job has not ended.
func Ended(job *batchv1.Job) (at time.Time, over bool) {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobFailed || c.Type == batchv1.JobComplete) && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time, true
		}
	}
	return time.Time{}, false
}

// Overdue reports whether a deadline ended the work: the pod's, or the Job's, which includes the wait for a node. Both
// arguments may be nil.
func Overdue(job *batchv1.Job, pod *corev1.Pod) bool {
	if pod != nil && pod.Status.Reason == batchv1.JobReasonDeadlineExceeded { // the kubelet uses the same reason
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

// Due reports whether a pod's deadline has passed. The status of the pod may not show that yet.
func Due(p *corev1.Pod, now time.Time) bool {
	if p == nil || p.Status.StartTime == nil || p.Spec.ActiveDeadlineSeconds == nil {
		return false
	}
	return now.Add(clockSkew).Sub(p.Status.StartTime.Time) >= time.Duration(*p.Spec.ActiveDeadlineSeconds)*time.Second
}

// Of returns the pod that a Job controls, from the pods that have its name in a label; nil if there is none. The label
// alone is not trusted. A user who may create pods in the namespace can set the label, and the termination message of
// the pod may be used as the outcome of the work.
func Of(job *batchv1.Job, pods []corev1.Pod) *corev1.Pod {
	for i := range pods {
		if metav1.IsControlledBy(&pods[i], job) {
			return &pods[i]
		}
	}
	return nil
}

// Terminated returns the final state of a pod's container; nil if the container has not terminated.
func Terminated(p *corev1.Pod) *corev1.ContainerStateTerminated {
	if p == nil || len(p.Status.ContainerStatuses) == 0 {
		return nil
	}
	return p.Status.ContainerStatuses[0].State.Terminated
}

// OutOfMemory reports whether the kernel killed a pod's container because the container ran out of memory.
func OutOfMemory(p *corev1.Pod) bool {
	t := Terminated(p)
	return t != nil && t.Reason == "OOMKilled"
}

// Running reports whether a pod is running.
func Running(p *corev1.Pod) bool {
	return p != nil && p.Status.Phase == corev1.PodRunning
}

// Over reports whether a pod has succeeded or failed.
func Over(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// Held reports whether a Job is suspended, for example until Kueue admits it. The deadline of a suspended Job does not
// run.
func Held(job *batchv1.Job) bool {
	return job != nil && job.Spec.Suspend != nil && *job.Spec.Suspend
}
