// SPDX-License-Identifier: Apache-2.0

// Command pause holds a pod's namespaces: it waits for a signal and exits.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	<-signals
}
