// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/runner"
)

// Changed selects the events that need a reconcile: a new object, a changed spec, a deletion, and a requested retry.
func Changed() predicate.Predicate {
	asked := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld, e.ObjectNew
		return before.GetDeletionTimestamp().IsZero() != after.GetDeletionTimestamp().IsZero() ||
			before.GetAnnotations()[v1beta1.AnnotationRetry] != after.GetAnnotations()[v1beta1.AnnotationRetry]
	}}
	return predicate.Or(predicate.GenerationChangedPredicate{}, asked)
}

// Unsettled returns requests for the objects in a namespace whose work has not ended. list is an empty list of their
// kind, and work returns the work of an item. It returns none if listing fails: each object is reconciled again by
// itself.
func Unsettled[O client.Object](
	ctx context.Context, c client.Reader, namespace string, list client.ObjectList, work func(O) *v1beta1.Work,
) []ctrl.Request {
	if err := c.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil
	}
	var out []ctrl.Request
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		o := item.(O)
		if w := work(o); w == nil || !w.State.Settled() {
			out = append(out, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(o)})
		}
		return nil
	})
	return out
}

// Result returns the result of a reconcile for the work queue.
func Result(again time.Duration, err error) (ctrl.Result, error) {
	if err != nil {
		return outcome.Result(err)
	}
	return ctrl.Result{RequeueAfter: again}, nil
}

// Release removes the stored files of a deleted object, and then its finalizer, once no pod of the object runs.
func (b *Intake) Release(ctx context.Context, c client.Client, o client.Object, finalizer string, source v1beta1.MediaSource, work *v1beta1.Work, jobName string) (time.Duration, error) {
	if !controllerutil.ContainsFinalizer(o, finalizer) {
		return 0, nil
	}
	again, err := b.Remove(ctx, c, o, source, work, jobName)
	if err != nil || again > 0 {
		return again, err
	}
	return 0, finalize.Release(ctx, c, o, finalizer, func() error { return nil })
}

// Target returns the destination of an upload of a Job.
func (b *Intake) Target(ctx context.Context, key, contentType string) (*order.Target, error) {
	return runner.Target(ctx, b.Store, key, contentType, runner.MediaValid)
}

// Input returns a stored file as the input of a Job. typeOf returns its type from its first bytes.
func (b *Intake) Input(ctx context.Context, key string, limit int64, typeOf func([]byte) string) (*order.Input, error) {
	head, err := b.Store.Head(ctx, key, sniff.Bytes)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, Refuse(catalog.InternalError, ReasonMissing, "The stored file does not exist")
	} else if err != nil {
		return nil, err
	}
	url, err := b.Store.SignedGet(ctx, key, runner.MediaValid)
	return &order.Input{URL: url, ContentType: typeOf(head), MaxBytes: limit}, err
}
