// SPDX-License-Identifier: Apache-2.0

// Command reelops administers Reelops: accounts, brands, API keys, music, approval of posts, automations, links to the
// console, backup and diagnosis. Linked as kubectl-reelops it is the kubectl plugin `kubectl reelops`. It reads the
// kubeconfig as kubectl does and needs no running Reelops. docs/reference/plugin.md lists commands and exit codes.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The libraries also log the errors that they return.
	klog.SetLogger(logr.Discard())
	ctrllog.SetLogger(logr.Discard())
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	err := execute(ctx, newRootCommand(newFactory(streams)))
	if err != nil {
		_, _ = fmt.Fprintln(streams.ErrOut, "error:", err)
	}
	os.Exit(exitCode(err))
}
