// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/kube/ids"
)

// front is another replica of the front end over the same cluster and cache.
type front struct{ url string }

func clockAt(t time.Time) clock.PassiveClock { return clocktesting.NewFakePassiveClock(t) }

// frontEnd starts a front end with a change of its configuration, and stops it with the spec. It also accepts HTTP/2,
// so that ten thousand requests need fewer sockets.
func frontEnd(change func(*apiserver.Config)) front {
	GinkgoHelper()
	allocator := ids.New(access.Plain, systemNamespace)
	c := apiserver.Config{
		Client: access.Client, Live: access.Plain, Index: access.Index, Media: access.Media, Posts: access.Posts, Archives: access.Archives, Synced: access.Synced, Store: store, Signer: signer,
		NextShort: func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Shorts) },
		KeyPrefix: apikey.DefaultPrefix, BaseURL: public.URL, Clock: now, TextModel: true, Log: slog.New(slog.NewJSONHandler(&logged, nil)), Replica: "another",
	}
	change(&c)
	s, err := apiserver.New(c)
	Expect(err).NotTo(HaveOccurred())
	h := httptest.NewUnstartedServer(s.Public())
	h.Config.Protocols = new(http.Protocols)
	h.Config.Protocols.SetHTTP1(true)
	h.Config.Protocols.SetUnencryptedHTTP2(true)
	h.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 20_000}
	h.Start()
	DeferCleanup(h.Close)
	return front{h.URL}
}

func (f front) request(method, path, key string, body any, headers ...header) *http.Request {
	GinkgoHelper()
	doc, err := json.Marshal(body)
	Expect(err).NotTo(HaveOccurred())
	req, err := http.NewRequest(method, f.url+path, bytes.NewReader(doc))
	Expect(err).NotTo(HaveOccurred())
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	for _, h := range headers {
		req.Header.Set(h.name, h.value)
	}
	return req
}

func (f front) call(method, path, key string, body any, headers ...header) reply {
	GinkgoHelper()
	return send(f.request(method, path, key, body, headers...))
}

// gated delays the creation of slideshows until it is opened.
type gated struct {
	client.Client
	arrived, open chan struct{}
}

func (g *gated) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	if _, ok := o.(*v1beta1.Slideshow); ok {
		g.arrived <- struct{}{}
		<-g.open
	}
	return g.Client.Create(ctx, o, opts...)
}

// faults fails one write of all clients that it wraps.
type faults struct {
	failAt  int // counted from 1
	applied bool
	writes  []string
}

var errBroken = errors.New("the connection broke")

func (f *faults) write(what string, do func() error) error {
	f.writes = append(f.writes, what)
	if len(f.writes) != f.failAt {
		return do()
	}
	if f.applied {
		if err := do(); err != nil {
			return err
		}
	}
	return errBroken
}

type faulty struct {
	client.Client
	f *faults
}

func (c faulty) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	return c.f.write(fmt.Sprintf("create %T", o), func() error { return c.Client.Create(ctx, o, opts...) })
}

func (c faulty) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	return c.f.write(fmt.Sprintf("patch %T", o), func() error { return c.Client.Patch(ctx, o, p, opts...) })
}

func (c faulty) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	return c.f.write(fmt.Sprintf("delete %T", o), func() error { return c.Client.Delete(ctx, o, opts...) })
}

func (c faulty) Status() client.SubResourceWriter { return faultyStatus{c.Client.Status(), c.f} }

type faultyStatus struct {
	client.SubResourceWriter
	f *faults
}

func (c faultyStatus) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	return c.f.write(fmt.Sprintf("patch status %T", o), func() error { return c.SubResourceWriter.Patch(ctx, o, p, opts...) })
}

func (c faultyStatus) Update(ctx context.Context, o client.Object, opts ...client.SubResourceUpdateOption) error {
	return c.f.write(fmt.Sprintf("update status %T", o), func() error { return c.SubResourceWriter.Update(ctx, o, opts...) })
}

