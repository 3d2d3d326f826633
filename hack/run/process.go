// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// process is a child process. The kernel kills it when this program ends.
type process struct {
	name  string
	cmd   *exec.Cmd
	began time.Time
	done  chan struct{} // closed when the child has ended
	err   error         // the result, once done is closed
}

// start runs a program and appends its output to a log file. It runs as the given user and
// group; nil means those of this process.
func start(name, logDir string, as *syscall.Credential, program string, args ...string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(logDir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	p := &process{name: name, cmd: exec.Command(program, args...), began: time.Now(), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = childEnv()
	// A separate process group does not receive the terminal's Ctrl-C: this program stops its children in order.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: as}
	started := make(chan error)
	go func() {
		// The parent-death signal is tied to the thread that started the child, not to the process. Keep the thread.
		runtime.LockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = p.cmd.Wait()
		_ = log.Close()
		close(p.done)
	}()
	if err := <-started; err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return p, nil
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop sends SIGTERM to the child, and kills its process group after timeout.
func (p *process) stop(timeout time.Duration) {
	if p == nil || p.ended() {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(timeout):
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
	}
}
