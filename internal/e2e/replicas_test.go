// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/testkit/redisserver"
)

// Rate limits of the replicas. That of all requests is the default.
const (
	globalLimit, generationLimit, unauthenticatedLimit = 300, 8, 12
)

// TestReplicas runs two front ends with one Redis, as behind a load balancer: callers may use either. Then Redis is
// killed and restarted.
func TestReplicas(t *testing.T) {
	t.Parallel()
	s := newStack(t, withEnv("REELOPS_LEADER_ELECT=true"))
	redis := redisserver.Start(t)
	both := []*frontEnd{s.newFrontEnd(t, "one", redis), s.newFrontEnd(t, "two", redis)}
	t.Run("replicas share the limit of all requests", func(t *testing.T) { s.checkSharedLimit(t, both) })
	t.Run("replicas share the limit of generations", func(t *testing.T) { s.sharedGenerations(t, both) })
	t.Run("replicas share the limit of unauthenticated requests", func(t *testing.T) { s.unauthenticatedRequests(t, both) })
	t.Run("replicas share idempotency keys", func(t *testing.T) { s.sharedIdempotency(t, both) })
	t.Run("a revoked key is rejected at once", func(t *testing.T) { s.revokedAtOnce(t, both) })
	t.Run("a rolling restart fails no request", s.rollingRestart)
	t.Run("a frozen manager publishes nothing twice", s.frozenManager)
	t.Run("replicas survive a restart of Redis", func(t *testing.T) { s.redisKilled(t, both, redis) })
}

// frontEnd is one replica, or another program that runs beside those of the stack.
type frontEnd struct {
	name, url, metrics string

	program, log string
	args, env    []string
	cmd          *exec.Cmd
	ended        chan struct{} // closed when the process has ended
}

// newFrontEnd starts a replica that shares its rate limits in Redis.
func (s *stack) newFrontEnd(t *testing.T, name string, redis *redisserver.Server) *frontEnd {
	t.Helper()
	return s.runFrontEnd(t, name,
		// Long timeouts: a busy machine must not look like an unreachable Redis.
		"--redis-url", redis.URL("")+"?dial_timeout=30s&read_timeout=30s&write_timeout=30s",
		"--trusted-proxies", "127.0.0.0/8",
		"--ceilings", fmt.Sprintf("generation=%d/1h,unauthenticated=%d/5m", generationLimit, unauthenticatedLimit))
}

// runFrontEnd starts a replica with the permissions of the front end, and stops it with the test.
func (s *stack) runFrontEnd(t *testing.T, name string, args ...string) *frontEnd {
	t.Helper()
	listen, metrics := fmt.Sprintf("127.0.0.1:%d", freePort(t)), fmt.Sprintf("127.0.0.1:%d", freePort(t))
	f := &frontEnd{
		name: name, url: "http://" + listen, metrics: "http://" + metrics + "/metrics", program: filepath.Join(s.bin, "apiserver"), log: s.path(name + ".log"),
		args: append([]string{
			"--replica", name, "--listen", listen, "--metrics-listen", metrics,
			"--internal-listen", "127.0.0.1:0", "--base-url", s.url, "--blob-url", "file://" + s.path("blobs"),
			"--signing-key-file", s.path("signing.key"), "--kubeconfig", s.path("apiserver.kubeconfig"), "--resume-dir", s.path("resume-" + name),
		}, args...),
		env: s.env,
	}
	f.run(t)
	return f
}

// run starts a program, waits until it is ready, and stops it with the test.
func (f *frontEnd) run(t *testing.T) {
	t.Helper()
	f.start(t)
	t.Cleanup(func() {
		if t.Failed() {
			showEnd(t, f.log)
		}
		_ = f.cmd.Process.Signal(syscall.SIGTERM)
		<-f.ended
	})
	f.ready(t)
}

