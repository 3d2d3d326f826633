// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	managerIdentity  = "system:serviceaccount:reelops-system:reelops-manager"
	frontEndIdentity = "system:serviceaccount:reelops-system:reelops-apiserver"
	rendererImage    = "reelops.dev/renderer:local"
	// account is the tenant, brand and key holder that a first start makes.
	account = "demo"
)

var errClusterLost = errors.New("the local Kubernetes ended")

// stack is everything that runs.
type stack struct {
	o             options
	url, internal string
	internalPort  int
	kube          *process
	parts         []*part
}

// part is a child that is started again when it dies.
type part struct {
	name    string
	args    func() []string
	process *process
}

func newStack(o options) (*stack, error) {
	if err := signingKey(filepath.Join(o.dataDir, "signing.key")); err != nil {
		return nil, fmt.Errorf("making the signing key: %w", err)
	}
	portFile := filepath.Join(o.dataDir, "internal-port")
	last, _ := os.ReadFile(portFile)
	wanted, _ := strconv.Atoi(strings.TrimSpace(string(last)))
	port, err := anyPort(wanted)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(portFile, []byte(strconv.Itoa(port)), 0o644); err != nil {
		return nil, err
	}
	s := &stack{o: o, url: fmt.Sprintf("http://127.0.0.1:%d", o.port), internal: fmt.Sprintf("http://127.0.0.1:%d", port), internalPort: port}
	blobs, key := "file://"+s.path("blobs"), s.path("signing.key")
	s.parts = []*part{
		{name: "manager", args: func() []string {
			return []string{
				"--kubeconfig", s.path("manager.kubeconfig"), "--blob-url", blobs, "--blob-base-url", s.url, "--signing-key-file", key,
				"--callback-url", s.internal, "--renderer-image", rendererImage,
			}
		}},
		{name: "apiserver", args: func() []string {
			return []string{
				"--kubeconfig", s.path("apiserver.kubeconfig"), "--blob-url", blobs, "--base-url", s.url, "--signing-key-file", key,
				"--listen", fmt.Sprintf("127.0.0.1:%d", o.port), "--internal-listen", fmt.Sprintf("127.0.0.1:%d", port), "--metrics-listen", "127.0.0.1:0",
			}
		}},
	}
	return s, nil
}

func (s *stack) path(name string) string { return filepath.Join(s.o.dataDir, name) }
func (s *stack) tool(name string) string { return filepath.Join(s.o.bin, name) }

// up starts everything, says when it can be used, and stays until the context ends or the cluster is lost.
func (s *stack) up(ctx context.Context, began time.Time) error {
	if err := s.cluster(ctx); err != nil {
		return err
	}
	for _, p := range s.parts {
		if err := s.launch(p); err != nil {
			return err
		}
	}
	if err := answers(ctx, s.url+"/readyz", s.partLost); err != nil {
		return err
	}
	if err := s.tenant(ctx); err != nil {
		return err
	}
	say("ready in %.1f s: %s", time.Since(began).Seconds(), s.url)
	say("in another terminal:  . %s", s.path("env"))
	return s.watch(ctx)
}

// cluster starts Kubernetes and applies the kinds and permissions.
func (s *stack) cluster(ctx context.Context) error {
	say("starting the local Kubernetes")
	kubeconfig := s.path("kubeconfig")
	_ = os.Remove(s.path("kube-ready"))
	var err error
	s.kube, err = start("localkube", s.path("logs"), s.tool("localkube"),
		"--data-dir", s.path("kube"), "--kubeconfig", kubeconfig, "--ready-file", s.path("kube-ready"),
		"--identity", managerIdentity+"="+s.path("manager.kubeconfig"),
		"--identity", frontEndIdentity+"="+s.path("apiserver.kubeconfig"),
		"--image", rendererImage+"="+s.tool("renderer"))
	if err != nil {
		return err
	}
	for {
		if _, err := os.Stat(s.path("kube-ready")); err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.kube.done:
			return fmt.Errorf("the local Kubernetes did not start: %w; the end of its log:\n%s", s.kube.err, tail(filepath.Join(s.path("logs"), "localkube.log")))
		case <-time.After(50 * time.Millisecond):
		}
	}
	say("applying the kinds and permissions")
	if out, err := s.kubectl(ctx, "apply", "--server-side", "--force-conflicts", "-k", s.o.config); err != nil {
		return fmt.Errorf("applying %s: %w\n%s", s.o.config, err, out)
	}
	if out, err := s.kubectl(ctx, "wait", "--for=condition=Established", "--timeout=60s", "crd", "-l", "app.kubernetes.io/part-of=reelops"); err != nil {
		return fmt.Errorf("waiting for the kinds: %w\n%s", err, out)
	}
	return nil
}

