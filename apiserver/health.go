// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

const (
	// usualClusterPatience is how long a front end stays ready while the cluster does not respond.
	usualClusterPatience = time.Minute
	// storeTime is the timeout of a readiness check of the blob store.
	storeTime = 3 * time.Second
)

// Drain makes the server report that it is not ready, so that load balancers send no new callers. From then on each
// response closes its connection, and calls that wait for a change return at once.
func (s *Server) Drain() { s.drain() }

// leaving sets "Connection: close" on responses while the server drains, so that callers open their next connection
// elsewhere. Otherwise the server could close a connection while the caller is sending a request, and that request
// would fail.
func (s *Server) leaving(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isDraining() {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

func (s *Server) isDraining() bool {
	select {
	case <-s.draining:
		return true
	default:
		return false
	}
}

var errNotSynced = errors.New("the cache is not synced yet")

func (s *Server) synced() error {
	if !s.config.Synced() {
		return errNotSynced
	}
	return nil
}

// condition is one requirement for readiness.
type condition struct {
	name string
	// bad returns the reason why the condition does not hold, or nil.
	bad func(context.Context) error
}

// conditions returns the readiness conditions. They cover this process alone, as far as possible. An outage of
// something that all replicas share must not take all of them out: requests that do not need it still work, and the
// others get a 503.
//
// So the store counts only until it has responded once. This detects a wrong setting but ignores a later outage. The
// cluster counts only after ClusterPatience, which is longer than an API server restart. A replica that stays cut off
// for longer serves stale data.
func (s *Server) conditions() []condition {
	return []condition{
		{"serving", func(context.Context) error {
			if s.isDraining() {
				return errors.New("shutting down")
			}
			return nil
		}},
		{"cache", func(context.Context) error { return s.synced() }},
		{"store", s.storeReached},
		{"cluster", func(context.Context) error {
			if s.config.Gate == nil {
				return nil
			}
			at := s.config.Gate.Answered()
			if at.IsZero() {
				return errors.New("the cluster has not responded yet")
			}
			if silent := s.config.Clock.Since(at); silent > s.config.ClusterPatience {
				return fmt.Errorf("the cluster has not responded for %s", silent.Round(time.Second))
			}
			return nil
		}},
	}
}

func (s *Server) storeReached(ctx context.Context) error {
	if s.reached.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if _, err := s.config.Store.Exists(ctx, "readyz"); err != nil {
		s.config.Log.Warn("the blob store has not responded yet", "error", err.Error())
		return errors.New("the blob store has not responded yet")
	}
	s.reached.Store(true)
	return nil
}

// WatchCluster makes the gate probe the cluster whenever its availability is in doubt, until the context ends.
func (s *Server) WatchCluster(ctx context.Context) {
	if s.config.Gate == nil {
		return
	}
	s.config.Gate.Run(ctx, func(ctx context.Context) error {
		// A read from the cluster's storage. A missing object counts as a response.
		err := s.config.Live.Get(ctx, client.ObjectKey{Namespace: s.config.Library, Name: v1beta1.AccountName}, &v1beta1.Account{})
		return client.IgnoreNotFound(err)
	})
}

func alive(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") }

// health serves /healthz (the process is alive) and /readyz (callers can be sent to it). With ?verbose, /readyz lists
// every condition.
func (s *Server) health(m *http.ServeMux) {
	m.HandleFunc("GET /healthz", alive)
	m.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		var all string
		var first error
		for _, c := range s.conditions() {
			if err := c.bad(r.Context()); err != nil {
				all += fmt.Sprintf("[-]%s: %s\n", c.name, err)
				if first == nil {
					first = err
				}
				continue
			}
			all += fmt.Sprintf("[+]%s\n", c.name)
		}
		_, verbose := r.URL.Query()["verbose"]
		switch {
		case first != nil && verbose:
			http.Error(w, all+"not ready", http.StatusServiceUnavailable)
		case first != nil:
			http.Error(w, "not ready: "+first.Error(), http.StatusServiceUnavailable)
		case verbose:
			_, _ = fmt.Fprint(w, all+"ok\n")
		default:
			_, _ = fmt.Fprintln(w, "ok")
		}
	})
}
