// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/quota"
)

// errExhausted says that the plan had nothing left when the charge was written.
var errExhausted = errors.New("the plan's quota is used up")

// charge counts a slideshow once. Two objects have to agree, so there are two writes: the account counts and keeps the
// operation's name, then the slideshow's own status says so. Killed in between, the next pass finds the name and does
// not count again. The write is guarded by the account's resourceVersion, so concurrent charges never lose one another.
func (r *Reconciler) charge(ctx context.Context, s *v1alpha1.Slideshow, a *v1alpha1.Account, now time.Time) error {
	if err := r.count(ctx, a, nextCharge(s), +1, now); err != nil {
		return err
	}
	was := v1alpha1.Charge{}
	if s.Status.Charge != nil {
		was = *s.Status.Charge
	}
	start, _ := quota.Month(now)
	s.Status.Charge = &v1alpha1.Charge{PeriodStart: metav1.NewTime(start), Charges: was.Charges + 1, Refunds: was.Refunds}
	return nil
}

// nextCharge names the charge that would come next.
func nextCharge(s *v1alpha1.Slideshow) string {
	n := int32(1)
	if c := s.Status.Charge; c != nil {
		n = c.Charges + 1
	}
	return operation(s, "charge", n)
}

// counted says that the account has counted an operation in the current period.
func counted(a *v1alpha1.Account, op string, now time.Time) bool {
	start, _ := quota.Month(now)
	u := a.Status.Usage
	return u != nil && u.PeriodStart.Time.Equal(start) && slices.Contains(u.Unsettled, op)
}

// refund gives a charge back, once, in the period in which it was made.
func (r *Reconciler) refund(ctx context.Context, s *v1alpha1.Slideshow, a *v1alpha1.Account, now time.Time) error {
	c := s.Status.Charge
	if start, _ := quota.Month(now); c.PeriodStart.Time.Equal(start) {
		if err := r.count(ctx, a, operation(s, "refund", c.Refunds+1), -1, now); err != nil {
			return err
		}
	}
	c.Refunds++
	return nil
}

func operation(s *v1alpha1.Slideshow, what string, n int32) string {
	return fmt.Sprintf("%s/%s/%s-%d", s.Name, s.UID, what, n)
}

func (r *Reconciler) count(ctx context.Context, account *v1alpha1.Account, op string, by int32, now time.Time) error {
	a := account.DeepCopy()
	before := a.DeepCopy()
	start, end := quota.Month(now)
	if a.Status.Usage == nil || !a.Status.Usage.PeriodStart.Time.Equal(start) {
		a.Status.Usage = &v1alpha1.Usage{PeriodStart: metav1.NewTime(start), PeriodEnd: metav1.NewTime(end)}
	}
	if counted(a, op, now) {
		return nil
	}
	u := a.Status.Usage
	if by > 0 && quota.Of(a, now).Exhausted() {
		return errExhausted
	}
	u.SlideshowsUsed = max(0, u.SlideshowsUsed+by)
	u.Unsettled = append(slices.DeleteFunc(u.Unsettled, func(o string) bool { return r.settled(ctx, a.Namespace, o) }), op)
	return r.Client.Status().Patch(ctx, a, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// settled says that an operation's slideshow knows of it, or is gone.
func (r *Reconciler) settled(ctx context.Context, namespace, op string) bool {
	name, rest, _ := strings.Cut(op, "/")
	uid, what, _ := strings.Cut(rest, "/")
	s, err := get(ctx, r.Client, namespace, name, &v1alpha1.Slideshow{})
	if err != nil {
		return false
	}
	if s == nil || string(s.UID) != uid {
		return true
	}
	if s.Status.Charge == nil {
		return false
	}
	var n int32
	if _, err := fmt.Sscanf(what, "charge-%d", &n); err == nil {
		return s.Status.Charge.Charges >= n
	}
	if _, err := fmt.Sscanf(what, "refund-%d", &n); err == nil {
		return s.Status.Charge.Refunds >= n
	}
	return true
}
