// SPDX-License-Identifier: Apache-2.0

// Package finalize adds and removes finalizers. It writes metadata guarded by the resourceVersion, and only if there is
// a change.
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

// Release calls clean and then removes the finalizer. An object without the finalizer needs no cleanup.
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
