// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// Defaults of Options.
const (
	// DefaultTTL is how long a key is remembered after its request was accepted.
	DefaultTTL = 24 * time.Hour
	// DefaultTakeOverAfter is longer than an ordinary request takes.
	DefaultTakeOverAfter = 5 * time.Second
	// DefaultForgetAfter is longer than the cluster's API may process a call after its sender has ended.
	DefaultForgetAfter = 90 * time.Second
)

// Options configures a Store. A zero field means its default.
type Options struct {
	// TTL is how long a key is remembered after its request was accepted.
	TTL time.Duration
	// TakeOverAfter is how long the holder keeps an unanswered request. Afterwards the same request, sent to another
	// replica, takes it over. A value that is too short is harmless: both create one object and send one response.
	TakeOverAfter time.Duration
	// ForgetAfter is the age at which an unanswered request without an object no longer blocks the key for another
	// request. It must be longer than a call to the cluster may take to arrive.
	ForgetAfter time.Duration
}

// callTime is the timeout of cluster calls that continue after their request ended.
const callTime = 10 * time.Second

// Store manages the idempotency keys. It is safe for concurrent use, also with stores of other processes on the same
// cluster.
type Store struct {
	Options
	live   client.Client
	clock  clock.PassiveClock
	holder string

	mu      sync.Mutex
	flights map[string]*flight
}

// New returns a store. live reads from and writes to the cluster. replica must be unique among the running replicas. A
// process that replaces another uses its name, and may take over its requests at once.
func New(live client.Client, clock clock.PassiveClock, replica string, o Options) *Store {
	o.TTL = cmp.Or(o.TTL, DefaultTTL)
	o.TakeOverAfter = cmp.Or(o.TakeOverAfter, DefaultTakeOverAfter)
	o.ForgetAfter = cmp.Or(o.ForgetAfter, DefaultForgetAfter)
	return &Store{Options: o, live: live, clock: clock, holder: replica + "/" + rand.Text(), flights: map[string]*flight{}}
}

// flight is the work of this process on a scope: it reads the record, then may run the request.
type flight struct {
	fingerprint string
	// lookedUp is closed when the look-up has ended. The fields below are set before that and do not change afterwards.
	lookedUp chan struct{}
	rec      *v1beta1.IdempotencyRecord
	err      error
	running  bool
}

// Begin decides whether a request may run. Exactly one of the three results is set. A Tx must be ended with Commit or
// Abort. An Answer is the stored response to send. The error is a *problem.Problem if another body uses the key or the
// same request is still running. Begin writes nothing.
func (s *Store) Begin(ctx context.Context, scope Scope, fingerprint string) (*Tx, *Answer, error) {
	hash := scope.hash()
	for {
		f, first := s.join(scope.Namespace+"/"+hash, fingerprint)
		if first {
			return s.lookUp(ctx, &Tx{store: s, scope: scope, hash: hash, fingerprint: fingerprint}, f)
		}
		select {
		case <-f.lookedUp:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if f.running {
			return nil, nil, taken(scope, true, f.fingerprint == fingerprint)
		}
		if f.err != nil {
			return nil, nil, f.err
		}
		switch s.judge(f.rec, hash, fingerprint, s.clock.Now()) {
		case answered:
			return nil, stored(f.rec), nil
		case running:
			return nil, nil, taken(scope, true, true)
		case other:
			return nil, nil, taken(scope, false, false)
		case otherRunning:
			return nil, nil, taken(scope, true, false)
		}
		// The first caller read the record but does not run its request. Now this request or another waiting one may.
	}
}

// join returns the flight of the scope. first reports that it is new: then the caller must read the record.
func (s *Store) join(scope, fingerprint string) (f *flight, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.flights[scope]; f != nil {
		return f, false
	}
	f = &flight{fingerprint: fingerprint, lookedUp: make(chan struct{})}
	s.flights[scope] = f
	return f, true
}

// leave removes the flight of the scope.
func (s *Store) leave(scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flights, scope)
}

// lookUp reads the record for all waiting callers and decides for the first one.
func (s *Store) lookUp(ctx context.Context, t *Tx, f *flight) (tx *Tx, replay *Answer, err error) {
	defer func() {
		f.running = tx != nil
		if !f.running {
			s.leave(t.flightKey())
		}
		close(f.lookedUp)
	}()
	// The other callers must not fail when the first one disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	if f.err = t.read(ctx); f.err != nil {
		return nil, nil, f.err
	}
	f.rec = t.rec
	if t.verdict == answered {
		return nil, stored(t.rec), nil
	}
	if err := t.refused(ctx); err != nil {
		return nil, nil, err
	}
	return t, nil, nil
}

// get returns the record with the name; nil if there is none.
func (s *Store) get(ctx context.Context, namespace, name string) (*v1beta1.IdempotencyRecord, error) {
	rec := &v1beta1.IdempotencyRecord{}
	err := s.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, rec)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading an idempotency record: %w", err)
	}
	return rec, nil
}

// reservable are the kinds of objects that requests create.
var reservable = []string{"Slideshow", "Video", "RenderJob", "PostBatch"}

// objectExists reports whether an object with the name that a request reserved exists.
func (s *Store) objectExists(ctx context.Context, namespace, name string) (bool, error) {
	for _, kind := range reservable {
		o := &metav1.PartialObjectMetadata{}
		o.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(kind))
		err := s.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
		if err == nil {
			return true, nil
		}
		if !apierrors.IsNotFound(err) {
			return false, fmt.Errorf("looking up the object of a request: %w", err)
		}
	}
	return false, nil
}

// taken returns the conflict error for a key in use. It is retryable only for the same request while the first one is
// running: a retry gets that response.
func taken(s Scope, inFlight, same bool) *problem.Problem {
	p := problem.New(catalog.IdempotencyConflict, problem.Details{"endpoint": s.Endpoint(), "in_flight": inFlight})
	p.Retryable = inFlight && same
	switch {
	case p.Retryable:
		return p.Saying("The first request with this idempotency key is still running.")
	case inFlight:
		return p.Saying("This idempotency key is in use for a request with another body.")
	}
	return p.Saying("This idempotency key was used for a request with another body.")
}
