// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// callers send requests with idempotency keys at the same time.
const callers = 32

// TestIdempotency repeatedly kills the programs that create slideshows during requests with idempotency keys. Callers
// repeat each request until it is accepted, as the API documents. Every request creates one slideshow.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	manager := s.holdManager(t, process{})
	f := s.newKillableFrontEnd(t)
	f.start(t)
	t.Run("the front end killed during a thousand requests", func(t *testing.T) {
		s.createDuringKills(t, f, "front", 1000, 20, func() {
			f.kill(t)
			f.start(t)
		})
	})
	t.Run("Kubernetes killed during requests", func(t *testing.T) {
		s.createDuringKills(t, f, "kubernetes", 300, 1, func() {
			manager.resume() // it is stopped gracefully and started again
			s.kill(t, "localkube")
			s.holdManager(t, manager)
		})
	})
}

// holdManager freezes the manager once it is another process than before. Generating the slides is not part of this
// test and would take an hour.
func (s *stack) holdManager(t *testing.T, before process) process {
	t.Helper()
	var held process
	NewWithT(t).Eventually(func(g Gomega) {
		running := s.find("manager")
		g.Expect(running).To(HaveLen(1))
		g.Expect(running[0].began).NotTo(Equal(before.began))
		held = running[0]
	}).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(Succeed())
	held.freeze()
	t.Cleanup(held.resume)
	return held
}

// createDuringKills sends requests while a process is killed repeatedly, and checks that each request created one
// slideshow.
func (s *stack) createDuringKills(t *testing.T, f *killableFrontEnd, name string, requests, kills int, kill func()) {
	c := &creates{t: t, url: f.url, key: s.newKey(t), name: name, answers: make([]string, requests)}
	c.known()
	began := time.Now()
	todo := make(chan int)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for i := range todo {
				c.make(i)
			}
		})
	}
	all.Go(func() {
		for i := range requests {
			todo <- i
		}
		close(todo)
	})
	for n := range kills {
		due := int64((n + 1) * requests / (kills + 1))
		NewWithT(t).Eventually(c.accepted.Load).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(BeNumerically(">=", due),
			"accepted requests before kill %d", n+1)
		if c.accepted.Load() == int64(requests) {
			t.Errorf("kill %d follows the last request", n+1)
		}
		kill()
	}
	all.Wait()
	t.Logf("%d requests accepted in %s with %d kills: %d broken, %d rejected temporarily, %d answers replayed",
		c.accepted.Load(), time.Since(began).Round(time.Second), kills, c.broken.Load(), c.refused.Load(), c.replayed.Load())
	if c.broken.Load()+c.refused.Load() == 0 {
		t.Error("no kill interrupted a request")
	}
	c.checkOnce(s)
}

// creates sends requests that create slideshows, and stores the answers.
type creates struct {
	t        *testing.T
	url, key string
	// name distinguishes these requests from those of other subtests.
	name string
	// answers are the data of the first answer that each caller received.
	answers                             []string
	accepted, broken, refused, replayed atomic.Int64
}

