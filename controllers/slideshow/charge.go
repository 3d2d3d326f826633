// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
)

// Two objects have to agree on what a slideshow takes from the plan, so there are two writes: the account counts and keeps
// the operation's name, then the slideshow's own status says so. Killed in between, the next pass finds the name and does
// not count again.

// bill is what the beginning of work takes.
type bill struct {
	charge  bool  // the slideshow itself; else it is charged already
	number  int32 // of that charge
	credits int32 // for pictures that AI may have to make
}

func billFor(s *v1beta1.Slideshow, o *seen, d v1beta1.Design) bill {
	return bill{charge: !charged(s), number: nextCharge(s), credits: creditsFor(s, o, d)}
}

// take changes the account by a bill. It tells the period of the charge and the credits then held. The error is a
// *quota.ExhaustedError or *quota.CreditsError.
func (b bill) take(a *v1beta1.Account, s *v1beta1.Slideshow, now time.Time) (period time.Time, held int32, err error) {
	if b.charge {
		if period, err = quota.Charge(a, quota.ShowOf(s), b.number, now); err != nil {
			return period, 0, err
		}
	}
	err = quota.Reserve(a, quota.ShowOf(s), b.credits, now)
	return period, quota.Held(a, quota.ShowOf(s)), err
}

// affordable says whether the account would give what the work takes: nil, *quota.ExhaustedError or *quota.CreditsError.
func affordable(s *v1beta1.Slideshow, o *seen, d v1beta1.Design, now time.Time) error {
	_, _, err := billFor(s, o, d).take(o.account.DeepCopy(), s, now)
	return err
}

// begin takes what the work needs from the plan.
func (r *Reconciler) begin(ctx context.Context, s *v1beta1.Slideshow, o *seen, st step) did {
	b := billFor(s, o, st.design)
	if err := r.pay(ctx, s, o, b); err != nil {
		if f := st.unaffordable(err); f != nil {
			return did{failed: f.err}
		}
		return did{err: err}
	}
	return did{}
}

// wasAccepted says that the account holds a slideshow, or has counted it, and its own status does not tell of it yet.
func wasAccepted(s *v1beta1.Slideshow, o *seen, now time.Time) bool {
	return o.account != nil && !charged(s) &&
		(quota.Awaits(o.account, s.Name) || quota.Charged(o.account, quota.ShowOf(s), nextCharge(s), now))
}

// accepted takes over what the front end held for a slideshow, whatever becomes of it: it was accepted.
func (r *Reconciler) accepted(ctx context.Context, s *v1beta1.Slideshow, o *seen) error {
	return r.pay(ctx, s, o, bill{charge: true, number: nextCharge(s)})
}

func (r *Reconciler) pay(ctx context.Context, s *v1beta1.Slideshow, o *seen, b bill) error {
	if b.charge {
		if err := r.newest(ctx, s); err != nil {
			return err
		}
	}
	var period time.Time
	held := quota.Held(o.account, quota.ShowOf(s))
	if b.charge || b.credits > held {
		err := r.Ledger.Change(ctx, s.Namespace, func(a *v1beta1.Account, now time.Time) (err error) {
			period, held, err = b.take(a, s, now)
			r.forget(ctx, a)
			return err
		})
		if err != nil {
			return err
		}
	}
	if b.charge {
		refunds := int32(0)
		if c := s.Status.Charge; c != nil {
			refunds = c.Refunds
		}
		s.Status.Charge = &v1beta1.Charge{PeriodStart: metav1.NewTime(period), Charges: b.number, Refunds: refunds}
	}
	if held > 0 || s.Status.Credits != nil {
		c := creditsOf(s)
		c.Held, c.PerPicture = held, perPicture(o)
	}
	return nil
}

// newest makes sure that nobody has charged a slideshow since the cache saw it: the account forgets what the slideshow
// itself tells of.
func (r *Reconciler) newest(ctx context.Context, s *v1beta1.Slideshow) error {
	live := &v1beta1.Slideshow{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(s), live); err != nil {
		return err
	}
	if live.UID != s.UID || nextCharge(live) != nextCharge(s) {
		return apierrors.NewConflict(v1beta1.GroupVersion.WithResource("slideshows").GroupResource(), s.Name, errors.New("it was charged a moment ago"))
	}
	return nil
}

// forget drops from the account's list what slideshows and videos know of, or what is gone.
func (r *Reconciler) forget(ctx context.Context, a *v1beta1.Account) {
	ledger.Forget(ctx, r.Client, a)
}

// nextCharge numbers the charge that would come next.
func nextCharge(s *v1beta1.Slideshow) int32 {
	if c := s.Status.Charge; c != nil {
		return c.Charges + 1
	}
	return 1
}

func charged(s *v1beta1.Slideshow) bool {
	return s.Status.Charge != nil && s.Status.Charge.Charges > s.Status.Charge.Refunds
}

