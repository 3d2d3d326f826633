// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func (w *world) deleteBrand() {
	w.t.Helper()
	if err := w.live.Delete(w.t.Context(), aBrand(false)); err != nil {
		w.t.Fatal(err)
	}
}

// The deletion of a brand whose posting is suspended does not resume posting.
func TestBrandMissing_PostWaitsForTheBrand(t *testing.T) {
	at := noon.Add(time.Hour)
	w := newWorld(t, 0, none, aBrand(true), socialAccount(), postBatch(at), aPost("1", at))
	w.pause(50 * time.Minute)
	w.deleteBrand()
	w.pause(time.Hour)
	p := w.post("post-1")
	if w.reason() != v1beta1.ReasonBrandNotFound || p.Status.State != v1beta1.PostPending || len(p.Status.Attempts) > 0 || w.landed("1") > 0 {
		t.Fatalf("%s: got %+v", w.reason(), p.Status)
	}
	if err := w.live.Create(t.Context(), aBrand(false)); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.once(t)
}

// A post whose brand does not come back fails when it is six hours late.
func TestBrandMissing_PostFailsWhenItIsTooLate(t *testing.T) {
	w := newWorld(t, 0, none, aBrand(true), socialAccount(), postBatch(noon), aPost("1", noon))
	w.deleteBrand()
	w.pause(maxLateness + time.Hour)
	p := w.post("post-1")
	if e := p.Status.Error; p.Status.State != v1beta1.PostFailed || e == nil || e.Details["reason"] != reasonMissed || w.landed("1") > 0 {
		t.Errorf("got %+v", p.Status)
	}
}

// The cache may still show a brand that was deleted: the attempt reads the brand from the API server.
func TestBrandMissing_CacheLagsBehind(t *testing.T) {
	w := newWorld(t, 0, none, aBrand(false), socialAccount(), postBatch(noon), aPost("1", noon))
	w.r.Client = oldBrand{w.r.Client}
	w.deleteBrand()
	w.pause(time.Hour)
	if p := w.post("post-1"); len(p.Status.Attempts) > 0 || w.landed("1") > 0 || w.reason() != v1beta1.ReasonBrandNotFound {
		t.Errorf("%s: got %+v", w.reason(), p.Status)
	}
}

// oldBrand is a cache that still has the brand.
type oldBrand struct{ client.Client }

func (s oldBrand) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if b, ok := o.(*v1beta1.Brand); ok {
		aBrand(false).DeepCopyInto(b)
		return nil
	}
	return s.Client.Get(ctx, key, o, opts...)
}
