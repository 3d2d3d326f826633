// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/edge"
	"github.com/reelops/reelops/internal/process/deadline"
	"github.com/reelops/reelops/internal/process/serving"
)

// requestTime is the timeout of a report or a scrape, including body and response. Other requests have their own
// timeouts.
const requestTime = 30 * time.Second

// certificate returns the TLS configuration of the API and of the internal listener; nil for plain HTTP.
func (o *options) certificate(ctx context.Context, log *slog.Logger) (*tls.Config, error) {
	if !o.tls.Set() {
		return nil, nil
	}
	return serving.Watch(ctx, o.tls, log)
}

// serve opens the three listeners, runs until the context ends and then drains. While draining it reports that it is
// not ready, keeps serving for the delay, lets running requests finish and writes the last counts.
func serve(ctx context.Context, o *options, log *slog.Logger, server *apiserver.Server, metrics http.Handler, startCache func(context.Context) error) error {
	inside, err := o.certificate(ctx, log)
	if err != nil {
		return err
	}
	scraped, err := o.metrics.TLS(ctx, log)
	if err != nil {
		return err
	}
	var servers []*http.Server
	var sockets []net.Listener
	for _, l := range []struct {
		name, address string
		handler       http.Handler
		limits        edge.Limits
	}{
		{"interface", o.listen, server.Public(), edge.Limits{
			Total: edge.MaxConnections, PerAddress: edge.MaxConnectionsPerAddress, Proxies: o.proxies, TLS: inside,
		}},
		{"internal", o.internalListen, deadline.Within(requestTime, server.Internal()), edge.Limits{TLS: inside}},
		{"metrics", o.metricsListen, deadline.Within(requestTime, metrics), edge.Limits{TLS: scraped}},
	} {
		socket, err := net.Listen("tcp", l.address)
		if err != nil {
			return fmt.Errorf("opening the %s listener: %w", l.name, err)
		}
		defer func() { _ = socket.Close() }()
		log.Info("listening", "listener", l.name, "address", socket.Addr().String(), "tls", l.limits.TLS != nil)
		sockets = append(sockets, edge.Listener(socket, l.limits))
		servers = append(servers, edge.NewServer(l.handler, log))
	}

	// The cache and the usage counts outlive the listeners, so that the last requests are still served and counted.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	var running sync.WaitGroup
	failed := make(chan error, len(servers)+1)
	background := func(do func() error) {
		running.Add(1)
		go func() {
			defer running.Done()
			if err := do(); err != nil && !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	background(func() error { return startCache(work) })
	background(func() error { server.WatchCluster(work); return nil })
	background(func() error { server.CountUse(work); return nil })
	background(func() error { server.WriteEvents(work); return nil })
	for i := range servers {
		background(func() error { return servers[i].Serve(sockets[i]) })
	}

	select {
	case err = <-failed:
	case <-ctx.Done():
		log.Info("shutting down")
		server.Drain()
		if o.drainDelay > 0 {
			<-time.After(o.drainDelay)
		}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.drainTime)
	defer cancel()
	for _, s := range servers {
		if e := s.Shutdown(end); e != nil {
			log.Warn("requests in flight were aborted", "error", e.Error())
		}
	}
	stopWork()
	running.Wait()
	return err
}
