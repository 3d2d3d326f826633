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

// Ceilings of the replicas; that of all requests is the usual one.
const (
	globalCeiling, generationCeiling, strangerCeiling = 300, 8, 12
)

// TestReplicas runs two front ends with one Redis beside each other, as behind a load balancer: it does not matter which
// of them a caller reaches. Then Redis dies, and comes back.
func TestReplicas(t *testing.T) {
	t.Setenv("REELOPS_LEADER_ELECT", "true")
	s := newStack(t)
	redis := redisserver.Start(t)
	both := []*frontEnd{s.newFrontEnd(t, "one", redis), s.newFrontEnd(t, "two", redis)}
	t.Run("the ceiling of all requests is one", func(t *testing.T) { s.sharedCeiling(t, both) })
	t.Run("the ceiling of generations is one", func(t *testing.T) { s.sharedGenerations(t, both) })
	t.Run("the ceiling of strangers is one", func(t *testing.T) { s.sharedStrangers(t, both) })
	t.Run("an idempotency key is one", func(t *testing.T) { s.sharedIdempotency(t, both) })
	t.Run("a revoked key is revoked at once", func(t *testing.T) { s.revokedAtOnce(t, both) })
	t.Run("rolled under load", s.rolled)
	t.Run("a frozen manager", s.frozenManager)
	t.Run("Redis killed and back", func(t *testing.T) { s.redisKilled(t, both, redis) })
}

// frontEnd is one replica, or another program that is run beside those of the stack.
type frontEnd struct {
	name, url, metrics string

	program, log string
	args         []string
	cmd          *exec.Cmd
	ended        chan struct{} // closed when it has ended
}

// newFrontEnd runs a replica that shares its ceilings in Redis.
func (s *stack) newFrontEnd(t *testing.T, name string, redis *redisserver.Server) *frontEnd {
	t.Helper()
	return s.runFrontEnd(t, name,
		// The machine may be busy: it is not to be taken for a Redis that does not answer.
		"--redis-url", redis.URL("")+"?dial_timeout=30s&read_timeout=30s&write_timeout=30s",
		"--trusted-proxies", "127.0.0.0/8",
		"--ceilings", fmt.Sprintf("generation=%d/1h,unauthenticated=%d/5m", generationCeiling, strangerCeiling))
}

// runFrontEnd starts a replica of the front end with what it may do in the cluster, and stops it with the test.
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
			doc, _ := os.ReadFile(f.log)
			lines := strings.Split(string(doc), "\n")
			t.Logf("the end of %s:\n%s", filepath.Base(f.log), strings.Join(lines[max(0, len(lines)-15):], "\n"))
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

// ready waits until it says so.
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
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
}

// heard is an answer as it came.
type heard struct {
	status int
	header http.Header
	body   []byte
}

// code of the first error, or the empty string.
func (h heard) code() string {
	var envelope struct{ Errors []problem }
	if json.Unmarshal(h.body, &envelope) != nil || len(envelope.Errors) == 0 {
		return ""
	}
	return envelope.Errors[0].Code
}

