// SPDX-License-Identifier: Apache-2.0

// Package outcome converts an error of a reconcile to a result for the work queue. All controllers use the same table,
// so that they handle the same error in the same way.
package outcome

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
)

// staleWait is the requeue delay after a reconcile that read a stale object from the cache.
const staleWait = 100 * time.Millisecond

// Result returns the result for an error of a reconcile:
//
//	conflict    the object was stale: requeue soon, without an error
//	already     a child that the cache does not show yet: the same
//	not found   the object was deleted: nothing to do; the deletion event wakes its dependents
//	terminating the namespace is being deleted and accepts no new objects: nothing to do
//	any other   back off; controller-runtime logs and counts the error
func Result(err error) (ctrl.Result, error) {
	switch {
	case err == nil:
		return ctrl.Result{}, nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return ctrl.Result{RequeueAfter: staleWait}, nil
	case apierrors.IsNotFound(err), Terminating(err):
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

// Terminating reports whether the API server refused to create an object because its namespace is being deleted. This
// is permanent.
func Terminating(err error) bool {
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}
