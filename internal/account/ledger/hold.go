// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
)

// Hold is the front end's reservation for a slideshow that it is about to create. The zero value reserves nothing.
type Hold struct {
	book            *Book
	namespace, name string
}

// Hold reserves the quota for a slideshow with the given name. A repeated call for the same name returns the same
// reservation. If the process dies before it creates the slideshow, the reservation is released some minutes later. The
// errors are *quota.ExhaustedError, *quota.CreditsError, quota.ErrTooManyHolds and those of Change.
func (b *Book) Hold(ctx context.Context, namespace, name string, need quota.Need) (Hold, error) {
	err := b.Change(ctx, namespace, func(a *v1beta1.Account, now time.Time) error { return quota.Hold(a, name, need, now) })
	if err != nil {
		return Hold{}, err
	}
	return Hold{b, namespace, name}, nil
}

// Release releases the reservation. Call it only when the slideshow was certainly not created.
func (h Hold) Release(ctx context.Context) error {
	if h.book == nil {
		return nil
	}
	return h.book.Change(ctx, h.namespace, func(a *v1beta1.Account, _ time.Time) error {
		quota.Release(a, h.name)
		return nil
	})
}
