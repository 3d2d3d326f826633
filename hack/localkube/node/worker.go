// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	retryEvery      = 5 * time.Second
	imageRetryEvery = 10 * time.Second
	// volumeRetry is the base of the retry delay. A new pod's Secrets are readable only after the API server has learned
	// that the pod is bound to this node.
	volumeRetry    = 20 * time.Millisecond
	maxVolumeRetry = 5 * time.Second
)

// Events of a worker, in addition to those of container.go.
type (
	podChanged struct{ pod *corev1.Pod }
	// podGone reports that the object was deleted without waiting for this node.
	podGone   struct{}
	volumesOK struct{ paths map[string]string }
	volumesNo struct{ err error }
	probed    struct {
		c         *containerState
		r         *running
		ready     bool
		unhealthy string
	}
	tick struct{}
)

// worker owns one pod. Only its goroutine uses the fields, except seen.
type worker struct {
	n      *Node
	pod    *corev1.Pod
	dir    string
	events chan any
	done   chan struct{}
	p      *podState
	// seen is the pod for readers in other goroutines.
	seen atomic.Pointer[corev1.Pod]
	ctx  context.Context

	volumes   map[string]string
	preparing bool
	attempts  int
	nextTry   time.Time
	// ending is set when the pod is to stop. killAt is the end of the grace period.
	ending  bool
	killAt  time.Time
	killed  bool
	gone    bool
	settled bool
	deleted bool
}

// send sends an event to the worker. It drops the event if the worker has ended.
func (w *worker) send(e any) {
	select {
	case w.events <- e:
	case <-w.done:
	}
}

func (w *worker) run(ctx context.Context) {
	defer close(w.done)
	w.ctx = ctx
	w.p = adopt(w.pod, w.n.clock.Now(), func(id string) (corev1.ContainerStateTerminated, bool) { return keptExit(w.dir, id) })
	w.settled = over(w.pod.Status.Phase)
	timer := w.n.clock.NewTimer(time.Hour)
	defer timer.Stop()
	stop := ctx.Done()
	for {
		w.seen.Store(w.pod)
		if !w.settled || w.pod.DeletionTimestamp != nil || w.gone {
			w.advance()
		}
		if (w.deleted || w.gone) && !w.p.busy() && !w.preparing {
			w.n.releaseVolumes(w.pod, w.dir)
			_ = os.RemoveAll(w.dir)
			return
		}
		if ctx.Err() != nil && !w.p.busy() && !w.preparing {
			w.n.releaseVolumes(w.pod, w.dir)
			return
		}
		wait := time.Hour
		if next := w.next(); !next.IsZero() {
			wait = max(next.Sub(w.n.clock.Now()), time.Millisecond)
		}
		timer.Reset(wait)
		select {
		case e := <-w.events:
			w.take(e)
		case <-timer.C():
		case <-stop:
			stop = nil
			w.begin(w.n.stopGrace)
		}
	}
}

// next returns when the worker has to act without an event; zero means never.
func (w *worker) next() time.Time {
	var at time.Time
	soonest := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if w.ending {
		if !w.killed {
			soonest(w.killAt)
		}
		soonest(w.nextTry)
		return at
	}
	if w.settled {
		return w.nextTry
	}
	soonest(w.nextTry)
	if d, ok := overdue(w.pod, w.p.start); ok {
		soonest(d)
	}
	for _, c := range w.p.all() {
		if c.proc == nil && w.volumes != nil {
			soonest(c.notBefore)
		}
	}
	return at
}

