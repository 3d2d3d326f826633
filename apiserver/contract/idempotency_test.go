// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/catalog"
)

// together runs a function many times concurrently.
func together(n int, do func(i int)) {
	GinkgoHelper()
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer GinkgoRecover()
			defer all.Done()
			do(i)
		}()
	}
	all.Wait()
}

// plenty sets rate limits that no spec reaches.
func plenty(c *apiserver.Config) {
	c.Limits = limit.New(limit.Ceilings{
		limit.Global: {Limit: 1e6, Window: time.Hour}, limit.Generation: {Limit: 1e6, Window: time.Hour}, limit.Posting: {Limit: 1e6, Window: time.Hour},
		limit.Unauthenticated: {Limit: 1e6, Window: time.Hour}, limit.AnalyticsRefresh: {Limit: 1e6, Window: time.Hour},
	}, c.Clock)
}

var _ = Describe("Idempotency", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	// These are cheap: no slides are laid out for a context that cannot be written.
	body := object{"context": unwritable, "slide_count": 3, "title": "Mornings"}
	create := func(once string, body any) *request { return post("/slideshows", body).with(key).once(once) }
	shows := func() int {
		GinkgoHelper()
		var l v1beta1.SlideshowList
		Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
		return len(l.Items)
	}

	It("replays the stored answer for the same key and body, and runs nothing twice", func() {
		first := create("k-1", body).succeeds(202)
		Expect(first.meta()).NotTo(HaveKey("idempotent_replay"))
		settled(key, first.id("data.job_id"))
		again := create("k-1", body).succeeds(202)
		Expect(again.at("data")).To(Equal(first.at("data")), "the stored answer, not the present state")
		Expect(again.at("meta.idempotent_replay")).To(BeTrue())
		Expect(again.header.Get("Retry-After")).To(Equal(first.header.Get("Retry-After")))
		Expect(shows()).To(Equal(1))
	})

	It("replays the meta of the first answer", func() {
		first := create("k-1", object{"context": unwritable, "colour": "red"}).succeeds(202)
		Expect(first.meta()).To(Equal(object{"ignored_fields": []any{"colour"}}))
		Expect(create("k-1", object{"context": unwritable, "colour": "red"}).succeeds(202).meta()).
			To(Equal(object{"ignored_fields": []any{"colour"}, "idempotent_replay": true}))
	})

	It("compares bodies as JSON values", func() {
		create("k-1", `{"context":"`+unwritable+`","slide_count":3}`).succeeds(202)
		again := create("k-1", "{ \"slide_count\" : 3,\n \"context\": \""+unwritable+"\" }").succeeds(202)
		Expect(again.at("meta.idempotent_replay")).To(BeTrue())
	})

	It("rejects the same key with another body with idempotency_conflict", func() {
		create("k-1", body).succeeds(202)
		a := create("k-1", object{"context": unwritable}).refused(409, catalog.IdempotencyConflict)
		Expect(a.details()).To(Equal(object{"endpoint": "POST /api/v1/slideshows", "in_flight": false}))
		Expect(a.at("errors.0.retryable")).To(BeFalse())
	})

	It("treats another brand as another body", func() {
		_, other := t.brand("other")
		create("k-1", body).succeeds(202)
		post("/slideshows?brand_id=%d", other, body).with(key).once("k-1").refused(409, catalog.IdempotencyConflict)
		post("/slideshows?brand_id=%d", t.acmeID, body).with(key).once("k-1").succeeds(202)
	})

	It("rejects the same key during the first request as retryable, with in_flight", func() {
		gate := &gate{Client: access.Plain, arrived: make(chan struct{}), open: make(chan struct{})}
		cached := &gatedClient{Client: access.Client, gate: gate}
		f := newFront(frontOptions{change: func(c *apiserver.Config) { c.Live, c.Client = gate, cached }})
		answered := make(chan *answer, 1)
		go func() {
			defer GinkgoRecover()
			answered <- create("k-1", body).at(f).send()
		}()
		Eventually(gate.arrived).Should(BeClosed())
		a := create("k-1", body).at(f).refused(409, catalog.IdempotencyConflict)
		Expect(a.details()).To(Equal(object{"endpoint": "POST /api/v1/slideshows", "in_flight": true}))
		Expect(a.at("errors.0.retryable")).To(BeTrue())
		b := create("k-1", object{"context": unwritable}).at(f).refused(409, catalog.IdempotencyConflict)
		Expect(b.at("errors.0.retryable")).To(BeFalse(), "another body is rejected as not retryable")
		close(gate.open)
		var first *answer
		Eventually(answered).Should(Receive(&first))
		Expect(first.status).To(Equal(202), first.raw)
		Expect(create("k-1", body).at(f).succeeds(202).at("data")).To(Equal(first.at("data")))
		Expect(shows()).To(Equal(1))
	})

	It("stores nothing without the header", func() {
		post("/slideshows", body).with(key).succeeds(202)
		Expect(post("/slideshows", body).with(key).succeeds(202).meta()).To(BeEmpty())
		Expect(shows()).To(Equal(2))
	})

	It("applies to one API key and one exact path", func() {
		create("k-1", body).succeeds(202)
		Expect(create("k-1", body).with(t.everything()).succeeds(202).meta()).To(BeEmpty())
		Expect(create("K-1", body).succeeds(202).meta()).To(BeEmpty())
		one, two := t.laidOut(), t.laidOut()
		for _, id := range []int64{one, two} {
			Expect(post("/slideshows/%d/render", id, nothing).with(key).once("k-1").succeeds(202).meta()).To(BeEmpty())
		}
		a := post("/slideshows/%d/render?brand_id=%d", one, t.acmeID, object{}).with(key).once("k-1").succeeds(202)
		Expect(a.at("meta.idempotent_replay")).To(BeTrue(),
			"an empty body equals {}, and the query is not part of the path")
		c := post("/slideshows/%d/render", one, object{"format": "video"}).with(key).once("k-1").refused(409, catalog.IdempotencyConflict)
		Expect(c.details()).To(HaveKeyWithValue("endpoint", fmt.Sprintf("POST /api/v1/slideshows/%d/render", one)))
	})

	It("stores only accepted requests: a rejected one may be corrected and sent with the same key", func() {
		create("k-1", object{"context": ""}).refused(422, catalog.ValidationFailed)
		create("k-1", "{").refused(400, catalog.BadRequest)
		Expect(create("k-1", body).succeeds(202).meta()).To(BeEmpty())
		post("/slideshows/999999999/render", nothing).with(key).once("k-2").refused(404, catalog.NotFound)
		Expect(shows()).To(Equal(1))
	})

	It("lasts for 24 hours, across restarts and on every replica", func() {
		clock := clocktesting.NewFakePassiveClock(time.Now())
		late := newFront(frontOptions{change: func(c *apiserver.Config) { c.Clock = clock; plenty(c) }})
		first := create("k-1", body).succeeds(202)
		other := newFront(frontOptions{change: replica})
		a := create("k-1", body).at(other).succeeds(202)
		Expect(a.at("data")).To(Equal(first.at("data")))
		clock.SetTime(clock.Now().Add(24*time.Hour - 10*time.Second))
		Expect(create("k-1", body).at(late).succeeds(202).at("meta.idempotent_replay")).To(BeTrue())
		clock.SetTime(clock.Now().Add(20 * time.Second))
		b := create("k-1", body).at(late).succeeds(202)
		Expect(b.meta()).NotTo(HaveKey("idempotent_replay"))
		Expect(b.at("data.job_id")).NotTo(Equal(first.at("data.job_id")))
	})

	DescribeTable("rejects an invalid key with 400 bad_request about the header", func(once string) {
		a := create(once, body).refused(400, catalog.BadRequest)
		Expect(a.details()).To(Equal(object{"parameter": "Idempotency-Key"}))
	},
		Entry("empty", ""), Entry("256 characters", strings.Repeat("k", 256)), Entry("a tabulator in the middle", "a\tb"), Entry("not UTF-8", "a\xffb"),
	)

	It("accepts a key of 255 characters of any script", func() {
		create(strings.Repeat("k", 255), body).succeeds(202)
		create(strings.Repeat("ä", 255), body).succeeds(202)
	})

	It("ignores the header on other operations", func() {
		for _, once := range []string{"k-1", "", strings.Repeat("k", 300)} {
			Expect(get("/account").with(key).once(once).succeeds(200).meta()).To(BeEmpty())
			Expect(get("/account").with(key).once(once).succeeds(200).meta()).To(BeEmpty())
		}
	})

	It("creates one object for concurrent requests, and all successful answers have equal bytes", func() {
		f := newFront(frontOptions{change: plenty})
		var mu sync.Mutex
		answers := map[string]int{}
		var inFlight atomic.Int64
		together(200, func(int) {
			a := create("k-1", body).at(f).send()
			if a.status == 409 {
				inFlight.Add(1)
				return
			}
			raw := strings.Replace(a.raw, `"meta":{"idempotent_replay":true}`, `"meta":{}`, 1)
			mu.Lock()
			defer mu.Unlock()
			answers[fmt.Sprint(a.status, raw)]++
		})
		Expect(answers).To(HaveLen(1), "%v", answers)
		for a, n := range answers {
			Expect(a).To(HavePrefix("202"))
			Expect(n + int(inFlight.Load())).To(Equal(200))
		}
		Expect(shows()).To(Equal(1))
	})
})

// gate is a client whose first creation of a Slideshow waits.
type gate struct {
	client.Client
	once          sync.Once
	arrived, open chan struct{}
}

// Create waits before a Slideshow until the gate is open.
func (g *gate) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	g.wait(o)
	return g.Client.Create(ctx, o, opts...)
}

func (g *gate) wait(o client.Object) {
	if _, ok := o.(*v1beta1.Slideshow); ok {
		g.once.Do(func() { close(g.arrived) })
		<-g.open
	}
}

// gatedClient is another client behind the same gate.
type gatedClient struct {
	client.Client
	gate *gate
}

// Create waits like its gate.
func (g *gatedClient) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	g.gate.wait(o)
	return g.Client.Create(ctx, o, opts...)
}
