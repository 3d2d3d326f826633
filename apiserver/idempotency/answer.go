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

// Answer is the response that all callers of one request get.
type Answer struct {
	// Status of the HTTP response, 200 to 299.
	Status int
	// Data and Meta of the envelope. They are stored and returned byte for byte.
	Data, Meta json.RawMessage
	// RetryAfter is 0 for none. It is stored in whole seconds, rounded up.
	RetryAfter time.Duration
	// Replayed reports that the response was stored by an earlier request. It is not stored.
	Replayed bool
}

// status returns the stored form of the response.
func (a *Answer) status(at time.Time, by string) v1beta1.IdempotencyRecordStatus {
	now := metav1.NewMicroTime(at)
	return v1beta1.IdempotencyRecordStatus{
		AnsweredAt: &now, AnsweredBy: by, HTTPStatus: int32(a.Status), Data: string(a.Data), Meta: string(a.Meta),
		RetryAfterSeconds: int32((a.RetryAfter + time.Second - 1) / time.Second),
	}
}

// stored returns the response of a record that has one.
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

// Commit stores the response and ends the Tx. It returns the response to send: another replica's if that one was stored
// first. After an error the caller must not send a success: when the same request is repeated, it finds the created
// object.
//
// Commit continues if the request's context ends: a caller that disconnected may retry and expects the response.
func (t *Tx) Commit(ctx context.Context, a Answer) (Answer, error) {
	if t == nil {
		return a, nil
	}
	defer t.end()
	if len(a.Data) > v1beta1.MaxAnswerData || len(a.Meta) > v1beta1.MaxAnswerMeta {
		return Answer{}, fmt.Errorf("a response of %d and %d bytes is too large to be stored", len(a.Data), len(a.Meta))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	if !t.held && t.verdict != answered {
		// The request created nothing whose name had to be reserved before.
		if _, _, _, err := t.Reserve(ctx, func(context.Context) (int64, string, error) { return 0, "", nil }); err != nil {
			return Answer{}, err
		}
	}
	status := a.status(t.store.clock.Now(), t.store.holder)
	var failed error
	for range maxTries {
		switch {
		case t.rec == nil || !t.rec.DeletionTimestamp.IsZero():
			return a, nil // the record was deleted by hand; the response is still correct
		case t.rec.Spec.Fingerprint != t.fingerprint || t.rec.Spec.ScopeHash != t.hash:
			return a, nil // the request is so old that another request now uses its key
		case t.rec.Answered():
			first := stored(t.rec)
			// otherwise this response is the stored one, and the reply to its write was lost
			first.Replayed = t.rec.Status.AnsweredBy != t.store.holder
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
			return Answer{}, fmt.Errorf("storing a response: %w", err)
		}
		// Another replica wrote the record, or the reply was lost: read the record again and decide.
		failed = fmt.Errorf("storing a response: %w", err)
		if err := t.read(ctx); err != nil {
			return Answer{}, err
		}
	}
	return Answer{}, failed
}

// Abort ends the Tx without a response; after Commit it does nothing. known means that the request certainly created
// nothing: then the key is released. Otherwise the record stays, and a repeated request resumes from it.
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
		// This attempt created nothing. The previous one may have, or its creation may still arrive.
		if t.store.clock.Since(t.heldBefore) < t.store.ForgetAfter || t.rec.Spec.Reserved == nil {
			return
		}
		if objectExists, err := t.store.objectExists(ctx, t.scope.Namespace, t.rec.Spec.Reserved.Name); err != nil || objectExists {
			return
		}
	}
	for range maxTries {
		err := t.remove(ctx)
		if err == nil || apierrors.IsConflict(err) {
			return // on a conflict another replica has taken over the record, which must stay
		}
	}
}