func (w *worker) take(e any) {
	now := w.n.clock.Now()
	switch e := e.(type) {
	case podChanged:
		w.pod = merge(w.pod, e.pod)
	case podGone:
		w.gone = true
	case volumesOK:
		w.preparing, w.volumes, w.attempts, w.nextTry = false, e.paths, 0, time.Time{}
	case volumesNo:
		w.preparing = false
		w.attempts++
		w.nextTry = now.Add(min(volumeRetry<<min(w.attempts, 8), maxVolumeRetry))
		if w.attempts > 3 {
			w.wait(slices.Concat(w.p.inits, w.p.mains), reasonCreating, e.err.Error())
			w.n.event(w.pod, corev1.EventTypeWarning, "FailedMount", e.err.Error())
		}
	case started:
		if e.c.proc != e.r {
			return
		}
		e.c.id = e.r.id
		e.c.state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(e.at)}}
		e.c.ready = e.c.spec.ReadinessProbe == nil && e.c.spec.StartupProbe == nil
		w.n.event(w.pod, corev1.EventTypeNormal, "Started", "Started container "+e.c.spec.Name)
		w.n.probe(w.ctx, e.c, e.r, w.send)
	case probed:
		w.probed(e)
	case exited:
		w.exited(e, now)
	case refused:
		e.c.proc = nil
		e.c.notBefore = now.Add(retryEvery)
		w.wait([]*containerState{e.c}, e.reason, e.message)
		w.n.event(w.pod, corev1.EventTypeWarning, "Failed", "Error: "+e.message)
	}
}

func (w *worker) probed(e probed) {
	if e.c.proc != e.r {
		return
	}
	e.c.ready = e.ready
	if e.unhealthy != "" {
		w.n.event(w.pod, corev1.EventTypeWarning, "Unhealthy", e.unhealthy)
		e.r.signal(syscall.SIGTERM)
		r, grace := e.r, w.grace()
		w.n.clock.AfterFunc(grace, func() { r.signal(syscall.SIGKILL) })
	}
}

func (w *worker) exited(e exited, now time.Time) {
	c := e.c
	c.proc, c.ready, c.id = nil, false, e.r.id
	t := e.term
	c.state = corev1.ContainerState{Terminated: &t}
	c.notBefore = now.Add(backOff(c.restarts, t.FinishedAt.Sub(t.StartedAt.Time)))
	if t.Reason == reasonOOM {
		w.n.event(w.pod, corev1.EventTypeWarning, reasonOOM, fmt.Sprintf("Container %s exceeded its memory limit", c.spec.Name))
	}
	if t.Reason == reasonStart {
		w.n.event(w.pod, corev1.EventTypeWarning, "Failed", "Error: "+t.Message)
	}
}

// wait sets the state of containers that do not run to waiting.
func (w *worker) wait(cs []*containerState, reason, message string) {
	for _, c := range cs {
		if c.proc == nil && c.state.Terminated == nil {
			c.state = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
		}
	}
}

// advance performs the actions that the state requires, and writes the status.
func (w *worker) advance() {
	now := w.n.clock.Now()
	stopping := w.ctx.Err() != nil
	switch {
	case w.gone:
		w.begin(0)
	case w.pod.DeletionTimestamp != nil:
		w.begin(w.grace())
	case stopping:
	default:
		if at, ok := overdue(w.pod, w.p.start); ok && !at.After(now) && w.p.reason == "" {
			w.p.reason, w.p.message = reasonDeadline, deadlineMessage
			w.n.event(w.pod, corev1.EventTypeNormal, reasonDeadline, deadlineMessage)
			w.begin(w.grace())
		}
	}
	if w.ending && !w.killed && !w.killAt.After(now) {
		w.killed = true
		w.signal(syscall.SIGKILL)
	}
	if !w.ending {
		w.startDue(now)
	}
	if stopping || w.gone {
		return // the next start determines the state of the pod
	}
	w.report(now)
}

