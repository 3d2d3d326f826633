// SPDX-License-Identifier: Apache-2.0

package connectionrequest

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
)

// observed has the inputs of a decision besides the object.
type observed struct {
	brand bool
	// platform is nil if the installation has no app there.
	platform publish.Platform
	// code is nil if it cannot be unsealed.
	code *consent.Code
	// held is the grant in memory that is not stored yet, stored the one in the Secret.
	held, stored *credential.Grant
}

func (r *Reconciler) observe(ctx context.Context, q *v1beta1.ConnectionRequest) (*observed, error) {
	o := &observed{brand: true, held: r.holding(q.UID)}
	if p := r.Platforms[q.Spec.Platform]; p != nil && len(p.Missing()) == 0 {
		o.platform = p
	}
	switch err := r.Live.Get(ctx, client.ObjectKey{Namespace: q.Namespace, Name: q.Spec.BrandRef.Name}, &v1beta1.Brand{}); {
	case apierrors.IsNotFound(err):
		o.brand = false
	case err != nil:
		return nil, err
	}
	if code, err := r.Consent.OpenCode(q.Spec.SealedCode, q.Namespace, q.Name); err == nil {
		o.code = code
	}
	if q.Status.State == v1beta1.WorkProcessing && len(q.Status.Accounts) > 0 {
		var err error
		if o.stored, err = r.Keeper.Stored(ctx, secretOf(q), string(q.UID)); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// secretOf returns the name of the Secret with the grant. The accounts of the request must be known.
func secretOf(q *v1beta1.ConnectionRequest) types.NamespacedName {
	return types.NamespacedName{Namespace: q.Namespace, Name: credential.SecretName(q.Status.Accounts[0])}
}
