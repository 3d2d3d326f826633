// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/api/v1beta1"
)

func TestJudge(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	s := New(nil, clocktesting.NewFakePassiveClock(now), "pod-a", Options{})
	record := func(change func(*v1beta1.IdempotencyRecord)) *v1beta1.IdempotencyRecord {
		r := &v1beta1.IdempotencyRecord{Spec: v1beta1.IdempotencyRecordSpec{
			ScopeHash: "scope", Fingerprint: "body", Holder: "pod-b/1", HeldSince: metav1.NewMicroTime(now.Add(-time.Second)),
			ExpiresAt: metav1.NewTime(now.Add(time.Hour)),
		}}
		change(r)
		return r
	}
	held := func(ago time.Duration) func(*v1beta1.IdempotencyRecord) {
		return func(r *v1beta1.IdempotencyRecord) { r.Spec.HeldSince = metav1.NewMicroTime(now.Add(-ago)) }
	}
	done := func(r *v1beta1.IdempotencyRecord) {
		at := metav1.NewMicroTime(now)
		r.Status.AnsweredAt = &at
	}
	for _, c := range []struct {
		why         string
		rec         *v1beta1.IdempotencyRecord
		fingerprint string
		want        verdict
	}{
		{"no record", nil, "body", free},
		{"just expired", record(func(r *v1beta1.IdempotencyRecord) { done(r); r.Spec.ExpiresAt = metav1.NewTime(now) }), "body", free},
		{"in its last second", record(func(r *v1beta1.IdempotencyRecord) {
			done(r)
			r.Spec.ExpiresAt = metav1.NewTime(now.Add(time.Second))
		}), "body", answered},
		{"being deleted", record(func(r *v1beta1.IdempotencyRecord) { done(r); at := metav1.NewTime(now); r.DeletionTimestamp = &at }), "body", free},
		{"answered, the same body", record(done), "body", answered},
		{"answered, another body", record(done), "else", other},
		{"a scope whose hash has the same prefix", record(func(r *v1beta1.IdempotencyRecord) { done(r); r.Spec.ScopeHash = "scope 2" }), "body", other},
		{"in progress on another replica", record(held(4999 * time.Millisecond)), "body", running},
		{"the other replica timed out", record(held(5 * time.Second)), "body", left},
		{"an earlier process of this replica worked on it", record(func(r *v1beta1.IdempotencyRecord) { r.Spec.Holder = "pod-a/1" }), "body", left},
		{"this process aborted it", record(func(r *v1beta1.IdempotencyRecord) { r.Spec.Holder = s.holder }), "body", left},
		{"a replica whose name has the same prefix", record(func(r *v1beta1.IdempotencyRecord) { r.Spec.Holder = "pod-a2/1" }), "body", running},
		{"another body, in progress on another replica", record(held(time.Second)), "else", otherRunning},
		{"another body, the creation may still arrive", record(held(89 * time.Second)), "else", otherRunning},
		{"another body, this process aborted it", record(func(r *v1beta1.IdempotencyRecord) { r.Spec.Holder = s.holder }), "else", otherRunning},
		{"another body, expired", record(held(90 * time.Second)), "else", otherLeft},
		{"a fast clock", record(held(-time.Minute)), "body", running},
	} {
		t.Run(c.why, func(t *testing.T) {
			if got := s.judge(c.rec, "scope", c.fingerprint, now); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
