// SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
)

// Reasons and limits, as in the kubelet.
const (
	reasonCreating      = "ContainerCreating"
	reasonInitializing  = "PodInitializing"
	reasonCompleted     = "Completed"
	reasonError         = "Error"
	reasonOOM           = "OOMKilled"
	reasonUnknown       = "ContainerStatusUnknown"
	reasonConfig        = "CreateContainerConfigError"
	reasonRun           = "RunContainerError"
	reasonStart         = "StartError"
	reasonPull          = "ErrImagePull"
	reasonPullBackOff   = "ImagePullBackOff"
	reasonCrash         = "CrashLoopBackOff"
	reasonDeadline      = "DeadlineExceeded"
	deadlineMessage     = "Pod was active on the node longer than the specified deadline"
	exitKilled          = 137
	exitCannotRun       = 128
	firstBackOff        = 10 * time.Second
	maxBackOff          = 5 * time.Minute
	backOffForgottenFor = 10 * time.Minute
)

// containerState is the node's state of one container.
type containerState struct {
	spec  *corev1.Container
	init  bool
	state corev1.ContainerState
	last  corev1.ContainerState
	id    string
	// restarts counts starts after the first.
	restarts int32
	// again reports whether the next start is a restart.
	again bool
	// ready is the result of the readiness probe. Without a probe, a running container is ready.
	ready bool
	// notBefore is the earliest time of the next start.
	notBefore time.Time
	// pulls counts failed look-ups of the image.
	pulls int
	// proc is the current or starting run; nil if there is none.
	proc *running
}

func (c *containerState) succeeded() bool {
	return c.state.Terminated != nil && c.state.Terminated.ExitCode == 0
}

// podState is the complete state of a worker's pod.
type podState struct {
	start time.Time
	inits []*containerState
	mains []*containerState
	// reason and message are set for a pod that was ended by the node.
	reason, message string
}

func (p *podState) all() []*containerState { return slices.Concat(p.inits, p.mains) }

func (p *podState) initialized() bool {
	return !slices.ContainsFunc(p.inits, func(c *containerState) bool { return !c.succeeded() })
}

func (p *podState) busy() bool {
	return slices.ContainsFunc(p.all(), func(c *containerState) bool { return c.proc != nil })
}

// restartable reports whether a container is to run again.
func restartable(policy corev1.RestartPolicy, c *containerState) bool {
	if c.state.Terminated == nil {
		return true
	}
	switch policy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return !c.succeeded()
	}
	return !c.init || !c.succeeded()
}

// phase returns the pod's phase according to the rules of the kubelet.
func phase(policy corev1.RestartPolicy, p *podState) corev1.PodPhase {
	if p.reason != "" && !p.busy() {
		return corev1.PodFailed
	}
	for _, c := range p.inits {
		if c.state.Terminated != nil && !c.succeeded() && !restartable(policy, c) {
			return corev1.PodFailed
		}
	}
	if !p.initialized() {
		return corev1.PodPending
	}
	var waiting, failed, over int
	for _, c := range p.mains {
		switch {
		case c.state.Running != nil:
		case c.state.Terminated != nil && !restartable(policy, c):
			over++
			if !c.succeeded() {
				failed++
			}
		case c.state.Terminated == nil && c.last.Terminated == nil:
			waiting++
		}
	}
	switch {
	case waiting > 0:
		return corev1.PodPending
	case over == len(p.mains) && failed > 0:
		return corev1.PodFailed
	case over == len(p.mains):
		return corev1.PodSucceeded
	}
	return corev1.PodRunning
}

// backOff returns the delay before start number restarts+1, after a run of the given length.
func backOff(restarts int32, ran time.Duration) time.Duration {
	if restarts < 1 || ran >= backOffForgottenFor {
		return 0
	}
	d := firstBackOff
	for range restarts - 1 {
		if d *= 2; d >= maxBackOff {
			return maxBackOff
		}
	}
	return d
}

// buildStatus returns the status that the pod should have. It keeps conditions of other writers, and the transition
// times of unchanged conditions.
func buildStatus(pod *corev1.Pod, p *podState, now time.Time) corev1.PodStatus {
	out := *pod.Status.DeepCopy()
	out.ObservedGeneration = pod.Generation
	out.Phase = phase(pod.Spec.RestartPolicy, p)
	out.Reason, out.Message = "", ""
	if out.Phase == corev1.PodFailed {
		out.Reason, out.Message = p.reason, p.message
	}
	out.HostIP, out.HostIPs = hostIP, []corev1.HostIP{{IP: hostIP}}
	out.PodIP, out.PodIPs = hostIP, []corev1.PodIP{{IP: hostIP}}
	start := metav1.NewTime(p.start)
	out.StartTime = &start
	out.QOSClass = qos.ComputePodQOS(pod)
	out.InitContainerStatuses = statuses(p.inits)
	out.ContainerStatuses = statuses(p.mains)

	over := out.Phase == corev1.PodSucceeded || out.Phase == corev1.PodFailed
	unready := slices.ContainsFunc(p.mains, func(c *containerState) bool { return c.state.Running == nil || !c.ready })
	set := func(t corev1.PodConditionType, ok bool, reason, message string) {
		setCondition(&out, t, ok, reason, message, pod.Generation, now)
	}
	switch {
	case p.initialized():
		reason := ""
		if out.Phase == corev1.PodSucceeded {
			reason = "PodCompleted"
		}
		set(corev1.PodInitialized, true, reason, "")
	default:
		set(corev1.PodInitialized, false, "ContainersNotInitialized", "not all init containers have succeeded")
	}
	for _, t := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		switch {
		case out.Phase == corev1.PodSucceeded:
			set(t, false, "PodCompleted", "")
		case out.Phase == corev1.PodFailed:
			set(t, false, "PodFailed", "")
		case over || unready:
			set(t, false, "ContainersNotReady", "not all containers are ready")
		default:
			set(t, true, "", "")
		}
	}
	set(corev1.PodReadyToStartContainers, !over, "", "")
	return out
}