// raised sets rate limits that no test reaches.
func raised(c *apiserver.Config) {
	c.Limits = limit.New(limit.Ceilings{
		limit.Global: {Limit: 1_000_000_000, Window: time.Minute}, limit.Generation: {Limit: 1_000_000_000, Window: time.Minute},
	}, c.Clock)
}

var _ = Describe("An Idempotency-Key", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })
	body := map[string]any{"context": "Sleep well."}

	It("returns 409 with in_flight while its request is in progress, on every replica", func() {
		g := &gated{Client: access.Client, arrived: make(chan struct{}), open: make(chan struct{})}
		slow := frontEnd(func(c *apiserver.Config) { c.Client, c.Replica = g, "slow" })
		post := func(f front, body any) reply { return f.call("POST", create202, t.writer, body, once("k")) }
		first := make(chan reply)
		go func() {
			defer GinkgoRecover()
			first <- post(slow, body)
		}()
		<-g.arrived
		for _, f := range []front{slow, {public.URL}} {
			expectConflict(post(f, body), "POST /api/v1/slideshows", true)
			r := post(f, map[string]any{"context": "other"})
			Expect(r.details()).To(HaveKeyWithValue("in_flight", true))
			Expect(r.errors[0]).To(HaveKeyWithValue("retryable", false),
				"the same request later cannot succeed: it has another body")
		}
		close(g.open)
		r := <-first
		Expect(r.status).To(Equal(202), r.raw)
		for _, f := range []front{slow, {public.URL}} {
			expectReplay(post(f, body), r)
		}
	})

	It("is the same on every replica and after a restart", func() {
		first := call("POST", create202, t.writer, body, once("k"))
		restarted := frontEnd(func(c *apiserver.Config) { c.Replica = "" })
		expectReplay(restarted.call("POST", create202, t.writer, body, once("k")), first)
		expectConflict(frontEnd(func(*apiserver.Config) {}).call("POST", create202, t.writer, map[string]any{"context": "y"}, once("k")), "POST /api/v1/slideshows", false)
	})

	// The plan has one slideshow left: a second one, or a second charge, would be visible.
	It("creates one slideshow, whichever write of the front end is lost", func() {
		for n := 1; ; n++ {
			for _, applied := range []bool{false, true} {
				for _, then := range []string{"the same process", "the next process", "another replica"} {
					By(fmt.Sprintf("write %d lost, applied: %v, sent again to %s", n, applied, then))
					t = newTenant(ptr.To[int32](1))
					f := &faults{failAt: n, applied: applied}
					broken := frontEnd(func(c *apiserver.Config) {
						c.Client, c.Live, c.Replica = faulty{access.Client, f}, faulty{access.Plain, f}, "broken"
					})
					first := broken.call("POST", create202, t.writer, body, once("k"))
					if len(f.writes) < n {
						Expect(first.status).To(Equal(202), first.raw)
						Expect(n).To(BeNumerically(">", 4), "the writes are the record, the reservation, the slideshow and the answer; got %v", f.writes)
						return
					}
					again := broken
					switch then {
					case "the next process":
						again = frontEnd(func(c *apiserver.Config) { c.Replica = "broken" })
					case "another replica":
						again = frontEnd(func(c *apiserver.Config) { c.Clock = clockAt(now.Now().Add(5 * time.Second)) })
					}
					second := again.call("POST", create202, t.writer, body, once("k"))
					Expect(second.status).To(Equal(202), "%s after %s; writes %v", second.raw, first.raw, f.writes)
					if first.status == 202 {
						expectReplay(second, first)
					} else {
						Expect(first.status).To(BeNumerically(">=", 500), first.raw)
						Expect(first.errors[0]).To(HaveKeyWithValue("retryable", true))
					}
					third := call("POST", create202, t.writer, body, once("k"))
					Expect(unpack(third).Data).To(Equal(unpack(second).Data))
					Expect(third.meta).To(HaveKeyWithValue("idempotent_replay", true))
					shows, records := t.count()
					Expect(shows).To(Equal(1))
					Expect(records).To(Equal(1))
				}
			}
		}
	})

	It("creates one render, whichever write of the front end is lost", func() {
		for n := 1; n <= 3; n++ { // the record, the render, the answer
			for _, applied := range []bool{false, true} {
				By(fmt.Sprintf("write %d lost, applied: %v", n, applied))
				s, id := t.newShow(laidOut)
				path := create202 + "/" + id + "/render"
				f := &faults{failAt: n, applied: applied}
				broken := frontEnd(func(c *apiserver.Config) {
					c.Client, c.Live, c.Replica = faulty{access.Client, f}, faulty{access.Plain, f}, "broken"
				})
				first := broken.call("POST", path, t.admin, body, once("k"))
				Expect(len(f.writes)).To(BeNumerically(">=", n), first.raw)
				second := frontEnd(func(c *apiserver.Config) { c.Replica = "broken" }).call("POST", path, t.admin, body, once("k"))
				Expect(second.status).To(Equal(202), "%s after %s; writes %v", second.raw, first.raw, f.writes)
				third := call("POST", path, t.admin, body, once("k"))
				Expect(unpack(third).Data).To(Equal(unpack(second).Data))
				Expect(t.render(s.Name + "-r1").Labels).To(HaveKeyWithValue(v1beta1.LabelShort, id))
				var l v1beta1.RenderJobList
				Expect(access.Plain.List(context.Background(), &l, client.InNamespace(t.namespace), client.MatchingLabels{v1beta1.LabelShort: id})).To(Succeed())
				Expect(l.Items).To(HaveLen(1))
			}
		}
	})

	It("creates one slideshow from ten thousand concurrent requests, and one answer", func() {
		const requests = 10_000
		fronts := []front{frontEnd(func(c *apiserver.Config) { raised(c); c.Replica = "a" }), frontEnd(func(c *apiserver.Config) { raised(c); c.Replica = "b" })}
		http2 := &http.Transport{Protocols: new(http.Protocols), MaxConnsPerHost: 50} // each request in flight would dial one, and files are bounded
		http2.Protocols.SetUnencryptedHTTP2(true)
		defer http2.CloseIdleConnections()
		caller := &http.Client{Transport: http2}
		var wait sync.WaitGroup
		var firsts, refused, late atomic.Int64
		answers := make([]envelope, requests)
		start := make(chan struct{})
		began := time.Now()
		for i := range requests {
			wait.Go(func() {
				defer GinkgoRecover()
				<-start
				for {
					resp, err := caller.Do(fronts[i%len(fronts)].request("POST", create202, t.writer, body, once("k")))
					Expect(err).NotTo(HaveOccurred())
					r := read(resp)
					if r.status == 409 {
						expectConflict(r, "POST /api/v1/slideshows", true)
						refused.Add(1)
						continue
					}
					if r.status == 503 { // the machine is too busy to process this one within the time of a call
						Expect(r.errors[0]).To(HaveKeyWithValue("retryable", true))
						late.Add(1)
						continue
					}
					Expect(r.status).To(Equal(202), r.raw)
					answers[i] = unpack(r)
					if _, replayed := answers[i].Meta["idempotent_replay"]; !replayed {
						firsts.Add(1)
					}
					delete(answers[i].Meta, "idempotent_replay")
					return
				}
			})
		}
		close(start)
		wait.Wait()
		for i := range answers {
			Expect(answers[i]).To(Equal(answers[0]))
		}
		Expect(firsts.Load()).To(BeEquivalentTo(1))
		shows, records := t.count()
		Expect(shows).To(Equal(1))
		Expect(records).To(Equal(1))
		AddReportEntry("ten thousand requests", fmt.Sprintf("answered in %v; %d were told that the first one runs, %d that the service is too busy",
			time.Since(began).Round(time.Millisecond), refused.Load(), late.Load()))
	})
})
