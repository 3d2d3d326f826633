// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/apiserver"
)

// breaks fails one write of its clients. Either the write never arrives, or it is applied and the response is lost.
type breaks struct {
	mu      sync.Mutex
	at      int // counted from 1; 0 fails none
	applied bool
	writes  []string
}

func (b *breaks) write(what string, do func() error) error {
	b.mu.Lock()
	b.writes = append(b.writes, what)
	failing := len(b.writes) == b.at
	b.mu.Unlock()
	if !failing {
		return do()
	}
	if b.applied {
		if err := do(); err != nil {
			return err
		}
	}
	return errors.New("the connection broke")
}

// breaking is a client whose creations and status patches can fail.
type breaking struct {
	client.Client
	b *breaks
}

// Create creates an object, unless this write fails.
func (c breaking) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	return c.b.write(fmt.Sprintf("create %T", o), func() error { return c.Client.Create(ctx, o, opts...) })
}

// Status returns a writer whose patches can fail.
func (c breaking) Status() client.SubResourceWriter { return breakingStatus{c.Client.Status(), c.b} }

type breakingStatus struct {
	client.SubResourceWriter
	b *breaks
}

// Patch patches a status, unless this write fails.
func (c breakingStatus) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	return c.b.write(fmt.Sprintf("patch status of %T", o), func() error { return c.SubResourceWriter.Patch(ctx, o, p, opts...) })
}

var _ = Describe("Posting when the cluster's answers are lost", func() {
	It("posts once, whichever write fails and however, when the request is sent again with its key", func() {
		t := newTenant()
		key, short := t.everything(), t.drawn()
		account := t.social("linkedin")
		body := object{"short_id": short, "social_data_ids": []int64{account}}
		run := 0
		try := func(at int, applied bool) *breaks {
			GinkgoHelper()
			run++
			b := &breaks{at: at, applied: applied}
			f := newFront(frontOptions{change: func(c *apiserver.Config) {
				plenty(c)
				c.Client, c.Live = breaking{c.Client, b}, breaking{c.Live, b}
			}})
			before := len(t.batches())
			once := fmt.Sprint("k", run)
			a := post("/posts", body).with(key).at(f).once(once).send()
			for n := 0; a.status != 202; n++ {
				Expect(a.status).To(BeElementOf(409, 500, 503), a.raw)
				Expect(n).To(BeNumerically("<", 5), a.raw)
				a = post("/posts", body).with(key).at(f).once(once).send()
			}
			Expect(t.batches()).To(HaveLen(before+1), "run %d: %v", run, b.writes)
			Expect(t.posts()).To(HaveLen(before+1), "run %d: %v", run, b.writes)
			id := a.id("data.results.0.share_id")
			Expect(get("/posts").with(key).at(f).succeeds(200).id("data.0.id")).To(Equal(id))
			again := post("/posts", body).with(key).once(once).succeeds(202)
			Expect(again.id("data.results.0.share_id")).To(Equal(id))
			Expect(again.at("meta.idempotent_replay")).To(BeTrue())
			return b
		}
		clean := try(0, false)
		Expect(clean.writes).To(Equal([]string{
			"create *v1beta1.IdempotencyRecord", "create *v1beta1.PostBatch", "create *v1beta1.Post", "patch status of *v1beta1.IdempotencyRecord",
		}))
		for at := range clean.writes {
			try(at+1, false)
			try(at+1, true)
		}
	})
})
