// SPDX-License-Identifier: Apache-2.0

package node

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/reelops/reelops/hack/localkube/logfile"
)

// followEvery is the polling interval of a followed log.
const followEvery = 200 * time.Millisecond

// serve serves the kubelet endpoint that the API server calls for kubectl logs. It accepts only the API server's client
// certificate.
func (n *Node) serve(ctx context.Context, l net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", n.logs)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "the local node supports only container logs (no exec, attach or port-forward)", http.StatusNotImplemented)
	})
	srv := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{n.serving}, MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert,
			VerifyConnection: func(s tls.ConnectionState) error {
				if len(s.PeerCertificates) == 0 || !bytes.Equal(s.PeerCertificates[0].Raw, n.caller.Raw) {
					return os.ErrPermission
				}
				return nil
			},
		},
	}
	context.AfterFunc(ctx, func() { srv.Close() })
	n.all.Go(func() { _ = srv.ServeTLS(l, "", "") })
}

func (n *Node) logs(w http.ResponseWriter, r *http.Request) {
	file, worker, ok := n.logFile(r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container"))
	if !ok {
		http.Error(w, "the local node has no such container", http.StatusNotFound)
		return
	}
	q := r.URL.Query()
	o := logfile.Options{Tail: -1, Timestamps: q.Get("timestamps") == "true"}
	if v, err := strconv.ParseInt(q.Get("tailLines"), 10, 64); err == nil {
		o.Tail = v
	}
	if v, err := strconv.ParseInt(q.Get("limitBytes"), 10, 64); err == nil {
		o.LimitBytes = v
	}
	if v, err := strconv.ParseInt(q.Get("sinceSeconds"), 10, 64); err == nil {
		o.Since = n.clock.Now().Add(-time.Duration(v) * time.Second)
	} else if t, err := time.Parse(time.RFC3339, q.Get("sinceTime")); err == nil {
		o.Since = t
	}
	follow := q.Get("follow") == "true"
	if q.Get("previous") == "true" {
		file, follow = file+".previous", false
		if _, err := os.Stat(file); err != nil {
			http.Error(w, "there is no previous run of this container", http.StatusBadRequest)
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain")
	place, err := logfile.Read(file, o, w)
	if err != nil || !follow {
		return
	}
	flush := http.NewResponseController(w)
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		_ = flush.Flush()
		ended := worker.ended(r.PathValue("container"))
		if place, err = logfile.More(file, o, place, w); err != nil || ended {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

func (n *Node) logFile(ns, name, container string) (string, *worker, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.workers {
		if p := w.seen.Load(); p != nil && p.Namespace == ns && p.Name == name {
			return filepath.Join(w.dir, filepath.Base(container), "log"), w, true
		}
	}
	return "", nil, false
}

// ended reports whether a container will write no more output. It is safe for concurrent use.
func (w *worker) ended(container string) bool {
	p := w.seen.Load()
	if over(p.Status.Phase) {
		return true
	}
	for _, s := range append(append([]corev1.ContainerStatus{}, p.Status.InitContainerStatuses...), p.Status.ContainerStatuses...) {
		if s.Name == container && s.State.Terminated != nil {
			return true
		}
	}
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}
