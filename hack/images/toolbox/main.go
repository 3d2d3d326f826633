// SPDX-License-Identifier: Apache-2.0

// Command toolbox checks a network from inside a pod: whether a name resolves, a port accepts connections, or a page is
// served. It exits with 0 for yes and 1 for no.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const usage = `usage:
  toolbox sleep              sleep until a signal
  toolbox get URL            print the response; fail if the status is 400 or more
  toolbox dial HOST:PORT     fail if no TCP connection is possible
  toolbox resolve NAME       print the addresses
  toolbox serve :PORT        respond to every request with "ok"
TOOLBOX_TIMEOUT is the timeout of a command (5s).
TOOLBOX_TOKEN_FILE is a file with the bearer token for get; if unset, get sends none.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "toolbox:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 1 && args[0] == "sleep" {
		<-ctx.Done()
		return nil
	}
	if len(args) != 2 {
		return errors.New(usage)
	}
	if args[0] == "serve" {
		return serve(ctx, args[1])
	}
	timeout := 5 * time.Second
	if s := os.Getenv("TOOLBOX_TIMEOUT"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			return err
		}
		timeout = d
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch args[0] {
	case "get":
		return get(ctx, args[1], out)
	case "dial":
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", args[1])
		if err != nil {
			return err
		}
		return conn.Close()
	case "resolve":
		addresses, err := net.DefaultResolver.LookupHost(ctx, args[1])
		for _, a := range addresses {
			fmt.Fprintln(out, a)
		}
		return err
	}
	return errors.New(usage)
}

func get(ctx context.Context, url string, out io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	if file := os.Getenv("TOOLBOX_TOKEN_FILE"); file != "" {
		token, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(out, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s", resp.Status)
	}
	return nil
}

func serve(ctx context.Context, address string) error {
	s := &http.Server{
		Addr: address, ReadHeaderTimeout: 5 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }),
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