// ask sends one request. Headers are pairs of names and values.
func (f *frontEnd) ask(t *testing.T, method, path, body string, headers ...string) heard {
	t.Helper()
	req, err := http.NewRequest(method, f.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return heard{}
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return heard{}
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	if res.StatusCode >= http.StatusInternalServerError {
		t.Errorf("%s %s: replica %s answered %d: %s", method, path, f.name, res.StatusCode, doc)
	}
	return heard{res.StatusCode, res.Header, doc}
}

// metric is the sum of a metric of the replica over all its labels.
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

// bearer makes a key of its own, waits until both replicas know it, and returns the header. Each replica has then counted
// one request of it.
func (s *stack) bearer(t *testing.T, both []*frontEnd) []string {
	t.Helper()
	header := []string{"Authorization", "Bearer " + s.newKey(t), "X-Forwarded-For", "192.0.2.1"}
	for _, f := range both {
		// Until a replica knows the key it answers as to a stranger, whose ceiling holds up no good key.
		NewWithT(t).Eventually(func(g Gomega) {
			g.Expect(f.ask(t, http.MethodGet, "/account", "", header...).status).To(Equal(http.StatusOK))
		}).WithTimeout(patience).WithPolling(seldom).Should(Succeed())
	}
	return header
}

// crowd asks so often, every other time the other replica, many at once, and sorts the answers by their status.
func crowd(both []*frontEnd, n int, ask func(f *frontEnd) heard) map[int][]heard {
	var mu sync.Mutex
	var all sync.WaitGroup
	out := map[int][]heard{}
	turn := make(chan *frontEnd)
	for range 32 {
		all.Go(func() {
			for f := range turn {
				h := ask(f)
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

// refusals checks what callers are told beyond a ceiling.
func refusals(t *testing.T, answers []heard, bucket string, limit, window int) {
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

func (s *stack) sharedCeiling(t *testing.T, both []*frontEnd) {
	key := s.bearer(t, both)
	got := crowd(both, globalCeiling+60, func(f *frontEnd) heard { return f.ask(t, http.MethodGet, "/account", "", key...) })
	if n := len(got[http.StatusOK]); n != globalCeiling-len(both) || len(got[http.StatusTooManyRequests]) != 60+len(both) {
		t.Errorf("%d were answered, %d refused", n, len(got[http.StatusTooManyRequests]))
	}
	refusals(t, got[http.StatusTooManyRequests], "global", globalCeiling, 300)
	for _, f := range both {
		if n := f.metric(t, decidedHere); n != 0 {
			t.Errorf("replica %s decided %v times by itself", f.name, n)
		}
	}
}

// written is what both are asked to write.
const written = `{"context":"Tea in three steps. Boil the water. Let it steep. Enjoy it.","slide_count":3}`

func (s *stack) sharedGenerations(t *testing.T, both []*frontEnd) {
	key := s.bearer(t, both)
	// A request that is refused for what it says costs nothing.
	for _, f := range both {
		h := f.ask(t, http.MethodPost, "/slideshows", `{"context":"Tea.","slide_count":2}`, key...)
		if h.status != http.StatusUnprocessableEntity || h.header.Get("X-RateLimit-Remaining") != strconv.Itoa(generationCeiling) {
			t.Errorf("%d, %s remain: %s", h.status, h.header.Get("X-RateLimit-Remaining"), h.body)
		}
	}
	got := crowd(both, generationCeiling+6, func(f *frontEnd) heard { return f.ask(t, http.MethodPost, "/slideshows", written, key...) })
	if n := len(got[http.StatusAccepted]); n != generationCeiling || len(got[http.StatusTooManyRequests]) != 6 {
		t.Errorf("%d were accepted, %d refused", n, len(got[http.StatusTooManyRequests]))
	}
	refusals(t, got[http.StatusTooManyRequests], "generation", generationCeiling, 3600)
	for _, f := range both {
		h := f.ask(t, http.MethodGet, "/account", "", key...)
		if h.status != http.StatusOK || h.header.Get("X-RateLimit-Limit") != strconv.Itoa(globalCeiling) {
			t.Errorf("another endpoint answers %d, with the ceiling %s", h.status, h.header.Get("X-RateLimit-Limit"))
		}
	}
}

// sharedStrangers is about addresses that show no good key, as the proxy before both replicas tells them.
func (s *stack) sharedStrangers(t *testing.T, both []*frontEnd) {
	key := s.bearer(t, both)
	from := []string{"X-Forwarded-For", "198.51.100.7"}
	got := crowd(both, strangerCeiling+8, func(f *frontEnd) heard { return f.ask(t, http.MethodGet, "/account", "", from...) })
	if n := len(got[http.StatusUnauthorized]); n != strangerCeiling || len(got[http.StatusTooManyRequests]) != 8 {
		t.Errorf("%d were told that they have no key, %d were refused", n, len(got[http.StatusTooManyRequests]))
	}
	for _, h := range got[http.StatusUnauthorized] {
		if h.header.Get("X-RateLimit-Limit") != strconv.Itoa(strangerCeiling) || h.header.Get("X-RateLimit-Window") != "300" {
			t.Errorf("a 401 tells of the ceiling %s in %s s", h.header.Get("X-RateLimit-Limit"), h.header.Get("X-RateLimit-Window"))
		}
	}
	refusals(t, got[http.StatusTooManyRequests], "unauthenticated", strangerCeiling, 300)
	for _, f := range both {
		if h := f.ask(t, http.MethodGet, "/account", "", append(from, key[:2]...)...); h.status != http.StatusOK {
			t.Errorf("a good key from that address is answered %d", h.status)
		}
		if h := f.ask(t, http.MethodGet, "/account", "", "X-Forwarded-For", "198.51.100.8"); h.status != http.StatusUnauthorized {
			t.Errorf("another address is answered %d", h.status)
		}
	}
}

// sharedIdempotency sends one request many times at once, to both.
func (s *stack) sharedIdempotency(t *testing.T, both []*frontEnd) {
	key := append(s.bearer(t, both), "Idempotency-Key", "tea-1")
	before := s.slideshows(t)
	send := func(f *frontEnd) heard { return f.ask(t, http.MethodPost, "/slideshows", written, key...) }
	got := crowd(both, 40, send)
	accepted := got[http.StatusAccepted]
	for _, h := range got[http.StatusConflict] {
		if h.code() != "idempotency_conflict" || !bytes.Contains(h.body, []byte(`"in_flight":true`)) {
			t.Errorf("while the first one runs: %s", h.body)
		}
	}
	if len(accepted) == 0 || len(accepted)+len(got[http.StatusConflict]) != 40 {
		t.Fatalf("%d were accepted, %d told to wait", len(accepted), len(got[http.StatusConflict]))
	}
	for _, f := range both { // now that it has been answered, both replay it
		h := send(f)
		if h.status != http.StatusAccepted || !bytes.Contains(h.body, []byte(`"idempotent_replay":true`)) {
			t.Errorf("replica %s does not replay: %d %s", f.name, h.status, h.body)
		}
		accepted = append(accepted, h)
		if h := f.ask(t, http.MethodPost, "/slideshows", strings.Replace(written, "Tea", "Coffee", 1), key...); h.code() != "idempotency_conflict" {
			t.Errorf("replica %s takes another body under the same key: %d %s", f.name, h.status, h.body)
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
		t.Errorf("%d answers say that they are the first", first)
	}
	if n := s.slideshows(t) - before; n != 1 {
		t.Errorf("%d slideshows were made", n)
	}
}

// slideshows counts those of the tenant.
func (s *stack) slideshows(t *testing.T) int {
	t.Helper()
	all := &v1beta1.SlideshowList{}
	if err := s.kube.List(t.Context(), all, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	return len(all.Items)
}

// plain is an answer without what tells a replay from the first one.
func plain(body []byte) []byte {
	return regexp.MustCompile(`"idempotent_replay":(true|false)`).ReplaceAll(body, nil)
}

// revokedAtOnce revokes keys as kubectl would, and asks as soon as that has been answered: the very next call is refused.
func (s *stack) revokedAtOnce(t *testing.T, both []*frontEnd) {
	for range 2 { // more would reach the ceiling on failed authentication
		writer, reader := s.bearer(t, both), s.bearer(t, both)
		s.revoke(t, writer)
		for _, f := range both {
			if h := f.ask(t, http.MethodPost, "/slideshows", written, writer...); h.status != http.StatusUnauthorized || h.code() != "key_revoked" {
				t.Errorf("replica %s answers the next write %d %s", f.name, h.status, h.body)
			}
		}
		s.revoke(t, reader)
		for _, f := range both {
			if h := f.ask(t, http.MethodGet, "/account", "", reader...); h.status != http.StatusUnauthorized || h.code() != "key_revoked" {
				t.Errorf("replica %s answers the next read %d %s", f.name, h.status, h.body)
			}
		}
	}
}

// revoke revokes the key of a header and returns when the cluster has it.
func (s *stack) revoke(t *testing.T, header []string) {
	t.Helper()
	hash := apikey.Hash(strings.TrimPrefix(header[1], "Bearer "))
	keys := &v1beta1.APIKeyList{}
	if err := s.kube.List(t.Context(), keys, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(keys.Items, func(k v1beta1.APIKey) bool { return k.Spec.SecretSHA256 == hash })
	if at < 0 {
		t.Fatal("the key is not in the cluster")
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"revoked":true}}`))
	if err := s.kube.Patch(t.Context(), &keys.Items[at], patch); err != nil {
		t.Fatal(err)
	}
}

// redisKilled shows that the service goes on without Redis, each replica by its own count, and says so; and that counts
// are shared again when Redis is back.
func (s *stack) redisKilled(t *testing.T, both []*frontEnd, redis *redisserver.Server) {
	key := s.bearer(t, both)
	get := func(f *frontEnd) heard { return f.ask(t, http.MethodGet, "/account", "", key...) }
	redis.Kill()
	if got := crowd(both, 100, get); len(got[http.StatusOK]) != 100 {
		t.Errorf("without Redis: %d of 100 were answered", len(got[http.StatusOK]))
	}
	for _, f := range both {
		if f.metric(t, sharedUp) != 0 || f.metric(t, decidedHere) != 50 {
			t.Errorf("replica %s says %s %v, %s %v", f.name, sharedUp, f.metric(t, sharedUp), decidedHere, f.metric(t, decidedHere))
		}
		if h := f.ask(t, http.MethodPost, "/slideshows", written, key...); h.status != http.StatusAccepted {
			t.Errorf("replica %s makes nothing: %d %s", f.name, h.status, h.body)
		}
		// It knows of its half of the crowd, the slideshow and the first request.
		left := globalCeiling - 52
		got := crowd([]*frontEnd{f}, left+9, get)
		if len(got[http.StatusOK]) != left || len(got[http.StatusTooManyRequests]) != 9 {
			t.Errorf("replica %s answered %d and refused %d by its own count", f.name, len(got[http.StatusOK]), len(got[http.StatusTooManyRequests]))
		}
		refusals(t, got[http.StatusTooManyRequests], "global", globalCeiling, 300)
	}

	redis.Start()
	for _, f := range both {
		NewWithT(t).Eventually(func() float64 { return f.metric(t, sharedUp) }).
			WithTimeout(patience).WithPolling(nowAndThen).Should(Equal(1.0))
	}
	key = s.bearer(t, both)
	got := crowd(both, globalCeiling+60, get)
	if n := len(got[http.StatusOK]); n != globalCeiling-len(both) {
		t.Errorf("with Redis back, both together answered %d", n)
	}
	for _, f := range both {
		said := s.said(f.name + ".log")
		if shared, alone := strings.Count(said, "counting rate limits in Redis"), strings.Count(said, "Redis does not respond"); shared != 2 || alone != 1 {
			t.Errorf("replica %s told %d times that counts are shared and %d times that they are not", f.name, shared, alone)
		}
	}
}