// refund gives a charge back, once, in the period in which it was made.
func (r *Reconciler) refund(ctx context.Context, s *v1beta1.Slideshow) error {
	c := s.Status.Charge
	err := r.Ledger.Change(ctx, s.Namespace, func(a *v1beta1.Account, now time.Time) error {
		quota.Refund(a, quota.ShowOf(s), c.Refunds+1, c.PeriodStart.Time, now)
		r.forget(ctx, a)
		return nil
	})
	if err == nil {
		c.Refunds++
	}
	return err
}

// unaffordable ends the work because the plan does not give what it takes; nil for other errors.
func (st step) unaffordable(err error) *step {
	var exhausted *quota.ExhaustedError
	var credits *quota.CreditsError
	var out step
	switch {
	case errors.As(err, &exhausted):
		out = st.exhausted(exhausted.State)
	case errors.As(err, &credits):
		out = st.fail(v1beta1.ReasonInsufficientCredits, catalog.InsufficientCredits, false,
			fmt.Sprintf("The AI pictures cost %d credits and %d are left", credits.Required, credits.Current),
			map[string]string{"credits_required": fmt.Sprint(credits.Required), "current_credits": fmt.Sprint(credits.Current)})
	default:
		return nil
	}
	return &out
}

// failureReason is the condition's reason of a failed slideshow.
func failureReason(e *v1beta1.WorkError) v1beta1.Reason {
	switch catalog.Code(e.Code) {
	case catalog.QuotaExceeded:
		return v1beta1.ReasonQuotaExceeded
	case catalog.InsufficientCredits:
		return v1beta1.ReasonInsufficientCredits
	}
	return v1beta1.ReasonFailed
}

// close takes leave of the account before a slideshow goes: what was held for it and never taken up was accepted all the
// same, and credits that are held are used or given back.
func (r *Reconciler) close(ctx context.Context, s *v1beta1.Slideshow, o *seen) error {
	if o.account == nil {
		return nil
	}
	open := !charged(s) && quota.Awaits(o.account, s.Name)
	if !open && !unsettled(s, o.account) {
		return nil
	}
	n, credits, _ := due(s)
	return r.Ledger.Change(ctx, s.Namespace, func(a *v1beta1.Account, now time.Time) error {
		if open {
			quota.Close(a, s.Name, now)
		}
		quota.Settle(a, quota.ShowOf(s), n, credits, now)
		return nil
	})
}

// creditsOf is the slideshow's record of credits, made if need be.
func creditsOf(s *v1beta1.Slideshow) *v1beta1.CreditUse {
	if s.Status.Credits == nil {
		s.Status.Credits = &v1beta1.CreditUse{}
	}
	return s.Status.Credits
}

// perPicture is what a picture costs the account: nothing on a plan that shows no credits.
func perPicture(o *seen) int32 {
	if o.account == nil || o.account.Spec.Plan.Credits == nil {
		return 0
	}
	return o.ai.CreditsPerImage
}

// due is what has to be settled when work has ended: the number of the settlement, its credits, and the pictures that it
// pays for. Work that has failed costs nothing.
func due(s *v1beta1.Slideshow) (n, credits int32, pictures []string) {
	c := v1beta1.CreditUse{}
	if s.Status.Credits != nil {
		c = *s.Status.Credits
	}
	n = c.Settlements + 1
	if s.Status.Work == nil || s.Status.Work.State != v1beta1.WorkSucceeded {
		return n, 0, nil
	}
	for i := range s.Status.Slides {
		if b := &s.Status.Slides[i].Background; b.Source == sourceAI && !slices.Contains(c.Paid, b.ID) {
			pictures = append(pictures, b.ID)
		}
	}
	return n, c.PerPicture * int32(len(pictures)), pictures
}

// unsettled says that credits are held or due although no work is going on.
func unsettled(s *v1beta1.Slideshow, a *v1beta1.Account) bool {
	_, credits, pictures := due(s)
	return credits > 0 || len(pictures) > 0 || quota.Held(a, quota.ShowOf(s)) > 0 || s.Status.Credits != nil && s.Status.Credits.Held > 0
}

// maxPaid bounds the list of paid pictures: those of twenty slideshows.
const maxPaid = 240

// settle pays for the pictures that came of the work and gives the rest back.
func (r *Reconciler) settle(ctx context.Context, s *v1beta1.Slideshow, o *seen) error {
	n, credits, pictures := due(s)
	if credits > 0 || quota.Held(o.account, quota.ShowOf(s)) > 0 {
		err := r.Ledger.Change(ctx, s.Namespace, func(a *v1beta1.Account, now time.Time) error {
			quota.Settle(a, quota.ShowOf(s), n, credits, now)
			r.forget(ctx, a)
			return nil
		})
		if err != nil {
			return err
		}
	}
	c := creditsOf(s)
	c.Held, c.Used = 0, c.Used+credits
	if credits > 0 {
		c.Settlements = n
	}
	c.Paid = append(c.Paid, pictures...)
	c.Paid = c.Paid[max(0, len(c.Paid)-maxPaid):]
	return nil
}
