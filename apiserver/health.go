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
	// usualClusterPatience is for how long a front end that the cluster does not answer stays ready.
	usualClusterPatience = time.Minute
	// storeTime is how long the store may take to answer the first question.
	storeTime = 3 * time.Second
)

// Drain makes the server say that it is not ready, so that no new callers are sent to it, and ask those who come for a new connection
// after each answer. Calls that wait for a change are answered at once.
func (s *Server) Drain() { s.drain() }

// leaving asks callers to come by another connection next time, once the server drains: one that is closed under a caller who is just
// sending is a call that failed.
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

var errNotSynced = errors.New("the cache is not filled yet")

func (s *Server) synced() error {
	if !s.config.Synced() {
		return errNotSynced
	}
	return nil
}

// condition is one thing that has to be so for callers to be sent here.
type condition struct {
	name string
	// bad says why it is not so, or nil.
	bad func(context.Context) error
}

// conditions are about this process alone, as far as it can tell. What all replicas share, and then lack together, takes none of them out:
// nobody would be left to say 503, and to answer what needs nothing of it. So the store counts until it has answered once, which tells a
// wrong setting from a bad hour; and the cluster for longer than it takes to start again, for a replica that is cut off serves old news.
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
				return errors.New("the cluster has not answered yet")
			}
			if silent := s.config.Clock.Since(at); silent > s.config.ClusterPatience {
				return fmt.Errorf("the cluster has not answered for %s", silent.Round(time.Second))
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
		s.config.Log.Warn("the blob store has not answered yet", "error", err.Error())
		return errors.New("the blob store has not answered yet")
	}
	s.reached.Store(true)
	return nil
}

// WatchCluster has the gate ask the cluster, whenever it is in doubt whether it is there, until the context ends.
func (s *Server) WatchCluster(ctx context.Context) {
	if s.config.Gate == nil {
		return
	}
	s.config.Gate.Run(ctx, func(ctx context.Context) error {
		// An object is read from where the cluster keeps it, whether or not it is there.
		err := s.config.Live.Get(ctx, client.ObjectKey{Namespace: s.config.Library, Name: v1beta1.AccountName}, &v1beta1.Account{})
		return client.IgnoreNotFound(err)
	})
}

func alive(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") }

// health answers /healthz, whether the process lives, and /readyz, whether callers should be sent to it; with ?verbose, why.
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
