// SPDX-License-Identifier: Apache-2.0

package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// Webhooks returns the webhook endpoints of an account, the newest first; those of one brand unless brand is empty.
// Endpoints without an id, and those that are being deleted, are omitted.
func (r *Reader) Webhooks(ctx context.Context, namespace, brand string) ([]v1beta1.WebhookEndpoint, error) {
	var l v1beta1.WebhookEndpointList
	if err := r.Cached.List(ctx, &l, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing webhook endpoints: %w", err)
	}
	out := slices.DeleteFunc(l.Items, func(w v1beta1.WebhookEndpoint) bool {
		return brand != "" && (w.Spec.BrandRef == nil || w.Spec.BrandRef.Name != brand) || !w.DeletionTimestamp.IsZero() || ID(&w) == 0
	})
	slices.SortFunc(out, func(a, b v1beta1.WebhookEndpoint) int { return cmp.Compare(ID(&b), ID(&a)) })
	return out, nil
}

// WebhookByID returns a webhook endpoint of a brand by id.
func (r *Reader) WebhookByID(ctx context.Context, namespace, brand string, id int64) (*v1beta1.WebhookEndpoint, error) {
	var l v1beta1.WebhookEndpointList
	if err := r.byID(ctx, namespace, id, &l); err != nil {
		return nil, err
	}
	return first(l.Items, func(w *v1beta1.WebhookEndpoint) bool {
		return w.Spec.BrandRef != nil && w.Spec.BrandRef.Name == brand && w.DeletionTimestamp.IsZero()
	})
}
