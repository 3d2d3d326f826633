// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/kube/ids"
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

var _ = Describe("Posting when responses of the cluster are lost", func() {
	It("posts once if the request is repeated with its key, whichever write fails", func() {
		t := newTenant()
		key, short := t.everything(), t.laidOut()
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

	It("returns all ids while no post can be created, and the later posts have those ids and contents", func() {
		t := newTenant()
		key, short := t.everything(), t.withTexts("Tidy", "A desk.", "")
		body := object{"short_id": short, "social_data_ids": []int64{t.social("tiktok"), t.social("linkedin")}, "scheduled_at": ahead(time.Hour)}
		// The front end's creations of posts do not reach the API server. A quota keeps the manager from creating them.
		none := corev1.ResourceList{"count/posts.reelops.dev": resource.MustParse("0")}
		q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "no-posts"}, Spec: corev1.ResourceQuotaSpec{Hard: none}}
		Expect(access.Plain.Create(ctx, q)).To(Succeed())
		q.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none} // no controller of quotas runs here
		Expect(access.Plain.Status().Update(ctx, q)).To(Succeed())
		Eventually(func() error { // the API server enforces a quota a moment after its creation
			return access.Plain.Create(ctx, t.stranger("tiktok-1", next(ids.Posts)), client.DryRunAll)
		}).WithPolling(often).Should(MatchError(ContainSubstring("quota")))

		unreachable := func(c *apiserver.Config) {
			plenty(c)
			c.Client = unreachablePosts{c.Client}
		}
		f := newFront(frontOptions{change: unreachable})
		other := newFront(frontOptions{change: func(c *apiserver.Config) { replica(c); unreachable(c) }})
		first := post("/posts", body).with(key).at(f).once("k").succeeds(202)
		Expect(first.at("data.overall_status")).To(Equal("success"))
		for i := range 2 {
			Expect(first.at(fmt.Sprintf("data.results.%d", i))).To(And(
				HaveKeyWithValue("share_id", BeNumerically(">", 0)), HaveKeyWithValue("status", "scheduled"), HaveKeyWithValue("caption", "A desk."), Not(HaveKey("error")),
			))
		}
		Expect(t.posts()).To(BeEmpty())
		again := post("/posts", body).with(key).at(other).once("k").succeeds(202)
		Expect(again.at("meta.idempotent_replay")).To(BeTrue())
		Expect(again.at("data")).To(Equal(first.at("data")))
		patch("/slideshows/%d", short, object{"caption": "Another."}).with(key).at(f).succeeds(200)

		Expect(access.Plain.Delete(ctx, q)).To(Succeed())
		Eventually(t.posts).Should(HaveLen(2))
		for i := range 2 {
			p := t.post(first.id(fmt.Sprintf("data.results.%d.share_id", i)))
			Expect(p.Spec.Batch).To(Equal(first.at("data.batch_id")))
			Expect(p.Spec.Caption).To(Equal("A desk."), "edits after the answer do not change accepted posts")
		}
		Expect(t.batches()).To(HaveLen(1))
	})
})

// unreachablePosts is a client whose creations of posts do not reach the API server.
type unreachablePosts struct{ client.Client }

// Create fails for a Post.
func (c unreachablePosts) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	if _, ok := o.(*v1beta1.Post); ok {
		return apierrors.NewServiceUnavailable("unreachable")
	}
	return c.Client.Create(ctx, o, opts...)
}
