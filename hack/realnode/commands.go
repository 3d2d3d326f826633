// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/hack/realnode/parts"
	"github.com/reelops/reelops/hack/realnode/place"
	"github.com/reelops/reelops/hack/realnode/space"
)

const (
	// insideArg as the first argument makes the program run the node inside its space.
	insideArg = "inside-of-a-space"
	// stopLimit is how long a node may take to stop in order.
	stopLimit = 60 * time.Second
	// readyLimit limits the wait for a node in the background.
	readyLimit = 6 * time.Minute
	pollEvery  = 100 * time.Millisecond
)

// state is the content of DIR/state.json: the data that `down` needs if the node was killed.
type state struct {
	Place place.Place `json:"place"`
	// PID is the process of `realnode up`.
	PID int `json:"pid"`
}

// needed maps required programs to the Debian packages that contain them.
var needed = map[string]string{"containerd": "containerd", "ctr": "containerd", "runc": "runc", "nft": "nftables", "/usr/lib/cni/ptp": "containernetworking-plugins"}

func up(args []string) error {
	f := flag.NewFlagSet("up", flag.ExitOnError)
	dir := f.String("data-dir", "", "`folder` for all persistent data (required)")
	detach := f.Bool("detach", false, "run in the background; return when pods can run")
	noFsync := f.Bool("unsafe-no-fsync", false, "do not sync to disk; a power failure may lose data (for tests)")
	audit := f.Bool("audit", false, "write an audit log to DIR/logs/audit.log, one line per request")
	_ = f.Parse(args)
	abs, err := dataDir(f, *dir)
	if err != nil {
		return err
	}
	if os.Getuid() != 0 {
		return errors.New("realnode must run as root: it creates mounts, links and control groups")
	}
	for program, pkg := range needed {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing; install Debian's package %s", program, pkg)
		}
	}
	if err := os.MkdirAll(filepath.Join(abs, "logs"), 0o755); err != nil {
		return err
	}
	if *detach {
		return background(abs, args)
	}
	return foreground(abs, *noFsync, *audit)
}

func foreground(dir string, noFsync, audit bool) error {
	say := func(format string, args ...any) { fmt.Printf("realnode: "+format+"\n", args...) }
	begin := time.Now()
	held, err := lock(dir)
	if err != nil {
		return err
	}
	defer held.Close()
	p, err := prepare(dir)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := parts.Furnish(dir, program); err != nil {
		return err
	}
	readyReader, readyWriter, err := os.Pipe()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	settings, err := json.Marshal(parts.Node{Place: p, NoFsync: noFsync, Audit: audit})
	if err != nil {
		return err
	}
	s, err := space.Start(space.Options{Place: p, Dir: dir, Args: []string{insideArg, string(settings)}, Output: os.Stdout, Ready: readyWriter})
	readyWriter.Close()
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	go func() {
		if line, _ := bufio.NewReader(readyReader).ReadString('\n'); line == "ready\n" {
			if err := os.WriteFile(filepath.Join(dir, "ready"), nil, 0o600); err == nil {
				say("ready in %s: KUBECONFIG=%s", time.Since(begin).Round(100*time.Millisecond), filepath.Join(dir, "kubeconfig"))
			}
		}
	}()
	select {
	case err = <-ended:
		err = fmt.Errorf("the node ended unexpectedly (%w); see the logs in %s", orNil(err), filepath.Join(dir, "logs"))
	case <-ctx.Done():
		stop() // a second signal kills the process, and the kernel ends the space with it
		say("stopping")
		s.Stop()
		select {
		case <-ended:
		case <-time.After(stopLimit):
			s.Kill()
			<-ended
		}
	}
	return errors.Join(err, os.Remove(filepath.Join(dir, "state.json")), ignoreMissing(os.Remove(filepath.Join(dir, "ready"))), space.Sweep(p))
}

