// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
)

// Forget removes entries from the account's list of unsettled operations: those that the status of their slideshow or
// video records, and those of deleted objects. Entries of objects that cannot be read stay.
func Forget(ctx context.Context, c client.Reader, a *v1beta1.Account) {
	quota.Forget(a, func(o quota.Counted) bool {
		key := client.ObjectKey{Namespace: a.Namespace, Name: o.Name}
		s := &v1beta1.Slideshow{}
		switch err := c.Get(ctx, key, s); {
		case err == nil && string(s.UID) == o.UID:
			return o.SettledIn(s.Status.Charge, s.Status.Credits)
		case err != nil && !apierrors.IsNotFound(err):
			return false
		}
		v := &v1beta1.Video{}
		switch err := c.Get(ctx, key, v); {
		case err == nil && string(v.UID) == o.UID:
			return o.SettledIn(v.Status.Charge, nil)
		case err != nil && !apierrors.IsNotFound(err):
			return false
		}
		return true
	})
}
