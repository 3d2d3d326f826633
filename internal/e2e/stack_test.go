// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/process/loopback"
	"github.com/reelops/reelops/internal/testkit"
)

const (
	// tenant is the name of the namespace, account and brand that hack/run creates.
	tenant = "demo"
	// waitTimeout is the timeout of every wait. It is long, because a busy machine is slow.
	waitTimeout = time.Minute
	// fastPoll is the polling interval of waits for a short moment, slowPoll that of requests that count towards a
	// limit, and poll that of all others.
	fastPoll, poll, slowPoll = 2 * time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond
	// scratchDisk is the size in bytes of the disk of the local node's pods. The node measures it when it starts.
	scratchDisk = 8 << 30
)

// stack is a set of running programs, as hack/run started it.
type stack struct {
	dir, bin, url string
	args, env     []string // additional arguments and environment variables of hack/run
	port          int
	kube          client.WithWatch
	run           *exec.Cmd
	ended         chan struct{} // closed when run has ended
	// disk is a separate file system for the pods, which a test can fill; empty if mounting is not permitted.
	disk string
}

// option changes how a stack starts.
type option func(*stack)

// withArgs adds arguments of hack/run.
func withArgs(args ...string) option { return func(s *stack) { s.args = append(s.args, args...) } }

// withEnv sets environment variables, NAME=value, of hack/run. Unlike those of t.Setenv, they are for this stack only.
func withEnv(env ...string) option { return func(s *stack) { s.env = append(s.env, env...) } }