func orNil(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

// prepare removes the remains of an earlier run that was killed, and chooses a free place. The place is the same as
// last time unless other nodes were started or stopped since. Kubeconfigs are written again for it.
func prepare(dir string) (place.Place, error) {
	if err := ignoreMissing(os.Remove(filepath.Join(dir, "ready"))); err != nil {
		return 0, err
	}
	if st, err := readState(dir); err == nil {
		if err := space.Sweep(st.Place); err != nil {
			return 0, err
		}
	}
	p, err := space.Choose()
	if err != nil {
		return 0, err
	}
	raw, err := json.Marshal(state{Place: p, PID: os.Getpid()})
	if err != nil {
		return 0, err
	}
	return p, os.WriteFile(filepath.Join(dir, "state.json"), raw, 0o600)
}

func readState(dir string) (state, error) {
	var st state
	raw, err := os.ReadFile(filepath.Join(dir, "state.json"))
	if err == nil {
		err = json.Unmarshal(raw, &st)
	}
	return st, err
}

// inside runs the node in the space. It writes to file 3 when pods can run.
func inside(args []string) error {
	if len(args) != 1 {
		return errors.New("this command is internal")
	}
	var n parts.Node
	if err := json.Unmarshal([]byte(args[0]), &n); err != nil {
		return err
	}
	n.Home, n.Node = space.Home, space.HostName
	n.Say = func(format string, args ...any) { fmt.Printf("realnode: "+format+"\n", args...) }
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := space.Network(n.Place); err != nil {
		return fmt.Errorf("configuring the node's network: %w", err)
	}
	ready := os.NewFile(3, "ready")
	unix.CloseOnExec(3)
	return n.Run(ctx, func() error {
		_, err := ready.WriteString("ready\n")
		return errors.Join(err, ready.Close())
	})
}

// background starts this program again without --detach, and waits until the node is ready.
func background(dir string, args []string) error {
	var rest []string
	for _, a := range args {
		if strings.TrimLeft(a, "-") != "detach" {
			rest = append(rest, a)
		}
	}
	log, err := os.OpenFile(filepath.Join(dir, "logs", "realnode.log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := ignoreMissing(os.Remove(filepath.Join(dir, "ready"))); err != nil {
		return err
	}
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	cmd := exec.Command("/proc/self/exe", append([]string{"up"}, rest...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	limit := time.After(readyLimit)
	for {
		select {
		case err := <-ended:
			raw, _ := io.ReadAll(io.NewSectionReader(log, from, 1<<20))
			return fmt.Errorf("%w: %s", orNil(err), strings.TrimSpace(string(raw)))
		case <-limit:
			_ = cmd.Process.Signal(syscall.SIGTERM)
			<-ended
			return fmt.Errorf("not ready within %s; see %s", readyLimit, filepath.Join(dir, "logs"))
		case <-time.After(pollEvery):
			if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
				raw, _ := io.ReadAll(io.NewSectionReader(log, from, 1<<20))
				fmt.Print(string(raw))
				return nil
			}
		}
	}
}

func down(args []string) error {
	f := flag.NewFlagSet("down", flag.ExitOnError)
	dir := f.String("data-dir", "", "the node's `folder` (required)")
	keep := f.Bool("keep-data", false, "keep the data folder for a later start")
	_ = f.Parse(args)
	abs, err := dataDir(f, *dir)
	if err != nil {
		return err
	}
	st, err := readState(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := end(abs, st); err != nil {
			return err
		}
	}
	if *keep {
		return nil
	}
	if _, err := os.Stat(filepath.Join(abs, "lock")); errors.Is(err, fs.ErrNotExist) {
		return nil // not a node's folder, or there is none
	}
	return os.RemoveAll(abs)
}

// end stops the process that holds the folder's lock, and removes its remains.
func end(dir string, st state) error {
	for deadline := time.Now().Add(stopLimit + 10*time.Second); ; {
		held, err := lock(dir)
		if err == nil {
			// No process holds the lock: the remains are from a process that was killed.
			defer held.Close()
			return errors.Join(space.Sweep(st.Place), ignoreMissing(os.Remove(filepath.Join(dir, "state.json"))), ignoreMissing(os.Remove(filepath.Join(dir, "ready"))))
		}
		if time.Now().After(deadline) {
			return err
		}
		if err := syscall.Kill(st.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		// Do not send a second signal: it would kill the process before it has cleaned up.
		for range 600 {
			if syscall.Kill(st.PID, 0) != nil {
				break
			}
			time.Sleep(pollEvery)
		}
	}
}

func load(args []string) error {
	f := flag.NewFlagSet("load", flag.ExitOnError)
	dir := f.String("data-dir", "", "the node's `folder` (required)")
	_ = f.Parse(args)
	if *dir == "" || f.NArg() == 0 {
		return errors.New("load requires --data-dir DIR and archives")
	}
	for _, name := range f.Args() {
		r, err := os.Open(name)
		if err != nil {
			return err
		}
		err = parts.Import(context.Background(), *dir, r)
		r.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func dataDir(f *flag.FlagSet, dir string) (string, error) {
	if dir == "" || f.NArg() > 0 {
		return "", errors.New(f.Name() + " requires --data-dir DIR and accepts no arguments")
	}
	return filepath.Abs(dir)
}

// lock locks the folder for this process. The kernel releases the lock when the process ends.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("a node is running in %s; stop it with `realnode down --data-dir %s`", dir, dir)
	}
	return f, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
