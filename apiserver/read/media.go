// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
)

// indexDemo finds the product demos of a brand by the brand's name.
const indexDemo = "reelops.demo"

func demoOf(o client.Object) []string {
	m := o.(*v1alpha1.MediaAsset)
	if m.Spec.MediaType != catalog.MediaProductDemo || m.Spec.BrandRef == nil {
		return nil
	}
	return []string{m.Spec.BrandRef.Name}
}

// ProductDemos counts the product demos that belong to a brand; those shared with the whole account belong to none.
func (r *Reader) ProductDemos(ctx context.Context, namespace, brand string) (int, error) {
	var l v1alpha1.MediaAssetList
	err := r.Cached.List(ctx, &l, client.InNamespace(namespace), client.MatchingFields{indexDemo: brand}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return 0, fmt.Errorf("counting product demos: %w", err)
	}
	return len(l.Items), nil
}

// MediaByID finds a media item that the brand may use: its own or one of the whole account.
func (r *Reader) MediaByID(ctx context.Context, namespace, brand string, id int64) (*v1alpha1.MediaAsset, error) {
	var l v1alpha1.MediaAssetList
	if err := r.byIndex(ctx, namespace, indexID, id, &l); err != nil {
		return nil, err
	}
	for i := range l.Items {
		if ref := l.Items[i].Spec.BrandRef; ref == nil || ref.Name == brand {
			return &l.Items[i], nil
		}
	}
	return nil, ErrNotFound
}
