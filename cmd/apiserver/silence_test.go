// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

const (
	// mostCalls is the limit of calls in flight, a quarter of which may change something. writers exceeds that quarter.
	mostCalls, writers = 40, 30
	// silence is the tenant's namespace.
	silence = "silence"
)

// TestClusterOutage_EachWriteSucceedsOnce stops etcd, and then cuts the connection to the cluster, while many clients
// write. All writers get the API's error and are asked to retry; reads are served. After the outage each write succeeds
// exactly once, without intervention.
func TestClusterOutage_EachWriteSucceedsOnce(t *testing.T) {
	env, admin := cluster(t)
	must(t, admin.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: silence}}))
	way := newWay(t, env.Config.Host)
	dir := t.TempDir()
	kubeconfig, err := frontEndUser(t, env).KubeConfig()
	must(t, err)
	if !bytes.Contains(kubeconfig, []byte(way.to)) {
		t.Fatalf("the kubeconfig does not connect to %s", way.to)
	}
	kubeconfig = bytes.ReplaceAll(kubeconfig, []byte(way.to), []byte(way.address))
	must(t, os.WriteFile(filepath.Join(dir, "kubeconfig"), kubeconfig, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "key"), bytes.Repeat([]byte("k"), 32), 0o600))
	secret := tenant(t, admin, silence)
	public, metrics := freePort(t), freePort(t)
	o, err := parseOptions([]string{
		"--listen=" + public, "--internal-listen=" + freePort(t), "--metrics-listen=" + metrics, "--base-url=http://" + public,
		"--blob-url=file://" + filepath.Join(dir, "blobs"), "--signing-key-file=" + filepath.Join(dir, "key"), "--kubeconfig=" + filepath.Join(dir, "kubeconfig"),
		"--log-level=error", "--audit-log=" + filepath.Join(dir, "audit"), fmt.Sprintf("--max-calls=%d", mostCalls),
		"--ceilings=global=100000/5m,generation=1000/1h", "--drain-time=2s",
	}, io.Discard)
	must(t, err)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(running, o) }()
	defer func() { stop(); must(t, <-ended) }()
	awaitReady(t, "http://"+metrics+"/readyz", ended)

	etcd := child(t, "etcd")
	for _, c := range []struct {
		name       string
		begin, end func()
	}{
		{"etcd is frozen", func() { must(t, syscall.Kill(etcd, syscall.SIGSTOP)) }, func() { must(t, syscall.Kill(etcd, syscall.SIGCONT)) }},
		{"the connection is cut", way.cut, way.mend},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slideshows(t, admin)
			c.begin()
			crowd := beginWriting(t, c.name, "http://"+public, secret)
			awaitAway(t, metrics)
			if status, body := call(t, http.MethodGet, "http://"+public+"/api/v1/shorts", secret, ""); status != http.StatusOK {
				t.Errorf("a list returned %d: %s", status, body)
			}
			if status, _ := call(t, http.MethodGet, "http://"+metrics+"/readyz", secret, ""); status != http.StatusOK {
				t.Error("the front end is not ready, so no replica can return the 503")
			}
			if n := gauge(t, metrics, "reelops_api_calls_under_way"); n > mostCalls {
				t.Errorf("%v calls are in progress", n)
			}
			crowd.awaitRefusals(2 * writers)
			c.end()
			crowd.wait()
			if n := slideshows(t, admin) - before; n != writers {
				t.Errorf("got %d slideshows, want one for each of %d keys", writers, n)
			}
		})
	}
}

// crowd holds writers, each with its own idempotency key, that retry until they are accepted.
type crowd struct {
	t        *testing.T
	all      sync.WaitGroup
	refusals chan struct{}
}

func beginWriting(t *testing.T, name, base, secret string) *crowd {
	t.Helper()
	c := &crowd{t: t, refusals: make(chan struct{}, 1<<16)}
	for i := range writers {
		c.all.Go(func() {
			for !c.write(base, secret, fmt.Sprintf("%s %d", name, i)) {
				select {
				case <-t.Context().Done():
					return
				case <-time.After(20 * time.Millisecond): // a real client waits as long as Retry-After requires
				}
			}
		})
	}
	return c
}

