// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	managerIdentity  = "system:serviceaccount:reelops-system:reelops-manager"
	frontEndIdentity = "system:serviceaccount:reelops-system:reelops-apiserver"
	rendererImage    = "reelops.dev/renderer:local"
	// account is the name of the account, the brand and the API key that a first start creates.
	account = "demo"
)

// lost is the unexpected end of a child that a restart fixes: the child was killed, or had already been running.
type lost struct{ what string }

func (l lost) Error() string { return l.what + " ended unexpectedly" }

// stack is the set of all processes.
type stack struct {
	o      options
	writer writer
	// url, internal and sandbox are addresses on this machine; publicURL is the URL of the REST API for clients.
	url, internal, sandbox string
	publicURL              string
	kube                   *process
	parts                  []*part
}

// part is a child that is restarted when it dies.
type part struct {
	name string
	// as is the user and group; nil means those of this process.
	as      *syscall.Credential
	args    func() []string
	process *process
}

func newStack(o options, w writer) (*stack, error) {
	if err := signingKey(filepath.Join(o.dataDir, "signing.key")); err != nil {
		return nil, fmt.Errorf("creating the signing key: %w", err)
	}
	if err := tokenKey(filepath.Join(o.dataDir, "token.key")); err != nil {
		return nil, fmt.Errorf("creating the token encryption key: %w", err)
	}
	internal, err := keptPort(filepath.Join(o.dataDir, "internal-port"), o.port)
	if err != nil {
		return nil, err
	}
	platforms := o.sandboxPort
	if platforms == 0 {
		if platforms, err = keptPort(filepath.Join(o.dataDir, "sandbox-port"), o.port, internal); err != nil {
			return nil, err
		}
	}
	address := func(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
	public := func(port int) string { return net.JoinHostPort(o.host, strconv.Itoa(port)) }
	s := &stack{o: o, writer: w, url: o.scheme() + address(o.port), internal: o.scheme() + address(internal), sandbox: "http://" + address(platforms)}
	s.publicURL = cmp.Or(o.baseURL, s.url)
	blobs, key := cmp.Or(o.blobURL, "file://"+s.path("blobs")), s.path("signing.key")
	model, err := w.managerArgs(s.path("llm.key"))
	if err != nil {
		return nil, err
	}
	s.parts = []*part{
		{name: "sandbox", as: o.as(1), args: func() []string {
			return []string{"--listen", public(platforms), "--dir", s.path("sandbox"), "--base-url", s.sandbox}
		}},
		{name: "manager", as: o.as(0), args: func() []string {
			return append([]string{
				"--kubeconfig", s.path("manager.kubeconfig"), "--blob-url", blobs, "--blob-base-url", s.url, "--signing-key-file", key,
				"--callback-url", s.internal, "--renderer-image", rendererImage, "--token-key-file", s.path("token.key"), "--sandbox", s.sandbox,
				"--resume-dir", s.path("resume-manager"),
			}, slices.Concat(o.managerTLS(), model)...)
		}},
		{name: "apiserver", as: o.as(0), args: func() []string {
			return append([]string{
				"--kubeconfig", s.path("apiserver.kubeconfig"), "--blob-url", blobs, "--base-url", s.publicURL, "--signing-key-file", key,
				"--listen", public(o.port), "--internal-listen", address(internal), "--metrics-listen", "127.0.0.1:0", "--sandbox", s.sandbox,
				"--resume-dir", s.path("resume-apiserver"),
			}, slices.Concat(o.frontEndTLS(), w.frontEndArgs())...)
		}},
	}
	return s, nil
}

func (s *stack) path(name string) string { return filepath.Join(s.o.dataDir, name) }
func (s *stack) tool(name string) string { return filepath.Join(s.o.bin, name) }

// up starts everything, prints when it is ready, and returns when the context ends or the cluster is lost.
func (s *stack) up(ctx context.Context, began time.Time) error {
	if err := s.cluster(ctx); err != nil {
		return err
	}
	if err := s.handOver(); err != nil {
		return fmt.Errorf("giving the parts their files: %w", err)
	}
	for _, p := range s.parts {
		if err := s.launch(p); err != nil {
			return err
		}
	}
	for _, url := range []string{s.sandbox + "/healthz", s.url + "/readyz"} {
		if err := answers(ctx, url, s.partLost); err != nil {
			return err
		}
	}
	if err := s.tenant(ctx); err != nil {
		return err
	}
	logf("ready in %.1f s: %s", time.Since(began).Seconds(), s.publicURL)
	logf("%s", s.writer.description)
	logf("published posts are shown at %s", s.sandbox)
	if link, err := s.consoleLink(ctx); err != nil {
		logf("no link to the console: %v", err)
	} else {
		logf("open the console, once within ten minutes:  %s", link)
		logf("another link:  %s console -n %s", s.plugin(), account)
	}
	if s.o.exec == "" {
		logf("in another terminal:  . %s", s.path("env"))
	} else {
		logf("an API key:  %s key create --account %s --brand %[2]s --name KEY --scopes admin", s.plugin(), account)
	}
	return s.watch(ctx)
}

// plugin returns the start of a command line of the kubectl plugin.
func (s *stack) plugin() string {
	if s.o.exec == "" {
		return "kubectl reelops"
	}
	return s.o.exec + " reelops"
}

// cluster starts Kubernetes and applies the CRDs and roles.
func (s *stack) cluster(ctx context.Context) error {
	logf("starting the local Kubernetes")
	kubeconfig := s.path("kubeconfig")
	_ = os.Remove(s.path("kube-ready"))
	var err error
	args := []string{
		"--data-dir", s.path("kube"), "--kubeconfig", kubeconfig, "--ready-file", s.path("kube-ready"),
		"--identity", managerIdentity + "=" + s.path("manager.kubeconfig"),
		"--identity", frontEndIdentity + "=" + s.path("apiserver.kubeconfig"),
		"--image", rendererImage + "=" + s.tool("renderer"), "--isolation", s.o.isolation,
		"--path-variable", "/scratch=REELOPS_SCRATCH", "--path-variable", "/dev/termination-log=REELOPS_TERMINATION_LOG",
	}
	if s.o.auditLog != "" {
		args = append(args, "--audit-log", s.o.auditLog)
	}
	s.kube, err = start("localkube", s.path("logs"), nil, s.tool("localkube"), args...)
	if err != nil {
		return err
	}
	for {
		if doc, err := os.ReadFile(s.path("kube-ready")); err == nil {
			_, node, _ := strings.Cut(strings.TrimSpace(string(doc)), "\n")
			logf("render pods have %s", node)
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.kube.done:
			return s.fell(s.kube, "the local Kubernetes")
		case <-time.After(50 * time.Millisecond):
		}
	}
	logf("applying the CRDs and roles")
	if _, err := s.call(ctx, "kubectl", "apply", "--server-side", "--force-conflicts", "-k", s.o.config); err != nil {
		return s.because(fmt.Errorf("applying %s: %w", s.o.config, err))
	}
	if _, err := s.call(ctx, "kubectl", "wait", "--for=condition=Established", "--timeout=60s", "crd", "-l", "app.kubernetes.io/part-of=reelops"); err != nil {
		return s.because(fmt.Errorf("waiting for the CRDs: %w", err))
	}
	return nil
}

// call runs a tool as the cluster's administrator and returns its standard output. The error contains its standard
// error.
func (s *stack) call(ctx context.Context, tool string, args ...string) (string, error) {
	// The parent-death signal is tied to this thread: the tool does not outlive this program.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, s.tool(tool), append([]string{"--kubeconfig", s.path("kubeconfig")}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if killed(cmd.ProcessState) && ctx.Err() == nil {
		return "", lost{tool}
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, bytes.TrimSpace(complaint.Bytes()))
	}
	return string(out), err
}

