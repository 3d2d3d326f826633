// SPDX-License-Identifier: Apache-2.0

package atrest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/process/loopback"
)

// Account is the name of the account and of its brand.
const Account = "rest"

const tenant = Account

// Stack is a control plane with idle shorts, the manager and the front end.
type Stack struct {
	*ControlPlane
	// URL of the front end, and the secret of a key with all scopes.
	URL, Key string
	// ManagerFlags and FrontEndFlags are further flags of programs that are started later.
	ManagerFlags, FrontEndFlags []string

	bin, folder string
	running     []*program
	shown       *v1beta1.Slideshow // the slideshow that every copy duplicates
}

// Start starts a stack with the given number of shorts, and waits until it is idle. The caller must call Stop.
func Start(ctx context.Context, o Options, shorts int, say func(format string, args ...any)) (*Stack, error) {
	say("starting a kube-apiserver")
	plane, err := StartControlPlane(o)
	if err != nil {
		return nil, err
	}
	s := &Stack{ControlPlane: plane, bin: o.Bin, folder: o.Folder}
	if err := s.rise(ctx, shorts, say); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Stack) rise(ctx context.Context, shorts int, say func(format string, args ...any)) error {
	address, err := loopback.Address()
	if err != nil {
		return err
	}
	s.URL = "http://" + address
	if err := s.prepare(ctx); err != nil {
		return err
	}
	manager, err := s.manager()
	if err != nil {
		return err
	}
	say("letting the manager make one slideshow")
	model, err := s.model(ctx, manager)
	if err != nil {
		return err
	}
	if err := manager.stop(); err != nil {
		return err
	}
	s.shown = model
	say("copying it until there are %d", shorts)
	if err := s.copies(ctx, model, shorts-1); err != nil {
		return err
	}
	if _, err := s.manager(); err != nil {
		return err
	}
	front, err := s.frontEnd()
	if err != nil {
		return err
	}
	say("waiting until all is quiet")
	if err := poll(ctx, front, func() (bool, error) { return answers(s.URL + "/readyz"), nil }); err != nil {
		return err
	}
	return s.quiet(ctx, front)
}

// answers reports whether a URL responds with status 200. It returns false if the request fails, because the server may
// not listen yet.
func answers(url string) bool {
	res, err := http.Get(url)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// calm is how long nothing may be written before a stack counts as idle.
const calm = 5 * time.Second

// quiet waits until the manager has reconciled every short: until nothing has been written for the duration of calm.
func (s *Stack) quiet(ctx context.Context, p *program) error {
	began := time.Now()
	return poll(ctx, p, func() (bool, error) {
		if time.Since(began) < calm {
			return false, nil
		}
		w, err := s.Writes(time.Now().Add(-calm))
		return err == nil && len(w) == 0, err
	})
}

// prepare writes the signing key, and creates the namespaces, the account, its brand and an API key.
func (s *Stack) prepare(ctx context.Context) error {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	if err := os.WriteFile(filepath.Join(s.folder, "signing.key"), key, 0o600); err != nil {
		return err
	}
	secret, hash, hint := apikey.New(apikey.DefaultPrefix)
	s.Key = secret
	in := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: tenant, Name: name} }
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "reelops-system"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tenant}},
		&v1beta1.Account{ObjectMeta: in(v1beta1.AccountName), Spec: v1beta1.AccountSpec{Email: "owner@example.com"}},
		&v1beta1.Brand{ObjectMeta: in(tenant)},
		&v1beta1.APIKey{ObjectMeta: in("key"), Spec: v1beta1.APIKeySpec{
			BrandRef: v1beta1.LocalRef{Name: tenant}, DisplayName: "rest", SecretSHA256: hash, Hint: hint, Scopes: []v1beta1.Scope{"admin"},
		}},
	} {
		if err := s.Client.Create(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// Stop stops all programs and the control plane.
func (s *Stack) Stop() {
	for _, p := range s.running {
		_ = p.stop()
	}
	_ = s.ControlPlane.Stop()
}

// program is a process that the stack has started.
type program struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed when the process has ended
}

func (s *Stack) manager(args ...string) (*program, error) {
	return s.launch("manager", append([]string{"--blob-base-url", s.URL, "--callback-url", "http://127.0.0.1:1", "--renderer-image", "none.example/renderer"}, slices.Concat(s.ManagerFlags, args)...)...)
}

func (s *Stack) frontEnd(args ...string) (*program, error) {
	return s.launch("apiserver", append([]string{
		"--base-url", s.URL, "--listen", strings.TrimPrefix(s.URL, "http://"),
		"--internal-listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0",
	}, slices.Concat(s.FrontEndFlags, args)...)...)
}

// kept returns the directory of the programs' snapshots. Each program has a subdirectory.
func (s *Stack) kept() string { return filepath.Join(s.folder, "kept") }

func (s *Stack) launch(name string, args ...string) (*program, error) {
	log, err := os.OpenFile(filepath.Join(s.folder, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	args = append([]string{
		"--kubeconfig", s.Kubeconfig, "--blob-url", "file://" + filepath.Join(s.folder, "blobs"),
		"--signing-key-file", filepath.Join(s.folder, "signing.key"), "--resume-dir", filepath.Join(s.kept(), name),
	}, args...)
	p := &program{name: name, cmd: exec.Command(filepath.Join(s.bin, name), args...), log: log.Name(), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = p.cmd.Wait(); close(p.done) }()
	s.running = append(s.running, p)
	return p, nil
}

// stop stops a program gracefully. After 40 s it kills the program and returns an error.
func (p *program) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // the process may have ended
	select {
	case <-p.done:
		return nil
	case <-time.After(40 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
		return fmt.Errorf("%s did not stop after SIGTERM", p.name)
	}
}

// poll waits until a condition holds. It fails if the condition fails, or if the context or the program ends.
func poll(ctx context.Context, p *program, holds func() (bool, error)) error {
	for {
		ok, err := holds()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.done:
			text, _ := os.ReadFile(p.log)
			return errors.New(p.name + " ended: " + string(bytes.TrimSpace(text)))
		case <-time.After(100 * time.Millisecond):
		}
	}
}
