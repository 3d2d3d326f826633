// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"context"
	"errors"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	testclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// waits reports whether a call waits for a manager to end. It cancels the call as soon as the wait begins.
func waits(t *testing.T, i *Installation) bool {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	i.Say = func(string, ...any) { stop() }
	err := i.Hold(ctx, "restore-b", Unheard)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err != nil
}

func TestHold_WaitsForTheRunningManager(t *testing.T) {
	clk := testclock.NewFakeClock(noon)
	works := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "reelops-system", Name: LeaseName},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("m"), LeaseDurationSeconds: ptr.To[int32](3), AcquireTime: ptr.To(metav1.NewMicroTime(noon.Add(-time.Hour)))},
	}
	c := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(works).Build()
	i := &Installation{Client: c, SystemNamespace: "reelops-system", Clock: clk}
	if !waits(t, i) {
		t.Error("the manager may still run")
	}
	clk.Step(Unheard - time.Second)
	if !waits(t, i) {
		t.Error("the first call died before the manager ended, and the second does not wait")
	}
	clk.Step(time.Second)
	if waits(t, i) {
		t.Error("the manager has ended")
	}
	l := &coordinationv1.Lease{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(works), l); err != nil || *l.Spec.HolderIdentity != "restore-b" || !held(l) {
		t.Errorf("got %v %+v", err, l.Spec)
	}
}

func TestHold_WithoutManager(t *testing.T) {
	i := &Installation{Client: fake.NewClientBuilder().WithScheme(scheme.Scheme).Build(), SystemNamespace: "reelops-system", Clock: testclock.NewFakeClock(noon)}
	for range 2 {
		if waits(t, i) {
			t.Error("a wait without a manager")
		}
	}
	if err := i.Free(t.Context()); err != nil {
		t.Fatal(err)
	}
	if waits(t, i) {
		t.Error("the lease was released, and no manager holds it")
	}
}
