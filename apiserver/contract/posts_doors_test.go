// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// postDropper is a client whose created posts never reach the cluster.
type postDropper struct{ client.Client }

// Create drops posts.
func (d *postDropper) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	if _, ok := o.(*v1beta1.Post); ok {
		return apierrors.NewServiceUnavailable("the cluster is away")
	}
	return d.Client.Create(ctx, o, opts...)
}
