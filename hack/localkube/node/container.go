// SPDX-License-Identifier: Apache-2.0

package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/reelops/reelops/hack/localkube/cgroup"
	"github.com/reelops/reelops/hack/localkube/logfile"
	"github.com/reelops/reelops/hack/localkube/sandbox"
)

const (
	maxMessage      = 4096
	maxLogMessage   = 2048
	maxMessageLines = 80
)

// running is one run of one container. Its goroutine sends events to the worker, which does not wait for it.
type running struct {
	id     string
	mu     sync.Mutex
	proc   *sandbox.Process
	killed bool // a signal was sent, possibly before the start
	after  []func()
	ended  bool
}

// ends registers f to be called when this run is over.
func (r *running) ends(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		f()
		return
	}
	r.after = append(r.after, f)
}

func (r *running) over() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for _, f := range r.after {
		f()
	}
}

// signal sends a signal to the program. A program that is about to start is killed after its start.
func (r *running) signal(s syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killed = true
	if r.proc != nil {
		_ = r.proc.Signal(s)
	}
}

func (r *running) begun(p *sandbox.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proc = p
	if r.killed {
		_ = p.Signal(syscall.SIGKILL)
	}
}

// Events of a run for its worker.
type (
	started struct {
		c  *containerState
		r  *running
		at time.Time
	}
	exited struct {
		c    *containerState
		r    *running
		term corev1.ContainerStateTerminated
	}
	// refused reports that the container did not run. If again is set, the worker retries later.
	refused struct {
		c               *containerState
		r               *running
		reason, message string
		again           bool
	}
)

type task struct {
	n       *Node
	pod     *corev1.Pod
	dir     string // of the pod
	c       *containerState
	volumes map[string]string
	program string
	send    func(any)
}

// run runs a container from its preparation to its end.
func (t *task) run(ctx context.Context, r *running) {
	defer r.over()
	n, spec := t.n, t.c.spec
	fail := func(reason string, err error, again bool) {
		t.send(refused{t.c, r, reason, err.Error(), again})
	}
	s, err := t.spec(ctx)
	if err != nil {
		fail(reasonConfig, err, true)
		return
	}
	dir := filepath.Join(t.dir, spec.Name)
	message, err := t.messageFile(dir)
	if err != nil {
		fail(reasonConfig, err, true)
		return
	}
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(message, nil, 0o600), os.Chmod(message, 0o666)); err != nil {
		fail(reasonConfig, err, true)
		return
	}
	s.Mounts = append(s.Mounts, sandbox.Mount{Source: message, Target: spec.TerminationMessagePath})
	if n.users != nil {
		if err := n.users.apply(t.pod, s); err != nil {
			fail(reasonConfig, err, true)
			return
		}
	}
	group, err := n.cgroups.Make(string(t.pod.UID)+"-"+spec.Name, limits(spec))
	if err != nil {
		fail(reasonRun, fmt.Errorf("creating the control group: %w", err), true)
		return
	}
	s.CgroupProcs = group.Procs()
	logs, err := newOutput(filepath.Join(dir, "log"), n.clock.Now)
	if err != nil {
		group.Close()
		fail(reasonRun, err, true)
		return
	}
	at := n.clock.Now()
	p, err := n.keeper.Start(*s, logs.out, logs.err)
	logs.handedOver()
	if err != nil {
		logs.wait()
		oom := group.Close()
		if oom {
			t.send(exited{t.c, r, *terminated(r.id, exitKilled, true, at, n.clock.Now(), "")})
			return
		}
		// Like a container runtime, report a container that ended at once.
		term := terminated(r.id, exitCannotRun, false, at, n.clock.Now(), err.Error())
		term.Reason = reasonStart
		t.send(exited{t.c, r, *term})
		return
	}
	group.Guard(p.Pid(), func() { _ = p.Signal(syscall.SIGKILL) })
	r.begun(p)
	t.send(started{t.c, r, n.clock.Now()})
	code := p.Wait()
	end := n.clock.Now()
	logs.wait()
	oom := group.Close()
	text := terminationMessage(message, filepath.Join(dir, "log"), spec.TerminationMessagePolicy, code)
	term := terminated(r.id, code, oom, at, end, text)
	keepExit(dir, *term)
	t.send(exited{t.c, r, *term})
}

// messageFile returns the host path of the termination message. dir is the folder of the container.
func (t *task) messageFile(dir string) (string, error) {
	if t.n.users == nil {
		return filepath.Join(dir, "termination-log"), nil
	}
	_, folder, err := t.n.users.folder(t.pod)
	return filepath.Join(folder, t.c.spec.Name+".termination-log"), err
}

