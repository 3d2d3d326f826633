// SPDX-License-Identifier: Apache-2.0

// Package outcome turns the error of a pass into what the work queue shall do. There is one table, so that every
// controller answers the same fault in the same way.
package outcome

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
)

// staleWait is how long a pass that saw an old object waits for its cache.
const staleWait = 100 * time.Millisecond

// Result tells the queue what to do about an error of a pass:
//
//	conflict    the view was stale: come back quietly, soon
//	already     a child that the cache does not show yet: likewise
//	not found   the object went away meanwhile: nothing left to do here, its deletion wakes who waits for it
//	terminating the namespace is being deleted and takes no new objects: likewise
//	any other   back off; controller-runtime logs and counts it
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

// Terminating reports whether the API server refused to create an object because its namespace is being deleted. Nothing undoes that.
func Terminating(err error) bool {
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}
