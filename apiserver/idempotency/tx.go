// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// Tx is a request that runs under its idempotency key. It belongs to one goroutine. A nil Tx is a request without a
// key: its Reserve and Commit store nothing.
type Tx struct {
	store       *Store
	scope       Scope
	hash        string
	fingerprint string

	// rec is the record as last read from the cluster, nil for none. verdict is its meaning.
	rec     *v1beta1.IdempotencyRecord
	verdict verdict
	// held reports that this request holds the record. resumed reports that an earlier attempt created the record; that
	// attempt acquired it at heldBefore.
	held, resumed bool
	heldBefore    time.Time
	ended         bool
}

// maxTries limits how often a write is tried when another process wrote first or the reply was lost.
const maxTries = 5

func (t *Tx) flightKey() string { return t.scope.Namespace + "/" + t.hash }

// read updates rec and verdict from the cluster.
func (t *Tx) read(ctx context.Context) (err error) {
	t.rec, err = t.store.get(ctx, t.scope.Namespace, recordName(t.hash))
	if err == nil {
		t.verdict = t.store.judge(t.rec, t.hash, t.fingerprint, t.store.clock.Now())
	}
	return err
}

// refused returns the reason why the record forbids the request to run, or nil.
func (t *Tx) refused(ctx context.Context) error {
	switch t.verdict {
	case running:
		return taken(t.scope, true, true)
	case other:
		return taken(t.scope, false, false)
	case otherRunning:
		return taken(t.scope, true, false)
	case otherLeft:
		r := t.rec.Spec.Reserved
		if r == nil {
			return nil
		}
		objectExists, err := t.store.objectExists(ctx, t.scope.Namespace, r.Name)
		if err != nil {
			return err
		}
		if objectExists {
			return taken(t.scope, false, false)
		}
	}
	return nil
}

// Resumed returns what an earlier, unanswered attempt of this request reserved; ok is false if it reserved nothing. The
// object may or may not exist. If it exists, the request was accepted: do not check its state and the plan's limits
// again, because they may already include this object.
func (t *Tx) Resumed() (id int64, name string, ok bool) {
	if t == nil || t.rec == nil || t.rec.Spec.Reserved == nil {
		return 0, "", false
	}
	if !t.resumed && (t.held || t.verdict != left) {
		return 0, "", false
	}
	return t.rec.Spec.Reserved.ID, t.rec.Spec.Reserved.Name, true
}

// Reserve records the object that the request will create, and returns the name to create it under. Call it when only
// the creation is left to do. resumed reports that an earlier attempt of this request reserved the name: an existing
// object with the name is then the requested one. Otherwise Reserve calls reserve to choose the name. If an unrelated
// object has that name, call Reserve again to choose another.
//
// The error is a *problem.Problem if another request holds the key by now. After any other error it is unknown whether
// the key is held, and the caller must create nothing.
func (t *Tx) Reserve(ctx context.Context, reserve func(context.Context) (id int64, name string, err error)) (id int64, name string, resumed bool, err error) {
	if t == nil {
		id, name, err = reserve(ctx)
		return id, name, false, err
	}
	var chosen *v1beta1.ReservedObject
	choose := func() error {
		if chosen != nil {
			return nil
		}
		id, name, err := reserve(ctx)
		if err == nil && name != "" {
			chosen = &v1beta1.ReservedObject{ID: id, Name: name}
		}
		return err
	}
	if t.held {
		// An unrelated object has the name. Choose a new name, even if one was reserved before.
		if err := choose(); err != nil {
			return 0, "", false, err
		}
		t.held, t.resumed = false, false
		err := t.patch(ctx, func(s *v1beta1.IdempotencyRecordSpec) { s.Reserved = chosen })
		if err == nil {
			return t.reserved()
		}
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return 0, "", false, err
		}
		if err := t.readAgain(ctx); err != nil {
			return 0, "", false, err
		}
	}
	for range maxTries {
		if err = t.hold(ctx, choose, func() *v1beta1.ReservedObject { return chosen }); err == nil {
			return t.reserved()
		}
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
			return 0, "", false, err
		}
		// Another process wrote first, or this is the reply to a write that was sent twice.
		if err := t.readAgain(ctx); err != nil {
			return 0, "", false, err
		}
	}
	return 0, "", false, fmt.Errorf("conflict after all retries: %w", err)
}