// startDue starts the containers that can run now: the first unfinished init container, or all main containers.
func (w *worker) startDue(now time.Time) {
	if over(phase(w.pod.Spec.RestartPolicy, w.p)) {
		return
	}
	if why := unsupported(w.pod, w.n.keeper.Isolation()); why != "" {
		w.wait(w.p.all(), reasonConfig, why)
		return
	}
	if w.volumes == nil {
		if !w.preparing && !w.nextTry.After(now) {
			w.preparing = true
			pod := w.pod
			go func() {
				paths, err := w.n.volumes(w.ctx, pod, w.dir)
				if err != nil {
					w.send(volumesNo{err})
					return
				}
				w.send(volumesOK{paths})
			}()
		}
		return
	}
	due := w.p.mains
	if i := slices.IndexFunc(w.p.inits, func(c *containerState) bool { return !c.succeeded() }); i >= 0 {
		due = w.p.inits[i : i+1]
	}
	for _, c := range due {
		if c.proc != nil || !restartable(w.pod.Spec.RestartPolicy, c) {
			continue
		}
		if c.notBefore.After(now) {
			w.holdBack(c, now)
			continue
		}
		w.start(c, now)
	}
}

// holdBack sets a crashed container to waiting for its next start.
func (w *worker) holdBack(c *containerState, now time.Time) {
	if c.state.Terminated == nil {
		return
	}
	c.last, c.again = c.state, true
	c.state = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
		Reason:  reasonCrash,
		Message: fmt.Sprintf("back-off %s restarting failed container %s", c.notBefore.Sub(now).Round(time.Second), c.spec.Name),
	}}
	w.n.event(w.pod, corev1.EventTypeWarning, "BackOff", "Back-off restarting failed container "+c.spec.Name)
}

func (w *worker) start(c *containerState, now time.Time) {
	program, err := w.n.images.Program(c.spec.Image)
	if err != nil {
		reason := reasonPull
		if c.pulls++; c.pulls > 1 {
			reason = reasonPullBackOff
		}
		c.notBefore = now.Add(imageRetryEvery)
		w.wait([]*containerState{c}, reason, err.Error())
		if c.pulls == 1 {
			w.n.event(w.pod, corev1.EventTypeWarning, "Failed", err.Error())
		}
		return
	}
	if c.state.Terminated != nil {
		c.last, c.again = c.state, true
	}
	if c.again {
		c.restarts++
		c.again = false
	}
	if c.state.Terminated != nil || c.state.Waiting == nil || c.state.Waiting.Reason != reasonCreating {
		c.state = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reasonCreating}}
	}
	r := &running{id: containerID(w.pod, c.spec.Name, c.restarts, now)}
	c.proc = r
	t := &task{n: w.n, pod: w.pod, dir: w.dir, c: c, volumes: w.volumes, program: program, send: w.send}
	go t.run(w.ctx, r)
}

// report writes the status if it changed. It releases the volumes of a finished pod, and deletes the object of a pod
// that is being deleted.
func (w *worker) report(now time.Time) {
	if w.ending && w.pod.DeletionTimestamp != nil && !w.p.busy() {
		w.neverStarted()
	}
	want := buildStatus(w.pod, w.p, now)
	if w.pod.DeletionTimestamp != nil && w.p.busy() {
		// Keep the phase until the containers have ended.
		want.Phase = w.pod.Status.Phase
	}
	if !w.settled {
		pod, err := w.n.patchStatus(w.ctx, w.pod, want)
		if err != nil {
			w.nextTry = now.Add(retryEvery / 10)
			return
		}
		w.nextTry = laterOf(w.nextTry, now)
		w.pod = merge(w.pod, pod)
		if over(want.Phase) && !w.p.busy() {
			w.settled = true
			w.n.releaseVolumes(w.pod, w.dir)
		}
	}
	if w.pod.DeletionTimestamp != nil && !w.p.busy() && !w.deleted {
		if err := w.n.deletePod(w.ctx, w.pod); err != nil {
			w.nextTry = now.Add(retryEvery / 10)
			return
		}
		w.deleted = true
	}
}

func over(p corev1.PodPhase) bool { return p == corev1.PodSucceeded || p == corev1.PodFailed }

// laterOf returns t if it is after now, else the zero time.
func laterOf(t, now time.Time) time.Time {
	if t.After(now) {
		return t
	}
	return time.Time{}
}

func (n *Node) podDir(pod *corev1.Pod) string { return filepath.Join(n.podsDir, string(pod.UID)) }
