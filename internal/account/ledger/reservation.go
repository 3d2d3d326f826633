// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
)

// State is the state of what one slideshow or video takes from the plan of its account.
type State string

// States of a reservation.
const (
	// None: nothing is reserved. A manifest has no reservation before work begins.
	None State = "none"
	// Reserved: the account reserves or has counted it, and the status of the short does not record that yet.
	Reserved State = "reserved"
	// Committed: it is counted, and the status of the short records that.
	Committed State = "committed"
	// Released: it was counted and refunded. Another commit counts it again.
	Released State = "released"
)

// Reservations changes the reservations of slideshows and videos. It is the only owner of the rule: controllers call
// Commit, Release, Settle and Close. Book.Reservations creates one.
//
// Two objects record a reservation: the status of the account, which counts, and the status of the short,
// status.charge. Each change is written to the account first, together with the name of the operation. A process that
// stops between the two writes finds that name and does not count again. Commit and Release write the account and
// change the short in memory: the caller writes its status.
type Reservations struct {
	book *Book
	// cache finds the shorts that record their operations themselves.
	cache client.Reader
}

// Reservations returns the reservations that the accounts of the book record. cache may lag behind the cluster.
func (b *Book) Reservations(cache client.Reader) Reservations {
	return Reservations{book: b, cache: cache}
}

// chargeOf returns the field of the status of a slideshow or video that records its reservation.
func chargeOf(short client.Object) **v1beta1.Charge {
	switch o := short.(type) {
	case *v1beta1.Slideshow:
		return &o.Status.Charge
	case *v1beta1.Video:
		return &o.Status.Charge
	}
	panic(fmt.Sprintf("a %T takes nothing from a plan", short))
}

// IsCommitted reports whether the status of a short records that it is counted.
func IsCommitted(short client.Object) bool {
	c := *chargeOf(short)
	return c != nil && c.Charges > c.Refunds
}

// StateOf returns the state of a short's reservation. a may be nil: there is no account.
func StateOf(a *v1beta1.Account, short client.Object, now time.Time) State {
	switch c := *chargeOf(short); {
	case IsCommitted(short):
		return Committed
	case a != nil && (quota.Awaits(a, short.GetName()) || quota.Charged(a, quota.ShowOf(short), next(short), now)):
		return Reserved
	case c != nil && c.Refunds > 0:
		return Released
	}
	return None
}

// next is the number of the next commit, counted from 1.
func next(short client.Object) int32 {
	if c := *chargeOf(short); c != nil {
		return c.Charges + 1
	}
	return 1
}

// Affordable returns nil if the plan of the account covers what Commit would take, else *quota.ExhaustedError,
// *quota.CreditsError or quota.ErrTooManyHolds. It changes neither object.
func Affordable(a *v1beta1.Account, short client.Object, credits int32, now time.Time) error {
	if IsCommitted(short) && credits <= 0 {
		return nil
	}
	_, _, err := commit(a.DeepCopy(), short, credits, now)
	return err
}

// commit counts a short unless it is counted, and reserves credits for it. It returns the period that the short was
// counted in and the credits that it holds.
func commit(a *v1beta1.Account, short client.Object, credits int32, now time.Time) (period time.Time, held int32, err error) {
	if !IsCommitted(short) {
		if period, err = quota.Charge(a, quota.ShowOf(short), next(short), now); err != nil {
			return period, 0, err
		}
	}
	err = quota.Reserve(a, quota.ShowOf(short), credits, now)
	return period, quota.Held(a, quota.ShowOf(short)), err
}

// Commit counts a short unless it is counted, and makes sure that the short holds so many credits. What POST reserved
// for the short becomes the count. a is the account as the caller read it; it may be nil. Commit returns the credits
// that the short holds. Errors: *quota.ExhaustedError, *quota.CreditsError, quota.ErrTooManyHolds, a conflict if the
// short is older than its newest status, and those of Book.Change.
func (r Reservations) Commit(ctx context.Context, a *v1beta1.Account, short client.Object, credits int32) (held int32, err error) {
	committed := IsCommitted(short)
	if a != nil {
		held = quota.Held(a, quota.ShowOf(short))
	}
	if committed && credits <= held {
		return held, nil
	}
	if !committed {
		if err := r.newest(ctx, short); err != nil {
			return 0, err
		}
	}
	var period time.Time
	err = r.book.Change(ctx, short.GetNamespace(), func(a *v1beta1.Account, now time.Time) (err error) {
		period, held, err = commit(a, short, credits, now)
		Forget(ctx, r.cache, a)
		return err
	})
	if err != nil || committed {
		return held, err
	}
	c := &v1beta1.Charge{PeriodStart: metav1.NewTime(period), Charges: next(short)}
	if before := *chargeOf(short); before != nil {
		c.Refunds = before.Refunds
	}
	*chargeOf(short) = c
	return held, nil
}

