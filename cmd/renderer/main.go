// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/work/child"
)

// Exit codes, as described in doc.go.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUnreported = 2
	exitStopped    = 128 + int(syscall.SIGTERM)
)

func main() {
	o, err := readOptions(os.Args[1:], os.Getenv, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(exitOK)
	case err != nil:
		os.Stderr.WriteString("renderer: " + err.Error() + "\n")
		os.Exit(exitUnreported)
	}
	os.Exit(untilStopped(o))
}

// keepToItself prevents child processes from reading this process. They run as the same user, and its environment and
// memory have signed URLs. It returns the missing parts of the confinement of the system.
func keepToItself(log *slog.Logger) (unconfined []string, err error) {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		log.Warn("protecting memory from child processes failed", "error", err)
	}
	lacks, err := child.Lacks()
	for _, lack := range lacks {
		log.Warn("confinement of programs incomplete", "part", lack.Part, "error", lack.Err)
		unconfined = append(unconfined, lack.Part)
	}
	return unconfined, err
}

// untilStopped executes the order. SIGTERM and SIGINT stop it.
func untilStopped(o options) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	go func() {
		<-signals
		cancel(errStopped)
	}()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	r := newRun(o, log)
	var err error
	if r.unconfined, err = keepToItself(log); err != nil {
		log.Error("confining programs failed", "error", err)
		return exitUnreported
	}
	return r.do(ctx)
}
