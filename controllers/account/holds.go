// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/quota"
)

// patience is the age at which a hold is looked at: far longer than a front end takes from holding to creating.
const patience = 2 * time.Minute

// sweep gives back what is held for nobody: its front end died before it created the slideshow, or the slideshow is gone.
// It tells when to look again; 0: not before something changes. What is held for a slideshow that is there is left to its
// controller, however long that waits.
func (r *Reconciler) sweep(ctx context.Context, a *v1alpha1.Account, now time.Time) (again time.Duration, err error) {
	var gone []v1alpha1.Hold
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
	return again, r.Ledger.Change(ctx, a.Namespace, func(a *v1alpha1.Account, _ time.Time) error {
		for _, h := range gone {
			quota.Drop(a, h)
		}
		return nil
	})
}

// orphan says that nobody will take a hold up. The cluster itself is asked: the cache may not know of the slideshow yet.
func (r *Reconciler) orphan(ctx context.Context, namespace string, h v1alpha1.Hold) (bool, error) {
	s := &v1alpha1.Slideshow{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: h.Slideshow}, s)
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("looking for the slideshow of a hold: %w", err)
	case h.UID != "":
		return string(s.UID) != h.UID, nil
	}
	// One that was charged has taken up its own hold; this one was for another that was to have its name.
	return s.Status.Charge != nil, nil
}