// because returns the cause of an error: the end of a child explains the error better than a broken connection does.
func (s *stack) because(err error) error {
	select {
	case <-s.kube.done:
	case <-time.After(500 * time.Millisecond): // the connection may break before the end of the child is noticed
	}
	return cmp.Or(s.partLost(), err)
}

// fell returns why a child ended during the start. A killed child may start the next time; a child that ended by itself
// has logged the reason.
func (s *stack) fell(p *process, name string) error {
	if killed(p.cmd.ProcessState) {
		return lost{name}
	}
	return fmt.Errorf("%s did not start: %w; the end of its log:\n%s", name, p.err, tail(filepath.Join(s.path("logs"), p.name+".log")))
}

func killed(p *os.ProcessState) bool {
	if p == nil {
		return false
	}
	status, ok := p.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

func (s *stack) launch(p *part) error {
	logf("starting the %s", p.name)
	process, err := start(p.name, s.path("logs"), p.as, s.tool(p.name), p.args()...)
	if err == nil {
		p.process = process
	}
	return err
}

// partLost returns an error if a part has ended during the start, so that waiting for it is useless.
func (s *stack) partLost() error {
	if s.kube.ended() {
		return lost{"the local Kubernetes"}
	}
	for _, p := range s.parts {
		if p.process != nil && p.process.ended() {
			return s.fell(p.process, "the "+p.name)
		}
	}
	return nil
}

// watch restarts parts that die, until the context or the cluster ends.
func (s *stack) watch(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer stop()
	for _, p := range s.parts {
		parts.Go(func() { s.keep(ctx, p) })
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.kube.done:
		return lost{"the local Kubernetes"}
	}
}

const (
	shortestPause = 200 * time.Millisecond
	longestPause  = 10 * time.Second
	// healthy is how long a part has to run before the restart delay is reset.
	healthy = time.Minute
)

// keep restarts a part whenever it ends, with a growing delay. A program that does not exist, for example because it is
// being built, is retried too.
func (s *stack) keep(ctx context.Context, p *part) {
	pause := shortestPause
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.process.done:
		}
		if ctx.Err() != nil {
			return
		}
		logf("the %s ended unexpectedly (%v): restarting it", p.name, cmp.Or(p.process.err, errors.New("exit status 0")))
		if time.Since(p.process.began) > healthy {
			pause = shortestPause
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, longestPause)
			err := s.launch(p)
			if err == nil {
				break
			}
			logf("%v: retrying", err)
		}
	}
}

// down stops everything, dependents first.
func (s *stack) down() {
	for i := len(s.parts) - 1; i >= 0; i-- {
		s.parts[i].process.stop(25 * time.Second)
		s.parts[i].process = nil // the next start must not see the earlier end
	}
	s.kube.stop(20 * time.Second)
}

// tail returns the last 15 lines of a log file.
func tail(path string) string {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(doc), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-15):], []byte("\n")))
}