func statuses(cs []*containerState) []corev1.ContainerStatus {
	var out []corev1.ContainerStatus
	for _, c := range cs {
		started := c.state.Running != nil
		s := corev1.ContainerStatus{
			Name: c.spec.Name, Image: c.spec.Image, State: c.state, LastTerminationState: c.last,
			RestartCount: c.restarts, ContainerID: c.id, Started: &started, Ready: started && c.ready,
		}
		if c.init {
			s.Ready = c.succeeded()
		}
		if c.id != "" {
			s.ImageID = "localkube://" + c.spec.Image
		}
		out = append(out, s)
	}
	return out
}

func setCondition(s *corev1.PodStatus, t corev1.PodConditionType, ok bool, reason, message string, generation int64, now time.Time) {
	want := corev1.PodCondition{
		Type: t, Status: corev1.ConditionFalse, Reason: reason, Message: message,
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(now),
	}
	if ok {
		want.Status = corev1.ConditionTrue
	}
	for i, c := range s.Conditions {
		if c.Type == t {
			if c.Status == want.Status {
				want.LastTransitionTime = c.LastTransitionTime
			}
			s.Conditions[i] = want
			return
		}
	}
	s.Conditions = append(s.Conditions, want)
}

// adopt returns the state of a pod from the object alone, when this process first reads it. A container with a running
// status does not run any more. ended returns its stored termination state, if any.
func adopt(pod *corev1.Pod, now time.Time, ended func(id string) (corev1.ContainerStateTerminated, bool)) *podState {
	p := &podState{start: now}
	if pod.Status.StartTime != nil {
		p.start = pod.Status.StartTime.Time
	}
	known := map[string]corev1.ContainerStatus{}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		known[s.Name] = s
	}
	add := func(list []corev1.Container, init bool) (out []*containerState) {
		for i := range list {
			reason := reasonCreating
			if !init && len(pod.Spec.InitContainers) > 0 {
				reason = reasonInitializing
			}
			c := &containerState{spec: &list[i], init: init}
			c.state.Waiting = &corev1.ContainerStateWaiting{Reason: reason}
			if s, ok := known[c.spec.Name]; ok {
				c.last, c.restarts, c.id = s.LastTerminationState, s.RestartCount, s.ContainerID
				switch {
				case s.State.Terminated != nil:
					c.state = s.State
				case s.State.Waiting != nil:
					c.again = c.last.Terminated != nil
				case s.State.Running != nil:
					t, ok := ended(s.ContainerID)
					if !ok {
						t = corev1.ContainerStateTerminated{
							ExitCode: exitKilled, Reason: reasonUnknown, FinishedAt: metav1.NewTime(now), ContainerID: s.ContainerID,
							Message: "the node stopped while this container ran",
						}
					}
					t.StartedAt = s.State.Running.StartedAt
					c.state = corev1.ContainerState{Terminated: &t}
				}
			}
			out = append(out, c)
		}
		return out
	}
	p.inits, p.mains = add(pod.Spec.InitContainers, true), add(pod.Spec.Containers, false)
	return p
}

// terminated returns the termination state of an ended process.
func terminated(id string, code int, oom bool, start, end time.Time, message string) *corev1.ContainerStateTerminated {
	t := &corev1.ContainerStateTerminated{
		ExitCode: int32(code), StartedAt: metav1.NewTime(start), FinishedAt: metav1.NewTime(end),
		ContainerID: id, Message: message, Reason: reasonError,
	}
	switch {
	case oom:
		t.Reason, t.ExitCode = reasonOOM, exitKilled
	case code == 0:
		t.Reason = reasonCompleted
	}
	return t
}

func overdue(pod *corev1.Pod, start time.Time) (at time.Time, ok bool) {
	if pod.Spec.ActiveDeadlineSeconds == nil {
		return time.Time{}, false
	}
	return start.Add(time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Second), true
}

func containerID(pod *corev1.Pod, name string, n int32, now time.Time) string {
	return fmt.Sprintf("localkube://%s-%s-%d-%x", pod.UID, name, n, now.UnixNano())
}
