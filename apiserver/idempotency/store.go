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
	// DefaultTTL is how long a key is remembered, from when its request was accepted.
	DefaultTTL = 24 * time.Hour
	// DefaultTakeOverAfter is longer than an ordinary request takes.
	DefaultTakeOverAfter = 5 * time.Second
	// DefaultForgetAfter is longer than the cluster's API works on a call after its sender is gone.
	DefaultForgetAfter = 90 * time.Second
)

// Options of a Store; the zero of each means its default.
type Options struct {
	// TTL is how long a key is remembered, from when its request was accepted.
	TTL time.Duration
	// TakeOverAfter is how long an unanswered request stays its holder's; after it the same request, sent again to another
	// replica, takes it over. Too short is harmless: both make one object and send one answer.
	TakeOverAfter time.Duration
	// ForgetAfter is when an unanswered request of which nothing came no longer keeps another one from the key. It must be
	// longer than a call to the cluster may take to arrive.
	ForgetAfter time.Duration
}

// callTime bounds the calls to the cluster that must not end with the request they are made for.
const callTime = 10 * time.Second

// Store holds the keys. It may be used by many goroutines, and with other processes' stores over the same cluster.
type Store struct {
	Options
	live   client.Client
	clock  clock.PassiveClock
	holder string

	mu      sync.Mutex
	flights map[string]*flight
}

// New makes a store. live reads and writes the cluster itself. replica names this replica and no other one that runs at the
// same time; a process that follows on it bears the same name, and may take over from it at once.
func New(live client.Client, clock clock.PassiveClock, replica string, o Options) *Store {
	o.TTL = cmp.Or(o.TTL, DefaultTTL)
	o.TakeOverAfter = cmp.Or(o.TakeOverAfter, DefaultTakeOverAfter)
	o.ForgetAfter = cmp.Or(o.ForgetAfter, DefaultForgetAfter)
	return &Store{Options: o, live: live, clock: clock, holder: replica + "/" + rand.Text(), flights: map[string]*flight{}}
}

// flight is what this process does for a scope at the moment: it looks the record up, then perhaps runs the request.
type flight struct {
	fingerprint string
	looked      chan struct{} // closed when the look-up has ended; what follows is set before and stays as it is
	rec         *v1beta1.IdempotencyRecord
	err         error
	running     bool
}

// Begin asks whether a request may run. Exactly one of the three results is set: a Tx, which must be ended with Commit or
// Abort; the answer to send instead; or an error, which is a *problem.Problem when the key is taken by another body or by
// the same request that is running. It writes nothing.
func (s *Store) Begin(ctx context.Context, scope Scope, fingerprint string) (*Tx, *Answer, error) {
	hash := scope.hash()
	for {
		f, first := s.join(scope.Namespace+"/"+hash, fingerprint)
		if first {
			return s.lookUp(ctx, &Tx{store: s, scope: scope, hash: hash, fingerprint: fingerprint}, f)
		}
		select {
		case <-f.looked:
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
		// Who looked it up did not run its request. Now it is free for this one, or for one of those who waited too.
	}
}

// join gives what this process does for the scope. first says that it did nothing: the caller is to look the record up.
func (s *Store) join(scope, fingerprint string) (f *flight, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.flights[scope]; f != nil {
		return f, false
	}
	f = &flight{fingerprint: fingerprint, looked: make(chan struct{})}
	s.flights[scope] = f
	return f, true
}

// leave ends what this process does for the scope.
func (s *Store) leave(scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flights, scope)
}

// lookUp reads the record for all who wait and decides for the one who came first.
func (s *Store) lookUp(ctx context.Context, t *Tx, f *flight) (tx *Tx, replay *Answer, err error) {
	defer func() {
		f.running = tx != nil
		if !f.running {
			s.leave(t.flightKey())
		}
		close(f.looked)
	}()
	// The others must not suffer when the first one hangs up.
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

// get reads the record with the name; nil when there is none.
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

// made says whether there is an object of the name that a request reserved.
func (s *Store) made(ctx context.Context, namespace, name string) (bool, error) {
	for _, kind := range reservable {
		o := &metav1.PartialObjectMetadata{}
		o.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(kind))
		err := s.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
		if err == nil {
			return true, nil
		}
		if !apierrors.IsNotFound(err) {
			return false, fmt.Errorf("looking for what a request was to make: %w", err)
		}
	}
	return false, nil
}

// taken tells that the key is taken. Only the same request can succeed later: it gets the answer of the one that runs.
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
