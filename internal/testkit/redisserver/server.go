// SPDX-License-Identifier: Apache-2.0

// Package redisserver runs a real Redis for a test, on loopback and with nothing on disk, and lets the test strike it.
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

// patience bounds the start. A machine that does other things as well is slow, not broken.
const patience = 30 * time.Second

// Server is one Redis. It ends with its test.
type Server struct {
	// Addr is its host and port; it keeps them when it is started again.
	Addr string
	t    testing.TB
	args []string
	cmd  *exec.Cmd
	said *bytes.Buffer
	// ended is closed when the process is gone.
	ended chan struct{}
}

// Start starts one with further arguments of redis-server and waits until it answers. It calls need.Program.
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

// Start starts it again after Kill, with the same address and empty.
func (s *Server) Start() {
	s.t.Helper()
	s.said, s.ended = &bytes.Buffer{}, make(chan struct{})
	s.cmd = exec.Command("redis-server", s.args...)
	s.cmd.Stdout, s.cmd.Stderr = s.said, s.said
	// It does not outlive the test, even when that is killed.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func(cmd *exec.Cmd, ended chan struct{}) {
		runtime.LockOSThread() // the death signal comes when the starting thread ends: keep it
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
	poll, end := time.NewTicker(10*time.Millisecond), time.After(patience)
	defer poll.Stop()
	for {
		select {
		case <-s.ended:
			s.t.Fatalf("redis-server did not start: %s", s.said)
		case <-end:
			s.t.Fatal("redis-server does not answer")
		case <-poll.C:
		}
		if s.answers() {
			return
		}
	}
}

// answers says whether it accepts commands, or asks for a password first.
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

// URL of the server, with a password unless it is empty.
func (s *Server) URL(password string) string {
	if password != "" {
		password = ":" + password + "@"
	}
	return "redis://" + password + s.Addr + "/0"
}

// Kill ends it as a crash would.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		<-s.ended
	}
}

// Freeze holds it where it is: connections stay open and nothing answers. Thaw lets it go on.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw ends Freeze.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}
