// SPDX-License-Identifier: Apache-2.0

package finalize_test

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/testkit"
)

const name = "reelops.dev/test"

func TestFinalizer(t *testing.T) {
	ctx := context.Background()
	b := testkit.Brand("tenant", "acme")
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(b).Build()
	read := func() error { return c.Get(ctx, client.ObjectKeyFromObject(b), b) }
	if err := read(); err != nil {
		t.Fatal(err)
	}
	old := b.DeepCopy()
	if err := finalize.Ensure(ctx, c, b, name); err != nil || len(b.Finalizers) != 1 {
		t.Fatalf("%v: got %v", b.Finalizers, err)
	}
	version := b.ResourceVersion
	if err := finalize.Ensure(ctx, c, b, name); err != nil || b.ResourceVersion != version {
		t.Errorf("an existing finalizer is written again: %v", err)
	}
	if err := finalize.Ensure(ctx, c, old, name); !apierrors.IsConflict(err) {
		t.Errorf("a stale object without the finalizer: got %v", err)
	}

	if err := c.Delete(ctx, b); err != nil {
		t.Fatal(err)
	}
	if err := read(); err != nil {
		t.Fatalf("the deletion does not wait for the cleanup: %v", err)
	}
	broken := errors.New("the store is away")
	if err := finalize.Release(ctx, c, b, name, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := read(); err != nil || len(b.Finalizers) != 1 {
		t.Fatalf("the object was deleted before the cleanup: %v", err)
	}
	cleaned := 0
	clean := func() error { cleaned++; return nil }
	if err := finalize.Release(ctx, c, b, name, clean); err != nil || cleaned != 1 {
		t.Errorf("cleaned %d times: %v", cleaned, err)
	}
	if err := read(); !apierrors.IsNotFound(err) {
		t.Errorf("the object still exists: %v", err)
	}
	if err := finalize.Release(ctx, c, testkit.Brand("tenant", "bare"), name, clean); err != nil || cleaned != 1 {
		t.Errorf("without the finalizer the cleanup runs: %d, %v", cleaned, err)
	}
}
