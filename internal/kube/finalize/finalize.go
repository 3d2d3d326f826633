// SPDX-License-Identifier: Apache-2.0

// Package finalize adds and removes finalizers: writes of metadata, guarded by the resourceVersion, and none when there is
// nothing to change.
package finalize

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Ensure adds the finalizer.
func Ensure(ctx context.Context, c client.Client, o client.Object, finalizer string) error {
	return patch(ctx, c, o, func() bool { return controllerutil.AddFinalizer(o, finalizer) })
}

// Release removes the finalizer after the cleaning is done; without the finalizer there is nothing to clean.
func Release(ctx context.Context, c client.Client, o client.Object, finalizer string, clean func() error) error {
	if !controllerutil.ContainsFinalizer(o, finalizer) {
		return nil
	}
	if err := clean(); err != nil {
		return err
	}
	return patch(ctx, c, o, func() bool { return controllerutil.RemoveFinalizer(o, finalizer) })
}

func patch(ctx context.Context, c client.Client, o client.Object, change func() bool) error {
	before := o.DeepCopyObject().(client.Object)
	if !change() {
		return nil
	}
	return c.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
