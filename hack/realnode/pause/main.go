// SPDX-License-Identifier: Apache-2.0

// Command pause is the process that holds a pod's namespaces: it waits, and ends
// when it is told to.
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
