// SPDX-License-Identifier: Apache-2.0

package outcome_test

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reelops/reelops/internal/process/outcome"
)

func TestResult(t *testing.T) {
	things := schema.GroupResource{Resource: "things"}
	broken := errors.New("the line broke")
	terminating := apierrors.NewForbidden(things, "a", broken)
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for _, c := range []struct {
		why   string
		err   error
		again bool
		back  bool
	}{
		{"nothing to do", nil, false, false},
		{"a stale object is retried without an error", apierrors.NewConflict(things, "a", broken), true, false},
		{"wrapped as well", fmt.Errorf("writing: %w", apierrors.NewConflict(things, "a", broken)), true, false},
		{"a child that the cache does not show yet", apierrors.NewAlreadyExists(things, "a"), true, false},
		{"the object is gone", apierrors.NewNotFound(things, "a"), false, false},
		{"its namespace is being deleted", fmt.Errorf("making a Secret: %w", terminating), false, false},
		{"other errors back off", broken, false, true},
		{"a rejected write as well", apierrors.NewForbidden(things, "a", broken), false, true},
	} {
		r, err := outcome.Result(c.err)
		if (r.RequeueAfter > 0) != c.again || (err != nil) != c.back {
			t.Errorf("%s: got %+v, %v", c.why, r, err)
		}
	}
}