// known waits until the front end accepts the key.
func (c *creates) known() {
	a := &api{c.url, c.key}
	NewWithT(c.t).Eventually(func(g Gomega) {
		out, err := a.do(http.MethodGet, "/account", nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(out.status).To(Equal(http.StatusOK))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}

// make sends request i until it is accepted, and stores the answer.
func (c *creates) make(i int) {
	data, replayed := c.settle(i)
	c.answers[i] = data
	c.accepted.Add(1)
	if replayed {
		c.replayed.Add(1)
	}
}

// settle sends request i until it is accepted.
func (c *creates) settle(i int) (data string, replayed bool) {
	// A failed caller must not stop the others, as the end of a test would.
	NewGomega(func(message string, _ ...int) { c.t.Error(message) }).Eventually(func() (ok bool) {
		data, replayed, ok = c.send(i)
		return ok
	}).WithTimeout(3*waitTimeout).WithPolling(poll).Should(BeTrue(), "request %d is accepted", i)
	return data, replayed
}

// context returns the context of request i.
func (c *creates) context(i int) string { return fmt.Sprintf("Slideshow %d of %s.", i, c.name) }

// send sends request i once. A rejection is correct if the error is retryable.
func (c *creates) send(i int) (data string, replayed, ok bool) {
	req, err := http.NewRequest(http.MethodPost, c.url+"/api/v1/slideshows", strings.NewReader(fmt.Sprintf(`{"context":%q}`, c.context(i))))
	if err != nil {
		c.t.Error(err)
		return "", false, false
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", c.name, i))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.broken.Add(1)
		return "", false, false
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err != nil {
		c.broken.Add(1)
		return "", false, false
	}
	var envelope struct {
		Data json.RawMessage
		Meta struct {
			Replayed bool `json:"idempotent_replay"`
		}
		Errors []problem
	}
	if err := json.Unmarshal(doc, &envelope); err != nil {
		c.t.Errorf("request %d: %d: %v: %s", i, res.StatusCode, err, doc)
		return "", false, false
	}
	if res.StatusCode == http.StatusAccepted {
		return string(envelope.Data), envelope.Meta.Replayed, true
	}
	c.refused.Add(1)
	if len(envelope.Errors) != 1 || !envelope.Errors[0].Retryable {
		c.t.Errorf("request %d: the error is not retryable: %d %s", i, res.StatusCode, doc)
	}
	return "", false, false
}

// checkOnce checks that every request created one slideshow and has one answer.
func (c *creates) checkOnce(s *stack) {
	t := c.t
	ids := map[int64]int{}
	for i, was := range c.answers {
		data, replayed := c.settle(i)
		if !replayed || data != was {
			t.Errorf("request %d, repeated: replayed %v\nfirst %s\nthen  %s", i, replayed, was, data)
		}
		var j job
		if err := json.Unmarshal([]byte(data), &j); err != nil {
			t.Error(err)
		}
		if other, taken := ids[j.ID]; taken {
			t.Errorf("requests %d and %d returned the same job %d", other, i, j.ID)
		}
		ids[j.ID] = i
	}
	var shows v1beta1.SlideshowList
	if err := s.kube.List(t.Context(), &shows, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, show := range shows.Items {
		if !strings.HasSuffix(show.Spec.Context, " of "+c.name+".") {
			continue
		}
		made++
		var id int64
		if _, err := fmt.Sscan(show.Labels[v1beta1.LabelID], &id); err != nil {
			t.Errorf("slideshow %s has no id", show.Name)
		}
		if i, told := ids[id]; !told || show.Spec.Context != c.context(i) {
			t.Errorf("slideshow %s: no answer contains it, or one to another request: %q", show.Name, show.Spec.Context)
		}
	}
	if made != len(c.answers) || len(ids) != len(c.answers) {
		t.Errorf("got %d slideshows and %d ids in answers, want %d of each", made, len(ids), len(c.answers))
	}
}

// killableFrontEnd is an additional front end that the test kills and restarts.
type killableFrontEnd struct {
	url  string
	args []string
	log  string
	cmd  *exec.Cmd
	// ended is closed when the process has ended.
	ended chan struct{}
	bin   string
}

func (s *stack) newKillableFrontEnd(t *testing.T) *killableFrontEnd {
	t.Helper()
	listen := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	f := &killableFrontEnd{
		url: "http://" + listen, log: s.path("mortal.log"), bin: filepath.Join(s.bin, "apiserver"),
		args: []string{
			"--replica", "mortal", "--listen", listen, "--metrics-listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0",
			"--base-url", s.url, "--blob-url", "file://" + s.path("blobs"), "--signing-key-file", s.path("signing.key"),
			"--kubeconfig", s.path("apiserver.kubeconfig"), "--ceilings", "global=1000000/5m,generation=1000000/1h", "--log-level", "error",
			"--resume-dir", s.path("resume-mortal"),
		},
	}
	t.Cleanup(func() {
		if f.cmd != nil {
			_ = f.cmd.Process.Kill()
			<-f.ended
		}
		if t.Failed() {
			t.Logf("log of the front end:\n%s", s.logText("mortal.log"))
		}
	})
	return f
}

// start starts the process; callers retry until it responds.
func (f *killableFrontEnd) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(f.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	f.cmd = exec.Command(f.bin, f.args...)
	f.cmd.Stdout, f.cmd.Stderr = log, log
	f.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	f.ended = make(chan struct{})
	started := make(chan error)
	go func(cmd *exec.Cmd, ended chan struct{}) {
		runtime.LockOSThread() // the death signal is sent when the starting thread ends: keep it
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		_ = log.Close()
		close(ended)
	}(f.cmd, f.ended)
	if err := <-started; err != nil {
		t.Fatal(err)
	}
}

// kill kills the process, as in a crash.
func (f *killableFrontEnd) kill(t *testing.T) {
	t.Helper()
	select {
	case <-f.ended:
		t.Fatal("the front end exited early")
	default:
	}
	_ = f.cmd.Process.Kill()
	<-f.ended
}
