// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/shortwork"
)

// begin commits what the work takes from the plan.
func (r *Reconciler) begin(ctx context.Context, s *v1beta1.Slideshow, o *observed, d decision) result {
	if err := r.commit(ctx, s, o, creditsFor(s, o, d.design)); err != nil {
		if f := unaffordable(err); f != nil {
			return result{failed: f.err}
		}
		return result{err: err}
	}
	return result{}
}

// commit charges the slideshow to the plan, unless it is charged, and reserves so many credits for AI images.
func (r *Reconciler) commit(ctx context.Context, s *v1beta1.Slideshow, o *observed, credits int32) error {
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
	if e := shortwork.Exhausted(err, "slideshows"); e != nil {
		return &decision{kind: actionFail, reason: v1beta1.ReasonQuotaExceeded, err: e}
	}
	var credits *quota.CreditsError
	if !errors.As(err, &credits) {
		return nil
	}
	return fail(v1beta1.ReasonInsufficientCredits, catalog.InsufficientCredits, false,
		fmt.Sprintf("The AI images cost %d credits and %d are left", credits.Required, credits.Current),
		map[string]string{
			"credits_required": fmt.Sprint(credits.Required), "current_credits": fmt.Sprint(credits.Current),
		})
}

// close ends the reservation of a slideshow that is being deleted.
func (r *Reconciler) close(ctx context.Context, s *v1beta1.Slideshow, o *observed) error {
	n, credits, _ := due(s)
	return r.Ledger.Reservations(r.Client).Close(ctx, o.account, s, o.account != nil && unsettled(s, o.account), n, credits)
}

// creditsOf returns the credit record in the status and creates the record if it does not exist.
func creditsOf(s *v1beta1.Slideshow) *v1beta1.CreditUse {
	if s.Status.Credits == nil {
		s.Status.Credits = &v1beta1.CreditUse{}
	}
	return s.Status.Credits
}

// perPicture returns the credits that one image costs the account; 0 on a plan without credits.
func perPicture(o *observed) int32 {
	if o.account == nil || o.account.Spec.Plan.Credits == nil {
		return 0
	}
	return o.ai.CreditsPerImage
}

// due returns what has to be settled when work has ended: the number of the settlement, its credits, and the images
// that it pays for. Failed work costs nothing.
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
		if b := &s.Status.Slides[i].Background; b.Source == deck.SourceAI && !slices.Contains(c.Paid, b.ID) {
			pictures = append(pictures, b.ID)
		}
	}
	return n, c.PerPicture * int32(len(pictures)), pictures
}

// unsettled reports whether credits are still reserved, or due for images that finished work shows.
func unsettled(s *v1beta1.Slideshow, a *v1beta1.Account) bool {
	_, credits, pictures := due(s)
	return credits > 0 || len(pictures) > 0 || quota.Held(a, quota.ShowOf(s)) > 0 || s.Status.Credits != nil && s.Status.Credits.Held > 0
}

// creditsFor returns the price of the AI images that the work may have to create, in credits.
func creditsFor(s *v1beta1.Slideshow, o *observed, d v1beta1.Design) int32 {
	price := perPicture(o)
	if d.ImageSource.Type != v1beta1.ImageSourceAI || price == 0 {
		return 0
	}
	if !deck.Written(s) {
		return price * int32(catalog.AISlides(int(s.Spec.SlideCount), int(o.Brand.Spec.SlideshowDefaults.SlideCount)))
	}
	var n int32
	for _, id := range slides.AIImages(s, &o.Inputs, d) {
		if s.Status.Credits == nil || !slices.Contains(s.Status.Credits.Paid, id) {
			n++
		}
	}
	return price * n
}

// maxPaid is the largest length of the list of paid images: those of twenty slideshows.
const maxPaid = 240

// settle charges the images that the work created and releases the remaining credits.
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