func (f *frontEnd) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(f.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd, started, ended := exec.Command(f.program, f.args...), make(chan error), make(chan struct{})
	cmd.Env = append(os.Environ(), f.env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	go func() {
		runtime.LockOSThread() // the death signal comes when the starting thread ends: keep it
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		_ = log.Close()
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	f.cmd, f.ended = cmd, ended
}

// ready waits until the program reports that it is ready.
func (f *frontEnd) ready(t *testing.T) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		select {
		case <-f.ended:
			doc, _ := os.ReadFile(f.log)
			t.Fatalf("replica %s did not start:\n%s", f.name, doc)
		default:
		}
		res, err := http.Get(strings.TrimSuffix(f.metrics, "/metrics") + "/readyz")
		g.Expect(err).NotTo(HaveOccurred())
		_ = res.Body.Close()
		g.Expect(res.StatusCode).To(Equal(http.StatusOK))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}

// response is a response.
type response struct {
	status int
	header http.Header
	body   []byte
}

// code returns the code of the first error, or the empty string.
func (h response) code() string {
	var envelope struct{ Errors []problem }
	if json.Unmarshal(h.body, &envelope) != nil || len(envelope.Errors) == 0 {
		return ""
	}
	return envelope.Errors[0].Code
}

// call sends one request. headers are pairs of names and values.
func (f *frontEnd) call(t *testing.T, method, path, body string, headers ...string) response {
	t.Helper()
	req, err := http.NewRequest(method, f.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return response{}
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return response{}
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	if res.StatusCode >= http.StatusInternalServerError {
		t.Errorf("%s %s: replica %s returned %d: %s", method, path, f.name, res.StatusCode, doc)
	}
	return response{res.StatusCode, res.Header, doc}
}

// metric returns the sum of a metric of the replica over all its labels.
func (f *frontEnd) metric(t *testing.T, name string) (sum float64) {
	t.Helper()
	res, err := http.Get(f.metrics)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^`+name+`(?:\{[^}]*\})? (\S+)$`).FindAllSubmatch(doc, -1)
	if len(found) == 0 {
		t.Fatalf("replica %s has no metric %s", f.name, name)
	}
	for _, m := range found {
		n, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

const (
	sharedUp    = "reelops_ratelimit_shared_up"
	decidedHere = "reelops_ratelimit_local_decisions_total"
)

// bearer creates a key, waits until both replicas accept it, and returns the headers. Each replica has then counted one
// request with the key.
func (s *stack) bearer(t *testing.T, both []*frontEnd) []string {
	t.Helper()
	header := []string{"Authorization", "Bearer " + s.newKey(t), "X-Forwarded-For", "192.0.2.1"}
	for _, f := range both {
		// Until a replica knows the key, it counts the request as unauthenticated. That limit does not apply to valid
		// keys.
		NewWithT(t).Eventually(func(g Gomega) {
			g.Expect(f.call(t, http.MethodGet, "/account", "", header...).status).To(Equal(http.StatusOK))
		}).WithTimeout(waitTimeout).WithPolling(slowPoll).Should(Succeed())
	}
	return header
}

// callAll sends n requests in parallel, alternating between the replicas. It returns the responses by status.
func callAll(both []*frontEnd, n int, call func(f *frontEnd) response) map[int][]response {
	var mu sync.Mutex
	var all sync.WaitGroup
	out := map[int][]response{}
	turn := make(chan *frontEnd)
	for range 32 {
		all.Go(func() {
			for f := range turn {
				h := call(f)
				mu.Lock()
				out[h.status] = append(out[h.status], h)
				mu.Unlock()
			}
		})
	}
	for i := range n {
		turn <- both[i%len(both)]
	}
	close(turn)
	all.Wait()
	return out
}

// refusals checks the responses to requests beyond a rate limit.
func refusals(t *testing.T, answers []response, bucket string, limit, window int) {
	t.Helper()
	for _, h := range answers {
		var envelope struct {
			Errors []struct {
				Code    string
				Details struct {
					RetryAfter int `json:"retry_after_seconds"`
					Limit      int
					Window     int `json:"window_seconds"`
					Bucket     string
				}
			}
		}
		if err := json.Unmarshal(h.body, &envelope); err != nil || len(envelope.Errors) != 1 {
			t.Fatalf("%v: %s", err, h.body)
		}
		e := envelope.Errors[0]
		if e.Code != "rate_limited" || e.Details.Bucket != bucket || e.Details.Limit != limit || e.Details.Window != window ||
			e.Details.RetryAfter < 1 || e.Details.RetryAfter > window || h.header.Get("Retry-After") != strconv.Itoa(e.Details.RetryAfter) {
			t.Fatalf("Retry-After %s: %s", h.header.Get("Retry-After"), h.body)
		}
		for name, want := range map[string]int{"X-RateLimit-Limit": limit, "X-RateLimit-Remaining": 0, "X-RateLimit-Window": window} {
			if got := h.header.Get(name); got != strconv.Itoa(want) {
				t.Fatalf("%s is %q, want %d", name, got, want)
			}
		}
	}
}

func (s *stack) checkSharedLimit(t *testing.T, both []*frontEnd) {
	key := s.bearer(t, both)
	got := callAll(both, globalLimit+60, func(f *frontEnd) response { return f.call(t, http.MethodGet, "/account", "", key...) })
	if n := len(got[http.StatusOK]); n != globalLimit-len(both) || len(got[http.StatusTooManyRequests]) != 60+len(both) {
		t.Errorf("%d requests were accepted, %d rejected", n, len(got[http.StatusTooManyRequests]))
	}
	refusals(t, got[http.StatusTooManyRequests], "global", globalLimit, 300)
	for _, f := range both {
		if n := f.metric(t, decidedHere); n != 0 {
			t.Errorf("replica %s made %v decisions without Redis", f.name, n)
		}
	}
}

// written is the body of the requests that create slideshows.
const written = `{"context":"Tea in three steps. Boil the water. Let it steep. Enjoy it.","slide_count":3}`

func (s *stack) sharedGenerations(t *testing.T, both []*frontEnd) {
	key := s.bearer(t, both)
	// A request with an invalid body does not count.
	for _, f := range both {
		h := f.call(t, http.MethodPost, "/slideshows", `{"context":"Tea.","slide_count":2}`, key...)
		if h.status != http.StatusUnprocessableEntity || h.header.Get("X-RateLimit-Remaining") != strconv.Itoa(generationLimit) {
			t.Errorf("invalid request: got %d with %s remaining: %s",
				h.status, h.header.Get("X-RateLimit-Remaining"), h.body)
		}
	}
	got := callAll(both, generationLimit+6, func(f *frontEnd) response { return f.call(t, http.MethodPost, "/slideshows", written, key...) })
	if n := len(got[http.StatusAccepted]); n != generationLimit || len(got[http.StatusTooManyRequests]) != 6 {
		t.Errorf("%d requests were accepted, %d rejected", n, len(got[http.StatusTooManyRequests]))
	}
	refusals(t, got[http.StatusTooManyRequests], "generation", generationLimit, 3600)
	for _, f := range both {
		h := f.call(t, http.MethodGet, "/account", "", key...)
		if h.status != http.StatusOK || h.header.Get("X-RateLimit-Limit") != strconv.Itoa(globalLimit) {
			t.Errorf("another endpoint returned %d with limit %s", h.status, h.header.Get("X-RateLimit-Limit"))
		}
	}
}

// unauthenticatedRequests sends requests without a valid key, with client addresses as a proxy reports them.
func (s *stack) unauthenticatedRequests(t *testing.T, both []*frontEnd) {
	key := s.bearer(t, both)
	from := []string{"X-Forwarded-For", "198.51.100.7"}
	got := callAll(both, unauthenticatedLimit+8, func(f *frontEnd) response { return f.call(t, http.MethodGet, "/account", "", from...) })
	if n := len(got[http.StatusUnauthorized]); n != unauthenticatedLimit || len(got[http.StatusTooManyRequests]) != 8 {
		t.Errorf("%d requests got a 401, %d a 429", n, len(got[http.StatusTooManyRequests]))
	}
	for _, h := range got[http.StatusUnauthorized] {
		if h.header.Get("X-RateLimit-Limit") != strconv.Itoa(unauthenticatedLimit) || h.header.Get("X-RateLimit-Window") != "300" {
			t.Errorf("a 401 has limit %s per %s s",
				h.header.Get("X-RateLimit-Limit"), h.header.Get("X-RateLimit-Window"))
		}
	}
	refusals(t, got[http.StatusTooManyRequests], "unauthenticated", unauthenticatedLimit, 300)
	for _, f := range both {
		if h := f.call(t, http.MethodGet, "/account", "", append(from, key[:2]...)...); h.status != http.StatusOK {
			t.Errorf("a valid key from that address: got %d, want 200", h.status)
		}
		if h := f.call(t, http.MethodGet, "/account", "", "X-Forwarded-For", "198.51.100.8"); h.status != http.StatusUnauthorized {
			t.Errorf("another address: got %d, want 401", h.status)
		}
	}
}

// sharedIdempotency sends one request many times in parallel to both replicas.
func (s *stack) sharedIdempotency(t *testing.T, both []*frontEnd) {
	key := append(s.bearer(t, both), "Idempotency-Key", "tea-1")
	before := s.slideshows(t)
	send := func(f *frontEnd) response { return f.call(t, http.MethodPost, "/slideshows", written, key...) }
	got := callAll(both, 40, send)
	accepted := got[http.StatusAccepted]
	for _, h := range got[http.StatusConflict] {
		if h.code() != "idempotency_conflict" || !bytes.Contains(h.body, []byte(`"in_flight":true`)) {
			t.Errorf("a request during the first one: %s", h.body)
		}
	}
	if len(accepted) == 0 || len(accepted)+len(got[http.StatusConflict]) != 40 {
		t.Fatalf("%d requests were accepted, %d rejected as in progress", len(accepted), len(got[http.StatusConflict]))
	}
	for _, f := range both { // the first request has completed, so both replay it
		h := send(f)
		if h.status != http.StatusAccepted || !bytes.Contains(h.body, []byte(`"idempotent_replay":true`)) {
			t.Errorf("replica %s does not replay: %d %s", f.name, h.status, h.body)
		}
		accepted = append(accepted, h)
		if h := f.call(t, http.MethodPost, "/slideshows", strings.Replace(written, "Tea", "Coffee", 1), key...); h.code() != "idempotency_conflict" {
			t.Errorf("replica %s accepts another body with the same key: %d %s", f.name, h.status, h.body)
		}
	}
	first := 0
	for _, h := range accepted {
		if !bytes.Contains(h.body, []byte(`"idempotent_replay":true`)) {
			first++
		}
		if !bytes.Equal(plain(h.body), plain(accepted[0].body)) {
			t.Errorf("the answers differ:\n%s\n%s", accepted[0].body, h.body)
		}
	}
	if first != 1 {
		t.Errorf("got %d answers that are not replays, want 1", first)
	}
	if n := s.slideshows(t) - before; n != 1 {
		t.Errorf("got %d slideshows, want 1", n)
	}
}

// slideshows returns the number of slideshows of the tenant.
func (s *stack) slideshows(t *testing.T) int {
	t.Helper()
	all := &v1beta1.SlideshowList{}
	if err := s.kube.List(t.Context(), all, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	return len(all.Items)
}

// plain returns a response body without the field that marks a replay.
func plain(body []byte) []byte {
	return regexp.MustCompile(`"idempotent_replay":(true|false)`).ReplaceAll(body, nil)
}

// revokedAtOnce revokes keys as kubectl does. The next request after the response is rejected.
func (s *stack) revokedAtOnce(t *testing.T, both []*frontEnd) {
	for range 2 { // more would reach the rate limit of failed authentication
		writer, reader := s.bearer(t, both), s.bearer(t, both)
		s.revoke(t, writer)
		for _, f := range both {
			if h := f.call(t, http.MethodPost, "/slideshows", written, writer...); h.status != http.StatusUnauthorized || h.code() != "key_revoked" {
				t.Errorf("write with a revoked key: replica %s returned %d %s", f.name, h.status, h.body)
			}
		}
		s.revoke(t, reader)
		for _, f := range both {
			if h := f.call(t, http.MethodGet, "/account", "", reader...); h.status != http.StatusUnauthorized || h.code() != "key_revoked" {
				t.Errorf("read with a revoked key: replica %s returned %d %s", f.name, h.status, h.body)
			}
		}
	}
}

// revoke revokes the key of a header and returns when the API server has stored that.
func (s *stack) revoke(t *testing.T, header []string) {
	t.Helper()
	hash := apikey.Hash(strings.TrimPrefix(header[1], "Bearer "))
	keys := &v1beta1.APIKeyList{}
	if err := s.kube.List(t.Context(), keys, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(keys.Items, func(k v1beta1.APIKey) bool { return k.Spec.SecretSHA256 == hash })
	if at < 0 {
		t.Fatal("the cluster has no such key")
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"revoked":true}}`))
	if err := s.kube.Patch(t.Context(), &keys.Items[at], patch); err != nil {
		t.Fatal(err)
	}
}