func (t *Tx) readAgain(ctx context.Context) error {
	if err := t.read(ctx); err != nil {
		return err
	}
	return t.refused(ctx)
}

func (t *Tx) reserved() (id int64, name string, resumed bool, err error) {
	if r := t.rec.Spec.Reserved; r != nil {
		id, name = r.ID, r.Name
	}
	return id, name, t.resumed, nil
}

// hold acquires the record for this request with one write, and sets held.
func (t *Tx) hold(ctx context.Context, choose func() error, chosen func() *v1beta1.ReservedObject) error {
	now := t.store.clock.Now()
	switch t.verdict {
	case answered: // another replica answered the same request first: use its object and its response
		t.resumed = true
		return nil
	case left:
		if t.rec.Spec.Reserved == nil {
			if err := choose(); err != nil {
				return err
			}
		}
		before := t.rec.Spec.HeldSince.Time
		err := t.patch(ctx, func(s *v1beta1.IdempotencyRecordSpec) {
			s.Holder, s.HeldSince = t.store.holder, metav1.NewMicroTime(now)
			if s.Reserved == nil {
				s.Reserved = chosen()
			}
		})
		if err == nil {
			t.resumed, t.heldBefore = chosen() == nil || t.rec.Spec.Reserved.Name != chosen().Name, before
		}
		return err
	}
	if err := choose(); err != nil {
		return err
	}
	spec := v1beta1.IdempotencyRecordSpec{
		ScopeHash: t.hash, Operation: bounded(t.scope.Endpoint()), KeyUID: t.scope.KeyUID, Brand: t.scope.Brand, Fingerprint: t.fingerprint,
		Holder: t.store.holder, HeldSince: metav1.NewMicroTime(now), Reserved: chosen(), ExpiresAt: metav1.NewTime(now.Add(t.store.TTL)),
	}
	if t.verdict == otherLeft {
		return t.patch(ctx, func(s *v1beta1.IdempotencyRecordSpec) { *s = spec })
	}
	if t.rec != nil { // expired
		if err := t.remove(ctx); err != nil {
			return err
		}
	}
	rec := &v1beta1.IdempotencyRecord{ObjectMeta: metav1.ObjectMeta{Namespace: t.scope.Namespace, Name: recordName(t.hash)}, Spec: spec}
	if err := t.store.live.Create(ctx, rec); err != nil {
		return fmt.Errorf("writing an idempotency record: %w", err)
	}
	t.rec, t.held = rec, true
	return nil
}

// patch changes the record if it is unchanged since the last read, and then holds it.
func (t *Tx) patch(ctx context.Context, change func(*v1beta1.IdempotencyRecordSpec)) error {
	rec := t.rec.DeepCopy()
	change(&rec.Spec)
	if err := t.store.live.Patch(ctx, rec, client.MergeFromWithOptions(t.rec, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("changing an idempotency record: %w", err)
	}
	t.rec, t.held = rec, true
	return nil
}

// remove deletes the record in the version last read. A record that no longer exists counts as removed.
func (t *Tx) remove(ctx context.Context) error {
	err := t.store.live.Delete(ctx, t.rec, client.Preconditions{UID: &t.rec.UID, ResourceVersion: &t.rec.ResourceVersion})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing an idempotency record: %w", err)
	}
	return nil
}

// bounded returns at most 2048 characters of an informational text.
func bounded(s string) string {
	const most = 2048
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// end admits the next request with the key.
func (t *Tx) end() {
	if !t.ended {
		t.ended = true
		t.store.leave(t.flightKey())
	}
}
