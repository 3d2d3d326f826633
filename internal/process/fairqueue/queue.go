// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// New returns a constructor for controller.Options.NewQueue. At most limit requests of one namespace are reconciled at
// a time, at least 1. Controllers that may wait for other servers use it with a limit below their number of workers.
func New(limit int) func(string, workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
		t := newTurns(limit, func(r reconcile.Request) string { return r.Namespace })
		q := &queue{turns: t, Typed: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[reconcile.Request]{Name: name, Queue: t})}
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{
			Name: name,
			DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{
				Name: name, Queue: q,
			}),
		})
	}
}

// queue counts the items in process. Done wakes no worker for the item that becomes available: the worker that calls
// Done calls Get next and receives it.
type queue struct {
	*workqueue.Typed[reconcile.Request]
	turns *turns[reconcile.Request]
}

// Done ends the processing of a request.
func (q *queue) Done(r reconcile.Request) {
	q.turns.done(r)
	q.Typed.Done(r)
}
