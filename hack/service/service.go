// SPDX-License-Identifier: Apache-2.0

// Package service finds a running Reelops, or starts one, and provides a REST client for it. The demo and the
// benchmarks use it.
package service

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/reelops/reelops/internal/process/loopback"
)

// Service is a running Reelops, started by this program or by another one.
type Service struct {
	API *API
	// Sandbox is the address of the simulated social platforms; empty if there are none.
	Sandbox string
	// DataDir holds its data and logs.
	DataDir    string
	kubeconfig string
	bin        string
	run        *exec.Cmd     // nil if another program started it
	ended      chan struct{} // closed when run has ended
}

// Connect finds the service of a data folder, or starts one there. args are additional arguments of hack/run.
func Connect(ctx context.Context, dataDir, bin string, args ...string) (*Service, error) {
	if s, ok := running(ctx, dataDir, bin); ok {
		fmt.Printf("Using the service at %s\n", s.API.URL)
		return s, nil
	}
	fmt.Printf("Starting a service in %s (`make run` would keep one running)\n", dataDir)
	port, err := loopback.Port(0)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(bin, "run"), append([]string{"--data-dir", dataDir, "--bin", bin, "--port", fmt.Sprint(port)}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// The kernel stops the service in order when this program ends for any reason.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the death signal is tied to the thread that starts the child
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the result is in ProcessState
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	for {
		if s, ok := running(ctx, dataDir, bin); ok && strings.HasSuffix(s.API.URL, fmt.Sprintf(":%d", port)) {
			s.run, s.ended = cmd, ended
			return s, nil
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("the service did not start: %s", cmd.ProcessState)
		case <-ctx.Done():
			_ = cmd.Process.Signal(syscall.SIGTERM)
			<-ended
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Temporary reports whether Stop ends the service, because Connect started it.
func (s *Service) Temporary() bool { return s.run != nil }

// running reads the env file of a data folder and reports whether the service in it accepts the key.
func running(ctx context.Context, dataDir, bin string) (*Service, bool) {
	doc, err := os.ReadFile(filepath.Join(dataDir, "env"))
	if err != nil {
		return nil, false
	}
	values := map[string]string{}
	for line := range strings.SplitSeq(string(doc), "\n") {
		if k, v, ok := strings.Cut(strings.TrimPrefix(line, "export "), "="); ok {
			values[k] = strings.Trim(v, "'")
		}
	}
	s := &Service{API: &API{URL: values["REELOPS_URL"], Key: values["REELOPS_API_KEY"]}, Sandbox: values["REELOPS_SANDBOX"], DataDir: dataDir, kubeconfig: values["KUBECONFIG"], bin: bin}
	return s, s.API.Call(ctx, "GET", "/account", nil, &struct{}{}) == nil
}

// Kubectl runs kubectl as the cluster's administrator and returns its output.
func (s *Service) Kubectl(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, filepath.Join(s.bin, "kubectl"), append([]string{"--kubeconfig", s.kubeconfig}, args...)...).CombinedOutput()
	return string(out), err
}

// Stop stops the service if this program started it.
func (s *Service) Stop() {
	if s.run == nil {
		return
	}
	_ = s.run.Process.Signal(syscall.SIGTERM)
	<-s.ended
}
