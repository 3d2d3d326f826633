// SPDX-License-Identifier: Apache-2.0

// Command standalone is the first process of the image that contains all of Reelops. It starts the program run with the
// settings of the image, passes signals on to it, and ends with its exit status. As the first process of a container it
// also reaps the processes that have lost their parent.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Paths and ports of the image. The recipe of the image and the Compose file have the same ones; a test compares them.
const (
	dataDir     = "/data"
	programs    = "/usr/bin"
	manifests   = "/usr/share/reelops/config/local"
	port        = "8080"
	sandboxPort = "8300"
)

// user is the user of the manager and the front end: that of the other images.
const user = "65532"

// defaultURL is the URL of the front end if REELOPS_URL is not set.
const defaultURL = "http://localhost:" + port

func main() {
	if user := os.Getuid(); user != 0 {
		fmt.Fprintf(os.Stderr, "standalone: the container runs as user %d; start it as root, without --user: "+
			"it drops its rights by itself\n", user)
		os.Exit(1)
	}
	status, err := supervise(programs+"/run", arguments(os.Getenv("REELOPS_URL"), os.Args[1:]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "standalone:", err)
		os.Exit(1)
	}
	os.Exit(status)
}

// arguments returns the arguments of run. Those of the caller are last, so that they replace the settings of the image.
func arguments(url string, further []string) []string {
	return append([]string{
		"--data-dir", dataDir, "--bin", programs, "--config", manifests,
		"--host", "0.0.0.0", "--port", port, "--base-url", cmp.Or(url, defaultURL), "--sandbox-port", sandboxPort,
		"--isolation", "auto", "--user", user, "--exec", "docker exec CONTAINER",
	}, further...)
}

// supervise runs a program, passes signals on to it, and reaps all processes until the program ends. It returns the
// exit status as a shell reports it.
func supervise(program string, args []string) (int, error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP)
	// os.Process is not used: its Wait would compete with the loop below.
	pid, err := syscall.ForkExec(program, append([]string{program}, args...), &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", program, err)
	}
	go func() {
		for s := range signals {
			if s, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(pid, s) // it may have ended
			}
		}
	}()
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, fmt.Errorf("waiting for processes: %w", err)
		case ended == pid && status.Signaled():
			return 128 + int(status.Signal()), nil
		case ended == pid && status.Exited():
			return status.ExitStatus(), nil
		}
	}
}
