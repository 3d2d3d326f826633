// SPDX-License-Identifier: Apache-2.0

// Package identity labels an object that has no integer id with one, and with its brand. An object from a manifest
// keeps its name and gets its id in its first reconcile. Objects that the front end creates have both labels from the
// start.
package identity

import (
	"context"
	"fmt"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Ensure labels an object with an id from next and, when brand is not nil, with its brand. It writes the metadata once,
// guarded by the resourceVersion, and only if a label is missing or differs.
func Ensure(ctx context.Context, c client.Client, o client.Object, next func(context.Context) (int64, error), brand *v1beta1.LocalRef) error {
	before := o.DeepCopyObject().(client.Object)
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	changed := false
	if _, ok := Of(o); !ok {
		id, err := next(ctx)
		if err != nil {
			return fmt.Errorf("giving %s an id: %w", o.GetName(), err)
		}
		labels[v1beta1.LabelID], changed = strconv.FormatInt(id, 10), true
	}
	if brand != nil && labels[v1beta1.LabelBrand] != brand.Name {
		labels[v1beta1.LabelBrand], changed = brand.Name, true
	}
	if !changed {
		return nil
	}
	o.SetLabels(labels)
	return c.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// Of returns an object's id, and whether it has one.
func Of(o client.Object) (int64, bool) {
	id, err := strconv.ParseInt(o.GetLabels()[v1beta1.LabelID], 10, 64)
	return id, err == nil && id > 0
}