// newest returns a conflict if the status of a short records a commit that the given object does not. The account
// forgets an operation once the short records it: a commit decided upon an old object would count twice.
func (r Reservations) newest(ctx context.Context, short client.Object) error {
	var live client.Object = &v1beta1.Slideshow{}
	resource := "slideshows"
	if _, ok := short.(*v1beta1.Video); ok {
		live, resource = &v1beta1.Video{}, "videos"
	}
	if err := r.book.live.Get(ctx, client.ObjectKeyFromObject(short), live); err != nil {
		return err
	}
	if live.GetUID() != short.GetUID() || next(live) != next(short) {
		return apierrors.NewConflict(v1beta1.GroupVersion.WithResource(resource).GroupResource(), short.GetName(),
			errors.New("its newest status records another charge"))
	}
	return nil
}

// Release gives a committed short back to the plan, once, in the period in which it was counted.
func (r Reservations) Release(ctx context.Context, short client.Object) error {
	c := *chargeOf(short)
	err := r.book.Change(ctx, short.GetNamespace(), func(a *v1beta1.Account, now time.Time) error {
		quota.Refund(a, quota.ShowOf(short), c.Refunds+1, c.PeriodStart.Time, now)
		Forget(ctx, r.cache, a)
		return nil
	})
	if err == nil {
		c.Refunds++
	}
	return err
}

// Settle records that work has used so many credits, and releases the others that the short holds. n numbers the
// settlements of the short, from 1.
func (r Reservations) Settle(ctx context.Context, short client.Object, n, credits int32) error {
	return r.book.Change(ctx, short.GetNamespace(), func(a *v1beta1.Account, now time.Time) error {
		quota.Settle(a, quota.ShowOf(short), n, credits, now)
		Forget(ctx, r.cache, a)
		return nil
	})
}

// Close ends the reservation of a short that is being deleted. One that is reserved and was never committed stays
// counted: the short was accepted. Credits are settled as by Settle, unless n is 0: a video holds none. unsettled reports
// whether the short holds or owes credits.
func (r Reservations) Close(
	ctx context.Context, a *v1beta1.Account, short client.Object, unsettled bool, n, credits int32,
) error {
	if a == nil {
		return nil
	}
	reserved := !IsCommitted(short) && quota.Awaits(a, short.GetName())
	if !reserved && !unsettled {
		return nil
	}
	return r.book.Change(ctx, short.GetNamespace(), func(a *v1beta1.Account, now time.Time) error {
		if reserved {
			quota.Close(a, short.GetName(), now)
		}
		if n > 0 {
			quota.Settle(a, quota.ShowOf(short), n, credits, now)
		}
		return nil
	})
}

// orphanAge is the age at which a reservation without a short is released: far longer than a front end takes between
// the reservation and the creation of the short.
const orphanAge = 2 * time.Minute

// ReleaseOrphans releases the reservations of an account whose short does not exist: its front end stopped before it
// created the short, or the short was deleted. The reservation of an existing short stays, however long its
// controller waits. It returns when to check again; 0 means not before the account changes.
func (b *Book) ReleaseOrphans(ctx context.Context, a *v1beta1.Account, now time.Time) (again time.Duration, err error) {
	var orphans []v1beta1.Hold
	for _, h := range a.Status.Holds {
		left := h.Since.Add(orphanAge).Sub(now)
		if left <= 0 {
			orphan, err := b.orphan(ctx, a.Namespace, h)
			if err != nil {
				return 0, err
			}
			if orphan {
				orphans = append(orphans, h)
				continue
			}
			left = orphanAge
		}
		if again == 0 || left < again {
			again = left
		}
	}
	if len(orphans) == 0 {
		return again, nil
	}
	return again, b.Change(ctx, a.Namespace, func(a *v1beta1.Account, _ time.Time) error {
		for _, h := range orphans {
			quota.Drop(a, h)
		}
		return nil
	})
}

// orphan reports whether neither a slideshow nor a video will take a reservation. It reads the API server: the cache
// may not have the short yet.
func (b *Book) orphan(ctx context.Context, namespace string, h v1beta1.Hold) (bool, error) {
	for _, short := range []client.Object{&v1beta1.Slideshow{}, &v1beta1.Video{}} {
		err := b.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: h.Slideshow}, short)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return false, fmt.Errorf("reading the short of a reservation: %w", err)
		case h.UID != "" && string(short.GetUID()) == h.UID:
			return false, nil
		case h.UID == "" && *chargeOf(short) == nil:
			// A short with a charge has taken its own reservation; this one was for another short of the name.
			return false, nil
		}
	}
	return true, nil
}
