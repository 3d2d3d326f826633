// SPDX-License-Identifier: Apache-2.0

// Command run starts all of Reelops on one machine and stops it on Ctrl-C: a local Kubernetes, the manager, the front
// end, and a sandbox in place of the social platforms. Each is a child process that is restarted when it dies. The
// command is for evaluation and development; production runs the same programs in pods.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/reelops/reelops/internal/process/loopback"
)

type options struct {
	dataDir, bin, config string
	blobURL, auditLog    string
	writer               string
	tlsDir               string
	// host and port are the address of the REST API. baseURL is its URL as clients see it.
	host, baseURL string
	port          int
	// sandboxPort is the port of the sandbox on host; 0 means any free port.
	sandboxPort int
	isolation   string
	// user is the user and group of the manager and the front end. The sandbox has the next user and the same group. 0
	// means those of this process.
	user int
	// exec is the start of a command line that runs a program beside this one, for the printed hints; empty means none.
	exec string
}

func main() {
	o := options{}
	flag.StringVar(&o.dataDir, "data-dir", ".local", "folder for all data")
	flag.StringVar(&o.bin, "bin", "bin", "folder with the built programs")
	flag.StringVar(&o.config, "config", "config/local", "kustomize folder to apply")
	flag.StringVar(&o.blobURL, "blob-url", os.Getenv("REELOPS_BLOB_URL"), "blob store URL; default: a data subfolder")
	flag.StringVar(&o.auditLog, "audit-log", "", "file for the Kubernetes audit log, as JSON lines; default: none")
	flag.StringVar(&o.writer, "writer", writerAuto, "auto: use an available text model (REELOPS_LLM_URL, "+
		"OPENAI_API_KEY or an Ollama on this machine); offline: use none")
	flag.StringVar(&o.tlsDir, "tls-dir", "", "folder with tls.crt, tls.key and ca.crt for 127.0.0.1, in PEM, for HTTPS on the API and the internal listener; default: plain HTTP")
	flag.IntVar(&o.port, "port", 8080, "port of the REST API")
	flag.StringVar(&o.host, "host", "127.0.0.1", "IP address on which the REST API and the sandbox listen; the sandbox has no authentication")
	flag.StringVar(&o.baseURL, "base-url", "", "URL of the REST API as clients see it; default: its address")
	flag.IntVar(&o.sandboxPort, "sandbox-port", 0, "port of the sandbox; default: a free port")
	flag.StringVar(&o.isolation, "isolation", "namespaces", "isolation of render pods: see localkube --help")
	flag.IntVar(&o.user, "user", 0, "user and group ID of the manager and the front end; the sandbox has the next user ID; default: those of this process")
	flag.StringVar(&o.exec, "exec", "", "start of the printed commands, such as docker exec NAME; default: they run in a shell on this machine")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	began := time.Now()
	var err error
	if o.dataDir, err = filepath.Abs(o.dataDir); err != nil {
		return err
	}
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(o.dataDir, "logs"), 0o755); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(o.dataDir, "run.lock"))
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("the data folder %s is in use by another run: stop it, or choose another folder with DATA_DIR=", o.dataDir)
	} else if err != nil {
		return fmt.Errorf("locking the data folder: %w", err)
	}
	defer unlock()
	if err := o.trust(); err != nil {
		return fmt.Errorf("--tls-dir: %w", err)
	}
	if err := loopback.Free(o.port); err != nil {
		return fmt.Errorf("port %d is not available (%w): choose another with PORT=", o.port, err)
	}
	w := writer{description: "texts are written without a model, because --writer is offline"}
	switch o.writer {
	case writerAuto:
		if w, err = findWriter(ctx, os.Getenv, ollamaAddress); err != nil {
			return err
		}
	case writerOffline:
	default:
		return fmt.Errorf("--writer must be %s or %s", writerAuto, writerOffline)
	}
	s, err := newStack(o, w)
	if err != nil {
		return err
	}
	// A child that refuses to start ends the run, and the error contains the end of its log. If a child is killed, or
	// the cluster is lost, everything starts again. Every step of the start can be repeated.
	for {
		err := s.up(ctx, began)
		s.down()
		if ctx.Err() != nil {
			logf("stopped; the data stays in %s", o.dataDir)
			return ctx.Err()
		}
		if _, ok := errors.AsType[lost](err); !ok {
			return err
		}
		logf("%v: restarting everything (see %s)", err, filepath.Join(o.dataDir, "logs"))
		began = time.Now()
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// lock locks a file for this process until the process ends.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

func logf(format string, a ...any) {
	fmt.Printf(time.Now().Format("15:04:05")+"  "+format+"\n", a...)
}

// keptPort returns a free port that is none of the others, if possible the port of the last start. Reports of renders
// that outlived a restart then still arrive, and signed URLs stay valid.
func keptPort(file string, others ...int) (int, error) {
	last, _ := os.ReadFile(file)
	wanted, _ := strconv.Atoi(strings.TrimSpace(string(last)))
	port, err := loopback.Port(wanted)
	for err == nil && slices.Contains(others, port) {
		port, err = loopback.Port(0)
	}
	if err != nil {
		return 0, err
	}
	return port, os.WriteFile(file, []byte(strconv.Itoa(port)), 0o644)
}

// answers waits until a URL responds with status 200, the context ends, or giveUp returns an error.
func answers(ctx context.Context, url string, giveUp func() error) error {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		if err := giveUp(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