// write reports whether the write was accepted.
func (c *crowd) write(base, secret, key string) bool {
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, base+"/api/v1/slideshows", strings.NewReader(`{"context":"Sleep well."}`))
	if err != nil {
		c.t.Error(err)
		return true
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Errorf("%s: %v", key, err)
		return true
	}
	defer func() { _ = res.Body.Close() }()
	var told struct {
		Errors []struct {
			Code      string
			Retryable bool
			Details   map[string]any
		}
	}
	doc, err := io.ReadAll(res.Body)
	switch res.StatusCode {
	case http.StatusAccepted:
		return true
	case http.StatusConflict: // the previous attempt is still running
		if !bytes.Contains(doc, []byte(`"in_flight":true`)) {
			c.t.Errorf("%s: %s", key, doc)
			return true
		}
	case http.StatusServiceUnavailable:
		seconds, wrong := strconv.Atoi(res.Header.Get("Retry-After"))
		if err != nil || wrong != nil || seconds < 1 || json.Unmarshal(doc, &told) != nil || len(told.Errors) != 1 ||
			told.Errors[0].Code != "internal_error" || !told.Errors[0].Retryable || told.Errors[0].Details["request_id"] != res.Header.Get("X-Request-Id") {
			c.t.Errorf("%s: Retry-After %q: %s", key, res.Header.Get("Retry-After"), doc)
			return true
		}
		select {
		case c.refusals <- struct{}{}:
		default:
		}
	default:
		c.t.Errorf("%s: %d %s", key, res.StatusCode, doc)
		return true
	}
	return false
}

func (c *crowd) awaitRefusals(n int) {
	for range n {
		select {
		case <-c.refusals:
		case <-time.After(time.Minute):
			c.t.Fatal("no request was rejected")
		}
	}
}

func (c *crowd) wait() {
	c.t.Helper()
	done := make(chan struct{})
	go func() { c.all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		c.t.Fatal("the outage is over, but requests are still rejected")
	}
}

func awaitAway(t *testing.T, metrics string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); gauge(t, metrics, "reelops_api_cluster_up") != 0; <-time.After(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the front end does not detect that the cluster is unavailable")
		}
	}
}

func gauge(t *testing.T, metrics, name string) float64 {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(get(t, "http://"+metrics+"/metrics"))
	if found == nil {
		t.Fatalf("there is no metric %s", name)
	}
	n, err := strconv.ParseFloat(found[1], 64)
	must(t, err)
	return n
}

func slideshows(t *testing.T, admin client.Client) int {
	t.Helper()
	all := &v1beta1.SlideshowList{}
	must(t, admin.List(t.Context(), all, client.InNamespace(silence)))
	return len(all.Items)
}

// way is a proxy to the cluster that can be cut.
type way struct {
	address, to string

	mu    sync.Mutex
	open  map[net.Conn]bool
	isCut bool
}

func newWay(t *testing.T, to string) *way {
	t.Helper()
	u, err := url.Parse(to)
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	w := &way{address: l.Addr().String(), to: u.Host, open: map[net.Conn]bool{}}
	go func() {
		for {
			here, err := l.Accept()
			if err != nil {
				return
			}
			go w.lead(here)
		}
	}()
	return w
}

func (w *way) lead(here net.Conn) {
	there, err := net.Dial("tcp", w.to)
	if err != nil || !w.begin(here, there) {
		_ = here.Close()
		return
	}
	go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
	_, _ = io.Copy(here, there)
	_ = here.Close()
}

func (w *way) begin(ends ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range ends {
		if w.isCut {
			_ = c.Close()
		} else {
			w.open[c] = true
		}
	}
	return !w.isCut
}

func (w *way) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for c := range w.open {
		_ = c.Close()
	}
	clear(w.open)
}

func (w *way) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = false
}

// child returns the process of a name that this test started.
func child(t *testing.T, name string) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	for _, path := range stats {
		doc, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		var pid, parent int
		var state string
		if _, err := fmt.Sscanf(strings.Replace(string(doc), " ("+name+") ", " ", 1), "%d %1s %d", &pid, &state, &parent); err == nil && parent == os.Getpid() {
			return pid
		}
	}
	t.Fatalf("there is no process %s", name)
	return 0
}
