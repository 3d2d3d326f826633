// SPDX-License-Identifier: Apache-2.0

package consolelink

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

func TestReconcile_DeletesExpiredLinksOnly(t *testing.T) {
	created := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		why     string
		expires time.Duration // after the creation
		age     time.Duration
		wait    time.Duration // 0 for a deletion
	}{
		{"a new link", 10 * time.Minute, 0, 11 * time.Minute},
		{"within the grace period", 5 * time.Minute, 5*time.Minute + 30*time.Second, 30 * time.Second},
		{"expired", 5 * time.Minute, 6 * time.Minute, 0},
		{"an expiry that the policy rejects", time.Hour, 11 * time.Minute, 0},
	} {
		l := &v1beta1.ConsoleLink{
			ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "link-1", CreationTimestamp: metav1.NewTime(created)},
			Spec:       v1beta1.ConsoleLinkSpec{Username: "anna", ExpiresAt: metav1.NewTime(created.Add(c.expires))},
		}
		cl := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(l).Build()
		r := &Reconciler{Client: cl, Clock: clocktesting.NewFakePassiveClock(created.Add(c.age))}
		got, err := r.Reconcile(t.Context(), l)
		if err != nil || got.RequeueAfter != c.wait {
			t.Errorf("%s: got %v and %v, want a requeue after %s", c.why, got, err, c.wait)
		}
		err = cl.Get(t.Context(), client.ObjectKeyFromObject(l), &v1beta1.ConsoleLink{})
		if deleted := apierrors.IsNotFound(err); deleted != (c.wait == 0) {
			t.Errorf("%s: deleted is %t", c.why, deleted)
		}
	}
}
