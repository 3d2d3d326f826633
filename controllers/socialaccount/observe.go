// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
)

// observed has the inputs of a decision besides the object.
type observed struct {
	brand bool
	// platform is nil if the installation has no app there.
	platform publish.Platform
	grant    *credential.Sight
}

func (r *Reconciler) observe(ctx context.Context, a *v1beta1.SocialAccount) (*observed, error) {
	o := &observed{brand: true}
	if p := r.Platforms[a.Spec.Platform]; p != nil && len(p.Missing()) == 0 {
		o.platform = p
	}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: a.Namespace, Name: a.Spec.BrandRef.Name}, &v1beta1.Brand{})
	switch {
	case apierrors.IsNotFound(err):
		o.brand = false
	case err != nil:
		return nil, err
	}
	o.grant, err = r.Keeper.See(ctx, a)
	return o, err
}
