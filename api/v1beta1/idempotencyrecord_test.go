// SPDX-License-Identifier: Apache-2.0

package v1beta1_test

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func idempotencyRecord(name string) *v1beta1.IdempotencyRecord {
	return &v1beta1.IdempotencyRecord{ObjectMeta: meta(name), Spec: v1beta1.IdempotencyRecordSpec{
		ScopeHash: strings.Repeat("a", 64), Operation: "POST /api/v1/slideshows", KeyUID: "uid", Fingerprint: strings.Repeat("b", 64),
		Holder: "pod/1", HeldSince: metav1.NowMicro(), ExpiresAt: metav1.NewTime(time.Now().Add(time.Hour)),
		Reserved: &v1beta1.ReservedObject{ID: 7, Name: "slideshow-7"},
	}}
}

// The owner of an idempotency record, and its response once there is one, are immutable.
func TestIdempotencyRecordRules(t *testing.T) {
	cluster.Start(t)
	ctx, c := context.Background(), cluster.Client
	r := idempotencyRecord("idem-rules")
	if err := c.Create(ctx, r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Delete(ctx, r) })
	refuse := func(why, say string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want a refusal that says %q", why, err, say)
		}
	}
	change := func(f func(*v1beta1.IdempotencyRecord)) *v1beta1.IdempotencyRecord {
		if err := c.Get(ctx, client.ObjectKeyFromObject(r), r); err != nil {
			t.Fatal(err)
		}
		out := r.DeepCopy()
		f(out)
		return out
	}
	const scope = "they identify the record"
	refuse("another scope", scope, c.Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Spec.ScopeHash = strings.Repeat("c", 64) })))
	refuse("another operation", scope, c.Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Spec.Operation = "POST /x" })))
	refuse("another API key", scope, c.Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Spec.KeyUID = "other" })))
	refuse("a hash that is none", "spec.fingerprint", c.Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Spec.Fingerprint = "b" })))
	refuse("an error as the answer", "status.httpStatus", c.Status().Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Status.HTTPStatus = 409 })))
	if err := c.Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Spec.Holder = "pod/2" })); err != nil {
		t.Errorf("taking over: %v", err)
	}
	if err := c.Status().Update(ctx, change(func(r *v1beta1.IdempotencyRecord) {
		at := metav1.NowMicro()
		r.Status = v1beta1.IdempotencyRecordStatus{
			AnsweredAt: &at, HTTPStatus: 202, Data: strings.Repeat("d", v1beta1.MaxAnswerData), Meta: strings.Repeat("m", v1beta1.MaxAnswerMeta),
		}
	})); err != nil {
		t.Fatalf("the largest answer: %v", err)
	}
	refuse("taking over what is answered", "spec cannot be changed after the response is stored", c.Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Spec.Holder = "pod/3" })))
	refuse("another answer", "a stored response cannot be changed", c.Status().Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Status.Data = "{}" })))
	refuse("no answer any more", "a stored response cannot be changed", c.Status().Update(ctx, change(func(r *v1beta1.IdempotencyRecord) { r.Status = v1beta1.IdempotencyRecordStatus{} })))
}