// redisKilled checks that without Redis each replica counts by itself and reports that. When Redis is back, the
// replicas share the counts again.
func (s *stack) redisKilled(t *testing.T, both []*frontEnd, redis *redisserver.Server) {
	key := s.bearer(t, both)
	get := func(f *frontEnd) response { return f.call(t, http.MethodGet, "/account", "", key...) }
	redis.Kill()
	if got := callAll(both, 100, get); len(got[http.StatusOK]) != 100 {
		t.Errorf("without Redis: got %d responses of 100", len(got[http.StatusOK]))
	}
	for _, f := range both {
		if f.metric(t, sharedUp) != 0 || f.metric(t, decidedHere) != 50 {
			t.Errorf("replica %s: got %s %v, %s %v",
				f.name, sharedUp, f.metric(t, sharedUp), decidedHere, f.metric(t, decidedHere))
		}
		if h := f.call(t, http.MethodPost, "/slideshows", written, key...); h.status != http.StatusAccepted {
			t.Errorf("replica %s creates no slideshow: %d %s", f.name, h.status, h.body)
		}
		// The replica counted half of the requests of the crowd, the slideshow and the first request.
		left := globalLimit - 52
		got := callAll([]*frontEnd{f}, left+9, get)
		if len(got[http.StatusOK]) != left || len(got[http.StatusTooManyRequests]) != 9 {
			t.Errorf("replica %s counted alone: %d requests were accepted, %d rejected",
				f.name, len(got[http.StatusOK]), len(got[http.StatusTooManyRequests]))
		}
		refusals(t, got[http.StatusTooManyRequests], "global", globalLimit, 300)
	}

	redis.Start()
	for _, f := range both {
		NewWithT(t).Eventually(func() float64 { return f.metric(t, sharedUp) }).
			WithTimeout(waitTimeout).WithPolling(poll).Should(Equal(1.0))
	}
	key = s.bearer(t, both)
	got := callAll(both, globalLimit+60, get)
	if n := len(got[http.StatusOK]); n != globalLimit-len(both) {
		t.Errorf("with Redis back: %d requests were accepted", n)
	}
	for _, f := range both {
		logText := s.logText(f.name + ".log")
		if shared, alone := strings.Count(logText, "counting rate limits in Redis"), strings.Count(logText, "Redis does not respond"); shared != 2 || alone != 1 {
			t.Errorf("replica %s logged %d times that counts are shared and %d times that they are not, want 2 and 1",
				f.name, shared, alone)
		}
	}
}
