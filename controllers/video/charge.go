// SPDX-License-Identifier: Apache-2.0

package video

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
)

// Two objects have to agree on what a video takes from the plan, so there are two writes: the account counts and keeps the
// operation's name, then the video's own status says so. Killed in between, the next pass finds the name and does not count
// again.

func charged(v *v1beta1.Video) bool {
	return v.Status.Charge != nil && v.Status.Charge.Charges > v.Status.Charge.Refunds
}

// nextCharge numbers the charge that would come next.
func nextCharge(v *v1beta1.Video) int32 {
	if c := v.Status.Charge; c != nil {
		return c.Charges + 1
	}
	return 1
}

// affordable says whether the account would give what the video takes: nil or *quota.ExhaustedError.
func affordable(v *v1beta1.Video, o *seen, now time.Time) error {
	if charged(v) {
		return nil
	}
	_, err := quota.Charge(o.account.DeepCopy(), quota.ShowOf(v), nextCharge(v), now)
	return err
}

// unaffordable ends the work because the plan does not give what it takes; nil for other errors.
func unaffordable(err error) *step {
	var e *quota.ExhaustedError
	if !errors.As(err, &e) {
		return nil
	}
	st := exhausted(e.State)
	return &st
}

// wasAccepted says that the account holds a video, or has counted it, and its own status does not tell of it yet.
func wasAccepted(v *v1beta1.Video, o *seen, now time.Time) bool {
	return o.account != nil && !charged(v) &&
		(quota.Awaits(o.account, v.Name) || quota.Charged(o.account, quota.ShowOf(v), nextCharge(v), now))
}

// charge counts the video, once.
func (r *Reconciler) charge(ctx context.Context, v *v1beta1.Video) error {
	if charged(v) {
		return nil
	}
	if err := r.newest(ctx, v); err != nil {
		return err
	}
	var period time.Time
	err := r.Ledger.Change(ctx, v.Namespace, func(a *v1beta1.Account, now time.Time) (err error) {
		period, err = quota.Charge(a, quota.ShowOf(v), nextCharge(v), now)
		ledger.Forget(ctx, r.Client, a)
		return err
	})
	if err != nil {
		return err
	}
	c := &v1beta1.Charge{PeriodStart: metav1.NewTime(period), Charges: nextCharge(v)}
	if v.Status.Charge != nil {
		c.Refunds = v.Status.Charge.Refunds
	}
	v.Status.Charge = c
	return nil
}

// newest makes sure that nobody has charged a video since the cache saw it: the account forgets what the video itself tells of.
func (r *Reconciler) newest(ctx context.Context, v *v1beta1.Video) error {
	live := &v1beta1.Video{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(v), live); err != nil {
		return err
	}
	if live.UID != v.UID || nextCharge(live) != nextCharge(v) {
		return apierrors.NewConflict(v1beta1.GroupVersion.WithResource("videos").GroupResource(), v.Name, errors.New("it was charged a moment ago"))
	}
	return nil
}

// refundable says that making the video has failed through no fault of its user and is still charged.
func refundable(v *v1beta1.Video) bool {
	w := v.Status.Work
	return w != nil && w.State == v1beta1.WorkFailed && w.Error != nil && w.Error.Retryable && charged(v)
}

// refund gives a charge back, once, in the period in which it was made.
func (r *Reconciler) refund(ctx context.Context, v *v1beta1.Video) error {
	c := v.Status.Charge
	err := r.Ledger.Change(ctx, v.Namespace, func(a *v1beta1.Account, now time.Time) error {
		quota.Refund(a, quota.ShowOf(v), c.Refunds+1, c.PeriodStart.Time, now)
		ledger.Forget(ctx, r.Client, a)
		return nil
	})
	if err == nil {
		c.Refunds++
	}
	return err
}

// close takes leave of the account before a video goes: what was held for it and never taken up was accepted all the same.
func (r *Reconciler) close(ctx context.Context, v *v1beta1.Video, o *seen) error {
	if o.account == nil || charged(v) || !quota.Awaits(o.account, v.Name) {
		return nil
	}
	return r.Ledger.Change(ctx, v.Namespace, func(a *v1beta1.Account, now time.Time) error {
		quota.Close(a, v.Name, now)
		return nil
	})
}
