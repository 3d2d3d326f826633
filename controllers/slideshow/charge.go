// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
)

// begin commits what the work needs from the plan.
func (r *Reconciler) begin(ctx context.Context, s *v1beta1.Slideshow, o *observed, d decision) result {
	if err := r.pay(ctx, s, o, creditsFor(s, o, d.design)); err != nil {
		if f := unaffordable(err); f != nil {
			return result{failed: f.err}
		}
		return result{err: err}
	}
	return result{}
}

// pay commits the slideshow to the plan, unless it is, with so many credits for AI pictures.
func (r *Reconciler) pay(ctx context.Context, s *v1beta1.Slideshow, o *observed, credits int32) error {
	held, err := r.Ledger.Reservations(r.Client).Commit(ctx, o.account, s, credits)
	if err != nil {
		return err
	}
	if held > 0 || s.Status.Credits != nil {
		c := creditsOf(s)
		c.Held, c.PerPicture = held, perPicture(o)
	}
	return nil
}

// unaffordable returns the decision that ends the work because the plan does not cover it; nil for other errors.
func unaffordable(err error) *decision {
	var exhausted *quota.ExhaustedError
	var credits *quota.CreditsError
	switch {
	case errors.As(err, &exhausted):
		q := exhausted.State
		return fail(v1beta1.ReasonQuotaExceeded, catalog.QuotaExceeded, false,
			fmt.Sprintf("The plan's %d slideshows of this period are used up", q.Limit),
			map[string]string{
				"limit": fmt.Sprint(q.Limit), "used": fmt.Sprint(q.Used), "resets_at": q.PeriodEnd.Format(time.RFC3339),
			})
	case errors.As(err, &credits):
		return fail(v1beta1.ReasonInsufficientCredits, catalog.InsufficientCredits, false,
			fmt.Sprintf("The AI pictures cost %d credits and %d are left", credits.Required, credits.Current),
			map[string]string{
				"credits_required": fmt.Sprint(credits.Required), "current_credits": fmt.Sprint(credits.Current),
			})
	}
	return nil
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

// close ends what the slideshow takes from the plan before it is deleted.
func (r *Reconciler) close(ctx context.Context, s *v1beta1.Slideshow, o *observed) error {
	n, credits, _ := due(s)
	return r.Ledger.Reservations(r.Client).Close(ctx, o.account, s, o.account != nil && unsettled(s, o.account), n, credits)
}

// creditsOf is the slideshow's record of credits, made if need be.
func creditsOf(s *v1beta1.Slideshow) *v1beta1.CreditUse {
	if s.Status.Credits == nil {
		s.Status.Credits = &v1beta1.CreditUse{}
	}
	return s.Status.Credits
}

// perPicture is what a picture costs the account: nothing on a plan that shows no credits.
func perPicture(o *observed) int32 {
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
func (r *Reconciler) settle(ctx context.Context, s *v1beta1.Slideshow, o *observed) error {
	n, credits, pictures := due(s)
	if credits > 0 || quota.Held(o.account, quota.ShowOf(s)) > 0 {
		if err := r.Ledger.Reservations(r.Client).Settle(ctx, s, n, credits); err != nil {
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
