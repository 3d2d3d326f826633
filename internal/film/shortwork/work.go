// SPDX-License-Identifier: Apache-2.0

package shortwork

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
)

// Adopt adds the finalizer, an id in the number space of shorts, and the label of the brand, unless the short is being
// deleted. These writes of metadata are separate from the status.
func Adopt(
	ctx context.Context, c client.Client, short client.Object, nextID func(context.Context) (int64, error),
	brand *v1beta1.LocalRef, finalizer string,
) error {
	if !short.GetDeletionTimestamp().IsZero() {
		return nil
	}
	if err := identity.Ensure(ctx, c, short, nextID, brand); err != nil {
		return err
	}
	return finalize.Ensure(ctx, c, short, finalizer)
}

// Waiting returns requests for the shorts that may wait for an object: those that a cache index has under "true", in
// the namespace of the object, or in all namespaces if the object is in the library. list is an empty list of the kind.
// If the list fails, there are no requests, and the shorts are reconciled at the next resync of the cache.
func Waiting(
	ctx context.Context, c client.Reader, list client.ObjectList, index string, object client.Object, library string,
) []ctrl.Request {
	in := client.InNamespace(object.GetNamespace())
	if object.GetNamespace() == library {
		in = "" // its objects are visible to every account
	}
	if err := c.List(ctx, list, in, client.MatchingFields{index: "true"}); err != nil {
		return nil
	}
	var out []ctrl.Request
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		out = append(out, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(o.(client.Object))})
		return nil
	})
	return out
}

// Settled reports whether work was started and has ended.
func Settled(w *v1beta1.Work) bool { return w != nil && w.State.Settled() }

// InProgress reports whether work was started and has not ended.
func InProgress(w *v1beta1.Work) bool { return w != nil && !w.State.Settled() }

// Refundable reports whether the work on a short failed through no fault of its user and is still charged.
func Refundable(w *v1beta1.Work, short client.Object) bool {
	return w != nil && w.State == v1beta1.WorkFailed && w.Error != nil && w.Error.Retryable && ledger.IsCommitted(short)
}

// Exhausted returns the error of work whose plan is used up; nil for other errors. what is what the plan counts.
func Exhausted(err error, what string) *v1beta1.WorkError {
	var e *quota.ExhaustedError
	if !errors.As(err, &e) {
		return nil
	}
	q := e.State
	return &v1beta1.WorkError{
		Code:    string(catalog.QuotaExceeded),
		Message: fmt.Sprintf("The plan's %d %s of this period are used up", q.Limit, what),
		Details: map[string]string{
			"limit": fmt.Sprint(q.Limit), "used": fmt.Sprint(q.Used), "resets_at": q.PeriodEnd.Format(time.RFC3339),
		},
	}
}

// Fail records an error of the work. It starts the next attempt if one may help and is left; otherwise it ends the work
// and returns true. The error of work that was not started, or had settled, belongs to new work.
func Fail(work **v1beta1.Work, e *v1beta1.WorkError, final bool, at metav1.Time) bool {
	if !InProgress(*work) {
		*work = &v1beta1.Work{Attempt: 1, StartedAt: &at}
	}
	w := *work
	if !final && e.Retryable && w.Attempt < catalog.MaxAttempts {
		w.Attempt++
		return false
	}
	w.State, w.FinishedAt, w.EstimatedCompletionAt, w.Error = v1beta1.WorkFailed, &at, nil, e
	return true
}

// FailureReason returns the condition reason of failed work.
func FailureReason(e *v1beta1.WorkError) v1beta1.Reason {
	switch catalog.Code(e.Code) {
	case catalog.QuotaExceeded:
		return v1beta1.ReasonQuotaExceeded
	case catalog.InsufficientCredits:
		return v1beta1.ReasonInsufficientCredits
	}
	return v1beta1.ReasonFailed
}

// Persist writes the status. If the short was changed while a text was written, for example by a new label, Persist
// writes at least the text, which may have cost money, and returns the conflict. keep sets the text of a short; nil if
// none was written. No other process writes the field.
func Persist[T client.Object](ctx context.Context, c client.Client, w *status.Writer[T], keep func(T)) error {
	before := w.Before()
	err := w.Persist(ctx)
	if keep == nil || !apierrors.IsConflict(err) {
		return err
	}
	after := before.DeepCopyObject().(T)
	keep(after)
	if kept := c.Status().Patch(ctx, after, client.MergeFrom(before)); kept != nil {
		return kept
	}
	return err
}

// Announce emits an Event if the state of the work changed. done returns the message about successful work.
func Announce(r events.EventRecorder, short client.Object, before, after *v1beta1.Work, done func() string) {
	if after == nil || before != nil && before.State == after.State {
		return
	}
	emit := func(kind string, reason v1beta1.Reason, message string) {
		r.Eventf(short, nil, kind, string(reason), "Generate", "%s", message)
	}
	switch after.State {
	case v1beta1.WorkProcessing:
		emit(corev1.EventTypeNormal, v1beta1.ReasonProgressing, fmt.Sprintf("work started, attempt %d", after.Attempt))
	case v1beta1.WorkSucceeded:
		emit(corev1.EventTypeNormal, v1beta1.ReasonReady, done())
	case v1beta1.WorkFailed:
		emit(corev1.EventTypeWarning, v1beta1.ReasonFailed, after.Error.Code+": "+after.Error.Message)
	}
}
