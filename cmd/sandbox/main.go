// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/deadline"
	"github.com/reelops/reelops/internal/process/flagenv"
	"github.com/reelops/reelops/internal/process/version"
	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
	"github.com/reelops/reelops/internal/social/sandbox/linkedin"
	"github.com/reelops/reelops/internal/social/sandbox/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox/youtube"
)

// shutdownTime is how long running calls may take to finish at shutdown.
const shutdownTime = 5 * time.Second

// requestTime is the timeout of one request, including body and response.
const requestTime = 10 * time.Minute

type options struct {
	listen, dir, baseURL string
	processing           time.Duration
	accounts             int
	fetchFrom            []string
}

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		// A second signal ends the program at once.
		context.AfterFunc(ctx, stop)
		err = run(ctx, o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
}

func parseOptions(args []string, out io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	f.SetOutput(out)
	version.Flag(f)
	f.StringVar(&o.listen, "listen", "127.0.0.1:8300", "address to listen on; there is no authentication of its users")
	f.StringVar(&o.dir, "dir", "sandbox-data", "directory for published posts, kept across restarts")
	f.DurationVar(&o.processing, "processing", time.Second, "processing time of an upload on the platforms")
	f.StringVar(&o.baseURL, "base-url", "", "base URL of the sandbox; default: the address of the listener")
	f.IntVar(&o.accounts, "accounts", 0, "number of accounts on each platform in addition to maya, studio and acme: account-0001 and so on")
	f.Func("fetch-from", "comma-separated URL prefixes from which platforms download videos and images, in addition to this machine's: each with a host "+
		"followed by a slash", func(list string) error {
		o.fetchFrom = strings.Split(list, ",")
		for _, prefix := range o.fetchFrom {
			if u, err := url.Parse(prefix); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.Path == "" {
				return fmt.Errorf("%q is not like http://store.example/", prefix)
			}
		}
		return nil
	})
	if err := flagenv.Set(f); err != nil {
		return nil, err
	}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case o.processing < 0:
		return nil, errors.New("--processing cannot be negative")
	case o.accounts < 0 || o.accounts > 9999:
		return nil, errors.New("--accounts must be from 0 to 9999")
	}
	return o, nil
}

// mount adds all platforms.
func mount(core *sandbox.Sandbox) {
	core.Mount(catalog.TikTok, tiktok.New(core))
	core.Mount(catalog.YouTube, youtube.New(core))
	core.Mount(catalog.Instagram, instagram.New(core))
	core.Mount(catalog.LinkedIn, linkedin.New(core))
}

// run serves until the context ends. It prints its address once it listens.
func run(ctx context.Context, o *options, out io.Writer) error {
	socket, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	defer func() { _ = socket.Close() }()
	if o.baseURL == "" {
		o.baseURL = "http://" + socket.Addr().String()
	}
	core, err := sandbox.New(sandbox.Config{BaseURL: o.baseURL, Dir: o.dir, Processing: o.processing, Extra: o.accounts, FetchFrom: o.fetchFrom})
	if err != nil {
		return err
	}
	defer func() { _ = core.Close() }()
	mount(core)
	// A slow upload of the largest video finishes within requestTime, and so does a call that hangs by script.
	server := &http.Server{Handler: deadline.Within(requestTime, core), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(socket) }()
	_, _ = fmt.Fprintln(out, "sandbox:", o.baseURL)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		return server.Close() // a call hangs by script
	}
	return nil
}