func (s *stack) kubectl(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.tool("kubectl"), append([]string{"--kubeconfig", s.path("kubeconfig")}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *stack) launch(p *part) (err error) {
	say("starting the %s", p.name)
	p.process, err = start(p.name, s.path("logs"), s.tool(p.name), p.args()...)
	return err
}

// partLost tells, while starting, that a part has ended: then waiting for it is of no use.
func (s *stack) partLost() error {
	if s.kube.ended() {
		return errClusterLost
	}
	for _, p := range s.parts {
		if p.process.ended() {
			return fmt.Errorf("the %s did not start: %w; the end of its log:\n%s", p.name, p.process.err, tail(filepath.Join(s.path("logs"), p.name+".log")))
		}
	}
	return nil
}

// watch starts parts again that die, with a growing wait for one that keeps dying.
func (s *stack) watch(ctx context.Context) error {
	died := make(chan *part)
	follow := func(p *part) {
		process := p.process
		go func() {
			<-process.done
			select {
			case died <- p:
			case <-ctx.Done():
			}
		}()
	}
	wait := map[string]time.Duration{}
	for _, p := range s.parts {
		follow(p)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.kube.done:
			return errClusterLost
		case p := <-died:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			pause := min(max(2*wait[p.name], 200*time.Millisecond), 10*time.Second)
			wait[p.name] = pause
			say("the %s ended unexpectedly (%v): starting it again", p.name, p.process.err)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
			}
			if err := s.launch(p); err != nil {
				return err
			}
			follow(p)
		}
	}
}

// down stops everything, what depends on others first.
func (s *stack) down() {
	for i := len(s.parts) - 1; i >= 0; i-- {
		s.parts[i].process.stop(25 * time.Second)
	}
	s.kube.stop(20 * time.Second)
}

// tenant makes an account, a brand and a key unless the env file holds a key that works. Every step may be done again.
func (s *stack) tenant(ctx context.Context) error {
	env := s.path("env")
	if key := keyIn(env); key != "" && s.works(ctx, key) {
		return s.writeEnv(env, key)
	}
	for _, args := range [][]string{
		{"account", "create", account, "--email", "you@example.com"},
		{"brand", "create", account, "--account", account, "--display-name", "Demo"},
	} {
		if out, err := s.admin(ctx, args...); err != nil && !strings.Contains(out, "exists") {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	out, err := s.admin(ctx, "key", "create", "--account", account, "--brand", account, "--name", "local", "--scopes", "admin", "-o", "json")
	if err != nil {
		return fmt.Errorf("making a key: %w\n%s", err, out)
	}
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Secret == "" {
		return fmt.Errorf("reading the new key: %w", errors.Join(err, errors.New("no secret in the answer")))
	}
	say("made the account, brand and API key %q", account)
	// The key is in the front end's cache a moment after it is in the cluster.
	for !s.works(ctx, made.Secret) {
		if err := s.partLost(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return s.writeEnv(env, made.Secret)
}

func (s *stack) admin(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.tool("reelops"), append([]string{"--kubeconfig", s.path("kubeconfig")}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *stack) works(ctx context.Context, key string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/account", nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// writeEnv writes what a shell sources, whole or not at all.
func (s *stack) writeEnv(path, key string) error {
	doc := fmt.Sprintf("export REELOPS_URL=%s\nexport REELOPS_API_KEY=%s\nexport KUBECONFIG=%s\nexport PATH=%s:$PATH\n",
		s.url, key, quote(s.path("kubeconfig")), quote(s.o.bin))
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(doc), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func keyIn(path string) string {
	doc, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(doc), "\n") {
		if key, ok := strings.CutPrefix(line, "export REELOPS_API_KEY="); ok {
			return strings.TrimSpace(key)
		}
	}
	return ""
}

// signingKey makes the key once.
func signingKey(path string) error {
	if old, err := os.ReadFile(path); err == nil && len(old) >= 32 {
		return nil
	}
	key := make([]byte, 64)
	_, _ = rand.Read(key)
	tmp := path + ".new"
	if err := os.WriteFile(tmp, key, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// tail is the end of a log file.
func tail(path string) string {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(doc), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-15):], []byte("\n")))
}