// newStack starts a stack, and stops it with the test.
func newStack(t *testing.T, options ...option) *stack {
	t.Helper()
	bin := os.Getenv("REELOPS_BIN")
	if bin == "" {
		t.Skip("REELOPS_BIN does not name the folder with the built programs: run the tests with `make test-stack`")
	}
	// Because of Stat, the go command runs these tests again when one of the programs has changed.
	for _, name := range []string{"run", "localkube", "kubectl", "manager", "apiserver", "renderer", "reelops"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			t.Fatalf("REELOPS_BIN: %v: `make build` builds it", err)
		}
	}
	dir, err := os.MkdirTemp("", "reelops-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	s := &stack{dir: dir, bin: bin, port: freePort(t)}
	for _, set := range options {
		set(s)
	}
	s.url = fmt.Sprintf("http://127.0.0.1:%d", s.port)
	t.Cleanup(func() {
		s.stop(t)
		if s.disk != "" {
			if err := syscall.Unmount(s.disk, 0); err != nil {
				t.Errorf("unmounting the disk of the pods: %v", err)
			}
		}
		s.readAuditLog(t)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	pods := s.path("kube", "node", "pods")
	if err := os.MkdirAll(pods, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", pods, "tmpfs", 0, fmt.Sprintf("mode=700,size=%d", int64(scratchDisk))); err == nil {
		s.disk = pods
	}
	s.start(t)
	config, err := clientcmd.BuildConfigFromFlags("", s.path("kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.Burst = 1000, 1000
	if s.kube, err = client.NewWithWatch(config, client.Options{Scheme: testkit.Scheme()}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stack) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

// start starts hack/run and waits until it reports that everything is ready.
func (s *stack) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(s.path("run.log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	s.run = exec.Command(filepath.Join(s.bin, "run"), append([]string{
		"--data-dir", s.dir, "--bin", s.bin, "--port", fmt.Sprint(s.port), "--writer", "offline",
		"--config", filepath.Join(repository(), "config", "local"), "--audit-log", s.path("audit.log"),
	}, s.args...)...)
	s.run.Env = append(os.Environ(), s.env...)
	s.run.Stdout, s.run.Stderr = log, log
	// No process outlives the tests, even when they are killed.
	s.run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	s.ended = make(chan struct{})
	started := make(chan error)
	go func(run *exec.Cmd, ended chan struct{}) {
		runtime.LockOSThread() // the death signal is sent when the starting thread ends: keep it
		err := run.Start()
		started <- err
		if err == nil {
			_ = run.Wait()
		}
		_ = log.Close()
		close(ended)
	}(s.run, s.ended)
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	NewWithT(t).Eventually(func(g Gomega) {
		select {
		case <-s.ended:
			t.Fatalf("the stack did not start:\n%s", s.logText("run.log"))
		default:
		}
		g.Expect(s.logText("run.log")).To(ContainSubstring("ready in"))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}

func (s *stack) logText(log ...string) string {
	doc, _ := os.ReadFile(s.path(log...))
	return string(doc)
}

// showEnd logs the last lines of a file: more than a manager writes when it becomes the leader.
func showEnd(t *testing.T, file string) {
	doc, _ := os.ReadFile(file)
	lines := strings.Split(string(doc), "\n")
	t.Logf("the end of %s:\n%s", filepath.Base(file), strings.Join(lines[max(0, len(lines)-100):], "\n"))
}

// stop requests a graceful stop, and checks that no process is left.
func (s *stack) stop(t *testing.T) {
	if s.run == nil || s.run.Process == nil {
		return
	}
	if t.Failed() {
		for _, name := range []string{"run.log", "logs/manager.log", "logs/apiserver.log"} {
			showEnd(t, s.path(name))
		}
	}
	family := below(s.run.Process.Pid)
	_ = s.run.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(waitTimeout):
		t.Error("the stack did not stop after SIGTERM")
		for _, p := range append(below(s.run.Process.Pid), family...) {
			p.kill()
		}
		_ = s.run.Process.Kill()
		<-s.ended
	}
	waitForExit(t, family)
}

// crash kills all processes at once, like a power failure, and checks that no process is left.
func (s *stack) crash(t *testing.T) {
	t.Helper()
	family := below(s.run.Process.Pid)
	_ = s.run.Process.Kill()
	for _, p := range family {
		p.kill()
	}
	<-s.ended
	waitForExit(t, family)
}

// waitForExit waits until no process of the family runs.
func waitForExit(t *testing.T, family []process) {
	t.Helper()
	NewWithT(t).Eventually(func() (left []string) {
		for _, p := range family {
			if p.isRunning() {
				left = append(left, fmt.Sprintf("%s (%d)", p.name, p.pid))
			}
		}
		return left
	}).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(BeEmpty(), "processes that still run")
}

// find returns the processes of the stack with a name.
func (s *stack) find(name string) []process { return named(below(s.run.Process.Pid), name) }

// kill kills the process with a name, which hack/run restarts. If the process was killed just before, kill waits for
// the restart first.
func (s *stack) kill(t *testing.T, name string) {
	t.Helper()
	var victim process
	NewWithT(t).Eventually(func(g Gomega) {
		now := s.find(name)
		g.Expect(now).To(HaveLen(1))
		victim = now[0]
	}).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(Succeed(), "the %s is running", name)
	victim.kill()
	waitForExit(t, []process{victim})
}

// program runs one of the built programs as the administrator. The error contains its standard error.
func (s *stack) program(stdin, name string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.path("kubeconfig"))
	cmd.Stdin = strings.NewReader(stdin)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, problem.String())
	}
	return out.String(), nil
}

// newKey creates an API key for a test: the hourly rate limit of generations applies per key.
func (s *stack) newKey(t *testing.T) string {
	t.Helper()
	name := strings.ToLower(strings.ReplaceAll(filepath.Base(t.Name()), "_", "-"))
	out, err := s.program("", "reelops", "key", "create", "--account", tenant, "--brand", tenant, "--name", name, "--scopes", "admin", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		ID     json.Number
		Secret string
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Secret == "" {
		t.Fatal(errors.Join(err, errors.New("reelops key create printed no secret")))
	}
	t.Cleanup(func() { // a brand can have at most ten keys
		if _, err := s.program("", "reelops", "key", "revoke", made.ID.String()); err != nil {
			t.Error(err)
		}
	})
	return made.Secret
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := loopback.Port(0)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// repository returns the root folder of the source.
func repository() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}
