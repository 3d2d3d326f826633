// SPDX-License-Identifier: Apache-2.0

// Package redisserver runs a real Redis for a test, on loopback and without persistence. The test can kill or freeze
// it.
package redisserver

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/process/loopback"
	"github.com/reelops/reelops/internal/testkit/need"
)

// startTimeout is the timeout of the start. It is long because the machine may be busy.
const startTimeout = 30 * time.Second

// Server is a Redis process. It ends with its test.
type Server struct {
	// Addr is the host and port. It stays the same after a restart.
	Addr   string
	t      testing.TB
	args   []string
	cmd    *exec.Cmd
	output *bytes.Buffer
	// ended is closed when the process has ended.
	ended chan struct{}
}

// Start starts a server with additional arguments of redis-server and waits until it responds. It calls need.Program.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	need.Program(t, "redis-server")
	address, err := loopback.Address()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: address, t: t}
	_, port, _ := net.SplitHostPort(s.Addr)
	s.args = append([]string{
		"--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", t.TempDir(), "--daemonize", "no",
	}, args...)
	t.Cleanup(s.Kill)
	s.Start()
	return s
}

// Start starts the server again after Kill, with the same address and no data.
func (s *Server) Start() {
	s.t.Helper()
	s.output, s.ended = &bytes.Buffer{}, make(chan struct{})
	s.cmd = exec.Command("redis-server", s.args...)
	s.cmd.Stdout, s.cmd.Stderr = s.output, s.output
	// The server ends with the test process, even when the process is killed.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func(cmd *exec.Cmd, ended chan struct{}) {
		runtime.LockOSThread() // the death signal is sent when the starting thread ends, so keep the thread
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
	}(s.cmd, s.ended)
	if err := <-started; err != nil {
		s.t.Fatal(err)
	}
	poll, end := time.NewTicker(10*time.Millisecond), time.After(startTimeout)
	defer poll.Stop()
	for {
		select {
		case <-s.ended:
			s.t.Fatalf("redis-server did not start: %s", s.output)
		case <-end:
			s.t.Fatal("redis-server does not respond")
		case <-poll.C:
		}
		if s.answers() {
			return
		}
	}
}

// answers reports whether the server accepts commands or requires a password.
func (s *Server) answers() bool {
	c, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return false
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := fmt.Fprint(c, "PING\r\n"); err != nil {
		return false
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	return err == nil && (strings.HasPrefix(line, "+PONG") || strings.HasPrefix(line, "-NOAUTH"))
}

// URL returns the URL of the server, with a password unless it is empty.
func (s *Server) URL(password string) string {
	if password != "" {
		password = ":" + password + "@"
	}
	return "redis://" + password + s.Addr + "/0"
}

// Kill kills the server, as in a crash.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		<-s.ended
	}
}

// Freeze suspends the server: connections stay open without responses. Thaw resumes it.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw ends Freeze.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}
