// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// balancer is a load balancer: it sends calls to the ready front ends in turn.
type balancer struct {
	behind []*behind
	turn   atomic.Uint64
}

type behind struct {
	f     *frontEnd
	proxy *httputil.ReverseProxy
	// ready reports whether the last probe was successful; serves whether it got any response.
	ready, serves atomic.Bool
}

// newBalancer starts a balancer, which probes the front ends until the test ends. A call that fails in the proxy
// returns a 502.
func newBalancer(t *testing.T, front ...*frontEnd) *httptest.Server {
	t.Helper()
	b := &balancer{}
	ctx, stop := context.WithCancel(context.Background())
	var probes sync.WaitGroup
	for _, f := range front {
		u, err := url.Parse(f.url)
		if err != nil {
			t.Fatal(err)
		}
		h := &behind{f: f, proxy: httputil.NewSingleHostReverseProxy(u)}
		b.behind = append(b.behind, h)
		h.proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 32} // connections are reused, as in a load balancer
		h.proxy.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
			http.Error(w, fmt.Sprintf("%s %s by %s: %v", r.Method, r.URL.Path, f.name, err), http.StatusBadGateway)
		}
		probes.Go(func() {
			for ctx.Err() == nil {
				res, err := http.Get(f.url + "/readyz")
				if err == nil {
					_ = res.Body.Close()
				}
				h.serves.Store(err == nil)
				h.ready.Store(err == nil && res.StatusCode == http.StatusOK)
				select {
				case <-ctx.Done():
				case <-time.After(20 * time.Millisecond):
				}
			}
		})
	}
	server := httptest.NewServer(b)
	t.Cleanup(func() { server.Close(); stop(); probes.Wait() })
	return server
}

// ServeHTTP sends a request to the next front end that is ready. If none is ready, it uses one that is shutting down or
// has just started: Kubernetes also sends requests to terminating pods if no other exists.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	first := b.turn.Add(1) // one value per request: other requests increment it meanwhile
	n := uint64(len(b.behind))
	for i := range n {
		if h := b.behind[(first+i)%n]; h.ready.Load() {
			h.proxy.ServeHTTP(w, r)
			return
		}
	}
	for i := range n {
		if h := b.behind[(first+i)%n]; h.serves.Load() {
			h.proxy.ServeHTTP(w, r)
			return
		}
	}
	http.Error(w, "no front end serves", http.StatusBadGateway)
}

// rollingRestart restarts the front ends one after the other while callers read, validate and create. No request fails,
// and every slideshow was created once. REELOPS_ROLLS sets the number of rounds for longer runs.
func (s *stack) rollingRestart(t *testing.T) {
	rolls := 1
	if n, err := strconv.Atoi(os.Getenv("REELOPS_ROLLS")); err == nil {
		rolls = n
	}
	key := s.newKey(t)
	flags := []string{"--drain-delay", "2s", "--ceilings", "global=1000000/5m,generation=1000/1h"}
	both := []*frontEnd{s.runFrontEnd(t, "left", flags...), s.runFrontEnd(t, "right", flags...)}
	for _, f := range both {
		(&api{f.url, key}).known(t)
	}
	server := newBalancer(t, both...)
	(&api{server.URL, key}).known(t)

	before := s.slideshows(t)
	var calls, made atomic.Int64
	stop := make(chan struct{})
	var callers sync.WaitGroup
	load := func(pause time.Duration, method, path, body string, want int, did *atomic.Int64) {
		callers.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				case <-time.After(pause):
				}
				req, err := http.NewRequest(method, server.URL+"/api/v1"+path, bytes.NewReader([]byte(body)))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+key)
				req.Header.Set("Content-Type", "application/json")
				res, err := client.Do(req)
				if err != nil {
					t.Errorf("%s %s: %v", method, path, err)
					return
				}
				doc, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil || res.StatusCode != want {
					t.Errorf("%s %s: %d %s %v", method, path, res.StatusCode, doc, err)
					return
				}
				did.Add(1)
			}
		})
	}
	for range 3 {
		load(5*time.Millisecond, http.MethodGet, "/shorts", "", http.StatusOK, &calls)
		load(5*time.Millisecond, http.MethodGet, "/account", "", http.StatusOK, &calls)
		// No proxy or client retries a POST by itself.
		load(5*time.Millisecond, http.MethodPost, "/posts/validate", `{"short_id":999999,"platforms":["tiktok"]}`, http.StatusNotFound, &calls)
	}
	load(500*time.Millisecond, http.MethodPost, "/slideshows", written, http.StatusAccepted, &made)
	// Requests of both kinds succeed before the first restart and after each, whatever its duration. A caller that
	// failed has returned, so the wait ends.
	served := func() {
		c, m := calls.Load(), made.Load()
		NewWithT(t).Eventually(func() bool { return t.Failed() || calls.Load() > c && made.Load() > m }).
			WithTimeout(waitTimeout).WithPolling(fastPoll).Should(BeTrue(), "new requests succeed")
	}
	served()
	for range rolls {
		for _, f := range both {
			f.restart(t)
			served()
		}
	}
	close(stop)
	callers.Wait()
	if n := s.slideshows(t) - before; n != int(made.Load()) {
		t.Errorf("%d slideshows were accepted, and %d exist", made.Load(), n)
	}
	t.Logf("%d requests and %d creations during %d restarts of front ends", calls.Load(), made.Load(), rolls*len(both))
}

// restart stops a front end gracefully, as in a rolling update, and starts it again.
func (f *frontEnd) restart(t *testing.T) {
	t.Helper()
	_ = f.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-f.ended:
	case <-time.After(waitTimeout):
		t.Fatalf("replica %s does not exit", f.name)
	}
	if code := f.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("replica %s exited with %d, want 0", f.name, code)
	}
	f.start(t)
	f.ready(t)
}
