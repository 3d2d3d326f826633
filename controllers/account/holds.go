// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
)

// patience is the age at which a hold is looked at: far longer than a front end takes from holding to creating.
const patience = 2 * time.Minute

// sweep gives back what is held for nobody: its front end died before it created the short, or the short is gone. It tells
// when to look again; 0: not before something changes. What is held for a slideshow or video that is there is left to its
// controller, however long that waits.
func (r *Reconciler) sweep(ctx context.Context, a *v1beta1.Account, now time.Time) (again time.Duration, err error) {
	var gone []v1beta1.Hold
	for _, h := range a.Status.Holds {
		left := h.Since.Add(patience).Sub(now)
		if left <= 0 {
			orphan, err := r.orphan(ctx, a.Namespace, h)
			if err != nil {
				return 0, err
			}
			if orphan {
				gone = append(gone, h)
				continue
			}
			left = patience
		}
		if again == 0 || left < again {
			again = left
		}
	}
	if len(gone) == 0 {
		return again, nil
	}
	return again, r.Ledger.Change(ctx, a.Namespace, func(a *v1beta1.Account, _ time.Time) error {
		for _, h := range gone {
			quota.Drop(a, h)
		}
		return nil
	})
}

// orphan says that nobody will take a hold up: neither a slideshow nor a video of the name. The cluster itself is asked: the
// cache may not know of the short yet.
func (r *Reconciler) orphan(ctx context.Context, namespace string, h v1beta1.Hold) (bool, error) {
	s, v := &v1beta1.Slideshow{}, &v1beta1.Video{}
	for _, short := range []struct {
		object client.Object
		charge func() *v1beta1.Charge
	}{
		{s, func() *v1beta1.Charge { return s.Status.Charge }},
		{v, func() *v1beta1.Charge { return v.Status.Charge }},
	} {
		err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: h.Slideshow}, short.object)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return false, fmt.Errorf("looking for the short of a hold: %w", err)
		case h.UID != "" && string(short.object.GetUID()) == h.UID:
			return false, nil
		case h.UID == "" && short.charge() == nil:
			// One that was charged has taken up its own hold; that one was for another that was to have its name.
			return false, nil
		}
	}
	return true, nil
}
