// SPDX-License-Identifier: Apache-2.0

// Package recall requests that the manager creates archived shorts in the cluster again.
package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Tries limits how often a request is written again after a conflict.
const Tries = 8

// ErrFull means that the archive has no room for the request.
var ErrFull = errors.New("the archive has the maximum number of shorts to restore")

// Request adds shorts to those that the manager restores. It writes nothing if all are among them. read reads the API
// server, not a cache. guard returns the patch that changes an object from the given state, with its resourceVersion as
// precondition; nil selects a merge patch. The error is ErrFull above v1beta1.MaxArchiveRestores, a conflict after
// Tries conflicts, and not found if the namespace has no archive.
func Request(
	ctx context.Context, read client.Reader, write client.Writer, namespace string,
	guard func(before client.Object) client.Patch, ids ...int64,
) (err error) {
	if guard == nil {
		guard = locked
	}
	for range Tries {
		if err = request(ctx, read, write, namespace, guard, ids); !apierrors.IsConflict(err) {
			return err
		}
	}
	return err
}

func request(
	ctx context.Context, read client.Reader, write client.Writer, namespace string,
	guard func(before client.Object) client.Patch, ids []int64,
) error {
	a := &v1beta1.Archive{}
	if err := read.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.ArchiveName}, a); err != nil {
		return fmt.Errorf("reading the archive: %w", err)
	}
	before := a.DeepCopy()
	for _, id := range ids {
		if !slices.Contains(a.Spec.Restore, id) {
			a.Spec.Restore = append(a.Spec.Restore, id)
		}
	}
	switch n := len(a.Spec.Restore); {
	case n == len(before.Spec.Restore):
		return nil
	case n > v1beta1.MaxArchiveRestores:
		return ErrFull
	}
	if err := write.Patch(ctx, a, guard(before)); err != nil {
		return fmt.Errorf("requesting the restore of shorts: %w", err)
	}
	return nil
}

func locked(before client.Object) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}
