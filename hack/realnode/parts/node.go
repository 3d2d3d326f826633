// SPDX-License-Identifier: Apache-2.0

package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/reelops/reelops/hack/realnode/place"
)

const (
	// startLimit limits the whole start, also on a slow and busy machine.
	startLimit = 5 * time.Minute
	// stopLimit is how long components may take to stop in order. All of them tolerate being killed after that.
	stopLimit = 5 * time.Second
	pollEvery = 100 * time.Millisecond
	// tailBytes is how many bytes of a component's log are shown when it ends.
	tailBytes = 2000
)

// Node is the configuration and state of a node.
type Node struct {
	Place place.Place
	// Home is the data folder, Node the name of the node.
	Home, Node string
	NoFsync    bool
	// Audit enables HOME/logs/audit.log with one line per request.
	Audit bool
	// Say prints a line for the user.
	Say func(format string, args ...any) `json:"-"`

	running []*running
	ended   chan error
}

type running struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
}

func (n *Node) path(parts ...string) string {
	return filepath.Join(append([]string{n.Home}, parts...)...)
}

// Run runs the node until ctx ends or a component ends. It calls ready once, when pods can run.
func (n *Node) Run(ctx context.Context, ready func() error) error {
	if !filepath.IsAbs(n.Home) {
		return fmt.Errorf("the data folder %q is not an absolute path", n.Home)
	}
	n.ended = make(chan error, 16)
	for _, dir := range []string{"etc", "logs", "volumes", "var/opt"} {
		if err := os.MkdirAll(n.path(dir), 0o755); err != nil {
			return err
		}
	}
	if err := n.writeConfigs(); err != nil {
		return err
	}
	if err := n.makeIdentities(time.Now()); err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	defer n.stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-n.ended:
			cancel(err)
		case <-ctx.Done():
		}
	}()
	limited, done := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("not ready within %s", startLimit))
	err := n.start(ctx, limited)
	done()
	if err == nil {
		err = ready()
	}
	if err != nil {
		if cause := context.Cause(limited); cause != nil && !errors.Is(cause, context.Canceled) {
			return cause
		}
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// launch starts p. If p ends before stop, the node ends.
func (n *Node) launch(p program) error {
	log, err := os.OpenFile(n.path("logs", p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.file, p.args...)
	if p.file == "" {
		cmd = exec.Command("/proc/self/exe", append([]string{p.name}, p.args...)...)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	r := &running{p.name, cmd, make(chan struct{})}
	n.running = append(n.running, r)
	go func() {
		err := cmd.Wait()
		close(r.done)
		n.ended <- fmt.Errorf("%s ended (%w):\n%s", p.name, orNil(err), tail(log.Name()))
	}()
	return nil
}

func orNil(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

// stop ends the components: first the clients of the API server and the API server itself, then etcd and containerd.
func (n *Node) stop() {
	var clients, ground []*running
	for _, r := range n.running {
		if r.name == "etcd" || r.name == "containerd" {
			ground = append(ground, r)
		} else {
			clients = append(clients, r)
		}
	}
	for _, group := range [][]*running{clients, ground} {
		limit := time.After(stopLimit)
		for _, r := range group {
			_ = r.cmd.Process.Signal(syscall.SIGTERM)
		}
		for _, r := range group {
			select {
			case <-r.done:
			case <-limit:
				limit = time.After(0)
				_ = r.cmd.Process.Kill()
				<-r.done
			}
		}
	}
}

func tail(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if at, err := f.Seek(-tailBytes, io.SeekEnd); err != nil || at < 0 {
		_, _ = f.Seek(0, io.SeekStart)
	}
	raw, _ := io.ReadAll(f)
	return strings.TrimSpace(string(raw))
}

// until calls look repeatedly until it returns nil.
func until(ctx context.Context, what string, look func(context.Context) error) error {
	for {
		err := look(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w (last seen: %w)", what, context.Cause(ctx), err)
		case <-time.After(pollEvery):
		}
	}
}
