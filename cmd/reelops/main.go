// SPDX-License-Identifier: Apache-2.0

// Command reelops administers Reelops: accounts, brands, API keys, music, approval of posts, backup and diagnosis. Linked as kubectl-reelops it is
// the kubectl plugin `kubectl reelops`. It reads the kubeconfig as kubectl does and needs no running Reelops. docs/plugin.md lists commands and exit codes.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	err := execute(ctx, newRootCommand(newFactory(streams)))
	if err != nil {
		_, _ = fmt.Fprintln(streams.ErrOut, "error:", err)
	}
	os.Exit(exitCode(err))
}