// spec resolves all references of a container.
func (t *task) spec(ctx context.Context) (*sandbox.Spec, error) {
	id, err := who(t.pod, t.c.spec)
	if err != nil {
		return nil, err
	}
	inside := sandbox.ProgramDir + "/" + filepath.Base(t.program)
	if t.n.users != nil {
		inside = t.program
	}
	env, err := environment(ctx, t.n.objects, t.pod, t.c.spec, t.n.baseEnv(t.pod, id))
	if err != nil {
		return nil, err
	}
	ms, err := mounts(t.c.spec, t.volumes)
	if err != nil {
		return nil, err
	}
	dir := t.c.spec.WorkingDir
	if dir == "" {
		dir = "/"
	}
	return &sandbox.Spec{
		Root: t.n.rootDir, Program: t.program, Argv: commandLine(t.c.spec, inside, env), Env: environList(env),
		Dir: dir, Host: hostName(t.pod), Mounts: ms, ReadOnlyRoot: id.ReadOnly,
		UID: id.UID, GID: id.GID, Groups: id.Groups, Capabilities: id.Caps,
	}, nil
}

// baseEnv returns the environment of a container before its own variables. The API server has its host address, because
// Service addresses are not routed.
func (n *Node) baseEnv(pod *corev1.Pod, id identity) map[string]string {
	home := "/"
	if id.UID == 0 {
		home = "/root"
	}
	host, port, _ := net.SplitHostPort(n.apiServer)
	return map[string]string{
		"PATH": defaultPath, "HOME": home, "HOSTNAME": hostName(pod),
		"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port, "KUBERNETES_SERVICE_PORT_HTTPS": port,
	}
}

func hostName(pod *corev1.Pod) string {
	name := pod.Name
	if pod.Spec.Hostname != "" {
		name = pod.Spec.Hostname
	}
	return strings.TrimRight(name[:min(len(name), 63)], "-.")
}

func limits(c *corev1.Container) cgroup.Limits {
	r := c.Resources
	return cgroup.Limits{
		MemoryBytes: r.Limits.Memory().Value(), MilliCPU: r.Limits.Cpu().MilliValue(), MilliCPURequest: r.Requests.Cpu().MilliValue(),
	}
}

// output copies two pipes into one log file.
type output struct {
	out, err *os.File
	w        *logfile.Writer
	done     sync.WaitGroup
}

func newOutput(file string, now func() time.Time) (*output, error) {
	// kubectl logs --previous reads the log of the previous run.
	if err := os.Rename(file, file+".previous"); err == nil {
		_ = os.Remove(file + ".1")
	}
	w, err := logfile.Create(file, now)
	if err != nil {
		return nil, err
	}
	o := &output{w: w}
	for stream, end := range map[string]**os.File{"stdout": &o.out, "stderr": &o.err} {
		r, wr, err := os.Pipe()
		if err != nil {
			o.handedOver()
			w.Close()
			return nil, err
		}
		*end = wr
		o.done.Go(func() { w.Copy(stream, r); r.Close() })
	}
	return o, nil
}

// handedOver closes the write ends, which the process has inherited.
func (o *output) handedOver() {
	for _, f := range []*os.File{o.out, o.err} {
		if f != nil {
			f.Close()
		}
	}
}

// wait returns when all output has been written to the log.
func (o *output) wait() {
	o.done.Wait()
	_ = o.w.Close()
}

// terminationMessage returns the termination message of a container, according to its policy.
func terminationMessage(file, log string, policy corev1.TerminationMessagePolicy, code int) string {
	raw, _ := os.ReadFile(file)
	if len(raw) > maxMessage {
		raw = raw[:maxMessage]
	}
	if len(raw) > 0 || policy != corev1.TerminationMessageFallbackToLogsOnError || code == 0 {
		return strings.ToValidUTF8(string(raw), "?")
	}
	var b bytes.Buffer
	if _, err := logfile.Read(log, logfile.Options{Tail: maxMessageLines}, &b); err != nil {
		return ""
	}
	text := b.Bytes()
	if len(text) > maxLogMessage {
		text = text[len(text)-maxLogMessage:]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// keepExit stores the termination state of a container until its status is written, because this process may end before
// that.
func keepExit(dir string, term corev1.ContainerStateTerminated) {
	if raw, err := json.Marshal(term); err == nil {
		_ = os.WriteFile(filepath.Join(dir, "exit.json"), raw, 0o600)
	}
}

// keptExit returns the state that keepExit stored for a container id.
func keptExit(podDir, id string) (corev1.ContainerStateTerminated, bool) {
	files, _ := filepath.Glob(filepath.Join(podDir, "*", "exit.json"))
	for _, f := range files {
		var t corev1.ContainerStateTerminated
		if raw, err := os.ReadFile(f); err == nil && json.Unmarshal(raw, &t) == nil && t.ContainerID == id {
			return t, true
		}
	}
	return corev1.ContainerStateTerminated{}, false
}
