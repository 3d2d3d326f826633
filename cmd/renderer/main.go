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
)

// Exit codes; doc.go explains them.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUnsaid  = 2
	exitStopped = 128 + int(syscall.SIGTERM)
)

func main() {
	o, err := readOptions(os.Args[1:], os.Getenv, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(exitOK)
	case err != nil:
		os.Stderr.WriteString("renderer: " + err.Error() + "\n")
		os.Exit(exitUnsaid)
	}
	os.Exit(untilStopped(o))
}

// untilStopped runs one render; a polite signal ends it early.
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
	return newRun(o, slog.New(slog.NewJSONHandler(os.Stderr, nil))).do(ctx)
}
