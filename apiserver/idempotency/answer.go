// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// Answer is what is sent to everybody who makes one request.
type Answer struct {
	// Status of the HTTP answer, 200 to 299.
	Status int
	// Data and Meta of the envelope; they are stored and given back byte for byte.
	Data, Meta json.RawMessage
	// RetryAfter is 0 for none; it is kept in whole seconds, rounded up.
	RetryAfter time.Duration
	// Replayed says that the answer was made for an earlier request. It is not stored.
	Replayed bool
}

// status is how the answer is stored.
func (a *Answer) status(at time.Time, by string) v1beta1.IdempotencyRecordStatus {
	now := metav1.NewMicroTime(at)
	return v1beta1.IdempotencyRecordStatus{
		AnsweredAt: &now, AnsweredBy: by, HTTPStatus: int32(a.Status), Data: string(a.Data), Meta: string(a.Meta),
		RetryAfterSeconds: int32((a.RetryAfter + time.Second - 1) / time.Second),
	}
}

// stored reads the answer of a record that has one.
func stored(rec *v1beta1.IdempotencyRecord) *Answer {
	s := &rec.Status
	return &Answer{
		Status: int(s.HTTPStatus), Data: raw(s.Data), Meta: raw(s.Meta),
		RetryAfter: time.Duration(s.RetryAfterSeconds) * time.Second, Replayed: true,
	}
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// Commit stores the answer and ends the Tx. It gives the answer to send: that of another replica when it was stored
// before. After an error nothing may be sent as a success: the same request, sent again, finds what was made.
//
// It does not stop when the request's context does: a caller who hung up comes back for the answer.
func (t *Tx) Commit(ctx context.Context, a Answer) (Answer, error) {
	if t == nil {
		return a, nil
	}
	defer t.end()
	if len(a.Data) > v1beta1.MaxAnswerData || len(a.Meta) > v1beta1.MaxAnswerMeta {
		return Answer{}, fmt.Errorf("an answer of %d and %d bytes is too large to be remembered", len(a.Data), len(a.Meta))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	if !t.held && t.verdict != answered {
		// The request created nothing that had to be named before.
		if _, _, _, err := t.Reserve(ctx, func(context.Context) (int64, string, error) { return 0, "", nil }); err != nil {
			return Answer{}, err
		}
	}
	status := a.status(t.store.clock.Now(), t.store.holder)
	var failed error
	for range maxTries {
		switch {
		case t.rec == nil || !t.rec.DeletionTimestamp.IsZero():
			return a, nil // somebody removed the record by hand; the answer is true all the same
		case t.rec.Spec.Fingerprint != t.fingerprint || t.rec.Spec.ScopeHash != t.hash:
			return a, nil // so long ago was this request begun that its key was given to another
		case t.rec.Answered():
			first := stored(t.rec)
			first.Replayed = t.rec.Status.AnsweredBy != t.store.holder // else it is this one, and the reply to its writing was lost
			return *first, nil
		}
		rec := t.rec.DeepCopy()
		rec.Status = status
		err := t.store.live.Status().Patch(ctx, rec, client.MergeFromWithOptions(t.rec, client.MergeFromWithOptimisticLock{}))
		if err == nil {
			t.rec = rec
			a.RetryAfter = time.Duration(status.RetryAfterSeconds) * time.Second
			return a, nil
		}
		if apierrors.IsInvalid(err) {
			return Answer{}, fmt.Errorf("storing an answer: %w", err)
		}
		// Another replica wrote the record, or the reply was lost: what stands there now decides.
		failed = fmt.Errorf("storing an answer: %w", err)
		if err := t.read(ctx); err != nil {
			return Answer{}, err
		}
	}
	return Answer{}, failed
}

// Abort ends the Tx without an answer; after Commit it does nothing. known says that the request created nothing, for sure:
// then the key is free again. Otherwise the record stays, and the same request, sent again, goes on from there.
func (t *Tx) Abort(ctx context.Context, known bool) {
	if t == nil || t.ended {
		return
	}
	defer t.end()
	if !known || !t.held {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	if t.resumed {
		// This try created nothing, but the one before may have, or its creation may still arrive.
		if t.store.clock.Since(t.heldBefore) < t.store.ForgetAfter || t.rec.Spec.Reserved == nil {
			return
		}
		if made, err := t.store.made(ctx, t.scope.Namespace, t.rec.Spec.Reserved.Name); err != nil || made {
			return
		}
	}
	for range maxTries {
		err := t.remove(ctx)
		if err == nil || apierrors.IsConflict(err) {
			return // a record that another replica has taken over is not ours to remove
		}
	}
}
