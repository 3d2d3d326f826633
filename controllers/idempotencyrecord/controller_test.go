// SPDX-License-Identifier: Apache-2.0

package idempotencyrecord

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

func TestReconcile_DeletesExpiredRecords(t *testing.T) {
	cluster := testkit.Start(t)
	end := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		why string
		now time.Time
		// change is called between the read of the record and the pass.
		change func(*testing.T, client.Client, *v1beta1.IdempotencyRecord)
		fault  testkit.Fault
		wait   time.Duration
		writes int
		stays  bool
		fails  bool
	}{
		{why: "long before the expiry", now: end.Add(-24 * time.Hour), wait: 24*time.Hour + grace, stays: true},
		{why: "at the expiry, within the clock difference", now: end, wait: grace, stays: true},
		{why: "after the expiry", now: end.Add(grace), writes: 1},
		{why: "long after the expiry", now: end.Add(time.Hour), writes: 1},
		{why: "recreated before the pass", now: end.Add(time.Hour), writes: 1, stays: true, wait: 100 * time.Millisecond, change: func(t *testing.T, c client.Client, r *v1beta1.IdempotencyRecord) {
			if err := c.Delete(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if err := c.Create(t.Context(), record(r.Name, end.Add(24*time.Hour))); err != nil {
				t.Fatal(err)
			}
		}},
		{why: "deleted before the pass", now: end.Add(time.Hour), writes: 1, change: func(t *testing.T, c client.Client, r *v1beta1.IdempotencyRecord) {
			if err := c.Delete(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}},
		{why: "the delete fails", now: end.Add(time.Hour), writes: 1, fault: testkit.Lost, stays: true, fails: true},
		{why: "the response to the delete is lost", now: end.Add(time.Hour), writes: 1, fault: testkit.Unanswered, fails: true},
	} {
		t.Run(c.why, func(t *testing.T) {
			rec, err := cluster.Recorder(nil)
			if err != nil {
				t.Fatal(err)
			}
			rec.Fault = c.fault
			if c.fault != "" {
				rec.FailAt = 1
			}
			r := record("idem-"+strings.Repeat("a", 20), end)
			if err := cluster.Client.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cluster.Client.Delete(context.Background(), record(r.Name, end)) })
			seen := r.DeepCopy()
			if c.change != nil {
				c.change(t, cluster.Client, r)
			}
			result, err := (&Reconciler{Client: rec, Clock: clocktesting.NewFakePassiveClock(c.now)}).Reconcile(t.Context(), seen)
			if (err != nil) != c.fails || result.RequeueAfter != c.wait {
				t.Errorf("got wait %v, error %v", result.RequeueAfter, err)
			}
			if len(rec.Writes) != c.writes {
				t.Errorf("got writes %v", rec.Writes)
			}
			err = cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(r), &v1beta1.IdempotencyRecord{})
			if stays := err == nil; stays != c.stays || (err != nil && !apierrors.IsNotFound(err)) {
				t.Errorf("the record exists: %v, error %v", stays, err)
			}
			if c.fails {
				if _, err := (&Reconciler{Client: rec, Clock: clocktesting.NewFakePassiveClock(c.now)}).Reconcile(t.Context(), seen); err != nil {
					t.Errorf("the next pass: %v", err)
				}
				if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(r), &v1beta1.IdempotencyRecord{}); !apierrors.IsNotFound(err) {
					t.Errorf("the record exists after the next pass: %v", err)
				}
			}
		})
	}
}

func TestSlim_DropsTheStatus(t *testing.T) {
	r := record("idem", time.Now())
	r.Status.Data, r.Status.Meta, r.ManagedFields = `{"much":1}`, `{}`, []metav1.ManagedFieldsEntry{{}}
	out, err := Slim(r)
	if err != nil || out.(*v1beta1.IdempotencyRecord).Status != (v1beta1.IdempotencyRecordStatus{}) || r.ManagedFields != nil {
		t.Errorf("got %+v, error %v", out, err)
	}
	if out, err := Slim(client.ObjectKey{Name: "else"}); err != nil || out != (client.ObjectKey{Name: "else"}) {
		t.Errorf("another object is changed: %v, error %v", out, err)
	}
}

func record(name string, end time.Time) *v1beta1.IdempotencyRecord {
	return &v1beta1.IdempotencyRecord{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: v1beta1.IdempotencyRecordSpec{
			ScopeHash: strings.Repeat("a", 64), Operation: "POST /api/v1/slideshows", KeyUID: "uid", Fingerprint: strings.Repeat("b", 64),
			Holder: "pod/1", HeldSince: metav1.NewMicroTime(end.Add(-24 * time.Hour)), ExpiresAt: metav1.NewTime(end),
		},
	}
}
