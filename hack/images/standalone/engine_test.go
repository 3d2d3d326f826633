// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// config is the configuration of containerd. It needs no CRI plugin, and only one snapshotter.
const config = `version = 2
root = "%[1]s/root"
state = "%[1]s/state"
disabled_plugins = [
  "io.containerd.grpc.v1.cri", "io.containerd.internal.v1.tracing", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
]
[grpc]
  address = "%[1]s/sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "%[1]s/opt"
`

// engine is a containerd of this test, with a network namespace that has only the loopback interface.
type engine struct {
	t     *testing.T
	dir   string
	netns string
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	for _, tool := range []string{"containerd", "runc", "ctr", "ip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian: containerd runc iproute2)", tool)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("containerd needs root")
	}
	dir, err := os.MkdirTemp("", "standalone-") // a short path, because of the length limit of socket addresses
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{t: t, dir: dir, netns: "reelops-" + strconv.Itoa(os.Getpid())}
	t.Cleanup(func() { e.check(os.RemoveAll(dir)) })
	file := filepath.Join(dir, "containerd.toml")
	if err := os.WriteFile(file, fmt.Appendf(nil, config, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "containerd.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("containerd", "--config", file, "--log-level", "warn")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	e.host("ip", "netns", "add", e.netns)
	t.Cleanup(func() { e.host("ip", "netns", "delete", e.netns) })
	e.host("ip", "-n", e.netns, "link", "set", "lo", "up")
	eventually(t, time.Minute, "containerd answers", func() error { _, err := e.try("version"); return err })
	return e
}

func (e *engine) check(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Error(err)
	}
}

// host runs a program on this machine.
func (e *engine) host(program string, args ...string) string {
	e.t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		e.t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// try runs ctr and returns its standard output.
func (e *engine) try(args ...string) (string, error) {
	cmd := exec.Command("ctr", append([]string{"--address", e.dir + "/sock", "--namespace", "test"}, args...)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(complaint.Bytes()))
	}
	return string(out), nil
}

func (e *engine) ctr(args ...string) string {
	e.t.Helper()
	out, err := e.try(args...)
	if err != nil {
		e.t.Fatal(err)
	}
	return out
}

// client returns an HTTP client whose connections begin in the network namespace.
func (e *engine) client() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (c net.Conn, err error) {
			done := make(chan struct{})
			go func() { // a thread of its own, which ends with the goroutine
				defer close(done)
				runtime.LockOSThread()
				var f *os.File
				if f, err = os.Open("/var/run/netns/" + e.netns); err != nil {
					return
				}
				defer f.Close()
				if err = unix.Setns(int(f.Fd()), unix.CLONE_NEWNET); err == nil {
					// The address is literal, so the socket is created by this goroutine.
					c, err = dialer.DialContext(ctx, network, address)
				}
			}()
			<-done
			return c, err
		},
	}}
}

// container is one container on a data folder.
type container struct {
	e    *engine
	id   string
	log  string
	exec int
	// run is ctr, which runs as long as the container, ends with its exit status, and removes it. done is closed then.
	run  *exec.Cmd
	done chan struct{}
}

// run starts a container with further flags of ctr run.
func (e *engine) run(id, image, data string, flags []string) *container {
	e.t.Helper()
	c := &container{e: e, id: id, log: filepath.Join(e.dir, id+".log"), done: make(chan struct{})}
	c.run = exec.Command("ctr", append(append([]string{
		"--address", e.dir + "/sock", "--namespace", "test", "run", "--rm", "--log-uri", "file://" + c.log,
		"--with-ns", "network:/var/run/netns/" + e.netns, "--mount", "type=bind,src=" + data + ",dst=/data,options=rbind:rw",
	}, flags...), image, id)...)
	var complaint bytes.Buffer
	c.run.Stderr = &complaint
	c.run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.run.Start(); err != nil {
		e.t.Fatal(err)
	}
	go func() { _ = c.run.Wait(); close(c.done) }()
	e.t.Cleanup(func() {
		if c.running() {
			_, _ = e.try("task", "kill", "--signal", "SIGKILL", id)
			<-c.done
		}
		if e.t.Failed() {
			e.t.Logf("end of the log of %s:\n%s%s", id, tail(c.output()), complaint.String())
		}
	})
	return c
}

func (c *container) output() string {
	text, _ := os.ReadFile(c.log)
	return string(text)
}

// says waits until the container has printed a text. It fails at once if the container has ended.
func (c *container) says(timeout time.Duration, text string) {
	c.e.t.Helper()
	eventually(c.e.t, timeout, c.id+" prints "+text, func() error {
		if strings.Contains(c.output(), text) {
			return nil
		}
		if !c.running() {
			c.e.t.Fatalf("%s has ended: %s", c.id, c.run.ProcessState)
		}
		return errors.New("not yet")
	})
}

func (c *container) running() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// signal sends a signal to the first process, waits for the end of the container, and returns its exit status.
func (c *container) signal(s string) int {
	c.e.t.Helper()
	c.e.ctr("task", "kill", "--signal", s, c.id)
	return c.wait()
}

// wait waits for the end of the container and returns its exit status.
func (c *container) wait() int {
	c.e.t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		c.e.t.Fatalf("%s does not end", c.id)
	}
	return c.run.ProcessState.ExitCode()
}

// command runs a command in the container, as docker exec does, and returns its standard output.
func (c *container) command(args ...string) string {
	c.e.t.Helper()
	c.exec++
	return c.e.ctr(append([]string{"task", "exec", "--exec-id", "exec-" + strconv.Itoa(c.exec), c.id}, args...)...)
}

// pids returns the processes of the container with this name.
func (c *container) pids(name string) []int {
	out, err := c.e.try("task", "ps", c.id)
	if err != nil {
		return nil
	}
	var pids []int
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		if comm, err := os.ReadFile("/proc/" + f[0] + "/comm"); err == nil && strings.TrimSpace(string(comm)) == name {
			pids = append(pids, pid)
		}
	}
	return pids
}

// users waits until each program has run, and checks that its user is in a range.
func (c *container) users(want map[string][2]int) {
	c.e.t.Helper()
	seen := map[string]bool{}
	eventually(c.e.t, patience, "all programs have run", func() error {
		for name, users := range want {
			for _, pid := range c.pids(name) {
				info, err := os.Stat("/proc/" + strconv.Itoa(pid))
				if err != nil {
					continue // it has ended
				}
				seen[name] = true
				st, ok := info.Sys().(*syscall.Stat_t)
				if got := int(st.Uid); !ok || got < users[0] || got > users[1] {
					c.e.t.Fatalf("%s runs as user %d, want %d to %d", name, got, users[0], users[1])
				}
			}
		}
		if len(seen) < len(want) {
			return fmt.Errorf("only %v ran", seen)
		}
		return nil
	})
}

func tail(text string) string { return text[max(0, len(text)-3000):] }

func eventually(t *testing.T, timeout time.Duration, what string, f func() error) {
	t.Helper()
	until := time.Now().Add(timeout)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("waiting until %s: %v", what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
