// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/kube/status"
)

// ErrNoAccount means that the namespace has no account.
var ErrNoAccount = errors.New("the namespace has no account")

// Change modifies the status of an account, or returns an error. It may be called again with a newer version of the
// account, so it must have no other effects.
type Change func(a *v1beta1.Account, now time.Time) error

const (
	// writeTime is the timeout of one write with all of its retries.
	writeTime = 15 * time.Second
	// maxTries is the maximum number of tries after conflicts. Each conflict means that another process wrote first.
	maxTries = 50
)

// Book changes accounts. Create it with New. It is safe for concurrent use.
type Book struct {
	live   client.Reader
	write  client.StatusClient
	clock  clock.PassiveClock
	mu     sync.Mutex
	queues map[string]*queue
}

// queue holds the changes of one namespace that wait for the next write.
type queue struct{ waiting []*waiter }

type waiter struct {
	ctx    context.Context
	change Change
	done   chan error // capacity one
}

// New returns a book that reads through live, which must read from the API server and not from a cache, and writes
// through write.
func New(live client.Reader, write client.StatusClient, c clock.PassiveClock) *Book {
	return &Book{live: live, write: write, clock: c, queues: map[string]*queue{}}
}

// Account reads a namespace's account from the API server. The error is ErrNoAccount if there is none.
func (b *Book) Account(ctx context.Context, namespace string) (*v1beta1.Account, error) {
	a := &v1beta1.Account{}
	err := b.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, a)
	if apierrors.IsNotFound(err) {
		return nil, ErrNoAccount
	}
	if err != nil {
		return nil, fmt.Errorf("reading the account: %w", err)
	}
	return a, nil
}

// Change applies and writes a change. The error is the change's own, ErrNoAccount, or that of a read or write. After a
// failed write it is unknown whether the change was written; repeat the same change to find out. When ctx ends first,
// the change may still be written.
func (b *Book) Change(ctx context.Context, namespace string, change Change) error {
	w := &waiter{ctx: ctx, change: change, done: make(chan error, 1)}
	b.mu.Lock()
	q := b.queues[namespace]
	if q == nil {
		q = &queue{}
		b.queues[namespace] = q
		go b.serve(namespace, q)
	}
	q.waiting = append(q.waiting, w)
	b.mu.Unlock()
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("changing the account: %w", ctx.Err())
	}
}

// serve writes a namespace's changes in batches until none is waiting.
func (b *Book) serve(namespace string, q *queue) {
	for {
		b.mu.Lock()
		batch := q.waiting
		q.waiting = nil
		if len(batch) == 0 {
			delete(b.queues, namespace)
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		b.commit(namespace, batch)
	}
}

// commit writes a batch and sends the result to every waiter.
func (b *Book) commit(namespace string, batch []*waiter) {
	// The write has its own timeout: a caller whose context ends must not fail the others.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(batch[0].ctx), writeTime)
	defer cancel()
	var verdicts []error
	var err error
	for range maxTries {
		if verdicts, err = b.try(ctx, namespace, batch); !apierrors.IsConflict(err) {
			break
		}
	}
	for i, w := range batch {
		if err != nil {
			w.done <- err // rejections too: they were decided on changes that may not have been written
			continue
		}
		w.done <- verdicts[i]
	}
}

// try applies all changes in sequence and writes the result once.
func (b *Book) try(ctx context.Context, namespace string, batch []*waiter) ([]error, error) {
	before, err := b.Account(ctx, namespace)
	if err != nil {
		return nil, err
	}
	now := b.clock.Now()
	after := before.DeepCopy()
	verdicts := make([]error, len(batch))
	for i, w := range batch {
		if verdicts[i] = w.ctx.Err(); verdicts[i] != nil {
			continue // the caller's context has ended
		}
		trial := after.DeepCopy()
		if verdicts[i] = w.change(trial, now); verdicts[i] == nil {
			after = trial
		}
	}
	after.Status.SlideshowsUsed = quota.Of(after, now).Used
	if equality.Semantic.DeepEqual(before.Status, after.Status) {
		return verdicts, nil
	}
	status.RecordTransition(before, after)
	return verdicts, b.write.Status().Patch(ctx, after, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
